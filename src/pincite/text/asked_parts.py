"""What the passages found for a whole question are worth to one part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.text.bearing import Asked, Part, Signals

OF_ITS_OWN = 0.5
"""How much nearer to the best a passage found for the whole question is to one part of it that it speaks of."""

SPOKEN_OF = 0.6
"""A part of a question of which no passage holds this much is spoken of by none, and none is lifted for it."""


def share_with_all_round(asked: Asked, one: Part) -> float:
    """How much of what is wanted a part of a passage holds with all round it, by weight, in 0-1."""
    piece = one.piece
    held = piece.held | piece.near | piece.around | asked.meant(piece) | asked.kin(piece)
    return asked.share(held, asked.wanted[piece.language])


def for_this_part(asked: Asked, parts: Sequence[Part], known: Sequence[Signals]) -> list[Signals]:
    """The signals for a part of a question: its passages were found for the whole, and are worth to it what they hold of its
    own words, beside the passage that holds most of them.

    "How long is the warranty, and how long does a repair take?": what was found first may speak of repairs alone.
    """
    held: dict[int, float] = {}
    for one in parts:
        held[one.place] = max(held.get(one.place, 0.0), share_with_all_round(asked, one))
    most = max(held.values(), default=0.0)
    if most < SPOKEN_OF:
        return list(known)
    return [
        replace(signal, fused=min(signal.fused + OF_ITS_OWN, 1.0) * held[one.place] / most)
        for one, signal in zip(parts, known, strict=True)
    ]
