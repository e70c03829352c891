"""``review``: what people should look at, and what they decide."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from typing import TYPE_CHECKING

from pincite.cli.errors import NotFoundError
from pincite.cli.output import counted, emit, table
from pincite.cli.session import Session

if TYPE_CHECKING:
    from pincite.reviewing import ReviewItem


def list_reviews(
    session: Session, *, limit: int, since: str, every: bool, decided: bool, reader: str, as_json: bool
) -> int:
    """List what was flagged, the worst first."""
    from pincite.access import as_reader
    from pincite.logbook import since_when
    from pincite.renderers.text import one_line
    from pincite.reviewing import queue

    with session.stored() as pipeline:
        found = queue(
            pipeline.parts.store,
            as_reader(reader),
            decided=None if every else decided,
            since=since_when(since, pipeline.parts.clock()) if since else "",
            limit=limit + 1,
        )
    has_more, found = len(found) > limit, found[:limit]
    if as_json:
        for one in found:
            emit(json.dumps(asdict(one), ensure_ascii=False))
        return 0
    for one in found:
        emit(f"{one.id}  {', '.join(one.reasons)}  {_decision(one)}".rstrip())
        rows = (
            ("question", one.question),
            ("answer", one.text),
            ("source", f"{one.source}: “{one.quote}”" if one.quote else one.source),
            ("why", one.why),
        )
        emit(table([(f"  {name}", one_line(text)[:200]) for name, text in rows if text]))
    what = "in the queue" if not (every or decided) else "decided" if decided else "in all"
    session.note(
        f"{'the first ' if has_more else ''}{counted(len(found), 'item')} {what} for a reader of level {reader}"
        + ("; there are more, --limit N lists N of them" if has_more else "")
    )
    return 0


def _decision(item: ReviewItem) -> str:
    from pincite.renderers.text import one_line

    if not item.decisions:
        return ""
    newest = item.decisions[0]
    return f"→ {newest.decision} ({one_line(newest.reviewer)}, {newest.decided_at})"


def decide(
    session: Session, *, item_id: str, decision: str, note: str, reviewer: str | None, reader: str
) -> int:
    """Log a decision."""
    from pincite.access import as_reader
    from pincite.logbook import stamp
    from pincite.reviewing import decide as log_decision
    from pincite.reviewing import look_up

    with session.stored() as pipeline:
        store, who = pipeline.parts.store, as_reader(reader)
        item = look_up(store, who, item_id)
        if item is None:
            raise NotFoundError(
                f"there is nothing {item_id!r} to decide for a reader of level {reader}",
                hint="`pincite review` lists what there is; --reader LEVEL is for another reader",
            )
        made = log_decision(
            store,
            who,
            item,
            decision,
            reviewer=_user() if reviewer is None else reviewer,
            note=note,
            at=stamp(pipeline.parts.clock()),
            review_id=f"rev_{secrets.token_hex(10)}",
        )
    session.note(f"{item.id}: {made.decision}, by {made.reviewer or 'nobody named'}")
    return 0


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no name for this user id
        return ""


def export_reviews(session: Session, *, out: str | None, reader: str) -> int:
    """Print golden items made of what was decided."""
    from pincite.access import as_reader
    from pincite.cli.log_upkeep import Out, history_of
    from pincite.evals.drafts import INCOMPLETE, from_reviews, item_fields
    from pincite.logbook import find

    who, incomplete = as_reader(reader), 0
    with session.stored() as pipeline, Out(out) as written:
        store = pipeline.parts.store
        for stored, body in find(store, who):
            reviews = store.reviews(who, answer_id=stored.answer_id, limit=1_000)
            item = from_reviews(stored, body, reviews, history_of(pipeline, body, who)) if reviews else None
            if item is not None:
                incomplete += INCOMPLETE in item.tags
                written.line(json.dumps(item_fields(item), ensure_ascii=False))
    session.note(
        f"{counted(written.count, 'golden item')} of what was decided" + (f" in {out}" if out else "")
    )
    if incomplete:
        are = "item is" if incomplete == 1 else "items are"
        session.note(
            f"{incomplete} {are} tagged {INCOMPLETE}: an answer was wrong, and nobody said what is right; "
            "add expected_doc_ids and must_include, or must_abstain, and take the tag out"
        )
    return 0
