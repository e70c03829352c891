"""Documents: ``init``, ``docs`` and ``chunk``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.access import as_reader
from pincite.cli.errors import NotFoundError, UsageError
from pincite.cli.output import complain, counted, emit, paint, table
from pincite.cli.session import Session
from pincite.errors import did_you_mean

if TYPE_CHECKING:
    from pincite.pipeline import Pipeline
    from pincite.types import Chunk, DocumentInfo

CHECKED_FIELDS = (
    "title",
    "url",
    "kind",
    "access_level",
    "owner",
    "published_date",
    "version",
    "language",
    "licence",
)
"""Of ``DocumentInfo``: what a citation shows, and what `docs check` counts."""

# --- init ---------------------------------------------------------------------------------------


def init(session: Session, *, force: bool) -> int:
    """Write settings, samples and questions into this folder."""
    from pincite.config.sections import example_file
    from pincite.samples import DEMO_QUESTIONS, samples_dir

    samples = samples_dir()
    articles = sorted(path for path in (samples / "en").iterdir() if path.suffix in (".md", ".json"))
    # An English question whose answer stands in an article of another language would ask for what is not there.
    golden = [
        line
        for line in (samples / "golden.jsonl").read_text("utf-8").splitlines()
        if '"language": "en"' in line and '"cross-lingual"' not in line
    ]
    targets = [Path("pincite.toml"), Path("golden.jsonl"), *(Path("docs", path.name) for path in articles)]
    there = [target for target in targets if target.exists()]
    if there and not force:
        raise UsageError(
            f"{there[0]} is there already",
            where=str(there[0]),
            hint="--force overwrites it; choose an empty folder otherwise",
        )
    Path("docs").mkdir(exist_ok=True)
    Path("pincite.toml").write_text(example_file(), "utf-8")
    Path("golden.jsonl").write_text("".join(f"{line}\n" for line in golden), "utf-8")
    for article in articles:
        shutil.copyfile(article, Path("docs", article.name))
    emit(
        f"pincite.toml\ngolden.jsonl   {len(golden)} questions\ndocs/          {len(articles)} sample articles"
    )
    session.note(f'next: pincite add docs/ && pincite ask "{DEMO_QUESTIONS[2].question}"')
    return 0


# --- docs ---------------------------------------------------------------------------------------


def list_documents(session: Session, *, reader: str, as_json: bool) -> int:
    """List the documents that a reader may see."""
    with session.stored() as pipeline:
        found = pipeline.documents(reader)
    if as_json:
        for one in found:
            emit(_json({**_info_dict(one.info), "chunks": one.chunk_count, "added_at": one.added_at}))
        return 0
    if found:
        head = ("id", "chunks", "access", "published", "status", "title")
        rows = [
            (
                one.info.doc_id,
                str(one.chunk_count),
                one.info.access_level or "",
                one.info.published_date or "",
                one.info.status,
                one.info.title,
            )
            for one in found
        ]
        emit(table([head, *(tuple(map(_line, row)) for row in rows)]))
    elsewhere = "" if found else "; --reader LEVEL lists those of another"
    session.note(f"{counted(len(found), 'document')} for a reader of level {reader}{elsewhere}")
    return 0


def show_document(session: Session, *, doc_id: str, part: str | None, reader: str, as_json: bool) -> int:
    """Show a document with its passages."""
    from pincite.types import DocId

    with session.stored() as pipeline:
        stored = next((one for one in pipeline.documents(reader) if one.info.doc_id == doc_id), None)
        if stored is None:
            raise _no_such_document(doc_id, pipeline, reader)
        chunks, _ = pipeline.parts.store.chunk_numbers(DocId(doc_id))
        if part is not None:
            return _show_part(pipeline, doc_id, part, chunks, reader, as_json=as_json)
    if as_json:
        listed = [_chunk_dict(chunk) for chunk in chunks]
        emit(_json({**_info_dict(stored.info), "added_at": stored.added_at, "chunks": listed}))
        return 0
    emit("\n".join(_info_lines(stored.info, added_at=stored.added_at)))
    emit("")
    rows = [(chunk.chunk_id, " > ".join(chunk.section), _line(chunk.text)[:80]) for chunk in chunks]
    emit(table([("chunk", "section", "begins"), *(tuple(map(_line, row)) for row in rows)]))
    return 0


def _show_part(
    pipeline: Pipeline, doc_id: str, part: str, chunks: Sequence[Chunk], reader: str, *, as_json: bool
) -> int:
    """A part of a document by its name: ``Table 3``, ``Annex B``, ``§ 12(4)``."""
    from pincite.text.named import find_named
    from pincite.types import DocId

    document = pipeline.parts.store.document(DocId(doc_id), as_reader(reader))
    found = find_named(document, part) if document is not None else None
    if document is None or found is None:
        raise NotFoundError(
            f"{doc_id} has no part called {part!r}",
            hint='parts are headings, and labels at the start of a line such as "Table 3" or "§ 12(4)"',
        )
    inside = [chunk.chunk_id for chunk in chunks if chunk.span.overlaps(found)]
    text = found.of(document.text)
    if as_json:
        emit(
            _json(
                {
                    "doc_id": doc_id,
                    "part": part,
                    "start": found.start,
                    "end": found.end,
                    "chunks": inside,
                    "text": text,
                }
            )
        )
        return 0
    emit(f"characters {found.start}–{found.end} · {', '.join(inside)}\n")
    emit(_printable(text))
    return 0


def remove_document(session: Session, *, doc_id: str) -> int:
    """Remove a document with its passages."""
    with session.stored() as pipeline:
        if not pipeline.remove(doc_id):
            raise _no_such_document(
                doc_id, pipeline, "confidential", hint="`pincite docs --reader confidential` lists all"
            )
    emit(f"removed {doc_id}")
    return 0


def check_documents(session: Session, *, require: list[str], reader: str, as_json: bool) -> int:
    """Say which documents lack what, and which got it by default."""
    fields = [name for part in require for name in part.split(",") if name]
    unknown = [name for name in fields if name not in CHECKED_FIELDS]
    if unknown:
        raise UsageError(
            f"unknown field {unknown[0]!r}",
            where="--require",
            hint=did_you_mean(unknown[0], CHECKED_FIELDS, f"choose from {', '.join(CHECKED_FIELDS)}"),
        )
    with session.stored() as pipeline:
        found = [one.info for one in pipeline.documents(reader)]
    lacking = {name: [one.doc_id for one in found if not getattr(one, name)] for name in CHECKED_FIELDS}
    defaulted = {name: [one.doc_id for one in found if name in one.defaulted] for name in CHECKED_FIELDS}
    missing = {name: sorted({*lacking[name], *defaulted[name]}) for name in fields}
    ok = not any(missing.values())
    if as_json:
        emit(_json({"ok": ok, "documents": len(found), "missing": missing, "fields": {
            name: {"given": len(found) - len({*lacking[name], *defaulted[name]}), "defaulted": defaulted[name],
                   "lacking": [one for one in lacking[name] if one not in defaulted[name]]}
            for name in CHECKED_FIELDS
        }}))  # fmt: skip
        return int(not ok)
    rows = []
    for name in CHECKED_FIELDS:
        by_default = [one for one in defaulted[name] if one not in lacking[name]]
        given = len(found) - len(lacking[name]) - len(by_default)
        rows.append((name, f"{given} of {len(found)}", str(len(by_default)), str(len(lacking[name]))))
    emit(table([("field", "given", "by default", "missing"), *rows]))
    for name, doc_ids in missing.items():
        for doc_id in doc_ids:
            complain(paint(f"✗ {_line(doc_id)}: no {name} was given", "red", on=session.colour_errors))
    session.note(f"{counted(len(found), 'document')} for a reader of level {reader}")
    return int(not ok)


_OF_A_READER = "`pincite docs` lists them; --reader LEVEL is for another reader"


def _no_such_document(
    doc_id: str, pipeline: Pipeline, reader: str, *, what: str = "", hint: str = _OF_A_READER
) -> NotFoundError:
    """``what`` was asked for, when that is not the document itself."""
    stone = next(
        (one for one in pipeline.parts.store.removed(as_reader(reader)) if one.doc_id == doc_id), None
    )
    if stone is not None:
        return NotFoundError(f"document {doc_id!r} was removed on {stone.removed_at}")
    return NotFoundError(
        f"there is no {what or f'document {doc_id!r}'} for a reader of level {reader}",
        hint=did_you_mean(doc_id, [one.info.doc_id for one in pipeline.documents(reader)], hint),
    )


def _info_lines(info: DocumentInfo, *, added_at: str) -> Iterator[str]:
    fields = {
        "id": info.doc_id, "title": info.title, "url": info.url, "kind": info.kind, "format": info.format,
        "access": info.access_level, "owner": info.owner, "published": info.published_date, "version": info.version,
        "language": info.language, "status": info.status, "licence": info.licence, "added": added_at, "defaulted": ", ".join(info.defaulted),
    }  # fmt: skip
    for name, value in fields.items():
        if value:
            yield f"{name:<10} {_line(value)}"


# --- chunk --------------------------------------------------------------------------------------


def chunk(session: Session, *, chunk_id: str, before: int, after: int, reader: str, as_json: bool) -> int:
    """Print a passage in its context."""
    from pincite.access import as_reader
    from pincite.types import ChunkId

    with session.stored() as pipeline:
        if pipeline.parts.store.chunk(ChunkId(chunk_id), as_reader(reader)) is None:
            raise _no_such_chunk(chunk_id, pipeline, reader)
        near = pipeline.chunk(chunk_id, reader=reader, before=before, after=after)
    if as_json:
        emit(_json({**_chunk_dict(near.chunk), "document": _info_dict(near.document), "around": [
            _chunk_dict(one) for one in near.chunks if one != near.chunk
        ]}))  # fmt: skip
        return 0
    document, own = near.document, near.chunk
    place = [
        document.title or document.doc_id,
        document.url,
        document.published_date or "",
        f"access {document.access_level}",
    ]
    emit(paint(" · ".join(_line(part) for part in place if part), "bold", on=session.colour))
    page = f" · page {own.page_label or own.page_index + 1}" if own.page_index is not None else ""
    section = f"§ {_line(' > '.join(own.section))} · " if own.section else ""
    emit(f"{section}characters {own.span.start}–{own.span.end}{page} · {own.chunk_id}")
    for text in own.context_texts:
        emit(paint(f"context: {_line(text)}", "dim", on=session.colour))
    for one in near.chunks:
        emit("")
        bar = paint("┃ ", "green", on=session.colour) if one == own else "  "
        emit("\n".join(bar + line for line in _printable(one.text).split("\n")))
    return 0


def _no_such_chunk(chunk_id: str, pipeline: Pipeline, reader: str) -> NotFoundError:
    doc_id = chunk_id.rpartition("-chunk-")[0]
    if any(one.info.doc_id == chunk_id for one in pipeline.documents(reader)):
        return NotFoundError(
            f"{chunk_id!r} is a document, not a chunk",
            hint=f"`pincite docs show {chunk_id}` lists its chunks",
        )
    if all(one.info.doc_id != doc_id for one in pipeline.documents(reader)):
        missing = _no_such_document(doc_id or chunk_id, pipeline, reader, what=f"chunk {chunk_id!r}")
        return NotFoundError(missing.message, hint=missing.hint and _of_document(missing.hint))
    return NotFoundError(
        f"there is no chunk {chunk_id!r} for a reader of level {reader}",
        hint=f"`pincite docs show {doc_id}` lists those of the document",
    )


def _of_document(hint: str) -> str:
    """The hint about a document as one about its chunks."""
    near = hint.removeprefix("did you mean ").removesuffix("?")
    if near == hint:
        return "`pincite docs show ID` lists those of a document; --reader LEVEL is for another reader"
    return f"`pincite docs show {near}` lists those of the document {near}"


# --- as text and JSON ---------------------------------------------------------------------------


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _info_dict(info: DocumentInfo) -> dict[str, Any]:
    return {
        "doc_id": info.doc_id, "title": info.title, "url": info.url, "kind": info.kind, "format": info.format,
        "access_level": info.access_level, "owner": info.owner, "published_date": info.published_date,
        "version": info.version, "language": info.language, "status": info.status, "licence": info.licence,
        "content_hash": info.content_hash, "defaulted": list(info.defaulted),
    }  # fmt: skip


def _chunk_dict(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk_id": chunk.chunk_id, "doc_id": chunk.doc_id, "ordinal": chunk.ordinal,
        "start": chunk.span.start, "end": chunk.span.end, "section": list(chunk.section), "page": chunk.page_label,
        "context": list(chunk.context_texts), "text": chunk.text,
    }  # fmt: skip


def _printable(text: str) -> str:
    from pincite.renderers.text import printable

    return printable(text)


def _line(text: str) -> str:
    from pincite.renderers.text import one_line

    return one_line(text)
