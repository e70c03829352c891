"""Settings to what tells a collector of requests."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from pincite.config import Loaded
from pincite.errors import ConfigError, install_line
from pincite.telemetry import Telemetry

OTEL_HEADERS = (
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
)
"""Environment variables with a collector's key."""


def open_telemetry(loaded: Loaded) -> Telemetry:
    """What tells a collector of requests, as the settings and the ``OTEL_…`` variables say.

    Raises:
        ConfigError: The extra is not installed, or a secret of the environment would go to an address of the settings.
    """
    settings = loaded.config.telemetry
    with _telemetry_of(loaded):
        from pincite import __version__
        from pincite.otel import open_otel
    return open_otel(settings.endpoint, content=settings.capture_content, version=__version__)


def reaches_collector(loaded: Loaded) -> bool:
    """Whether the collector takes traces now. Errors as of ``open_telemetry``."""
    with _telemetry_of(loaded):
        from pincite.collector import is_there
    return is_there(loaded.config.telemetry.endpoint)


@contextlib.contextmanager
def _telemetry_of(loaded: Loaded) -> Iterator[None]:
    """What must hold before telemetry begins; what is imported in it says what to install."""
    settings = loaded.config.telemetry
    if settings.endpoint and (secret := next((one for one in OTEL_HEADERS if os.environ.get(one)), None)):
        # As with keys of models: a settings file must not send elsewhere what the environment keeps.
        raise ConfigError(
            f"{secret} is set, and would be sent to {settings.endpoint}",
            where=loaded.where("telemetry", "endpoint"),
            hint="leave [telemetry] endpoint empty and set OTEL_EXPORTER_OTLP_ENDPOINT beside it",
        )
    try:
        yield
    except ImportError as error:
        if not (error.name or "").startswith(("opentelemetry", "requests")):
            raise
        raise ConfigError(
            f"telemetry is on and {error.name} is not installed",
            where=loaded.where("telemetry", "enabled"),
            hint=f"it needs an extra: {install_line('otel')}",
        ) from error
