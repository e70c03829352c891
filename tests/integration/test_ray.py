"""A Ray cluster of two workers on this machine stores byte for byte what one process stores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.integration.test_bulk import HashEmbedder, add, contents, write_files

from pincite.errors import ConfigError
from pincite.workers import map_tasks

pytest.importorskip("ray", reason="needs the extra ray")


@pytest.mark.skipif(
    "PINCITE_TEST_RAY" not in os.environ,
    reason="takes half a minute to start and lose workers; set PINCITE_TEST_RAY=1",
)
def test_two_workers_store_byte_for_byte_what_one_process_stores_and_lose_the_deadly_file_alone(
    tmp_path: Path,
) -> None:
    write_files(tmp_path / "docs", 12)
    one = add(tmp_path / "docs", tmp_path / "1.db", jobs=1, embedder=HashEmbedder())
    (tmp_path / "docs" / "page-3-deadly.txt").write_text("deadly", "utf-8")
    two = add(tmp_path / "docs", tmp_path / "2.db", jobs=2, ray_address="local", embedder=HashEmbedder())
    assert contents(tmp_path / "1.db") == contents(tmp_path / "2.db")
    (lost,) = [str(error) for error in two.failed if str(error) not in map(str, one.failed)]
    assert lost.startswith("page-3-deadly.txt: the process that read it died")


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:9", "ray://127.0.0.1:9", "host:port"])
def test_an_address_where_no_cluster_is_is_refused_at_once(address: str) -> None:
    with pytest.raises(ConfigError, match=r"no address of a Ray cluster|no Ray cluster can be reached"):
        list(map_tasks(len, ["a"], ray_address=address, lost=lambda item: -1))
