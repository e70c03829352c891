"""A question of a conversation, made to stand alone, so that it can be searched for."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace

from pincite.deltas import deltas
from pincite.errors import ModelError
from pincite.ports import Model, ModelRequest
from pincite.prompts import fill
from pincite.text.followups import carried, is_follow_up, names_anew, points_back
from pincite.types import Question

MAX_TURNS = 6
"""Earlier turns that are looked at, the latest."""

MAX_STANDALONE_CHARS = 500
MAX_TURN_CHARS = 1_000
"""Of each earlier question and answer, in prompts."""

_NUMBER = re.compile(r"\d+")


def standalone(question: Question, model: Model, language: str | None) -> str:
    """The question as it reads without the conversation; as it is when it leans on nothing.

    The model is asked first. What it writes is only searched for, and only taken when it is one line with no number
    that nobody said; else the words of the last question that stood alone are carried over.
    """
    question = replace(question, history=tuple(one for one in question.history if one.question))
    turns = question.history[-MAX_TURNS:]
    if not turns or not is_follow_up(question.text, language):
        return question.text
    return _rewritten(question, model) or _carried(question, language)


def _carried(question: Question, language: str | None) -> str:
    earlier = [turn.question for turn in question.history[-MAX_TURNS:]]
    # "And for hats?" after "And for shoes?" is about what the question before both was about.
    # "And how much is it?" after "And for shoes?" too, but after "And the Pico?" it is about the Pico.
    refers = points_back(question.text, language)
    own = next(
        (
            one
            for one in reversed(earlier)
            if not is_follow_up(one, language) or (refers and names_anew(one, language))
        ),
        earlier[0],
    )
    return carried(question.text, own, language)


def _rewritten(question: Question, model: Model) -> str:
    """What the model makes of it; empty when it cannot be reached, or wrote something else."""
    request = ModelRequest(question, (), fill("rewrite"), _conversation(question), form="text")
    written = ""
    try:
        with closing(deltas(model, request)) as given:
            for delta in given:
                written += delta.text
                if len(written) > 4 * MAX_STANDALONE_CHARS:
                    return ""
    except ModelError:
        return ""
    return _sound(_question_in(written), question)


def _question_in(reply: str) -> str:
    start, end = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[start : end + 1])
    except ValueError:
        return ""
    found = value.get("question") if isinstance(value, dict) else None
    return " ".join(found.split()) if isinstance(found, str) else ""


def _sound(written: str, question: Question) -> str:
    """``written``, unless it is too long or has a number that neither the question nor its history has."""
    said = " ".join((question.text, *(f"{turn.question} {turn.answer}" for turn in question.history)))
    known = set(_NUMBER.findall(said))
    sound = len(written) <= MAX_STANDALONE_CHARS and all(one in known for one in _NUMBER.findall(written))
    return written if sound else ""


def _conversation(question: Question) -> str:
    turns = "".join(
        f"Earlier question: {turn.question[:MAX_TURN_CHARS]}\nEarlier answer: {turn.answer[:MAX_TURN_CHARS]}\n\n"
        for turn in question.history[-MAX_TURNS:]
    )
    return f"{turns}Question: {question.text}"
