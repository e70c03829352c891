"""Words of the command line to a command and its options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pincite import __version__
from pincite.cli.commands import COMMANDS, GLOBAL_OPTIONS, GROUPS, Command, Option
from pincite.cli.errors import UsageError
from pincite.errors import did_you_mean

ABOUT = "Answers from your own documents in which every factual sentence carries a checked citation."


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked for: a command with its options by name, and the global options."""

    command: Command
    options: dict[str, Any]
    shared: dict[str, Any]


class _Parser(argparse.ArgumentParser):
    """Argparse, but an error is an exception of ours and an option is never guessed from its first letters."""

    def __init__(self, **how: Any) -> None:
        how["formatter_class"] = lambda prog: argparse.HelpFormatter(prog, max_help_position=28)
        super().__init__(**how, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "), hint=f"see `{self.prog} --help`")


def read_words(arguments: Sequence[str]) -> Call:
    """The command of a command line, with its options by name.

    Raises:
        UsageError: If a command or option is unknown, missing or wrong.
        SystemExit: After ``--help`` or ``--version`` was printed.
    """
    front, words = global_options_first(arguments)
    words = _named(words)
    found, unknown = make_parser().parse_known_args([*front, *words])
    values = vars(found)
    command: Command = values.pop("command")
    if unknown:
        raise _unknown(unknown[0], command)
    shared = {name: values.pop(name) for name in ("assignments", "config", "quiet", "verbose", "no_color")}
    return Call(command, values, shared)


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = _Parser(prog="pincite", description=ABOUT)
    top.add_argument(
        "--version", action="version", version=f"pincite {__version__}", help="print the version"
    )
    _add_all(top, GLOBAL_OPTIONS)
    inside = {"": top.add_subparsers(metavar="COMMAND", required=True)}
    for command in COMMANDS:
        group, _, word = command.name.rpartition(" ")
        if group not in inside:
            own = inside[""].add_parser(
                group, help=GROUPS[group], description=sentence(GROUPS[group]), epilog=_alone(group)
            )
            inside[group] = own.add_subparsers(metavar="COMMAND", required=True)
        short = command.help.partition(";")[0]
        parser = inside[group].add_parser(word, help=short, description=sentence(command.help))
        parser.set_defaults(command=command)
        _add_all(parser, command.options)
    return top


def _add_all(parser: argparse.ArgumentParser, options: Sequence[Option]) -> None:
    for one in options:
        parser.add_argument(*one.names, help=one.help, **one.how)


def _alone(group: str) -> str | None:
    """What the name of a group does without a command, and the options it then takes."""
    listing = next((command for command in COMMANDS if command.name == f"{group} list"), None)
    if listing is None:
        return None
    options = ", ".join(
        " ".join((one.names[-1], one.how.get("metavar", ""))).strip() for one in listing.options
    )
    return f"`pincite {group}` alone is `pincite {group} list`; both take {options}."


def sentence(text: str) -> str:
    """A description as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


# --- what is known before argparse sees it ------------------------------------------------------

_FLAGS = ("-q", "--quiet", "-v", "-vv", "--verbose", "--no-color")


def global_options_first(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Global options, which may stand behind the command too, and all other words.

    >>> global_options_first(["ask", "Why?", "-q", "-c", "retrieval.top_k=3", "--", "-q"])
    (['-q', '-c', 'retrieval.top_k=3'], ['ask', 'Why?', '--', '-q'])
    """
    front: list[str] = []
    rest = list(arguments)
    back: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            back += [word, *rest]
            break
        if word in _FLAGS or word.startswith("--config="):
            front.append(word)
        elif rest and (word == "--config" or (word == "-c" and "=" in rest[0])):
            front += [word, rest.pop(0)]
        else:
            back.append(word)
    return front, back


def _named(words: Sequence[str]) -> list[str]:
    """The words with a command that exists; ``docs`` alone is ``docs list``."""
    first, *rest = words or [""]
    known = list(dict.fromkeys(command.name.split()[0] for command in COMMANDS))
    if first and not first.startswith("-") and first not in known:
        raise _no_such("command", first, known, "pincite")
    if first not in GROUPS:
        return list(words)
    inner = [command.name.split()[1] for command in COMMANDS if command.name.startswith(f"{first} ")]
    if "list" in inner and (not rest or (rest[0].startswith("-") and rest[0] not in ("-h", "--help"))):
        return [first, "list", *rest]
    if rest and not rest[0].startswith("-") and rest[0] not in inner:
        raise _no_such(f"command {first}", rest[0], inner, f"pincite {first}")
    return list(words)


def _unknown(word: str, command: Command) -> UsageError:
    if not word.startswith("-"):
        asks = any(one.names == ("question",) for one in command.options)
        hint = f'put quotation marks round the question: pincite {command.name} "…"'
        return UsageError(
            f"unexpected {word!r}", hint=hint if asks else f"see `pincite {command.name} --help`"
        )
    known = [
        name for one in (*command.options, *GLOBAL_OPTIONS) for name in one.names if name.startswith("-")
    ]
    return _no_such("option", word.partition("=")[0], known, f"pincite {command.name}")


def _no_such(what: str, word: str, known: Sequence[str], prog: str) -> UsageError:
    return UsageError(f"there is no {what} {word}", hint=did_you_mean(word, known, f"see `{prog} --help`"))
