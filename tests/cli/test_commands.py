from __future__ import annotations

from importlib import import_module
from inspect import signature

import pytest

from pincite.cli.app import run
from pincite.cli.commands import ANSWER_FORMS, COMMANDS, LEVELS, REPORT_FORMS, Command
from pincite.cli.parser import read_words
from pincite.renderers import ANSWER_FORMS as answer_forms
from pincite.renderers import REPORT_FORMS as report_forms
from pincite.types import AccessLevel


@pytest.mark.parametrize("command", COMMANDS, ids=[command.name for command in COMMANDS])
def test_every_command_has_a_function_that_takes_exactly_its_options(command: Command) -> None:
    module, _, function = command.handler.partition(":")
    handler = getattr(import_module(f"pincite.cli.{module}"), function)
    needed = [
        "x" for option in command.options if not option.names[0].startswith("-") and "nargs" not in option.how
    ]
    call = read_words([*command.name.split(), *needed])
    assert call.command is command
    assert list(signature(handler).parameters)[1:] == list(call.options)


def test_an_option_is_never_guessed_from_its_first_letters() -> None:
    with pytest.raises(Exception, match="there is no option --forc"):
        read_words(["init", "--forc"])


def test_words_behind_two_dashes_are_no_options() -> None:
    assert read_words(["ask", "--", "-q"]).options["question"] == "-q"


@pytest.mark.parametrize("words", [["--sources", "a", "b"], ["--sources", "a", "--sources", "b"]])
def test_several_sources_stand_behind_one_option_or_several(words: list[str]) -> None:
    assert read_words(["verify", "-", *words]).options["sources"] == ["a", "b"]


def test_the_words_that_options_take_are_those_the_package_knows() -> None:
    assert tuple(AccessLevel) == LEVELS
    assert set(ANSWER_FORMS) == set(answer_forms)
    assert set(REPORT_FORMS) == {*report_forms, "github"} - {"lines"}


@pytest.mark.parametrize("group", ["docs", "log"])
def test_the_help_of_a_group_names_what_it_takes_alone(
    group: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run([group, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"`pincite {group}` alone is `pincite {group} list`" in shown
    assert "--reader LEVEL" in shown
