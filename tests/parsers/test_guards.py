"""What may come in: plain names, public addresses, honest archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ParseError
from pincite.parsers.guards import Archive, Hop, Limits, archive_allowed, upload_path, url_allowed

PUBLIC = ("93.184.216.34",)


@pytest.mark.parametrize(
    "name",
    ["plan 2031.pdf", "Übersicht.md", "料金.txt", "a..b.pdf", "v1.2.3.html", "-x.md", "résumé (1).pdf"],
)
def test_a_plain_name_is_kept_as_it_is(name: str) -> None:
    assert upload_path(name, Path("uploads")) == Path("uploads") / name


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "...", "../a.md", "/etc/motd", "a/b.md", "a\\b.md", "..\\a.md", "C:a.md", "C:\\a.md", "a.md:stream",
     "nul\0.pdf", "a\nb.md", "a\x7f.md", "a\u202efdp.md", "\ud800.md", "a.md.", "a.md ", " a.md", "nul", "CON.txt", "lpt1.md",
     "a／b.md", "x" * 256, "ü" * 130],
)  # fmt: skip
def test_a_name_that_could_be_read_as_anything_else_is_refused(name: str) -> None:
    with pytest.raises(ParseError, match="upload: "):
        upload_path(name, Path("uploads"))


@pytest.mark.parametrize(
    "hop",
    [
        Hop("https://docs.example.org/a?b=c#d", PUBLIC),
        Hop("http://example.org:8080/", PUBLIC),
        Hop("https://93.184.216.34/", PUBLIC),
        Hop("https://example.org/", ("2606:2800:220:1:248:1893:25c8:1946",)),
        Hop("https://bücher.example/", PUBLIC),
    ],
)
def test_a_public_address_may_be_fetched(hop: Hop) -> None:
    assert url_allowed([hop])


@pytest.mark.parametrize(
    "address",
    ["10.0.0.8", "127.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255",
     "::1", "::", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "::ffff:10.0.0.8", "64:ff9b::a00:8", "2002:a00:8::", "::10.0.0.8",
     "2001:0:a00:8:0:0:f5ff:fff7", "not an address", ""],
)  # fmt: skip
def test_one_address_that_is_not_public_is_enough_to_refuse(address: str) -> None:
    assert not url_allowed([Hop("https://docs.example.org/", (*PUBLIC, address))])


@pytest.mark.parametrize(
    "url",
    ["file:///etc/hosts", "ftp://example.org/", "gopher://example.org", "javascript:alert(1)", "data:text/plain,x", "//example.org/",
     "example.org", "", "http://", "http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://db.internal/",
     "http://printer.local/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://[::1]/",
     "http://①②⑦.⓪.⓪.①/", "http://user:pass@example.org/", "http://example.org@10.0.0.8/", "http://exa mple.org/",
     "http://example.org\\@10.0.0.8/", "http://example.org:99999/", "http://example.org/\r\nX: y", "http://[::1"],
)  # fmt: skip
def test_a_url_that_may_lead_inside_is_refused_whatever_it_resolves_to(url: str) -> None:
    assert not url_allowed([Hop(url, PUBLIC)])


def test_every_redirect_is_looked_at() -> None:
    first = Hop("https://docs.example.org/", PUBLIC)
    assert url_allowed([first, Hop("https://www.example.org/", PUBLIC)])
    assert not url_allowed([first, Hop("http://localhost/", ("127.0.0.1",))])


def test_a_name_that_resolves_to_nothing_is_refused() -> None:
    assert not url_allowed([Hop("https://docs.example.org/", ())])
    assert not url_allowed([])


def test_an_honest_archive_may_be_unpacked() -> None:
    assert archive_allowed(
        Archive(packed=1_000, declared=5_000, actual=5_000, files=3, names=("a/b.md", "c..d.md"))
    )


@pytest.mark.parametrize(
    "archive",
    [
        Archive(packed=1_000, declared=600),
        Archive(packed=100, declared=400, actual=401),
        Archive(packed=10, declared=400),
        Archive(files=4),
        Archive(depth=3),
        Archive(names=("../a.md",)),
        Archive(names=("a/../../b.md",)),
        Archive(names=("/etc/motd",)),
        Archive(names=("C:\\a.md",)),
        Archive(names=("..\\a.md",)),
        Archive(names=("",)),
    ],
)
def test_an_archive_over_a_limit_or_with_a_lie_is_refused(archive: Archive) -> None:
    assert not archive_allowed(archive, Limits(max_bytes=500, max_files=3, max_ratio=20, max_depth=2))
