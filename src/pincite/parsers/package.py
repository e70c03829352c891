"""Office files as the ZIP packages that they are. What a package says of itself is not believed.

Nothing is unpacked to a disk, and an archive inside the archive is not opened.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, iterparse
from xml.etree.ElementTree import ParseError as XmlError

from pincite.errors import ParseError
from pincite.parsers.guards import Archive, Limits, archive_problem

LIMITS = Limits(max_bytes=300_000_000)
_HARMLESS_BYTES = 20_000_000
"""What unpacks to less may be packed as tightly as it likes: a table of equal rows is."""
MAX_XML_BYTES = 100_000_000
"""Of one part that is read whole. Its tree takes some ten times as much memory."""
MAX_XML_DEPTH = 200
"""Word itself nests some thirty deep."""
_READ_BYTES = 1 << 16

_ENTRY = b"PK\x01\x02"
"""Each entry of the directory at the end begins so; counted before Python makes an object of each."""
_DECLARED = re.compile(rb"<!DOCTYPE|<!ENTITY", re.IGNORECASE)

_KINDS = (
    (b"wordprocessingml.document.main", "docx"),
    (b"wordprocessingml.template.main", "docx"),
    (b"ms-word.document.macroenabled.main", "docx"),
    (b"ms-word.template.macroenabled", "docx"),
    (b"spreadsheetml.sheet.main", "xlsx"),
    (b"spreadsheetml.template.main", "xlsx"),
    (b"ms-excel.sheet.macroenabled.main", "xlsx"),
    (b"ms-excel.template.macroenabled.main", "xlsx"),
)
"""What ``[Content_Types].xml`` says of the main part. Source: ECMA-376 part 1, and Microsoft's MS-OFFMACRO2."""

_REFUSED = (
    (b"presentationml", "a presentation (PowerPoint), which is not read", "save it as PDF"),
    (b"ms-powerpoint", "a presentation (PowerPoint), which is not read", "save it as PDF"),
    (b"ms-excel.sheet.binary", "a binary Excel file (.xlsb), which is not read", "save it as .xlsx"),
    (b"opendocument.text", "an OpenDocument text, which is not read", "save it as .docx or PDF"),
    (b"opendocument.spreadsheet", "an OpenDocument table, which is not read", "save it as .xlsx or .csv"),
    (b"opendocument", "an OpenDocument file, which is not read", "save it as PDF"),
    (b"epub+zip", "an e-book (EPUB), which is not read", "save it as PDF or HTML"),
)
"""What ``[Content_Types].xml`` or the entry ``mimetype`` (OpenDocument, EPUB) says, and what to do about it."""

_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def kind_of_package(data: bytes, source: str) -> str:
    """``docx`` or ``xlsx``.

    Raises:
        ParseError: If the archive is broken, may not be unpacked or holds something else.
    """
    package = open_package(data, source)
    said = b"".join(package.head(name) for name in ("[Content_Types].xml", "mimetype")).lower()
    for mark, kind in _KINDS:
        if mark in said:
            return kind
    for mark, what, hint in _REFUSED:
        if mark in said:
            raise ParseError(what, where=source, hint=hint)
    raise ParseError(
        "a ZIP archive, which is not read", where=source, hint="unpack it and add the files in it"
    )


def open_package(data: bytes, source: str) -> Package:
    """The archive, once it may be unpacked.

    Raises:
        ParseError: If it is broken or encrypted, or if what it says of itself goes beyond ``LIMITS``.
    """
    if data.count(_ENTRY) > LIMITS.max_files + 100:  # an image may hold these bytes by chance
        raise ParseError(f"holds more than {LIMITS.max_files} files", where=source)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ParseError(
            "a broken ZIP file: Word and Excel files are such", where=source, hint="save it again"
        ) from error
    entries = archive.infolist()
    seen = Archive(
        packed=len(data),
        declared=sum(entry.file_size for entry in entries),
        files=len(entries),
        names=tuple(entry.filename for entry in entries),
    )
    limits = LIMITS if (seen.declared or 0) > _HARMLESS_BYTES else replace(LIMITS, max_ratio=float("inf"))
    if problem := archive_problem(seen, limits):
        raise ParseError(f"the archive is not unpacked: {problem}", where=source)
    if any(entry.flag_bits & 1 for entry in entries):
        raise ParseError("encrypted", where=source, hint="remove the password and add the file again")
    return Package(archive, source)


@dataclass(frozen=True, slots=True)
class Package:
    """An open archive. ``ZipFile`` gives no byte more than an entry declared, and says so when there were more."""

    archive: zipfile.ZipFile
    source: str

    def head(self, name: str) -> bytes:
        """The first bytes of a part; empty when there is none."""
        try:
            with self.archive.open(name) as stream:
                return stream.read(_READ_BYTES)
        except KeyError:
            return b""
        except _BROKEN as error:
            raise self._broken(name) from error

    def check(self, whole: Callable[[str], bool] = lambda name: True) -> None:
        """Read every part that is XML once, and throw it away: none is longer than it says, none declares entities.

        Args:
            whole: Whether a part of that name will be read as a whole, and must not be larger than ``MAX_XML_BYTES``.

        Raises:
            ParseError: Naming the part.
        """
        for entry in self.archive.infolist():
            if not entry.filename.lower().endswith((".xml", ".rels")):
                continue
            if whole(entry.filename):
                self._check_size(entry)
            try:
                with self.archive.open(entry) as stream:
                    before = b""
                    while piece := stream.read(_READ_BYTES):
                        # In UTF-16 every other byte of these words is 0.
                        piece = piece.replace(b"\0", b"")
                        if _DECLARED.search(before + piece):
                            raise ParseError(
                                f"{entry.filename} declares a document type or entities, which no Office program writes",
                                where=self.source,
                            )
                        before = piece[-16:]
            except _BROKEN as error:
                raise self._broken(entry.filename) from error

    def xml(self, name: str) -> Element | None:
        """A part as a tree; ``None`` when there is none.

        Raises:
            ParseError: If it is too large, no XML, or nested too deep.
        """
        try:
            self._check_size(self.archive.getinfo(name))
        except KeyError:
            return None
        depth, root = 0, None
        try:
            with self.archive.open(name) as stream:
                for event, element in iterparse(stream, events=("start", "end")):
                    root = element if root is None else root
                    depth += 1 if event == "start" else -1
                    if depth > MAX_XML_DEPTH:
                        raise ParseError(
                            f"{name} is nested more than {MAX_XML_DEPTH} deep", where=self.source
                        )
        except _BROKEN as error:
            raise self._broken(name) from error
        except (XmlError, ValueError, LookupError) as error:
            raise ParseError(f"{name} is no XML: {error}", where=self.source, hint="save it again") from error
        return root

    def related(self, name: str = "") -> dict[str, str]:
        """What a part (the package itself without one) refers to: last word of the kind, such as ``styles``, to the
        name of the part. Of several of one kind the first."""
        folder, _, file = name.rpartition("/")
        root = self.xml(posixpath.join(folder, "_rels", f"{file}.rels"))
        found: dict[str, str] = {}
        for one in root.iter(_RELATIONSHIP) if root is not None else ():
            if one.get("TargetMode") == "External":
                continue
            target = one.get("Target", "")
            place = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
            found.setdefault(one.get("Type", "").rpartition("/")[2], posixpath.normpath(place))
        return found

    def _check_size(self, entry: zipfile.ZipInfo) -> None:
        if entry.file_size > MAX_XML_BYTES:
            raise ParseError(
                f"{entry.filename} has {entry.file_size / 1e6:.0f} MB, at most {MAX_XML_BYTES / 1e6:.0f} MB are read",
                where=self.source,
                hint="split the document",
            )

    def _broken(self, name: str) -> ParseError:
        return ParseError(f"{name} cannot be unpacked: the file is broken", where=self.source)


_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
"""What ``ZipFile`` raises for damaged, unknown or encrypted parts."""
