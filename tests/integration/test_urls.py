"""Pages from a scripted server on this machine: kinds, redirects, limits."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.small_pdf import small_pdf

from pincite import Document, Pipeline
from pincite.errors import ParseError
from pincite.parsers.urls import FetchLimits, load_url

Page = tuple[int, dict[str, str], bytes]
PAGE = b"<title>Fees</title><h1>Fees</h1><p>Entry is free."


@contextmanager
def server(
    pages: dict[str, Page | Callable[[BaseHTTPRequestHandler], None]],
) -> Iterator[tuple[str, list[str]]]:
    """Answers GET; yields its address and the hosts and paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.headers['host'].partition(':')[0]} {self.path}")
            page = pages.get(self.path, (404, {}, b""))
            if callable(page):
                page(self)
                return
            status, headers, body = page
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://docs.example:{running.server_port}", asked
        finally:
            running.shutdown()


def here(host: str, port: int) -> tuple[str, ...]:
    """Every name leads to this machine: only the address that was looked up is connected to."""
    return ("127.0.0.1",)


DEFAULT = FetchLimits()


def load(url: str, limits: FetchLimits = DEFAULT) -> Document:
    (document,) = load_url(
        url,
        clock=lambda: datetime(2031, 3, 31, 9, tzinfo=UTC),
        allow_private=True,
        limits=limits,
        resolve=here,
    )
    return document


def html(body: bytes = PAGE, **headers: str) -> Page:
    return (
        200,
        {"Content-Type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}},
        body,
    )


def test_a_page_knows_where_and_when_it_was_read() -> None:
    with server({"/fees?y=1": html(ETag='"v1"', Last_Modified="Mon, 31 Mar 2031 08:00:00 GMT")}) as (
        root,
        asked,
    ):
        document = load(f"{root}/fees?y=1#entry")
    assert (document.text, document.title, document.url) == (
        "Fees\n\nEntry is free.",
        "Fees",
        f"{root}/fees?y=1",
    )
    assert document.original == PAGE
    assert document.origin is not None
    assert (document.origin.place, document.origin.fetched_at, document.origin.final_url) == (
        f"{root}/fees?y=1", "2031-03-31T09:00:00Z", None,
    )  # fmt: skip
    assert (document.origin.etag, document.origin.last_modified) == ('"v1"', "Mon, 31 Mar 2031 08:00:00 GMT")
    assert asked == ["docs.example /fees?y=1"]


def test_a_redirect_is_followed_and_the_doc_id_stays_that_of_the_address_given() -> None:
    moved: Page = (302, {"Location": "/new"}, b"")
    with server({"/old": moved, "/new": html(), "/direct": html()}) as (root, _):
        document = load(f"{root}/old")
        assert document.url == f"{root}/new"
        assert document.origin is not None
        assert (document.origin.place, document.origin.final_url) == (f"{root}/old", f"{root}/new")
        assert document.doc_id != load(f"{root}/new").doc_id


def test_a_redirect_into_a_private_network_is_refused_though_the_first_address_was_public() -> None:
    def resolve(host: str, port: int) -> tuple[str, ...]:
        return ("93.184.216.34",) if host == "docs.example" else ("10.0.0.8",)

    with pytest.raises(
        ParseError, match=r"leads to http://inside\.example/, which is an address of this machine"
    ):
        _with_first_hop_here(resolve)


def _with_first_hop_here(resolve: Callable[[str, int], tuple[str, ...]]) -> None:
    from unittest.mock import patch

    connect = socket.create_connection
    with server({"/": (302, {"Location": "http://inside.example/"}, b"")}) as (root, _):

        def public_is_here(address: tuple[str, int], timeout: float) -> socket.socket:
            assert address[0] == "93.184.216.34"
            return connect(("127.0.0.1", address[1]), timeout=timeout)

        with patch("pincite.parsers.urls.socket.create_connection", public_is_here):
            load_url(f"{root}/", clock=lambda: datetime.now(UTC), resolve=resolve)


def test_the_connection_goes_to_the_address_that_was_checked_and_the_name_is_looked_up_once() -> None:
    looked_up: list[str] = []

    def resolve(host: str, port: int) -> tuple[str, ...]:
        looked_up.append(host)
        return ("127.0.0.1",) if len(looked_up) == 1 else ("10.0.0.8",)

    with server({"/": html()}) as (root, _):
        load_url(f"{root}/", clock=lambda: datetime.now(UTC), allow_private=True, resolve=resolve)
    assert looked_up == ["docs.example"]


def test_without_permission_this_machine_is_not_asked() -> None:
    with server({"/": html()}) as (root, asked):
        with pytest.raises(ParseError, match="allow_private"):
            load_url(f"{root}/", clock=lambda: datetime.now(UTC), resolve=here)
        assert asked == []


def test_redirects_in_a_circle_end() -> None:
    with server({"/": (301, {"Location": "/"}, b"")}) as (root, asked):
        with pytest.raises(ParseError, match="more than 5 redirects"):
            load(f"{root}/")
        assert len(asked) == 6


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://docs.example/", "//user:x@docs.example/", "javascript:x"]
)
def test_a_redirect_to_what_is_no_page_is_refused(target: str) -> None:
    with server({"/": (302, {"Location": target}, b"")}) as (root, _), pytest.raises(ParseError):
        load(f"{root}/")


@pytest.mark.parametrize(
    ("kind", "path", "body", "expected"),
    [
        ("application/pdf", "/a", small_pdf("Entry is free."), "pdf"),
        ("text/html", "/a", small_pdf("Entry is free."), "pdf"),
        ("text/plain", "/a.md", b"# Fees\n\nEntry is free.", "markdown"),
        ("text/plain; charset=utf-8", "/a", b"Entry is free.", "text"),
        ("application/octet-stream", "/a.csv", b"a,b\nc,d\n", "csv"),
        ("", "/a", b"<html><p>Entry is free.", "html"),
    ],
)
def test_the_kind_is_what_the_server_says_unless_the_content_says_otherwise(
    kind: str, path: str, body: bytes, expected: str
) -> None:
    with server({path: (200, {"Content-Type": kind} if kind else {}, body)}) as (root, _):
        assert load(f"{root}{path}").format == expected


def test_the_charset_of_the_server_counts_more_than_that_of_the_page() -> None:
    page = '<meta charset="utf-8"><p>Führung 5 €'.encode("cp1252")
    with server({"/": html(page, Content_Type="text/html; charset=ISO-8859-1")}) as (root, _):
        assert load(f"{root}/").text == "Führung 5 €"


@pytest.mark.parametrize(
    ("kind", "said"), [("image/png", "image/png is not read"), ("", "does not say what it is")]
)
def test_what_is_no_document_is_refused(kind: str, said: str) -> None:
    page: Page = (200, {"Content-Type": kind} if kind else {}, b"\x00\x01")
    with server({"/": page}) as (root, _), pytest.raises(ParseError, match=said):
        load(f"{root}/")


@pytest.mark.parametrize("status", [403, 404, 500, 204])
def test_an_error_of_the_server_is_an_error_of_the_page(status: int) -> None:
    with (
        server({"/": (status, {}, b"")}) as (root, _),
        pytest.raises(ParseError, match=f"the server answered {status}"),
    ):
        load(f"{root}/")


def test_a_page_does_not_choose_its_id_or_its_readers() -> None:
    said = (
        b'{"doc_id": "handbook", "title": "H", "url": "", "text": "Entry is free.", "access_level": "public"}'
    )
    pages: dict[str, Page | Callable[[BaseHTTPRequestHandler], None]] = {
        "/one": (200, {"Content-Type": "application/json"}, said),
        "/two": (
            200,
            {"Content-Type": "application/json"},
            b"[" + said + b"," + said.replace(b"handbook", b"b") + b"]",
        ),
    }
    with server(pages) as (root, _):
        document = load(f"{root}/one")
        assert (document.doc_id == "handbook", document.access_level) == (False, None)
        two = load_url(f"{root}/two", clock=lambda: datetime.now(UTC), allow_private=True, resolve=here)
        assert len({one.doc_id for one in two} - {"handbook", "b"}) == 2


def test_a_server_that_speaks_no_tls_or_nothing_at_all_is_an_error() -> None:
    with server({"/": html()}) as (root, _), pytest.raises(ParseError, match="cannot be fetched"):
        load(root.replace("http:", "https:") + "/")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        for scheme in ("http", "https"):
            with pytest.raises(ParseError, match=r"took longer than 0\.2 s"):
                load(f"{scheme}://docs.example:{silent.getsockname()[1]}/", FetchLimits(timeout_s=0.2))


def test_packed_pages_are_unpacked_up_to_the_limit() -> None:
    bomb = gzip.compress(b"<p>" + b"x" * 3_000_000)
    pages: dict[str, Page | Callable[[BaseHTTPRequestHandler], None]] = {
        "/ok": html(gzip.compress(PAGE), Content_Encoding="gzip"),
        "/bomb": html(bomb, Content_Encoding="gzip"),
        "/cut": html(gzip.compress(PAGE)[:-9], Content_Encoding="gzip"),
        "/other": html(PAGE, Content_Encoding="br"),
    }
    with server(pages) as (root, _):
        assert load(f"{root}/ok").title == "Fees"
        with pytest.raises(ParseError, match="more than 1 MB"):
            load(f"{root}/bomb", FetchLimits(max_bytes=1_000_000))
        for path in ("/cut", "/other"):
            with pytest.raises(ParseError, match="cannot be fetched"):
                load(f"{root}{path}")


def test_a_page_over_the_limit_is_not_read_to_its_end_whether_it_says_so_or_not() -> None:
    pages: dict[str, Page | Callable[[BaseHTTPRequestHandler], None]] = {
        "/said": html(b"x", Content_Length="999999999"),
        "/unsaid": html(b"<p>" + b"x" * 300_000),
    }
    with server(pages) as (root, _):
        for path in pages:
            with pytest.raises(ParseError, match=r"more than 0\.1 MB"):
                load(f"{root}{path}", FetchLimits(max_bytes=100_000))


def raw(said: bytes, times: int = 1) -> Callable[[BaseHTTPRequestHandler], None]:
    """A page that says just that, and hangs up."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + said)
            for _ in range(times - 1):
                handler.wfile.write(b"x" * 100_000)
        handler.close_connection = True

    return send


@pytest.mark.parametrize(
    ("said", "times", "message"),
    [
        (b"Content-Length: 400\r\n\r\nhalf a page", 1, "cannot be fetched"),
        (b"Transfer-Encoding: chunked\r\n\r\n400\r\nhalf a page", 1, "cannot be fetched"),
        (b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabc", 1, "cannot be fetched"),
        (b"Transfer-Encoding: chunked\r\n\r\n-1\r\n", 100, r"more than 0\.1 MB"),
    ],
)
def test_a_page_that_has_not_the_length_it_says_is_refused(said: bytes, times: int, message: str) -> None:
    with server({"/": raw(said, times)}) as (root, _), pytest.raises(ParseError, match=message):
        load(f"{root}/", FetchLimits(max_bytes=100_000))


@pytest.mark.parametrize(
    "place", ["//[", f"http://{'a' * 64}.example/", "http://a..example/", "https://.example/"]
)
def test_a_redirect_to_what_is_no_address_is_an_error_of_that_page(place: str) -> None:
    with server({"/": (302, {"Location": place}, b"")}) as (root, _), pytest.raises(ParseError):
        load_url(
            f"http://127.0.0.1:{root.rpartition(':')[2]}/",
            clock=lambda: datetime.now(UTC),
            allow_private=True,
        )


def test_a_server_that_sends_a_byte_now_and_then_is_cut_off() -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        try:
            for _ in range(200):
                handler.wfile.write(b"x")
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

    with server({"/": drip}) as (root, _), pytest.raises(ParseError, match=r"took longer than 0\.5 s"):
        load(f"{root}/", FetchLimits(timeout_s=5, total_s=0.5))


def test_pages_are_added_like_files_and_a_failed_one_costs_only_itself() -> None:
    with server({"/a": html(), "/b": html(b"<p>Dogs pay 2 EUR.")}) as (root, _):
        port = root.rpartition(":")[2]
        rag = Pipeline(store="memory", embedder="none", parse={"allow_private": True})
        report = rag.add(
            f"http://127.0.0.1:{port}/a", f"http://127.0.0.1:{port}/none", f"http://127.0.0.1:{port}/b"
        )
        assert (len(report.added), len(report.failed)) == (2, 1)
        again = rag.add(f"http://127.0.0.1:{port}/a")
        assert len(again.unchanged) == 1
