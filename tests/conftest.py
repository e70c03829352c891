"""Settings that hold for every test."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Same examples in every run: a build that was green yesterday is green today. To look for new ones:
# PINCITE_EXPLORE=1 make test ARGS=properties
settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("explore" if os.environ.get("PINCITE_EXPLORE") else "repeatable")


def pytest_sessionfinish() -> None:
    """End the server that tests of the PostgreSQL store have started."""
    import sys

    started = sys.modules.get("tests.postgres_server")
    if started is not None:
        started.stop_all()
