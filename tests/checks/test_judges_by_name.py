"""A judge is chosen by its name; what it needs comes from the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite import Document, Pipeline, verify
from pincite.errors import ConfigError
from pincite.llms.scripted import ScriptedModel
from pincite.wiring.models import judge_by_name

CLAIM = "Shoes can be sent back for a month [1]."
SOURCE = "We take back unworn shoes for 31 days."
YES = '{"supports": true, "contradicts": false, "rating": 5, "reason": "31 days is a month"}'


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("judge", "hint"), [("entailment", "[verify] entailment"), ("llm", "[llm] model")])
def test_what_is_not_set_is_named(judge: str, hint: str) -> None:
    for call in (
        lambda: verify(CLAIM, [SOURCE], judge=judge),
        lambda: Pipeline(store="memory", judge=judge),
        lambda: Pipeline(store="memory", verify={"judge": judge}),
    ):
        with pytest.raises(ConfigError) as caught:
            call()
        assert hint in caught.value.hint


def test_a_folder_without_a_model_is_named_with_the_line_that_names_it() -> None:
    Path("empty").mkdir()
    Path("pincite.toml").write_text("[verify]\nentailment = 'empty'\n", "utf-8")
    with pytest.raises(ConfigError) as caught:
        judge_by_name("entailment")
    assert caught.value.where == "pincite.toml:2"
    assert "onnx" in f"{caught.value.message} {caught.value.hint}".lower()


def test_the_llm_judge_asks_the_model_of_the_pipeline() -> None:
    model = ScriptedModel([YES])
    with Pipeline(store="memory", llm=model, judge="llm") as rag:
        report = rag.verify(CLAIM, [SOURCE])
    assert len(model.requests) == 1
    assert "llm" in report.sentences[0].verdict.method


def test_no_model_overrules_a_changed_fact() -> None:
    with Pipeline(store="memory", llm=ScriptedModel([YES]), judge="llm") as rag:
        report = rag.verify("We take back unworn shoes for 61 days [1].", [SOURCE])
    assert report.sentences[0].support == "contradicted"


def test_an_unknown_judge_is_refused_before_anything_is_opened() -> None:
    with pytest.raises(ConfigError, match="unknown judge 'rulse'"):
        Pipeline(judge="rulse")
    assert list(Path().iterdir()) == []


def test_the_rules_read_no_settings() -> None:
    Path("pincite.toml").write_text("not toml", "utf-8")
    assert verify("Dogs wait outside [1].", [Document("d", "Dogs wait outside.")]).ok
