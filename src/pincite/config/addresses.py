"""Addresses of databases as settings hold them, and as they may be shown."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("postgresql://", "postgres://")

_SECRET_PARAMETERS = (
    "password",
    "sslpassword",
    "passfile_password",
    "oauth_client_secret",
    "scram_client_key",
    "scram_server_key",
)


def is_address(value: str) -> bool:
    """Whether a text is the address of a PostgreSQL database.

    >>> is_address("postgresql://db/docs"), is_address("pincite.db")
    (True, False)
    """
    return value.lower().startswith(SCHEMES)


def has_secret(url: str) -> bool:
    """Whether there is a password in an address. One that cannot be read is taken to have one.

    >>> has_secret("postgresql://ann:x@db/docs"), has_secret("postgresql://ann@db/docs?sslmode=require")
    (True, False)
    """
    try:
        parts = urlsplit(url)
        named = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        return bool(parts.password) or bool(named & {*_SECRET_PARAMETERS})
    except ValueError:
        return True


def shown_address(url: str) -> str:
    """Who, where and which database: never a password.

    >>> shown_address("postgresql://ann:secret@db.example.org:5433/docs?sslmode=require&password=x")
    'postgresql://ann@db.example.org:5433/docs'
    >>> shown_address("postgresql://ann@/docs?host=/run/postgresql")
    'postgresql://ann@/docs?host=/run/postgresql'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "postgresql://…"
    who, at, hosts = parts.netloc.rpartition("@")
    host = "" if hosts else dict(parse_qsl(parts.query)).get("host", "")
    place = f"?host={host}" if host else ""
    return f"postgresql://{unquote(who.partition(':')[0])}{at}{hosts}{parts.path}{place}"
