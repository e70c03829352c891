"""One statement at a time: judged, and mended sentence by sentence where what is left is still borne out.

Nothing here knows of the order in which sentences are shown; that is ``walk``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite import claims, repair, verdict
from pincite.answer import Repair
from pincite.context import Context
from pincite.findings import Claim, Sentence, Support
from pincite.parts import Settings
from pincite.ports import Judge
from pincite.text.leaning import leaning, without_connective
from pincite.types import Hit, Question, Statement

_LEANS = "It leans on a sentence that was withheld."
_ADDRESS = "It has a link, an address or a number to call that no source has."


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement as it was checked: its marker-free text and its sentences (offsets in ``plain``)."""

    statement: Statement
    plain: str
    sentences: tuple[Sentence, ...]

    @property
    def factual(self) -> bool:
        return any(sentence.factual for sentence in self.sentences)

    @property
    def announces(self) -> bool:
        """Whether it is a heading or lead-in, which says nothing without what follows."""
        ends = self.plain.rstrip().rstrip("*_ ")
        return not self.factual and (ends.endswith((":", "：")) or ends.startswith("#"))


class Checking:
    """Judges the statements of one request against its passages.

    Args:
        judge, settings: Of the pipeline.
        context: The passages by prompt id; ``hits`` the same, in order.
        language: Of the answer.
    """

    def __init__(
        self,
        judge: Judge,
        settings: Settings,
        question: Question,
        hits: Sequence[Hit],
        context: Context,
        language: str | None,
    ) -> None:
        self._judge, self._settings = judge, settings
        self.context, self.language = context, language
        self._seen = repair.seen_text(question.text, context)
        self._known = claims.aliases(hits, first_id=question.first_id)

    def piece(self, place: int, statement: Statement) -> tuple[Piece, tuple[Repair, ...]]:
        """Parse and judge; point misattributed and uncited sentences right and judge these again.

        What the answer gets from elsewhere is left out: fixed sentences, and what a footnote stands for.
        """
        parsed = claims.parse_claims(statement.text, self._known, statement.quotes)
        judged = self._judged([claim for claim in parsed.claims if not claims.is_frame(claim.text)])
        mended = {
            at: better
            for at, sentence in enumerate(judged)
            if (better := repair.repoint(sentence, self.context)) is not None
        }
        repairs = []
        for at, again in zip(mended, self._judged(tuple(mended.values())), strict=True):
            if self.holds(again):
                kind = "repointed" if judged[at].verdict.checks else "cited"
                repairs.append(Repair(place, kind, judged[at].text, again.text, self.why_not(judged[at])))
                judged[at] = again
        return Piece(statement, parsed.plain, tuple(judged)), tuple(repairs)

    def _judged(self, flat: Sequence[Claim]) -> list[Sentence]:
        verdicts = verdict.check_claims(flat, self.context, self._judge)
        return [Sentence(claim, found) for claim, found in zip(flat, verdicts, strict=True)]

    def holds(self, sentence: Sentence) -> bool:
        """Whether the sentence may be shown as it stands."""
        return (
            repair.holds(
                sentence,
                require_citation=self._settings.require_citation,
                show_partial=self._settings.show_partial,
            )
            and not repair.evades_checks(sentence, self.context, self.language)
            and not repair.brings_an_address(sentence, self._seen)
        )

    def why_not(self, sentence: Sentence) -> str:
        """The reason for the reader, where a sentence does not hold."""
        return _ADDRESS if repair.brings_an_address(sentence, self._seen) else repair.removal_reason(sentence)

    def all_hold(self, piece: Piece) -> bool:
        """Whether the whole statement may be shown."""
        return all(self.holds(sentence) for sentence in piece.sentences)

    def held(self, place: int, piece: Piece) -> tuple[dict[int, Sentence], dict[int, Repair]]:
        """What of a statement needs no replacement, by its number there: what holds, and beside others what does
        without its failed citation; and how that was mended."""
        held, mended = {}, {}
        for at, sentence in enumerate(piece.sentences):
            if self.holds(sentence):
                held[at] = sentence
            elif len(piece.sentences) > 1:
                kind, fixed = self._repaired(sentence)
                if fixed is not None:
                    held[at] = fixed
                    mended[at] = Repair(place, kind, sentence.text, fixed.text, self.why_not(sentence))
        return held, mended

    def mended(
        self, place: int, sentence: Sentence, repairs: list[Repair], *, leanable: bool
    ) -> tuple[Sentence | None, str]:
        """The sentence as it may be shown, or ``None`` and the reason."""
        better = sentence
        told: list[Repair] = []
        if not self.holds(sentence):
            kind, fixed = self._repaired(sentence)
            if fixed is None:
                return None, self.why_not(sentence)
            better = fixed
            told.append(Repair(place, kind, sentence.text, better.text, self.why_not(sentence)))
        opens = leaning(better.text, self.language)
        if leanable or not opens:
            repairs += told
            return better, ""
        alone = None if opens.on_a_name else self._without_connective(better)
        if alone is not None:
            repairs += (*told, Repair(place, "connective_removed", better.text, alone.text, _LEANS))
        return alone, _LEANS

    def _repaired(self, sentence: Sentence) -> tuple[str, Sentence | None]:
        """The sentence without what failed of its citations, if what is left supports all of it; and what went."""
        for kind, claim in (
            ("marker_removed", repair.without_failed_markers(sentence)),
            ("quote_removed", repair.without_failed_quotes(sentence)),
        ):
            if claim is not None:
                again = self._judged([claim])[0]
                if again.support is Support.SUPPORTED and self.holds(again):
                    return kind, again
        return "", None

    def _without_connective(self, sentence: Sentence) -> Sentence | None:
        again = self._judged(
            [repair.reworded(sentence.claim, without_connective(sentence.text, self.language))]
        )[0]
        return again if self.holds(again) else None

    def is_factual(self, statement: Statement) -> bool:
        """Whether a statement says something that needs a citation."""
        parsed = claims.parse_claims(statement.text, self._known, statement.quotes)
        return any(claim.factual for claim in parsed.claims)
