"""``serve``: the HTTP service and its page."""

from __future__ import annotations

import ipaddress
import os
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.cli.errors import UsageError
from pincite.cli.output import emit
from pincite.cli.session import Session
from pincite.errors import install_line

if TYPE_CHECKING:
    from pincite.evals.run import Options

KEYS_VARIABLE = "PINCITE_SERVER__API_KEYS"


def serve(
    session: Session,
    *,
    host: str | None,
    port: int | None,
    no_open: bool,
    new_key: str | None,
    writes: bool,
) -> int:
    """Serve until it is interrupted; or print a new key and end."""
    if new_key is not None:
        return _print_key(session, new_key, writes=writes)
    try:
        from pincite.service.app import create_app
        from pincite.service.keys import Keys
        from pincite.service.rates import Rates
        from pincite.service.server import server_of
        from pincite.service.settings import Service
        from pincite.service.streams import Streams
        from pincite.wiring.models import open_judge
    except ModuleNotFoundError as error:
        raise UsageError(
            "the service is not installed", hint=f"it needs the extra `serve`: {install_line('serve')}"
        ) from error
    loaded = session.settings()
    server, access = loaded.config.server, loaded.config.access
    address = host or server.host
    given = [one for one in os.environ.get(KEYS_VARIABLE, "").split(",") if one.strip()]
    file = Path(access.keys_file).expanduser() if access.keys_file else None
    keys = Keys(given, file) if given or file else None
    if keys is None and not _only_from_here(address):
        raise UsageError(
            f"{address} can be reached by others, and there are no keys",
            where="--host",
            hint=f"`pincite serve --new-key internal` makes one; give it in {KEYS_VARIABLE} or [access] keys_file",
        )
    with session.pipeline(create=True) as pipeline:
        app = create_app(
            Service(
                pipeline,
                keys=keys,
                max_upload_bytes=server.max_upload_mb * 1_000_000,
                max_streams=server.max_streams,
                streams=Streams(server.max_streams),
                rates=Rates(server.requests_per_minute),
                open_judge=lambda name: open_judge(loaded, name),
                eval_options=_eval_options(session),
            )
        )
        shown = f"[{address}]" if ":" in address else address
        url = f"http://{shown}:{port or server.port}/"
        session.note(f"{url}   stop with Ctrl-C")
        if not no_open and _only_from_here(address):
            webbrowser.open(url)
        server_of(app, host=address, port=port or server.port).run()
    return 0


def _eval_options(session: Session) -> Options:
    """Targets and settings as ``pincite eval`` reports them: runs of the page and of the command can be compared."""
    from pincite.cli.evaluate import config_of
    from pincite.evals.run import Options

    aims, lines = config_of(session)
    return Options(thresholds=aims.thresholds, targets=aims.targets, config=lines)


def _only_from_here(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _print_key(session: Session, level: str, *, writes: bool) -> int:
    from pincite.service.keys import new_key

    secret, lines = new_key("new", level, writes=writes)
    emit(lines)
    session.note(
        f"The secret, shown this once: {secret}\nPut the lines above into the file of [access] keys_file."
    )
    return 0
