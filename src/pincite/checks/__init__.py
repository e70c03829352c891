"""Judges: do the cited passages say what the sentence says? One name, one function that gives a ``ports.Judge``."""

from __future__ import annotations

from collections.abc import Callable

from pincite.checks.options import JudgeOptions
from pincite.checks.rules import rules
from pincite.errors import ConfigError
from pincite.ports import Judge


def _open_entailment(options: JudgeOptions) -> Judge:
    if not options.entailment:
        raise ConfigError(
            "the entailment judge needs a model",
            where=options.where,
            hint='set [verify] entailment = "FOLDER", a folder with an ONNX cross-encoder and its tokenizer',
        )
    from pincite.checks.entailment import open_entailment  # imports numpy

    return open_entailment(options.entailment, where=options.where or "verify.entailment")


def _open_llm(options: JudgeOptions) -> Judge:
    if options.model is None:
        raise ConfigError(
            "the llm judge needs a language model, and the extractive one is none",
            where=options.where,
            hint='set [llm] model; in Python, pass a function: Pipeline(llm=my_model, judge="llm")',
        )
    from pincite.checks.llm import LlmJudge

    return LlmJudge(options.model)


JUDGES: dict[str, Callable[[JudgeOptions], Judge]] = {
    "rules": lambda options: rules,
    "entailment": _open_entailment,
    "llm": _open_llm,
}
"""The rules speak first in each of them: a model decides only what these leave open (``checks.combine``)."""
