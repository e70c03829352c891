"""Every Python block of README.md and docs/ runs, and every command that README.md names exists.

The blocks of a page share one namespace, in order, and run in a folder where `pincite init` was run. A block with `>>>` is
a doctest, another is simply executed. `<!-- not run: needs a model -->` on the line above a block skips it.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

NOT_RUN = re.compile(r"<!-- not run: (?P<why>[^>]+) -->\s*\Z")
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
DOCTEST_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

needs_cli = pytest.mark.skipif(
    importlib.util.find_spec("pincite.cli") is None, reason="there is no command line yet"
)


class Block(NamedTuple):
    """A fenced block. ``line`` counts from 1; ``skip`` says why it is not run, empty when it is."""

    language: str
    body: str
    line: int
    skip: str


def blocks(page: str) -> Iterator[Block]:
    for fence in FENCE.finditer(page):
        mark = NOT_RUN.search(page[: fence.start()])
        line = page.count("\n", 0, fence.start()) + 2
        yield Block(fence["language"], fence["body"], line, mark["why"] if mark else "")


def run_block(block: Block, page: Path, namespace: dict[str, object]) -> None:
    """Raise ``AssertionError`` with the doctest's report, or whatever the block raises."""
    if ">>>" not in block.body:
        padding = "\n" * (block.line - 1)  # a traceback then shows the line of the page
        exec(compile(padding + block.body, str(page), "exec"), namespace)
        return
    example = doctest.DocTestParser().get_doctest(block.body, namespace, page.name, str(page), block.line - 1)
    report = io.StringIO()
    doctest.DocTestRunner(optionflags=DOCTEST_OPTIONS).run(example, out=report.write, clear_globs=False)
    namespace.update(example.globs)
    assert not report.getvalue(), report.getvalue()


def command_line(*words: str) -> tuple[int, str]:
    """Run `pincite` in this process: exit code, and all that it printed."""
    from pincite.cli import main

    printed = io.StringIO()
    before = sys.argv
    sys.argv = ["pincite", *words]
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main()
        code: object = 0
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
    return (code if isinstance(code, int) else int(code is not None)), printed.getvalue()


@pytest.fixture
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder with what `pincite init` writes; no settings of the person who runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    assert command_line("init")[0] == 0
    return tmp_path


# --- Python -------------------------------------------------------------------------------------


@needs_cli
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_this_page_runs(page: Path, work_folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__docs__"}
    for block in blocks(page.read_text("utf-8")):
        if block.language == "python" and not block.skip:
            run_block(block, page, namespace)


def shown_runs(page: str) -> Iterator[tuple[str, str]]:
    """Each Python block that has a block of text right behind it, and that text: what it prints."""
    found = list(FENCE.finditer(page))
    for code, text in pairwise(found):
        between = page[code.end() : text.start()]
        if (code["language"], text["language"]) == ("python", "text") and not between.strip():
            yield code["body"], text["body"]


@needs_cli
def test_a_block_of_text_behind_code_is_what_the_code_prints(work_folder: Path) -> None:
    runs = list(shown_runs(README))
    assert len(runs) == 1
    for code, text in runs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), {"__name__": "__docs__"})
        # How sure an answer is changes with every fit of the weights.
        shown, real = (re.sub(r"confidence 0\.\d\d", "confidence", one) for one in (text, printed.getvalue()))
        assert real == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_that_is_not_run_is_still_python(page: Path) -> None:
    for block in blocks(page.read_text("utf-8")):
        if block.language == "python" and block.skip:
            compile(block.body, str(page), "exec")


def test_only_blocks_that_need_a_model_are_left_out() -> None:
    assert {block.skip for page in PAGES for block in blocks(page.read_text("utf-8"))} <= {
        "",
        "needs a model",
    }


# --- commands -----------------------------------------------------------------------------------


def named_commands(page: str, program: str) -> list[str]:
    """What stands after ``program`` in code spans and in blocks of shell lines, to the end of the line or span."""
    in_spans = re.findall(rf"`{program} ([^`\n]+)`", page)
    in_blocks = [
        line.removeprefix(program).strip()
        for block in blocks(page)
        if block.language == "sh"
        for line in block.body.splitlines()
        if line.startswith(f"{program} ")
    ]
    return list(dict.fromkeys((*in_spans, *in_blocks)))


@pytest.mark.parametrize("command", named_commands(README, "make"))
def test_the_make_target_exists(command: str) -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert command.split()[0] in targets


@needs_cli
@pytest.mark.parametrize("command", named_commands(README, "pincite"))
def test_the_pincite_command_and_its_options_exist(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # narrow help cuts option names
    name, *words = command.split()
    code, printed = command_line(name, "--help")
    assert code == 0, printed
    missing = [word for word in words if word.startswith("--") and word not in printed]
    assert missing == []


def test_the_readme_names_the_commands_that_matter() -> None:
    assert {command.split()[0] for command in named_commands(README, "make")} >= {
        "demo",
        "test",
        "lint",
        "check",
    }
    assert {command.split()[0] for command in named_commands(README, "pincite")} >= {
        "init",
        "add",
        "ask",
        "verify",
    }


@pytest.mark.parametrize(
    "page", [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
)
def test_files_that_a_page_links_to_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


# --- pages made from the code -------------------------------------------------------------------


def generated_pages() -> dict[str, str]:
    """What docs/generate.py would write now."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: page() for name, page in module.PAGES.items()}


def test_the_pages_that_are_made_from_the_code_are_up_to_date() -> None:
    for name, page in generated_pages().items():
        assert (ROOT / "docs" / name).read_text("utf-8") == page, "run `python docs/generate.py`"


# --- the checks above can fail ------------------------------------------------------------------


def test_a_wrong_output_in_a_page_is_noticed() -> None:
    wrong = Block("python", ">>> 1 + 1\n3\n", 1, "")
    with pytest.raises(AssertionError, match="Expected:"):
        run_block(wrong, Path("page.md"), {})


def test_a_block_that_raises_is_noticed_with_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_block(Block("python", "x = 1\nx / 0\n", 41, ""), Path("page.md"), {})
    assert caught.tb.tb_next is not None
    assert caught.traceback[-1].lineno + 1 == 42


def test_blocks_are_found_with_their_line_and_their_mark() -> None:
    page = "text\n\n<!-- not run: needs a model -->\n```python\nx\n```\n\n```sh\nmake demo\n```\n"
    assert list(blocks(page)) == [
        Block("python", "x\n", 5, "needs a model"),
        Block("sh", "make demo\n", 9, ""),
    ]


@needs_cli
def test_the_table_of_commands_in_the_readme_is_complete() -> None:
    from pincite.cli.commands import COMMANDS

    table = re.findall(r"^\| `pincite (\w+)", README, re.MULTILINE)
    assert sorted({command.name.split()[0] for command in COMMANDS}) == sorted(table)
