"""Addresses of databases and collectors as settings hold them, and as they may be shown."""

from __future__ import annotations

import re
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


def can_be_read(url: str) -> bool:
    """Whether an address means to libpq what it means to a reader. A password with ``@``, ``/``, ``?`` or ``#`` in it as they
    are ends too early: its rest is then taken for a host, a port or a database, which errors name.

    >>> can_be_read("postgresql://ann:x%40y@db1:5432,[::1]/docs"), can_be_read("postgresql://ann:x/y@db/docs")
    (True, False)
    """
    if not is_address(url):
        return False
    authority, _, rest = url.partition("://")[2].partition("/")
    who, at, hosts = authority.rpartition("@")
    place = rest.partition("?")[0] if at or "?" not in authority else ""
    hosts = hosts.partition("?")[0]
    ports = [host.rpartition("]")[2].partition(":")[2] for host in hosts.split(",")]
    return (
        not any(sign in who for sign in "@/?#")
        and not any(sign in place for sign in "@#")
        and "#" not in hosts
        and all(not port or (port.isascii() and port.isdigit()) for port in ports)
    )


def has_secret(url: str) -> bool:
    """Whether there is a password in an address. One that cannot be read is taken to have one.

    >>> has_secret("postgresql://ann:x@db/docs"), has_secret("postgresql://ann@db/docs?sslmode=require")
    (True, False)
    >>> has_secret("postgresql://ann:x/y@db/docs")
    True
    """
    if not url:
        return False
    if not can_be_read(url):
        return True
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
    >>> shown_address("postgresql://ann:sec/ret@db/docs")
    'postgresql://…'
    """
    if not can_be_read(url):
        return "postgresql://…"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "postgresql://…"
    who, at, hosts = parts.netloc.rpartition("@")
    host = "" if hosts else dict(parse_qsl(parts.query)).get("host", "")
    place = f"?host={host}" if host else ""
    return f"postgresql://{unquote(who.partition(':')[0])}{at}{hosts}{parts.path}{place}"


_PLAIN = re.compile(r"https?://[^\s@?#/\\]+(?:/[^\s@?#\\]*)?\Z")


def is_plain(url: str) -> bool:
    """Whether an address of the web is a host with at most a port and a path: no name, password, query or fragment, which
    may hold a secret.

    >>> (
    ...     is_plain("http://127.0.0.1:4318"),
    ...     is_plain("https://[::1]:4318/otlp"),
    ...     is_plain("http://u:x@h"),
    ...     is_plain("http://h:4x"),
    ... )
    (True, True, False, False)
    """
    if not _PLAIN.match(url) or not url.isprintable():
        return False
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0 and not parts.netloc.endswith(":")
    except ValueError:
        return False


def shown_web_address(url: str) -> str:
    """An address of the web without what may be a secret.

    >>> shown_web_address("https://u:se@cret@h:4318/otlp?key=x"), shown_web_address("http://u:a/b@h")
    ('https://h:4318/otlp', 'an address that is not shown')
    """
    scheme, _, rest = url.partition("://")
    authority, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    plain = f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"
    return plain if is_plain(plain) and "@" not in rest[len(authority) :] else "an address that is not shown"
