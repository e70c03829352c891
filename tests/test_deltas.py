"""Models are other people's functions: what they raise or give never takes down what was checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pincite import Document, Pipeline
from pincite.deltas import collect_text, deltas
from pincite.errors import ModelError
from pincite.ports import Delta, ModelRequest
from pincite.types import Question
from tests.doubles import pipeline, statement

POOL = Document("pool", "The pool opens at 7:00. Entry costs 9 EUR for adults.")
OPENS = statement("The pool opens at 7:00.", ("c-1", "The pool opens at 7:00"))
REQUEST = ModelRequest(Question("When?"), (), "", "")


def asked_with(model: Any, **more: Any) -> Any:
    rag = pipeline(POOL)
    return Pipeline(replace(rag.parts, model=model), rag.settings).ask("When does the pool open?", **more)


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("choices"), TimeoutError(), RecursionError()])
def test_a_reply_that_breaks_off_in_any_way_is_used_as_far_as_it_came(error: Exception) -> None:
    def model(request: ModelRequest) -> Iterator[Delta]:
        yield Delta(OPENS)
        raise error

    answer = asked_with(model)
    assert answer.plain == "The pool opens at 7:00."
    assert type(error).__name__ in answer.warnings[0]


def test_what_a_model_raises_first_is_a_model_error_with_its_cause() -> None:
    def model(request: ModelRequest) -> Iterator[Delta]:
        raise OSError("https://user:key@host refused")

    with pytest.raises(ModelError, match="OSError") as caught:
        asked_with(model)
    assert "key" not in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    "given",
    [None, "text", ["text"], [Delta(None)], [Delta("x", usage="5")], [b"x"]],  # type: ignore[arg-type]
)
def test_what_is_no_delta_is_a_model_error(given: Any) -> None:
    with pytest.raises(ModelError, match="the model gave"):
        list(deltas(lambda request: given, REQUEST))


def test_a_response_that_cannot_be_closed_costs_nothing() -> None:
    class Response:
        def __iter__(self) -> Iterator[Delta]:
            return iter([Delta(OPENS)])

        def close(self) -> None:
            raise OSError

    assert asked_with(lambda request: Response()).plain == "The pool opens at 7:00."


def test_a_model_that_goes_on_and_says_nothing_is_cut_off() -> None:
    def model(request: ModelRequest) -> Iterator[Delta]:
        yield Delta(OPENS)
        while True:
            yield Delta("")

    answer = asked_with(model)
    assert answer.plain == "The pool opens at 7:00."
    assert "cut off" in answer.warnings[0]


def test_a_follow_up_is_searched_for_without_a_model_that_fails() -> None:
    first = pipeline(POOL).ask("What does entry to the pool cost?")

    def model(request: ModelRequest) -> Iterator[Delta]:
        if request.form == "text":
            raise ValueError
        yield Delta(OPENS)

    assert asked_with(model, after=first).answer_status == "ANSWERED"


def test_a_reply_without_an_end_is_cut_off_and_its_model_closed() -> None:
    closed = []

    def model(request: ModelRequest) -> Iterator[Delta]:
        try:
            while True:
                yield Delta("1234")
        finally:
            closed.append(True)

    assert collect_text(model, REQUEST, max_chars=10) == "123412341234"
    assert closed == [True]
