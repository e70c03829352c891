"""Pages from addresses. The only module of this family that opens a connection.

Whoever may name an address must not reach what only this machine reaches: every address of every host is checked after it is
looked up, again on every redirect, and the connection goes to the very address that was checked. No proxy is used, as nobody
could check what it does.
"""

from __future__ import annotations

import codecs
import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from pincite.errors import ParseError
from pincite.parsers import PARSERS, choose
from pincite.parsers.encodings import codec_of
from pincite.parsers.fields import doc_id_of
from pincite.parsers.guards import Hop, url_allowed, url_problem
from pincite.text.slug import slug
from pincite.types import Document, Origin

_REDIRECTS = (301, 302, 303, 307, 308)
_READ_BYTES = 1 << 16
_AGENT = "pincite"
_MAX_HEADER_CHARS = 1000

_KINDS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/json": "json",
    "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
"""Media types that say enough. Under others, such as ``text/plain``, the content and the name in the address tell."""
_UNSURE = ("", "text/plain", "application/octet-stream", "binary/octet-stream", "application/force-download")
_TEXTS = ("html", "markdown", "csv", "text")
"""Formats that are decoded; the server's charset counts more than what the page says of itself."""

Resolve = Callable[[str, int], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Of one page, redirects included. ``timeout_s`` is for each time the server is waited for."""

    max_bytes: int = 50_000_000
    timeout_s: float = 20.0
    total_s: float = 120.0
    max_redirects: int = 5


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a server gave. ``kind`` and ``charset`` are of its ``Content-Type``; ``""`` where it does not say."""

    data: bytes
    final_url: str
    kind: str = ""
    charset: str = ""
    etag: str | None = None
    last_modified: str | None = None


def is_url(source: object) -> bool:
    """Whether a source is an address, not a path.

    >>> is_url("https://example.org/a"), is_url("docs/a.md")
    (True, False)
    """
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def load_url(
    url: str,
    *,
    clock: Callable[[], datetime],
    allow_private: bool = False,
    limits: FetchLimits = FetchLimits(),
    resolve: Resolve | None = None,
) -> tuple[Document, ...]:
    """Fetch and parse a page. Its documents bring the bytes and where they came from (``origin``).

    The ``doc_id`` is made of the address as given, so that it stays when a redirect changes, and of nothing that the page
    says: a page must not take the place of another document, nor say who may read it. ``Document.url`` is where the
    redirects led.

    Raises:
        ParseError: Naming the address, whatever is wrong with it or with what is there.
    """
    url = urldefrag(url).url
    fetched = fetch(
        url, allow_private=allow_private, limits=limits, **({} if resolve is None else {"resolve": resolve})
    )
    name, data = _kind_of(fetched, url)
    origin = Origin(
        url,
        fetched_at=clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        final_url=fetched.final_url if fetched.final_url != url else None,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
    )
    documents = PARSERS[name](data, url)
    own = doc_id_of(url)
    return tuple(
        replace(
            one,
            doc_id=own if len(documents) == 1 else slug(f"{own}--{one.doc_id}"),
            access_level=None,
            url=_shown_url(one.url, fetched.final_url),
            defaulted=tuple(dict.fromkeys((*one.defaulted, "doc_id", "access_level"))),
            original=fetched.data,
            origin=origin,
        )
        for one in documents
    )


def fetch(
    url: str,
    *,
    allow_private: bool = False,
    limits: FetchLimits = FetchLimits(),
    resolve: Resolve = lambda host, port: _looked_up(host, port),
) -> Fetched:
    """What stands at an address, redirects followed.

    Args:
        allow_private: Read from private addresses and this machine too.
        resolve: Host and port to addresses; the system's, when it is not given.

    Raises:
        ParseError: If it is not allowed, not there, too large or too slow.
    """
    given = url
    deadline = time.monotonic() + limits.total_s
    for _ in range(limits.max_redirects + 1):
        if problem := url_problem(url):
            raise ParseError(problem, where=given)
        parts = urlsplit(url)
        host = _ascii_host(parts.hostname or "", given)
        port = parts.port or (443 if parts.scheme.lower() == "https" else 80)
        try:
            addresses = resolve(host, port)
        except (OSError, UnicodeError) as error:  # the latter for a label that is empty or too long
            raise ParseError(f"the host {host[:80]} is not found", where=given) from error
        if not allow_private and not url_allowed([Hop(url, addresses)]):
            raise ParseError(
                f"{'leads to ' + url[:200] + ', which' if url != given else 'it'} is an address of this machine or of a private network",
                where=given,
                hint="set [parse] allow_private = true, if whoever adds documents may read from there",
            )
        with _Connection(
            parts.scheme.lower(), host, port, addresses, limits.timeout_s, deadline
        ) as connection:
            try:
                found = connection.get(_target(url), limits.max_bytes)
            except (OSError, ValueError, http.client.HTTPException, zlib.error) as error:
                slow = time.monotonic() >= deadline or isinstance(error, TimeoutError)
                raise ParseError(
                    f"took longer than {limits.total_s if time.monotonic() >= deadline else limits.timeout_s:g} s"
                    if slow
                    else f"cannot be fetched: {getattr(error, 'strerror', None) or type(error).__name__}",
                    where=given,
                ) from error
        if isinstance(found, int):
            raise ParseError(f"the server answered {found}", where=given)
        if isinstance(found, _TooLarge):
            raise ParseError(
                f"has more than {limits.max_bytes / 1e6:g} MB",
                where=given,
                hint="fetch it yourself and add the file",
            )
        if isinstance(found, Fetched):
            return replace(found, final_url=url)
        try:
            url = urldefrag(urljoin(url, found)).url
        except ValueError as error:
            raise ParseError("leads to what is no address of a page", where=given) from error
    raise ParseError(f"more than {limits.max_redirects} redirects", where=given)


# --- one request --------------------------------------------------------------------------------


class _TooLarge:
    """The answer to a request for more than is read."""


class _Connection:
    """A connection to the first of ``addresses`` that answers; closed at ``deadline``, whatever it is doing."""

    def __init__(
        self, scheme: str, host: str, port: int, addresses: tuple[str, ...], timeout_s: float, deadline: float
    ) -> None:
        self._scheme, self._host, self._port = scheme, host, port
        self._addresses, self._timeout_s, self._deadline = addresses, timeout_s, deadline
        self._http: http.client.HTTPConnection | None = None

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        if self._http is not None:
            self._http.close()

    def get(self, target: str, max_bytes: int) -> Fetched | str | int | _TooLarge:
        """The page, the address it moved to, or the status of an error.

        Raises:
            OSError, ValueError, HTTPException, zlib.error: If the connection breaks, or says what is no HTTP.
        """
        self._http = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        with self._watched():
            self._connect()
            default = 443 if self._scheme == "https" else 80
            shown = f"[{self._host}]" if ":" in self._host else self._host
            headers = {
                "Host": shown if self._port == default else f"{shown}:{self._port}",
                "User-Agent": _AGENT,
                "Accept": "text/html, application/pdf, text/*;q=0.9, */*;q=0.5",
                "Accept-Encoding": "gzip",
                "Connection": "close",
            }
            self._http.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                self._http.putheader(name, value)
            self._http.endheaders()
            response = self._http.getresponse()
            if response.status in _REDIRECTS and response.headers.get("Location"):
                return str(response.headers["Location"])
            if response.status != 200:
                return response.status
            data = _body(response, max_bytes)
        if data is None:
            return _TooLarge()
        kind, charset = _content_type(response.headers)
        return Fetched(
            data,
            "",
            kind,
            charset,
            _header(response.headers, "ETag"),
            _header(response.headers, "Last-Modified"),
        )

    def _connect(self) -> None:
        assert self._http is not None
        failed: OSError | None = None
        for address in self._addresses:
            try:
                sock = socket.create_connection((address, self._port), timeout=self._timeout_s)
                break
            except OSError as error:
                failed = error
        else:
            raise failed or OSError("no address")
        self._http.sock = sock
        if self._scheme == "https":
            # The name is checked against the certificate, though the connection went to the address.
            wrapped = ssl.create_default_context().wrap_socket(
                sock, server_hostname=self._host, do_handshake_on_connect=False
            )
            self._http.sock = wrapped
            wrapped.do_handshake()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        # A server that sends a byte now and then never runs into a socket's time limit.
        timer = threading.Timer(max(0.0, self._deadline - time.monotonic()), self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
        if time.monotonic() >= self._deadline:
            raise TimeoutError

    def _cut(self) -> None:
        sock = self._http.sock if self._http is not None else None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                sock.close()


def _body(response: http.client.HTTPResponse, max_bytes: int) -> bytes | None:
    """The content, unpacked; ``None`` when it has more than ``max_bytes``, packed or not."""
    said = response.headers.get("Content-Length", "")
    if said.isascii() and said.isdigit() and len(said) < 20 and int(said) > max_bytes:
        return None
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise http.client.UnknownTransferEncoding(packing)
    unpack = zlib.decompressobj(wbits=47) if packing not in ("", "identity") else None
    parts: list[bytes] = []
    size = packed = 0
    # ``read`` believes a chunk that says it has -1 bytes, and takes all there is; ``read1`` never takes more than it is told.
    while piece := response.read1(_READ_BYTES):
        packed += len(piece)
        if unpack is not None:
            piece = unpack.decompress(piece, max_bytes + 1 - size)
        size += len(piece)
        parts.append(piece)
        if size > max_bytes or packed > max_bytes or (unpack is not None and unpack.unconsumed_tail):
            return None
    # The connection may end before what was announced has come: half a page is no page.
    if response.length or (unpack is not None and not unpack.eof):
        raise http.client.IncompleteRead(b"")
    return b"".join(parts)


def _content_type(headers: Message) -> tuple[str, str]:
    said = (headers.get("Content-Type") or "")[:_MAX_HEADER_CHARS]
    kind, *more = said.split(";")
    charset = next(
        (
            part.partition("=")[2].strip()
            for part in more
            if part.partition("=")[0].strip().lower() == "charset"
        ),
        "",
    )
    return kind.strip().lower(), charset


def _header(headers: Message, name: str) -> str | None:
    value = (headers.get(name) or "").strip()
    return value if value and value.isprintable() and len(value) <= _MAX_HEADER_CHARS else None


def _looked_up(host: str, port: int) -> tuple[str, ...]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in found))


def _ascii_host(host: str, given: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise ParseError("no address of a page", where=given) from error


def _target(url: str) -> str:
    parts = urlsplit(url)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    return f"{path}?{quote(parts.query, safe='/%:@!$&()*+,;=~-._?[]')}" if parts.query else path


# --- what it is ---------------------------------------------------------------------------------


def _kind_of(fetched: Fetched, url: str) -> tuple[str, bytes]:
    """The parser for a page and the bytes to give it: what the server says, unless the content says otherwise."""
    name = PurePosixPath(urlsplit(fetched.final_url).path).name or "page"
    kind = _KINDS.get(fetched.kind, "")
    if fetched.data.startswith((b"%PDF-", b"PK\x03\x04")):
        kind = choose(fetched.data, url)
    elif not kind and fetched.kind in _UNSURE:
        try:
            kind = choose(fetched.data, name)
        except ParseError:
            if fetched.kind != "text/plain":
                raise ParseError("the server does not say what it is", where=url) from None
            kind = "text"
    elif not kind:
        raise ParseError(f"{fetched.kind or 'its kind'} is not read", where=url)
    if kind not in _TEXTS or not fetched.charset:
        return kind, fetched.data
    codec = codec_of(fetched.charset)
    if codec is None or codec == "utf-8":
        return kind, fetched.data
    try:
        text = fetched.data.decode(codec)
    except UnicodeDecodeError as error:
        raise ParseError(f"not {fetched.charset}, as the server says", where=url) from error
    return kind, codecs.BOM_UTF8 + text.removeprefix("\ufeff").encode("utf-8", "replace")


def _shown_url(said: str, final_url: str) -> str:
    """The address that a page gives of itself counts when it is one of the same host."""
    same = bool(said) and not url_problem(said) and urlsplit(said).hostname == urlsplit(final_url).hostname
    return said if same else final_url
