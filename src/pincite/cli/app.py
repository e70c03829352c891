"""The commands together, the global options, and how every error ends."""

from __future__ import annotations

import logging
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pincite import __version__
from pincite.cli import answers, checking, documents, state
from pincite.cli.output import complain, error_text, error_text_of, prepare_streams, wants_colour
from pincite.cli.session import Session
from pincite.errors import PinciteError

app = typer.Typer(
    name="pincite",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("init")(documents.init)
app.command("add")(documents.add)
app.add_typer(documents.docs_app, name="docs")
app.command("ask")(answers.ask)
app.command("verify")(checking.verify)
app.command("chunk")(documents.chunk)
app.add_typer(answers.log_app, name="log")
app.add_typer(state.config_app, name="config")
app.command("doctor")(state.doctor)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"pincite {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    assignments: Annotated[
        list[str] | None,
        typer.Option("-c", metavar="KEY=VALUE", help="Set one setting, such as -c retrieval.top_k=5."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Settings to read in place of ./pincite.toml."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing beside the data and errors.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            show_default=False,
            help="Say more; show the traceback of an internal error.",
        ),
    ] = 0,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Answers from your own documents in which every factual sentence carries a checked citation."""
    if verbose:
        logging.basicConfig(level=logging.INFO if verbose == 1 else logging.DEBUG, stream=sys.stderr)
    words = ["--no-color"] if no_color else []
    context.obj = Session(
        assignments=tuple(assignments or ()),
        config=config,
        quiet=quiet,
        colour=wants_colour(sys.stdout, words),
        colour_errors=wants_colour(sys.stderr, words),
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 fine, 1 what was asked about failed, 2 usage or error, 130 Ctrl-C."""
    prepare_streams()
    words = global_options_first(spread_sources(arguments))
    colour = wants_colour(sys.stderr, words)
    try:
        # Outside its standalone mode typer hands errors and exit codes over instead of ending the process.
        code = app(args=words, prog_name="pincite", standalone_mode=False)
    except PinciteError as error:
        return _fail(error_text_of(error, colour=colour))
    except typer.TyperException as error:
        return _fail(_usage_error(error, colour))
    except typer.Abort:
        return 130
    except OSError as error:
        where = str(error.filename or "")
        return _fail(error_text("io", error.strerror or str(error), where=where, colour=colour))
    except Exception as error:
        return _fail(_internal_error(error, words, colour))
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    if message:
        complain(message)
    return 2


def _usage_error(error: typer.TyperException, colour: bool) -> str:
    """Wrong words on the command line. The help of a command called without any is no error message."""
    context: typer.Context | None = getattr(error, "ctx", None)
    shown = error.format_message() if hasattr(error, "format_message") else str(error)
    if context is None or not shown or shown == context.get_help():
        return shown
    message = shown[:1].lower() + shown[1:].rstrip(".")
    return error_text("usage", message, hint=f"see `{context.command_path} --help`", colour=colour)


def _internal_error(error: Exception, words: Sequence[str], colour: bool) -> str:
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    about = f"pincite {__version__}, Python {platform.python_version()}, {platform.system()}"
    if any(word == "--verbose" or (word[:2] == "-v" and not word.strip("-v")) for word in words):
        import traceback

        traceback.print_exception(error)
        hint = "this is a fault in pincite: please report it with the traceback above"
    else:
        hint = "this is a fault in pincite: please report it with what -v prints"
    return error_text("internal", f"{detail} ({about})", hint=hint, colour=colour)


# --- words of the command line, before typer sees them ------------------------------------------

_FLAGS = ("-q", "--quiet", "-v", "-vv", "--verbose", "--no-color")


def global_options_first(arguments: Sequence[str]) -> list[str]:
    """Global options may stand behind the command too; typer wants them in front of it.

    >>> global_options_first(["ask", "Why?", "-q", "-c", "retrieval.top_k=3", "--", "-q"])
    ['-q', '-c', 'retrieval.top_k=3', 'ask', 'Why?', '--', '-q']
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
    return front + back


def spread_sources(arguments: Sequence[str]) -> list[str]:
    """``--sources a b`` as ``--sources a --sources b``: several values behind one option, as people write them.

    >>> spread_sources(["verify", "answer.md", "--sources", "a.md", "b.md", "--json"])
    ['verify', 'answer.md', '--sources', 'a.md', '--sources', 'b.md', '--json']
    """
    words: list[str] = []
    many = False
    for place, word in enumerate(arguments):
        if word == "--":
            return words + list(arguments[place:])
        is_value = not word.startswith("-") or word == "-"
        if many and is_value and words[-1] != "--sources":
            words.append("--sources")
        many = (many and is_value) or word == "--sources"
        words.append(word)
    return words
