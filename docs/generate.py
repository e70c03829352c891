"""Write docs/cli.md and docs/settings.md from the code: `python docs/generate.py`. tests/test_docs.py notices drift."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pincite.cli.commands import COMMANDS, GLOBAL_OPTIONS, Option
from pincite.cli.parser import sentence
from pincite.config.sections import SECTIONS, allowed, shown

FOLDER = Path(__file__).resolve().parent
NOTICE = "<!-- Written by docs/generate.py. Change the code, then run it. -->"

CLI = """\
Data goes to standard output, notes and errors to standard error. Text is coloured on terminals only, and signs and words say the
same as the colour; `--no-color` and `NO_COLOR` switch it off. Global options may stand behind the command too.

| exit code | means |
|---|---|
| 0 | fine; an abstention is fine too, unless `--fail-on-abstain` is given |
| 1 | what was asked about failed: a citation does not hold, a gate is missed, a file could not be added, `doctor` found something broken |
| 2 | wrong words, a setting that cannot be right, a database that cannot be used, or a fault in pincite |
| 130 | interrupted; what was stored before is still there |

An error says what, where, and what to do:

```text
error[config]: [retrieval] weak_below must be between 0 and 1, got 85
  --> pincite.toml:3
   |  weak_below = 85
   = help: write 0.85: shares are between 0 and 1
```
"""

SETTINGS = """\
A setting can be given in several places. From strong to weak:

1. `-c section.key=value` on the command line, or an argument in Python: `Pipeline.from_config(retrieval={"top_k": 5})`
2. the environment: `PINCITE_RETRIEVAL__TOP_K=5`
3. `pincite.toml` in the current folder, or the file that `--config` or `PINCITE_CONFIG` names instead
4. `[tool.pincite]` in `pyproject.toml`: `[tool.pincite.retrieval]`
5. the user's own `pincite/pincite.toml` where the system keeps settings (`~/.config`, `~/Library/Application Support`, `%APPDATA%`)
6. the default

`pincite config show --origin` prints what holds and where it was set. An unknown setting or a value that cannot be right is an error
before any work is done. `pincite init` writes a file with every setting commented out.

Keys are never read from settings. They stand in the environment: `OPENAI_API_KEY` and `ANTHROPIC_API_KEY` for these providers' own
servers, `PINCITE_API_KEY` for every address that is set as `base_url`; `config show` says only that they are set.
"""


def cli_page() -> str:
    """All commands with their options."""
    parts = ["# Command line", NOTICE, CLI.rstrip(), "## Global options", _options(GLOBAL_OPTIONS)]
    for command in COMMANDS:
        group, _, word = command.name.rpartition(" ")
        alone = f" `pincite {group}` alone does the same." if word == "list" else ""
        parts += [f"## pincite {command.name}", sentence(command.help) + alone, _options(command.options)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _options(options: Sequence[Option]) -> str:
    """A line for each argument and option."""
    lines = []
    for one in options:
        metavar = one.how.get("metavar", "|".join(one.how.get("choices", ())))
        flags = [name for name in one.names if name.startswith("-")]
        shown = " ".join((", ".join(flags), metavar)).strip() if flags else metavar
        lines.append(
            f"- `{shown}{'…' if one.how.get('nargs') else ''}`: {one.help % {'default': one.how.get('default')}}"
        )
    return "\n".join(lines)


def settings_page() -> str:
    """All settings, a table for each section."""
    parts = ["# Settings", NOTICE, SETTINGS.rstrip()]
    for name, model in SECTIONS.items():
        rows = [
            f"| `{key}` | {_cell(allowed(info))} | `{shown(info.default)}` | {_cell(info.description or '')} |"
            for key, info in model.model_fields.items()
        ]
        table = "\n".join(["| setting | may be | default | meaning |", "|---|---|---|---|", *rows])
        parts += [f"## [{name}]", model.__doc__ or "", table]
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {"cli.md": cli_page, "settings.md": settings_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), "utf-8")
