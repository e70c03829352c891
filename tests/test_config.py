from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.config import load
from pincite.config.addresses import shown_address
from pincite.config.layers import find_line, user_file
from pincite.config.sections import SECTIONS, allowed, example_file
from pincite.errors import ConfigError


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in [name for name in os.environ if name.startswith("PINCITE_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


def write(text: str, path: str | Path = "pincite.toml") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def error_of(**how: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(**how)  # type: ignore[arg-type]
    return caught.value


# --- which value holds --------------------------------------------------------------------------


def test_without_anything_the_defaults_hold() -> None:
    loaded = load()
    assert loaded.config.retrieval.top_k == 10
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.database == Path("pincite.db")


def test_each_place_wins_over_those_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    held = []

    def look(**how: object) -> None:
        loaded = load(**how)  # type: ignore[arg-type]
        held.append((loaded.config.retrieval.top_k, loaded.origins["retrieval", "top_k"]))

    write("[retrieval]\ntop_k = 1\n", user_file())
    look()
    write("[project]\nname = 'x'\n[tool.pincite.retrieval]\ntop_k = 2\n", "pyproject.toml")
    look()
    write("[retrieval]\ntop_k = 3\n")
    look()
    monkeypatch.setenv("PINCITE_RETRIEVAL__TOP_K", "4")
    look()
    look(assignments=["retrieval.top_k=5"])
    look(assignments=["retrieval.top_k=5"], arguments={"retrieval": {"top_k": 6}})
    assert held == [
        (1, f"{user_file()}:2"),
        (2, "pyproject.toml:4"),
        (3, "pincite.toml:2"),
        (4, "PINCITE_RETRIEVAL__TOP_K"),
        (5, "-c retrieval.top_k"),
        (6, "argument"),
    ]


def test_places_are_joined_key_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    write("[retrieval]\ntop_k = 3\nmode = 'words'\n")
    monkeypatch.setenv("PINCITE_RETRIEVAL__TOP_K", "4")
    retrieval = load().config.retrieval
    assert (retrieval.top_k, retrieval.mode) == (4, "words")


@pytest.mark.parametrize("how", ["argument", "variable"])
def test_a_named_file_stands_in_for_the_one_in_this_folder(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write("[retrieval]\ntop_k = 3\n")
    write("[retrieval]\nmode = 'words'\n", "other/mine.toml")
    if how == "variable":
        monkeypatch.setenv("PINCITE_CONFIG", "other/mine.toml")
    loaded = load("other/mine.toml" if how == "argument" else None)
    assert (loaded.config.retrieval.top_k, loaded.config.retrieval.mode) == (10, "words")
    assert loaded.files == ("other/mine.toml",)


def test_a_pyproject_without_our_table_is_nothing_to_us() -> None:
    write("[tool.other]\npincite = 'tool.pincite'\n", "pyproject.toml")
    assert set(load().origins.values()) == {"default"}


def test_text_from_the_environment_becomes_the_type_of_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "RETRIEVAL__WEAK_BELOW": "0.5",
        "VERIFY__RETRY_ONCE": "false",
        "LLM__MODEL": "extractive",
        "CHUNK__SIZE": "400",
    }.items():
        monkeypatch.setenv(f"PINCITE_{name}", value)
    config = load().config
    assert (config.retrieval.weak_below, config.verify.retry_once, config.chunk.size) == (0.5, False, 400)


def test_other_variables_with_our_prefix_are_nobody_s_business(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = load().config
    monkeypatch.setenv("PINCITE_EXPLORE", "1")
    monkeypatch.setenv("PINCITE_SHARED", "/elsewhere")
    assert load().config == usual


# --- the database -------------------------------------------------------------------------------


def test_the_database_of_a_settings_file_lies_beside_that_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write("[store]\npath = 'my.db'\n", "project/pincite.toml")
    assert load("project/pincite.toml").database == Path("project/my.db")
    monkeypatch.setenv("PINCITE_STORE__PATH", "my.db")
    assert load("project/pincite.toml").database == Path("my.db")
    assert load(assignments=["store.path=~/my.db"]).database == Path.home() / "my.db"


# --- secrets ------------------------------------------------------------------------------------


def test_of_secrets_only_their_names_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    loaded = load()
    assert loaded.secrets == ("OPENAI_API_KEY",)
    assert "very-secret" not in repr(loaded)


@pytest.mark.parametrize("key", ["api_key", "apikey", "token", "password", "client_secret"])
def test_a_secret_in_a_settings_file_is_refused(key: str) -> None:
    write(f"[llm]\n{key} = 'sk-very-secret'\n")
    error = error_of()
    assert "do not belong in settings" in error.hint
    assert "very-secret" not in str(error)


# --- what can be wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toml", "message", "line", "hint"),
    [
        ("[retrieval]\ntop_k = '5'", '[retrieval] top_k must be a whole number between 1 and 100, got "5"', 2, "the default is 10"),
        ("[retrieval]\ntop_k = 5.5", "[retrieval] top_k must be between 1 and 100, got 5.5", 2, "the default is 10"),
        ("[retrieval]\ntop_k = true", "[retrieval] top_k must be a whole number between 1 and 100, got true", 2, "the default is 10"),
        ("[retrieval]\n\n# few\ntop_k = 0", "[retrieval] top_k must be between 1 and 100, got 0", 4, "the default is 10"),
        ("[retrieval]\nweak_below = 85", "[retrieval] weak_below must be between 0 and 1, got 85", 2, "write 0.85: shares are between 0 and 1"),
        ("[retrieval]\nweak_below = nan", "[retrieval] weak_below must be between 0 and 1, got NaN", 2, "the default is 0.3"),
        ("[retrieval]\nmode = 'word'", '[retrieval] mode must be hybrid or words, got "word"', 2, "did you mean words?"),
        ("[verify]\nretry_once = 'no'", '[verify] retry_once must be true or false, got "no"', 2, "the default is true"),
        ("[answer]\nlanguage = 'German'", '[answer] language must be auto or a code such as de, got "German"', 2, 'the default is "auto"'),
        ("[llm]\nmodel = 3", "[llm] model must be extractive, openai:NAME, anthropic:NAME, anthropic-citations:NAME or openai-compatible:NAME, got 3", 2, 'the default is "extractive"'),
        ("[chunk]\nsize = 0", "[chunk] size must be at least 1, got 0", 2, "the default is 300"),
        ("[chunk]\nsize = 50", "[chunk] overlap must be less than size (50), got 50", 2, "the default is size = 300, overlap = 50"),
        ("[chunk]\nsize = 90\noverlap = 90", "[chunk] overlap must be less than size (90), got 90", 3, "the default is size = 300, overlap = 50"),
        ("[store]\npath = ''", '[store] path must be a path, got ""', 2, 'the default is "pincite.db"'),
        ("[retreival]\ntop_k = 5", "unknown section [retreival]", 1, "did you mean [retrieval]?"),
        ("[retrieval]\ntopk = 5", "unknown setting [retrieval] topk", 2, "did you mean top_k?"),
        ("[llm]\ntop_k = 5", "unknown setting [llm] top_k", 2, "did you mean [retrieval] top_k?"),
        ("[access]\nzzz = 5", "unknown setting [access] zzz", 2, "[access] has default, keys_file"),
        ("llm = 'extractive'", '[llm] must be a table, got "extractive"', 1, "write [llm] on a line of its own, and its settings below"),
    ],
)  # fmt: skip
def test_a_wrong_setting_says_what_where_and_what_to_do(
    toml: str, message: str, line: int, hint: str
) -> None:
    write(toml + "\n")
    error = error_of()
    assert (error.message, error.where, error.hint) == (message, f"pincite.toml:{line}", hint)


def test_a_file_that_is_no_toml_is_named_with_its_line() -> None:
    write("[llm]\nmodel = extractive\n")
    error = error_of()
    assert error.message.startswith("not valid TOML: ")
    assert error.where == "pincite.toml:2"


def test_a_file_that_is_not_there_is_an_error_only_when_it_was_named() -> None:
    load()
    assert error_of(path="none.toml").where == "none.toml"


@pytest.mark.parametrize(
    ("name", "value", "where", "message"),
    [
        ("PINCITE_RETRIEVAL__TOP_K", "ten", "PINCITE_RETRIEVAL__TOP_K", '[retrieval] top_k must be a whole number between 1 and 100, got "ten"'),
        ("PINCITE_RETRIEVAL__TOPK", "3", "PINCITE_RETRIEVAL__TOPK", "unknown setting [retrieval] topk"),
        ("PINCITE_RETREIVAL__TOP_K", "3", "PINCITE_RETREIVAL__TOP_K", "unknown section [retreival]"),
    ],
)  # fmt: skip
def test_a_wrong_variable_is_named(
    name: str, value: str, where: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    error = error_of()
    assert (error.where, error.message) == (where, message)


def test_a_whole_section_in_one_variable_must_be_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_RETRIEVAL", '{"top_k": 3}')
    assert load().config.retrieval.top_k == 3
    monkeypatch.setenv("PINCITE_RETRIEVAL", "3")
    with pytest.raises(ConfigError):
        load()


@pytest.mark.parametrize("assignment", ["top_k=3", "retrieval.top_k", "=3", ""])
def test_an_assignment_needs_a_section_a_key_and_a_value(assignment: str) -> None:
    assert error_of(assignments=[assignment]).where == "-c"


# --- lines of a file ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toml", "line"),
    [
        ("[a]\nkey = 1", 2),
        ("# [a]\n[b]\nkey = 1\n[a]\n  key = 1", 5),
        ("a.key = 1", 1),
        ("[a]\n'key' = 1", 2),
        ("b = 1\na = { key = 1 }", 2),
        ("[ a ] # ours\nother = 1", 1),
        ("[b]\nkey = 1", None),
    ],
)
def test_the_line_of_a_key_is_found_in_every_way_to_write_it(toml: str, line: int | None) -> None:
    assert find_line(toml, ["a"], "key") == line


# --- what there is ------------------------------------------------------------------------------


def test_every_setting_says_what_it_is_for_and_what_it_may_be() -> None:
    for model in SECTIONS.values():
        assert model.__doc__
        assert all(info.description and allowed(info) for info in model.model_fields.values())


def test_the_example_file_is_valid_with_every_line_uncommented() -> None:
    lines = example_file().splitlines()
    write(
        "\n".join(
            line.removeprefix("# ") if " = " in line and ":" not in line.split(" = ")[0] else line
            for line in lines
        )
    )
    loaded = load()
    assert set(loaded.origins.values()) != {"default"}
    assert loaded.config == load("/dev/null" if os.name == "posix" else "NUL").config


def test_importing_pincite_or_verifying_reads_no_settings() -> None:
    code = (
        "import sys, pincite; pincite.verify('Rooms open at nine [1].', ['Rooms open at nine.']);"
        "print(*{'pydantic', 'pincite.config', 'pincite.wiring'} & set(sys.modules))"
    )
    source = str(Path(__file__).resolve().parent.parent / "src")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.strip() == ""


# --- the address of a database ------------------------------------------------------------------

SECRET_URLS = ("postgresql://ann:pw123@db/docs", "postgresql://ann@db/docs?password=pw123")


@pytest.mark.parametrize("url", SECRET_URLS)
def test_a_password_in_a_settings_file_is_refused_and_not_repeated(url: str) -> None:
    Path("pincite.toml").write_text(f'[store]\nurl = "{url}"\n')
    with pytest.raises(ConfigError, match=r"url has a password.*PINCITE_STORE__URL or PGPASSWORD") as caught:
        load()
    assert caught.value.where == "pincite.toml:2"
    assert "pw123" not in str(caught.value)


@pytest.mark.parametrize("sign", ["/", "@", "?", "#"])
def test_a_password_with_signs_that_should_be_escaped_is_one_too(sign: str) -> None:
    url = f"postgresql://ann:pw{sign}pw123@db/docs"
    with pytest.raises(ConfigError, match="url has a password") as caught:
        load(assignments=[f"store.url={url}"])
    assert "pw123" not in str(caught.value) + shown_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann@db1:5432,db2/docs?target_session_attrs=primary",
        "postgresql://ann@[2001:db8::1]:5432/docs",
        "postgresql://ann%40corp@/docs?host=/run/postgresql",
        "postgresql:///docs",
        "postgresql://?host=/run/postgresql",
    ],
)
def test_addresses_of_all_forms_are_taken_from_a_settings_file(url: str) -> None:
    Path("pincite.toml").write_text(f'[store]\nurl = "{url}"\n')
    assert load().config.store.url == url


@pytest.mark.parametrize("url", SECRET_URLS)
def test_a_password_on_the_command_line_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="can see in the list of processes") as caught:
        load(assignments=[f"store.url={url}"])
    assert "pw123" not in str(caught.value)


@pytest.mark.parametrize("url", SECRET_URLS)
def test_a_password_in_the_environment_is_taken_and_not_shown(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_STORE__URL", url)
    loaded = load()
    assert loaded.config.store.url == url
    assert loaded.place == "postgresql://ann@db/docs"


def test_an_address_of_another_kind_is_refused_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_STORE__URL", "mysql://ann:pw123@db/docs")
    with pytest.raises(ConfigError, match=r"must be .*postgresql://USER@HOST/DATABASE") as caught:
        load()
    assert "pw123" not in str(caught.value)
