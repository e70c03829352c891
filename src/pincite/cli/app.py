"""Run a command, and how every error ends."""

from __future__ import annotations

import logging
import platform
import sys
from collections.abc import Sequence
from importlib import import_module

from pincite import __version__
from pincite.cli.errors import UsageError
from pincite.cli.output import complain, error_text, error_text_of, prepare_streams, wants_colour
from pincite.cli.parser import Call, make_parser, read_words
from pincite.cli.session import Session
from pincite.errors import ConfigError, PinciteError


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 fine, 1 what was asked about failed, 2 usage or error, 130 Ctrl-C."""
    prepare_streams()
    colour = wants_colour(sys.stderr, arguments)
    verbose = 0
    if not arguments:
        complain(make_parser().format_help().rstrip())
        return 2
    try:
        call = read_words(arguments)
        verbose = call.shared["verbose"]
        return _run(call)
    except ConfigError as error:
        # Every setting has a place where it was set; what has none is an argument, such as an empty question.
        kind = error.kind if error.where else UsageError.kind
        complain(error_text(kind, error.message, where=error.where, hint=error.hint, colour=colour))
    except PinciteError as error:
        complain(error_text_of(error, colour=colour))
    except OSError as error:
        where = str(error.filename or "")
        complain(error_text("io", error.strerror or str(error), where=where, colour=colour))
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:  # argparse printed help or the version
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:  # a bug: nothing goes on, but people get a message to report and exit code 2
        complain(_internal_error(error, verbose=verbose > 0, colour=colour))
    return 2


def _run(call: Call) -> int:
    shared = call.shared
    if shared["verbose"]:
        level = logging.INFO if shared["verbose"] == 1 else logging.DEBUG
        logging.basicConfig(level=level, stream=sys.stderr)
    words = ["--no-color"] if shared["no_color"] else []
    session = Session(
        assignments=tuple(shared["assignments"]),
        config=shared["config"],
        quiet=shared["quiet"],
        colour=wants_colour(sys.stdout, words),
        colour_errors=wants_colour(sys.stderr, words),
    )
    module, _, function = call.command.handler.partition(":")
    code: int = getattr(import_module(f"pincite.cli.{module}"), function)(session, **call.options)
    return code


def _internal_error(error: Exception, *, verbose: bool, colour: bool) -> str:
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    about = f"pincite {__version__}, Python {platform.python_version()}, {platform.system()}"
    if verbose:
        import traceback

        traceback.print_exception(error)
    hint = f"this is a fault in pincite: please report it with {'the traceback above' if verbose else 'what -v prints'}"
    return error_text("internal", f"{detail} ({about})", hint=hint, colour=colour)
