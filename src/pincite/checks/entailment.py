"""Any cross-encoder for textual entailment, as an ONNX graph with its tokenizer: off unless it is asked for.

The rules speak first: a changed fact stays changed, whatever a model says (``combine``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pincite.checks.combine import combine
from pincite.checks.rules import rules
from pincite.errors import ConfigError
from pincite.findings import Support
from pincite.onnx_folder import OnnxModel, open_model, read_json
from pincite.ports import ClaimTask, Floats, Judge, Judgement, PassageJudgement

BATCH_SIZE = 16
MAX_CLAIM_CHARS = 1000
"""Only the passage is cut to fit; a claim beyond this would leave no room for it."""
SURE_FROM = 0.5
"""Probability from which a label is believed; below it the claim is partly backed at most."""

# Beginnings of the names that models give their labels. Source: the cards of published models for NLI and fact checking.
LABELS: tuple[tuple[str, Support], ...] = (
    ("not_entail", Support.UNSUPPORTED),
    ("not entail", Support.UNSUPPORTED),
    ("non_entail", Support.UNSUPPORTED),
    ("contradict", Support.CONTRADICTED),
    ("refute", Support.CONTRADICTED),
    ("neutral", Support.UNSUPPORTED),
    ("not_enough", Support.UNSUPPORTED),
    ("not enough", Support.UNSUPPORTED),
    ("unsupported", Support.UNSUPPORTED),
    ("entail", Support.SUPPORTED),
    ("support", Support.SUPPORTED),
    ("consistent", Support.SUPPORTED),
    ("hallucinated", Support.UNSUPPORTED),
)


def open_entailment(model: str, *, where: str = "verify.model") -> Judge:
    """The judge made of the model in folder ``model`` (or of that name on a hub), together with the rules.

    Raises:
        ConfigError: If the folder holds no ONNX graph and tokenizer, its labels cannot be told apart, or the
            ``onnx`` extra is not installed. ``where`` names the setting in the message.
    """
    opened = open_model(model, what="the entailment judge", where=where)
    labels = label_meanings(read_json(opened.folder / "config.json").get("id2label", {}), where)
    return _Entailment(opened, labels)


def label_meanings(names: Mapping[str, str], where: str = "") -> tuple[Support, ...]:
    """What each output of a model says, from the ``id2label`` of its config.

    >>> [label.value for label in label_meanings({"0": "ENTAILMENT", "1": "neutral", "2": "contradiction"})]
    ['supported', 'unsupported', 'contradicted']
    """
    found: list[Support] = []
    for _, name in sorted(names.items(), key=lambda item: int(item[0])):
        meaning = next((support for start, support in LABELS if name.strip().lower().startswith(start)), None)
        if meaning is None:
            raise ConfigError(
                f"the model's label {name!r} is not known",
                where=where,
                hint="rename the labels in config.json to entailment, neutral, contradiction",
            )
        found.append(meaning)
    if Support.SUPPORTED not in found or len(found) < 2:
        raise ConfigError(
            "the model's config.json does not say which output means entailment",
            where=where,
            hint='add "id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}',
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Entailment:
    """One pair for each claim and passage, one more for all passages of a claim together."""

    model: OnnxModel
    labels: tuple[Support, ...]

    def __call__(self, tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
        first = rules(tasks)
        pairs = [(text, task.claim) for task in tasks for text in _premises(task)]
        chances = self._run(pairs)
        found: list[Judgement] = []
        at = 0
        for task, ours in zip(tasks, first, strict=True):
            size = len(_premises(task))
            found.append(combine(ours, [self._judgement(task, chances[at : at + size])] if size else []))
            at += size
        return tuple(found)

    def _judgement(self, task: ClaimTask, rows: Floats) -> Judgement:
        """The whole by all passages together, or by the best of them when that says more."""
        said = [self._said(row) for row in rows]
        each = said[: len(task.passages)]
        support, score = max(said, key=lambda one: one[1])
        if any(one[0] is Support.CONTRADICTED for one in each):
            support, score = next(one for one in each if one[0] is Support.CONTRADICTED)
        passages = tuple(
            PassageJudgement(passage.id, one[0], one[1])
            for passage, one in zip(task.passages, each, strict=True)
        )
        return Judgement(support, score, f"a model finds this {support.value}", passages, method="entailment")

    def _said(self, row: Floats) -> tuple[Support, float]:
        """The likeliest label that is believed, and the chance of entailment."""
        chance = float(
            sum(p for p, label in zip(row, self.labels, strict=True) if label is Support.SUPPORTED)
        )
        best = int(np.argmax(row))
        if row[best] < SURE_FROM:
            return Support.PARTIAL, chance
        return self.labels[best], chance

    def _run(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Chances of the labels, shape ``(len(pairs), len(labels))``."""
        out = np.empty((len(pairs), len(self.labels)), dtype=np.float32)
        cut = [(text, claim[:MAX_CLAIM_CHARS]) for text, claim in pairs]
        for places, logits, _ in self.model.batches(cut, BATCH_SIZE):
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            out[places] = powers / powers.sum(axis=1, keepdims=True)
        return out


def _premises(task: ClaimTask) -> tuple[str, ...]:
    texts = tuple(passage.text for passage in task.passages)
    return (*texts, "\n".join(texts)) if len(texts) > 1 else texts
