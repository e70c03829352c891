"""What a retrieval score is worth: evidence in 0-1, whether it is weak, and how many sources agree."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pincite.text.bearing import Signals
from pincite.text.lexicon import base_language
from pincite.text.words import terms

WEAK_BELOW = 0.30
"""Evidence below this warns (``[retrieval] weak_below``)."""


@cache
def _calibration() -> dict[str, Any]:
    return tomllib.loads(resources.files("pincite").joinpath("evidence.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Meaning:
    """How near a question and a chunk are by an embedder.

    Args:
        cosine: Of their vectors; NaN when the chunk has none.
        fingerprint: Of the embedder.
        question_language, language: Of question and document, as far as known.
    """

    cosine: float
    fingerprint: str
    question_language: str | None = None
    language: str | None = None


def evidence(coverage: float, meaning: Meaning | None = None) -> float:
    """How likely a chunk with these scores answers the question, in 0-1.

    Args:
        coverage: BM25 divided by the most the question could reach, in 0-1.
        meaning: Cosines mean something else for each model: those of a model that ``evidence.toml`` does not
            know are left aside, and words alone count.

    >>> evidence(0.0) < 0.01, evidence(0.2) < evidence(0.3), evidence(1.0) > 0.99
    (True, True, True)
    """
    model = _model(meaning.fingerprint) if meaning and not math.isnan(meaning.cosine) else None
    root = math.sqrt(max(0.0, coverage))
    if model is None or meaning is None:
        weights = _calibration()["words"]
        return _logistic(weights["intercept"] + weights["coverage_root"] * root)
    asked, held = _base(meaning.question_language), _base(meaning.language)
    is_same = is_language(held, asked)
    weights = model["same" if is_same else "other"]
    above = weights["cosine"] * (meaning.cosine - _background(model, asked, held))
    return _logistic(weights["intercept"] + weights["coverage_root"] * root + above)


def answers_abroad(own: Meaning, coverage: float, other: Meaning) -> bool:
    """Whether a passage in another language answers, and the best one in the question's own does not.

    A translation of a passage that answers has evidence too, and the reader wants it in their own language: so it
    counts how far both cosines stand above chance, and how many of the question's words the own passage has.

    Args:
        own, coverage: Of the best passage in the question's language.
        other: Of the best passage in another language.

    Returns:
        ``False`` where a cosine is missing or the model is not known.
    """
    model = _model(own.fingerprint)
    if model is None or math.isnan(own.cosine) or math.isnan(other.cosine):
        return False
    weights = model["abroad"]
    x: float = (
        weights["intercept"]
        + weights["coverage_root"] * math.sqrt(max(0.0, coverage))
        + weights["own"] * _above_chance(model, own)
        + weights["other"] * _above_chance(model, other)
    )
    return x > 0


def _above_chance(model: Mapping[str, Any], meaning: Meaning) -> float:
    return meaning.cosine - _background(model, _base(meaning.question_language), _base(meaning.language))


USUAL_SPREAD = 0.03
"""Standard deviation of the cosines of a question and the sentences of its best passages, multilingual-e5-small."""


def comparable_cosines(cosines: Sequence[float], fingerprint: str) -> tuple[float, ...]:
    """Cosines of one question with several sentences, less their mean: what the weights of sentences are fitted on.

    Those of a model that ``evidence.toml`` does not know are put on the scale of one that it knows.

    >>> comparable_cosines([0.9, 0.1], "another model")
    (0.03, -0.03)
    """
    mean = math.fsum(cosines) / len(cosines) if cosines else 0.0
    above = [cosine - mean for cosine in cosines]
    spread = math.sqrt(math.fsum(one * one for one in above) / len(above)) if above else 0.0
    scale = 1.0 if _model(fingerprint) is not None or not spread else USUAL_SPREAD / spread
    return tuple(round(one * scale, 6) for one in above)


def _background(model: Mapping[str, Any], asked: str, held: str) -> float:
    """What a question and a passage that have nothing to do with each other have in common by their languages."""
    is_same = is_language(held, asked)
    usual: float = model["same" if is_same else "other"]["background"]
    found: float = model["background"].get(f"{held or asked if is_same else asked}>{held or asked}", usual)
    return found


@cache
def _answering() -> dict[str, Any]:
    return tomllib.loads(resources.files("pincite").joinpath("answering.toml").read_text("utf-8"))


def sentence_score(signals: Signals, *, is_compared: bool = False) -> float:
    """How well a sentence answers, to compare with other sentences for the same question; higher is better.

    Args:
        signals: Of the sentence.
        is_compared: Whether ``signals.cosine`` is known.
    """
    weights: Mapping[str, float] = _answering()["compared" if is_compared else "sentence"]
    return math.fsum(weight * getattr(signals, name) for name, weight in weights.items())


def is_calibrated(fingerprint: str) -> bool:
    """Whether it is known what cosines of this embedder are worth."""
    return _model(fingerprint) is not None


def background_of(fingerprint: str, question_language: str | None, language: str | None) -> float:
    """The cosine that a question and a passage of these languages have by chance; 0 for an embedder not known."""
    model = _model(fingerprint)
    return 0.0 if model is None else _background(model, _base(question_language), _base(language))


def usual_cosine(language: str | None) -> float:
    """How far beyond chance the nearest passage usually is for questions in this language that can be answered."""
    table: Mapping[str, float] = _answering().get("usual", {})
    return table.get(_base(language), table.get("other", 0.1))


def logistic_of(name: str, values: Mapping[str, float]) -> float | None:
    """A probability in 0-1 by the weights of that name (``answerable.words``); ``None`` when there are none."""
    table: Any = _answering()
    for step in name.split("."):
        table = table.get(step, {})
    if not table:
        return None
    total = math.fsum(weight * values[key] for key, weight in table.items() if key != "intercept")
    return _logistic(table["intercept"] + total)


def is_language(held: str | None, asked: str | None) -> bool:
    """Whether both are the same language as far as known, regions left aside.

    >>> is_language("de-AT", "de"), is_language(None, "de"), is_language("en", "de")
    (True, True, False)
    """
    return not _base(held) or not _base(asked) or _base(held) == _base(asked)


def _logistic(at: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, at))))


def _base(language: str | None) -> str:
    return base_language(language) or ""


def _model(fingerprint: str) -> dict[str, Any] | None:
    return next(
        (model for model in _calibration().get("embedder", ()) if model["model"] in fingerprint), None
    )


def weak_evidence(
    kind: str, scores: Sequence[float], *, weak_below: float = WEAK_BELOW, k: int = 60, lists: int = 2
) -> bool:
    """Whether the best of ``scores`` is too low, judged on the scale of its kind.

    Args:
        kind: ``evidence``, ``coverage``, ``cosine``, ``dot``, ``similarity``, ``probability`` or ``rerank``: in
            0-1 as they are; ``rrf``: sums of ``1 / (k + rank)`` over ``lists`` rankings, so the best possible is
            ``lists / (k + 1)``; ``distance``: cosine distance, and ``l2``: between unit vectors, lower is better;
            ``logit``: of a cross-encoder; ``bm25``: without a known maximum, 10 is halfway.
        scores: In any order. None at all, or none that is a finite number, is weak.

    Raises:
        ValueError: The kind is unknown: a number on an unknown scale says nothing.

    >>> weak_evidence("rrf", [0.0328], k=60, lists=2), weak_evidence("cosine", [0.03])
    (False, True)
    """
    values = [_on_unit_scale(kind, score, k, lists) for score in scores if math.isfinite(score)]
    return max(values, default=0.0) < weak_below


def _on_unit_scale(kind: str, score: float, k: int, lists: int) -> float:
    match kind:
        case "evidence" | "coverage" | "cosine" | "dot" | "similarity" | "probability" | "rerank":
            return score
        case "rrf":
            return score * (k + 1) / lists if lists else 0.0
        case "distance":
            return 1 - score
        case "l2":
            return 1 - score * score / 2
        case "bm25":
            return score / (score + 10) if score > 0 else 0.0
        case "logit":
            return _logistic(score)
    raise ValueError(f"unknown kind of score {kind!r}")


def distinct_sources(cited: Sequence[str], documents: Mapping[str, str], texts: Mapping[str, str]) -> int:
    """How many documents it takes to say what the cited chunks say.

    Two chunks of one document are one source; the same text in two documents is one source.

    Args:
        cited: Chunk ids; unknown ones are left aside, repeats count once.
        documents: Chunk id to document id.
        texts: Chunk id to text; compared word by word. A chunk without a text says something of its own.

    >>> distinct_sources(["c-1", "c-2"], {"c-1": "a.pdf", "c-2": "copy.pdf"}, {"c-1": "Yes.", "c-2": "Yes."})
    1
    """
    says: dict[str, set[tuple[str, ...]]] = {}
    for chunk_id in dict.fromkeys(cited):
        if chunk_id in documents:
            said = terms(texts[chunk_id]) if chunk_id in texts else ()
            says.setdefault(documents[chunk_id], set()).add(said or ("", chunk_id))
    open_ = set().union(*says.values())
    count = 0
    while open_:
        # Always the document that says most of what is left; of several, the one cited first.
        best = max(says, key=lambda document: len(says[document] & open_))
        open_ -= says[best]
        count += 1
    return count
