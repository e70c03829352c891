"""``store rebuild-search``, and what ``doctor`` says of a search in Qdrant, by the client's local mode in a folder."""

from __future__ import annotations

import json
import logging

import pytest

pytest.importorskip("qdrant_client", reason="the extra qdrant is not installed")

from qdrant_client import QdrantClient, models
from tests.cli.conftest import Run

QDRANT = ("-c", "store.search=qdrant:qdrant", "-c", "store.search_fallback=false")


def doctor(cli: Run, *options: str) -> dict[str, str]:
    (found,) = [
        one for one in json.loads(cli("doctor", "--json", *options).out)["checks"] if one["name"] == "search"
    ]
    return dict(found)


def test_a_database_is_brought_to_qdrant_and_searched_there(shop: Run) -> None:
    assert doctor(shop, *QDRANT)["found"].endswith(
        "1 difference from the database: --reader confidential names what"
    )
    ran = shop("store", "rebuild-search", *QDRANT)
    assert (ran.code, ran.err.splitlines()) == (
        0,
        ["3 documents brought to Qdrant", "Qdrant is in line with the database"],
    )
    assert doctor(shop, *QDRANT)["state"] == "ok"
    ran = shop("ask", "How long does a deleted file stay in the trash?", *QDRANT)
    assert "30 days" in ran.out


def test_doctor_names_what_differs_to_those_who_may_know_and_rebuilding_mends_it(shop: Run) -> None:
    shop("store", "rebuild-search", *QDRANT)
    client = QdrantClient(path="qdrant")
    client.delete(
        "pincite",
        models.FilterSelector(
            filter=models.Filter(must=[models.FieldCondition(key="level", range=models.Range(gte=1))])
        ),
    )
    client.close()
    assert "margins" not in json.dumps(doctor(shop, *QDRANT))
    found = doctor(shop, "--reader", "confidential", *QDRANT)
    assert found["state"] == "warning"
    assert "lacks passages of document 'margins" in found["found"]
    assert "1 difference mended" in shop("store", "rebuild-search", *QDRANT).err
    assert doctor(shop, *QDRANT)["state"] == "ok"
    assert shop("store", "rebuild-search", "--anew", *QDRANT).code == 0
    assert doctor(shop, *QDRANT)["state"] == "ok"


def test_a_server_that_is_not_there_is_named_by_doctor_and_the_question_answered(
    shop: Run, caplog: pytest.LogCaptureFixture
) -> None:
    nobody = ("-c", "store.search=qdrant:http://127.0.0.1:9")
    found = doctor(shop, *nobody)
    assert found["state"] == "broken"
    assert "cannot be reached" in found["found"]
    with caplog.at_level(logging.WARNING):
        assert "30 days" in shop("ask", "How long does a deleted file stay in the trash?", *nobody).out
    assert "the database searches without Qdrant" in caplog.text
    ran = shop("store", "rebuild-search", *nobody)
    assert ran.code != 0
    assert "cannot be reached" in ran.err


@pytest.mark.parametrize("search", ["elastic:http://host", "qdrant", "qdrant:"])
def test_a_search_that_there_is_none_of_is_a_settings_error(shop: Run, search: str) -> None:
    ran = shop("ask", "How long does a deleted file stay in the trash?", "-c", f"store.search={search}")
    assert ran.code == 2
    assert 'write it as "qdrant:http://host:6333"' in ran.err


def test_without_a_search_elsewhere_there_is_nothing_to_rebuild(shop: Run) -> None:
    ran = shop("store", "rebuild-search")
    assert ran.code == 2
    assert "nothing is searched beside the database" in ran.err
