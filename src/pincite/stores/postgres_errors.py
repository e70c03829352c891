"""What PostgreSQL says is wrong, as errors that say what to do. No message holds a password."""

from __future__ import annotations

import psycopg
from psycopg import conninfo, errors

from pincite.config.addresses import can_be_read, shown_address
from pincite.errors import ConfigError, StoreError

_HINTS = (
    (
        "53100",
        "the disk of the server is full",
        "free some space and try again; nothing stored before is lost",
    ),
    ("53200", "the server is out of memory", "try again; give the server more memory if it stays so"),
    ("53300", "the server has no connection left", "raise max_connections, or lower [store] pool_size"),
    ("57014", "the server took too long", "raise [store] timeout_s, or see what keeps the server busy"),
    ("55P03", "another process is writing", "try again when it has finished"),
    ("25006", "this server is a standby and cannot be written to", "set [store] url to the primary"),
    (
        "42501",
        "the role has too few rights",
        "see the rights in docs/postgres.md; the owner of the schema can grant them",
    ),
    ("28P01", "the password was refused", "set it in PINCITE_STORE__URL, in PGPASSWORD or in ~/.pgpass"),
    ("28000", "the server does not let this role in", "check the role, and pg_hba.conf of the server"),
    ("3D000", "there is no such database", "create it: createdb NAME, with encoding UTF8"),
    (
        "42P01",
        "a table is missing",
        "run pincite doctor; restore a backup, or drop the schema and add the documents again",
    ),
    ("54000", "a value is too large for the server", "split the document into smaller ones"),
    ("22", "the server refuses a value", "run pincite doctor"),
    ("57P0", "the server is going down or coming up", "try again when it runs"),
    ("08", "the connection was lost", "see that the server runs, and try again"),
    ("XX001", "the server found damage in its files", "restore a backup"),
    ("XX002", "the server found damage in an index", "REINDEX the database, or restore a backup"),
)
"""The beginning of a SQLSTATE, what it means here, and the next step."""


class Lost(StoreError):
    """The connection went, or the server took it away: the same read may work on a new one."""


def store_error(error: psycopg.Error, where: str, doing: str = "") -> StoreError:
    """``error`` as a ``StoreError`` of the database ``where``; ``doing`` says what came of the work."""
    state = error.sqlstate or ""
    found = next(((what, step) for begin, what, step in _HINTS if state.startswith(begin) and state), None)
    said = _said(error)
    if found is None and isinstance(error, psycopg.OperationalError):
        found = _of_no_state(said)
    what, step = found or ("PostgreSQL reports an error", "run pincite doctor")
    message = ": ".join(part for part in (doing, what) if part)
    kind = Lost if is_passing(error) else StoreError
    return kind(f"{message} ({said})" if said else message, where=where, hint=step)


def _of_no_state(said: str) -> tuple[str, str]:
    """Libpq's own errors have no code."""
    low = said.lower()
    if "password" in low:
        return "the password was refused", "set it in PINCITE_STORE__URL, in PGPASSWORD or in ~/.pgpass"
    if "does not exist" in low and "database" in low:
        return "there is no such database", "create it: createdb NAME, with encoding UTF8"
    if "certificate" in low or "ssl" in low:
        return "the encrypted connection failed", "check sslmode and sslrootcert in [store] url"
    if "timeout" in low:
        return "the server does not answer", "check the address in [store] url and the network"
    return "the server cannot be reached", "see that it runs, and check the address in [store] url"


def _said(error: psycopg.Error) -> str:
    text = (error.diag.message_primary or str(error)).strip()
    return text.splitlines()[0][:200] if text else ""


def is_passing(error: psycopg.Error) -> bool:
    """Whether the same statement may work on a new connection: it is gone, or a standby cancelled the statement."""
    if isinstance(error, errors.QueryCanceled):
        return False
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state.startswith(("08", "57P0")) or state in ("40001", "40P01")


def check_url(url: str) -> dict[str, object]:
    """The parts of a connection's URL. Raises ``ConfigError`` without repeating it."""
    try:
        if can_be_read(url):
            return dict(conninfo.conninfo_to_dict(url))
    except (psycopg.Error, UnicodeError, ValueError):
        pass
    # libpq would repeat what it could not read, or took for a host, password and all.
    raise ConfigError(
        "[store] url cannot be read",
        where=shown_address(url) if "@" not in url else "",
        hint="write postgresql://USER@HOST:5432/DATABASE; special characters as %XX",
    )
