"""What may come in from outside: names of uploads, addresses to fetch, archives to unpack. Pure decisions.

Each function says yes or no from the values it is given; whoever opens files and sockets asks it first.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pincite.errors import ParseError

MAX_NAME_BYTES = 255
"""What the usual file systems allow."""

_SEPARATORS = re.compile(r"[/\\:]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Direction marks: ``fdp.exe`` can be made to read ``exe.pdf``."""
_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_LOCAL_NAME = re.compile(r"(?:.*\.)?(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)")
_NUMERIC_HOST = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|[0-9]+)")
"""The URL standard reads a host whose last label is a number as an address, in whatever notation."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_OF_THE_HOST = (ipaddress.ip_network("192.0.0.0/24"), ipaddress.ip_network("168.63.129.16/32"))
"""Where clouds (Oracle's, Azure's) answer their own machines, though the addresses look public or partly are."""


# --- names --------------------------------------------------------------------------------------


def upload_path(name: str, folder: Path) -> Path:
    """Where an upload of that name is stored: right in ``folder``, under the very same name.

    Names are not mended: two names that are made alike would overwrite each other.

    Raises:
        ParseError: If the name is empty or could be read as anything but a plain file name.

    >>> upload_path("plan 2031.pdf", Path("uploads")).as_posix()
    'uploads/plan 2031.pdf'
    """
    problem = _name_problem(name)
    if problem:
        raise ParseError(f"{problem}: {name[:80]!r}", where="upload", hint="use a plain file name")
    return folder / name


def _name_problem(name: str) -> str:
    if not name.strip() or not name.strip(". "):
        return "an upload needs a name"
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name) or _BIDI.search(name):
        return "the name holds control characters"
    # Compatibility forms: a full-width solidus becomes "/" in programs that normalise.
    if _SEPARATORS.search(name) or _SEPARATORS.search(
        "".join(unicodedata.normalize("NFKC", c) for c in name)
    ):
        return "the name holds a path separator"
    if name != name.strip() or name.endswith("."):
        return "the name begins or ends with a blank or dot"
    if _WINDOWS_DEVICE.fullmatch(name):
        return "the name is that of a Windows device"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"the name is longer than {MAX_NAME_BYTES} bytes"
    return ""


# --- addresses ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hop:
    """One request on the way to a document: the URL, and every address that its host resolves to."""

    url: str
    addresses: tuple[str, ...]


def url_allowed(hops: Sequence[Hop]) -> bool:
    """Whether a document may be fetched: each URL is http or https, each address of each host is public.

    Args:
        hops: The first request and every redirect, in order. Ask again whenever a redirect comes.

    >>> url_allowed([Hop("https://example.org/a", ("93.184.216.34",))])
    True
    >>> url_allowed([Hop("http://example.org/", ("93.184.216.34", "10.0.0.8"))])
    False
    """
    return bool(hops) and all(not url_problem(hop.url) and _is_public_hop(hop) for hop in hops)


def url_problem(url: str) -> str:
    """What is wrong with an address, wherever it leads; empty when nothing is.

    >>> url_problem("https://example.org/a"), url_problem("ftp://example.org/a")
    ('', 'only http and https addresses are read')
    """
    # Blanks, controls and backslashes are read differently by different libraries.
    if any(char.isspace() or char == "\\" or unicodedata.category(char)[0] == "C" for char in url):
        return "the address holds blanks, backslashes or control characters"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "no address of a page"
    if parts.scheme.lower() not in ("http", "https"):
        return "only http and https addresses are read"
    if not host or len(host) > 253:
        return "no address of a page"
    if parts.username is not None or parts.password is not None:
        return "the address holds a user name or password"
    return ""


def _is_public_hop(hop: Hop) -> bool:
    host = urlsplit(hop.url).hostname or ""
    host = (
        "".join(unicodedata.normalize("NFKC", char) for char in host)
        .casefold()
        .replace("。", ".")
        .rstrip(".")
    )
    if not host or _LOCAL_NAME.fullmatch(host):
        return False
    literal = _address(host)
    if literal is None and (_NUMERIC_HOST.fullmatch(host) or ":" in host):
        return False
    if literal is not None and not _is_public(literal):
        return False
    addresses = [_address(address) for address in hop.addresses]
    return bool(addresses) and all(address is not None and _is_public(address) for address in addresses)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = _inner_address(address)
        if inner is not None:
            return _is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not (
        any(address in network for network in _OF_THE_HOST)
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or address.is_loopback
        or address.is_link_local
    )


def _inner_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for, if it does."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if int(address) >> 32 & 0xFDFFFFFF == 0x5EFE:  # ISATAP, RFC 5214
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _NAT64 or (int(address) >> 32 == 0 and int(address) > 1):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


# --- archives -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one archive, all that is nested in it included. Sizes in bytes."""

    max_bytes: int = 500_000_000
    max_files: int = 10_000
    max_ratio: float = 200.0
    max_depth: int = 2


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive is and holds.

    Attributes:
        packed: Bytes of the archive itself; 0 when not known.
        declared: Bytes that it says it holds; ``None`` when it does not say.
        actual: Bytes that came out; while unpacking, so far. ``None`` before.
        files: Number of files in it.
        names: Of the files.
        depth: How deep archives are nested in it; 1 when none is.
    """

    packed: int = 0
    declared: int | None = None
    actual: int | None = None
    files: int = 0
    names: tuple[str, ...] = ()
    depth: int = 1


def archive_allowed(archive: Archive, limits: Limits = Limits()) -> bool:
    """Whether an archive may be unpacked, or unpacked further.

    What it says is not believed: it is asked before unpacking with ``declared``, and again with ``actual``,
    which must not be more than was declared.

    >>> archive_allowed(Archive(packed=1_000, declared=5_000, actual=5_000, files=2))
    True
    >>> archive_allowed(Archive(packed=1_000, declared=5_000, actual=900_000_000, files=2))
    False
    """
    return not archive_problem(archive, limits)


def archive_problem(archive: Archive, limits: Limits = Limits()) -> str:
    """Why an archive may not be unpacked; empty when it may. See ``archive_allowed``.

    >>> archive_problem(Archive(packed=1_000, declared=5_000_000, files=2))
    'it unpacks to 5000 times its size, at most 200 times is allowed'
    """
    if archive.declared is not None and archive.actual is not None and archive.actual > archive.declared:
        return f"it holds more than the {archive.declared} bytes that it says"
    size = max(archive.declared or 0, archive.actual or 0)
    if size > limits.max_bytes:
        return f"it unpacks to {size / 1e6:.0f} MB, at most {limits.max_bytes / 1e6:.0f} MB are allowed"
    if max(archive.files, len(archive.names)) > limits.max_files:
        return f"it holds more than {limits.max_files} files"
    if archive.packed and size > archive.packed * limits.max_ratio:
        return f"it unpacks to {size / archive.packed:.0f} times its size, at most {limits.max_ratio:.0f} times is allowed"
    if archive.depth > limits.max_depth:
        return f"archives lie {archive.depth} deep in each other, at most {limits.max_depth}"
    outside = next((name for name in archive.names if not _stays_inside(name)), None)
    return f"the name {outside[:80]!r} in it leads out of its folder" if outside is not None else ""


def _stays_inside(name: str) -> bool:
    """Whether a member of an archive lands below the folder it is unpacked to."""
    parts = name.replace("\\", "/").split("/")
    if not name or "\0" in name or parts[0] == "" or re.match("[A-Za-z]:", name):
        return False
    return ".." not in parts
