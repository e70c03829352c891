"""What the PostgreSQL store does without a server: names, errors, addresses. With one: tests/integration/test_postgres.py."""

from __future__ import annotations

import pytest
from tests import postgres_server

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
pytest.importorskip("pgvector", reason="the extra postgres is not installed")

from pincite.stores.postgres_errors import Lost, is_passing, store_error  # noqa: E402
from pincite.stores.postgres_text import LONGEST_REFERENCE, decode, encode, reference  # noqa: E402

WHERE = "postgresql://ann@db/docs"


@pytest.mark.servers
@pytest.mark.skipif(not postgres_server.INSTALLED, reason=postgres_server.WHY_NOT)
def test_postgres_is_among_the_stores_of_the_contract() -> None:
    from tests.contracts import test_stores

    assert "postgres" in test_stores.OPEN


@pytest.mark.parametrize(
    "text", ["", "plain", "a\x00b", "\ud800", "\x10", "\x100000", "\x10#", "𐏿\ud800\udfff\x00"]
)
def test_every_text_comes_back_and_has_a_form_that_the_server_takes(text: str) -> None:
    written = encode(text)
    assert decode(written) == text
    assert "\x00" not in written
    assert written.encode().decode() == written


def test_long_names_stay_apart_and_fit_into_an_index() -> None:
    names = ["x" * LONGEST_REFERENCE, "x" * (LONGEST_REFERENCE + 1), "x" * 500, "x" * 499 + "y", "\x00" * 500]
    references = [reference(name) for name in names]
    assert len(set(references)) == len(names)
    assert max(len(one.encode()) for one in references) < 2_600


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (psycopg.errors.DiskFull("no space"), "the disk of the server is full", "free some space"),
        (psycopg.errors.TooManyConnections("sorry"), "no connection left", "pool_size"),
        (psycopg.errors.QueryCanceled("statement timeout"), "took too long", "timeout_s"),
        (psycopg.errors.LockNotAvailable("lock timeout"), "another process is writing", "try again"),
        (psycopg.errors.ReadOnlySqlTransaction("read-only"), "standby", "primary"),
        (psycopg.errors.InsufficientPrivilege("denied"), "too few rights", "docs/postgres.md"),
        (psycopg.errors.InvalidPassword("no"), "password was refused", "PINCITE_STORE__URL"),
        (psycopg.errors.AdminShutdown("bye"), "going down", "try again"),
        (psycopg.errors.DataCorrupted("page"), "damage", "backup"),
        (psycopg.OperationalError("connection timeout expired"), "does not answer", "network"),
        (psycopg.OperationalError("fe_sendauth: no password supplied"), "password was refused", "pgpass"),
        (psycopg.OperationalError("Connection refused"), "cannot be reached", "see that it runs"),
    ],
)
def test_an_error_of_the_server_says_what_it_means_and_what_to_do(
    error: psycopg.Error, message: str, hint: str
) -> None:
    made = store_error(error, WHERE, "nothing was stored")
    assert message in made.message
    assert made.message.startswith("nothing was stored: ")
    assert hint in made.hint
    assert made.where == WHERE


def test_only_what_may_work_on_a_new_connection_is_tried_again() -> None:
    assert is_passing(psycopg.errors.AdminShutdown("bye"))
    assert is_passing(psycopg.errors.SerializationFailure("conflict with recovery"))
    assert is_passing(psycopg.OperationalError("server closed the connection unexpectedly"))
    assert isinstance(store_error(psycopg.OperationalError("gone"), WHERE), Lost)
    assert not is_passing(psycopg.errors.QueryCanceled("statement timeout"))
    assert not is_passing(psycopg.errors.DiskFull("no space"))
    assert not is_passing(psycopg.errors.UniqueViolation("there"))
