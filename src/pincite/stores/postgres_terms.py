"""The inverted index inside PostgreSQL: the blobs of ``blocks``, a row each.

All of it runs inside a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pincite.ports import Ints
from pincite.ports.stored import Postings, TermPostings
from pincite.stores import blocks
from pincite.stores.postgres_session import Connection, Session, Transaction
from pincite.stores.postgres_text import reference

TERMS_KEPT = 500_000
"""Terms whose ids are remembered between batches; then the memory starts anew."""


class Terms(dict[str, int]):
    """Term to id, remembered between batches. Other processes may add ids, never change them; when ids are deleted,
    ``term_epoch`` rises."""

    def __init__(self) -> None:
        super().__init__()
        self._epoch: tuple[str, int] | None = None

    def forget(self) -> None:
        """After a transaction that was rolled back, what was learned is void."""
        self.clear()
        self._epoch = None

    def ids(self, here: Transaction, texts: Sequence[Sequence[str]]) -> tuple[list[int], int]:
        """The ids of all words, one after the other, and the next id that was never given. New words are written."""
        epoch = here.state.token, here.state.term_epoch
        if epoch != self._epoch or len(self) > TERMS_KEPT:
            self.clear()
            self._epoch = epoch
        unknown = list(dict.fromkeys(word for part in texts for word in part if word not in self))
        following = here.state.next_term_id
        if unknown:
            by_reference = {reference(word): word for word in unknown}
            found = here.db.execute(
                "SELECT term, id FROM terms WHERE term = ANY(%b::text[])", (list(by_reference),), binary=True
            ).fetchall()
            self.update((by_reference[term], number) for term, number in found)
            fresh = sorted(term for term, word in by_reference.items() if word not in self)
            numbers = list(range(following, following + len(fresh)))
            here.db.execute(
                "INSERT INTO terms SELECT * FROM unnest(%b::text[], %b::bigint[])", (fresh, numbers)
            )
            self.update((by_reference[term], number) for term, number in zip(fresh, numbers, strict=True))
            following += len(fresh)
        return [self[word] for part in texts for word in part], following


def write(db: Connection, packed: blocks.Packed) -> None:
    """Append a batch's postings and add to the statistics."""
    places, entries = [place for place, _ in packed.blobs], [blob for _, blob in packed.blobs]
    db.execute(
        "INSERT INTO postings SELECT * FROM unnest(%b::bigint[], %b::bytea[]) "
        "ON CONFLICT (place) DO UPDATE SET entries = postings.entries || excluded.entries",
        (places, entries),
    )
    for level, chunks, terms in packed.counts:
        count(db, level, chunks, terms)


def count(db: Connection, level: int, chunks: int, terms: int) -> None:
    """Add to the statistics of a level; the numbers may be negative."""
    db.execute(
        "INSERT INTO levels VALUES (%s, %s, %s) ON CONFLICT (level) DO UPDATE SET "
        "chunk_count = levels.chunk_count + excluded.chunk_count, term_count = levels.term_count + excluded.term_count",
        (level, chunks, terms),
    )


def unindex(db: Connection, term_ids: Ints, level: int, first_key: int, chunk_count: int) -> bool:
    """Take the chunks ``first_key`` … out of the postings of ``term_ids`` and out of the statistics; whether terms went."""
    places = blocks.places_of(term_ids.tolist(), level, first_key, chunk_count)
    found = db.execute(
        "SELECT place, entries FROM postings WHERE place = ANY(%b::bigint[])", (places,), binary=True
    ).fetchall()
    lengths = np.zeros(chunk_count, dtype=np.int64)
    rest = [(place, blocks.without(place, entries, first_key, lengths)) for place, entries in found]
    db.execute(
        "UPDATE postings p SET entries = n.entries FROM unnest(%b::bigint[], %b::bytea[]) n (place, entries) "
        "WHERE p.place = n.place",
        ([place for place, left in rest if left], [left for _, left in rest if left]),
    )
    emptied = [place for place, left in rest if not left]
    db.execute("DELETE FROM postings WHERE place = ANY(%b::bigint[])", (emptied,))
    count(db, level, -chunk_count, -int(lengths.sum()))
    # A word that stood in a removed text only must not stay.
    gone = db.execute(
        "DELETE FROM terms WHERE id = ANY(%b::bigint[]) AND NOT EXISTS "
        "(SELECT 1 FROM postings WHERE place >= id << 24 AND place < (id + 1) << 24 OFFSET 0)",
        (sorted({place >> blocks.TERM_SHIFT for place in emptied}),),
    )
    return gone.rowcount > 0


def find(session: Session, terms: Sequence[str], top: int) -> tuple[TermPostings, ...]:
    """The postings of each term up to rank ``top``."""
    found = session.rows(
        # Looked up term by term: joined, the server guesses that a range is a ninth of the table, and reads it all.
            "SELECT t.term, p.place, p.entries FROM terms t CROSS JOIN LATERAL (SELECT place, entries FROM postings "
            "WHERE place >= t.id << 24 AND place < (t.id << 24) + (%b::bigint << 21) ORDER BY place OFFSET 0) p "
            "WHERE t.term = ANY(%b::text[])",
        (top + 1, list(map(reference, terms))),
        top=top,
    ) if terms else []  # fmt: skip
    by_term: dict[str, list[tuple[int, bytes]]] = {}
    for term, place, entries in found:
        by_term.setdefault(term, []).append((place, entries))
    return tuple(blocks.unpack(by_term.get(reference(term), ())) for term in terms)


def statistics(session: Session, top: int) -> Postings:
    """The statistics alone: ``matches`` and ``document_frequency`` are empty."""
    (row,) = session.rows(
        "SELECT coalesce(sum(chunk_count), 0)::bigint, coalesce(sum(term_count), 0)::bigint FROM levels WHERE level <= %b",
        (top,),
        top=top,
    )
    return Postings((), (), row[0], row[1] / row[0] if row[0] else 0.0)


def is_listed(session: Session, key: int, top: int) -> bool:
    """Whether any term's postings up to a level name that chunk. Reads all of its block: for finding out what is wrong."""
    found = session.rows(
        "SELECT entries FROM postings WHERE place & %b::bigint = %b::bigint AND ((place >> 21) & 7) <= %b",
        ((1 << blocks.LEVEL_SHIFT) - 1, key >> blocks.BLOCK_BITS, top),
        top=top,
    )
    return any(blocks.names(entries, key) for (entries,) in found)
