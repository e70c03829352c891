"""Documents as JSON lines: one object a line, with the fields of document JSON."""

from __future__ import annotations

from pincite.errors import ParseError
from pincite.parsers.json import read_document
from pincite.parsers.plain import decode
from pincite.types import Document


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read one document a line; empty lines are passed over.

    Raises:
        ParseError: Naming the file, the line and the field. One bad line fails the file: what was meant to be added
            together is added together.

    >>> parse(b'{"doc_id": "f", "title": "Fees", "url": "", "text": "Entry is free."}\\n', "f.jsonl")
    (Document('f', 14 characters, access=None),)
    """
    lines = decode(data, source).split("\n")
    found = tuple(
        read_document(line, f"{source}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )
    if not found:
        raise ParseError("text is empty", where=source, hint="add text or remove the file")
    return found
