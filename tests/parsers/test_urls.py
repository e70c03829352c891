"""Addresses that may not be read, told before any connection is made."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pincite.errors import ParseError
from pincite.parsers.encodings import codec_of
from pincite.parsers.urls import load_url


def refused(url: str, *addresses: str) -> str:
    with pytest.raises(ParseError) as caught:
        load_url(url, clock=lambda: datetime(2031, 1, 1, tzinfo=UTC), resolve=lambda host, port: addresses)
    assert caught.value.where == url
    return caught.value.message


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.8", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.8", "64:ff9b::7f00:1", "2002:7f00:1::",
        "::", "not an address", "192.0.0.192", "168.63.129.16", "2001:4860::5efe:7f00:1",
    ],
)  # fmt: skip
def test_a_host_that_is_in_a_private_network_is_refused(address: str) -> None:
    assert "private network" in refused("https://docs.example.org/a", address)
    assert "private network" in refused("https://docs.example.org/a", "93.184.216.34", address)


@pytest.mark.parametrize(
    "host", ["localhost", "127.1", "0x7f.1", "2130706433", "[::1]", "printer.local", "127。0。0。1"]
)
def test_a_name_of_this_machine_is_refused_whatever_it_resolves_to(host: str) -> None:
    with pytest.raises(ParseError):
        load_url(
            f"http://{host}/", clock=lambda: datetime.now(UTC), resolve=lambda host, port: ("93.184.216.34",)
        )


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://user:secret@example.org/", "user name or password"),
        ("https://example.org/a b", "blanks"),
        ("https://example.org\\@10.0.0.8/", "backslashes"),
        ("https:///a", "no address of a page"),
        ("https://example.org:99999/", "no address of a page"),
    ],
)
def test_an_address_that_programs_read_differently_is_refused(url: str, said: str) -> None:
    assert said in refused(url, "93.184.216.34")


def test_a_host_that_is_not_there_is_an_error() -> None:
    def unknown(host: str, port: int) -> tuple[str, ...]:
        raise OSError("no such host")

    with pytest.raises(ParseError, match=r"the host nowhere\.example is not found"):
        load_url("https://nowhere.example/", clock=lambda: datetime.now(UTC), resolve=unknown)


@pytest.mark.parametrize("host", ["a..example", ".example", f"{'a' * 64}.example"])
def test_a_host_that_no_name_can_be_is_not_found(host: str) -> None:
    with pytest.raises(ParseError, match="is not found"):
        load_url(f"http://{host}/", clock=lambda: datetime.now(UTC))


@pytest.mark.parametrize(
    "label", ["punycode", "idna", "rot13", "unicode_escape", "utf-7", "zlib", "x" * 1000]
)
def test_codecs_that_are_no_encodings_of_pages_are_not_used(label: str) -> None:
    assert codec_of(label) is None
