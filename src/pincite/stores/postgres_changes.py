"""What a search elsewhere asks of the PostgreSQL store: which documents changed, what is indexed of them, who may see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from psycopg import sql

from pincite.ports import Ints
from pincite.ports.stored import Indexed, TermPostings
from pincite.ports.stores import Filters
from pincite.stores import blocks, indexed
from pincite.stores import postgres_statements as statements
from pincite.stores.postgres_session import Session
from pincite.stores.postgres_text import decode, encode, reference
from pincite.types import DocId


def changes(session: Session, after: tuple[int, str], limit: int) -> tuple[tuple[int, DocId], ...]:
    """See ``Truth.changes``."""
    found = session.rows(
        "SELECT generation, doc_id FROM changes WHERE (generation, doc_id) > (%b::bigint, %b) "
        "ORDER BY generation, doc_id LIMIT %b::bigint",
        (after[0], encode(after[1]), limit),
    )
    return tuple((at, DocId(decode(name))) for at, name in found)


def permitted(session: Session, keys: Sequence[int], top: int, filters: Filters) -> Ints:
    """See ``Truth.permitted``."""
    tests = [sql.SQL("d.{} = %b").format(sql.Identifier(field)) for field, _ in filters]
    query = sql.SQL(
        "SELECT c.key FROM chunks c JOIN documents d USING (doc_key) WHERE c.key = ANY(%b::bigint[]) AND {}"
    ).format(sql.SQL(" AND ").join([sql.SQL("d.level <= %b"), *tests]))
    values = (list(map(int, keys)), top, *(encode(value) for _, value in filters))
    found = session.run(lambda db: db.execute(query, values, binary=True).fetchall(), top=top)
    return np.unique(np.array([row[0] for row in found], dtype=np.int64))


def match_at(session: Session, term: str, keys: Ints, top: int) -> tuple[TermPostings, int]:
    """The postings of a term up to a level among ``keys``, and how many there are among all chunks."""
    ids = session.rows("SELECT id FROM terms WHERE term = %b", (reference(term),), top=top)
    if not ids:
        return blocks.EMPTY, 0
    ((size,),) = session.rows(
        # The lengths stand in the rows: no blob is read for this.
        "SELECT coalesce(sum(octet_length(entries)), 0)::bigint FROM postings WHERE place >= %b::bigint AND place < %b::bigint",
        indexed.term_range(ids[0][0], top),
        top=top,
    )
    match = _find(session, ids[0][0], keys, top) if len(keys) else blocks.EMPTY
    return indexed.only_keys(match, keys), int(size) // blocks.ENTRY.itemsize


def _find(session: Session, term_id: int, keys: Ints, top: int) -> TermPostings:
    """The postings of a term up to a level in the blocks of these keys."""
    places = indexed.places_at(term_id, keys, top)
    if places is None:
        where, values = "place >= %b::bigint AND place < %b::bigint", indexed.term_range(term_id, top)
    else:
        where, values = "place = ANY(%b::bigint[])", (places,)  # type: ignore[assignment]  # another number of values
    return blocks.unpack(
        session.rows(f"SELECT place, entries FROM postings WHERE {where} ORDER BY place", values, top=top)
    )


def document(session: Session, doc_id: DocId, width: int) -> Indexed | None:
    """See ``Truth.indexed``."""
    found = session.rows(
        f"SELECT {statements.INFO}, d.level, d.first_key, d.chunk_count, t.term_ids FROM documents d "
        "JOIN texts t USING (doc_key) WHERE d.doc_ref = %b",
        (reference(doc_id),),
    )
    if not found:
        return None
    level, first_key, count, term_ids = found[0][statements.INFO_WIDTH :]
    ids = np.frombuffer(term_ids, "<u4").tolist() if count else []
    words = session.rows("SELECT id, coalesce(word, term) FROM terms WHERE id = ANY(%b::bigint[])", (ids,))
    rows = session.rows(
        "SELECT place, entries FROM postings WHERE place = ANY(%b::bigint[])",
        (blocks.places_of(ids, level, first_key, count) if count else [],),
    )
    info = statements.info(found[0][: statements.INFO_WIDTH])
    named = {number: decode(word) for number, word in words}
    return indexed.gather(info, first_key, count, named, rows, statements.vectors_of(session, doc_id, width))
