"""Original bytes are kept under what they are."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from pincite.blobs import Blobs, MemoryBlobs, blob_key
from pincite.errors import StoreError


def test_bytes_come_back_under_their_hash(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    key = blobs.put(b"%PDF")
    assert key == blob_key(b"%PDF") == blobs.put(b"%PDF")
    assert blobs.get(key) == b"%PDF"
    path = blobs.path(key)
    assert path is not None
    assert path.read_bytes() == b"%PDF"
    assert list(blobs.all_keys()) == [key]


@pytest.mark.parametrize(
    "key", ["", "../../etc/passwd", "a" * 63, "A" * 64, "a" * 64, "a" * 64 + "\n", "\x00" * 64]
)
def test_what_is_no_key_or_not_there_is_nothing(tmp_path: Path, key: str) -> None:
    blobs = Blobs(tmp_path / "blobs")
    blobs.remove(key)
    assert (blobs.get(key), blobs.path(key)) == (None, None)
    assert MemoryBlobs().get(key) is None


def test_a_damaged_file_is_refused_and_healed_by_the_same_bytes(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    key = blobs.put(b"red")
    path = blobs.path(key)
    assert path is not None
    path.write_bytes(b"RED")
    with pytest.raises(StoreError, match="damaged"):
        blobs.get(key)
    blobs.put(b"red")
    assert blobs.get(key) == b"red"


def test_half_written_files_are_no_blobs(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    key = blobs.put(b"red")
    (tmp_path / "blobs" / key[:2] / "tmp1234.part").write_bytes(b"re")
    assert list(blobs.all_keys()) == [key]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_files_have_the_permissions_of_the_database(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs", mode=0o640)
    path = blobs.path(blobs.put(b"red"))
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be kept"):
        Blobs(tmp_path / "file" / "blobs").put(b"red")


def _put_many(folder: str) -> None:
    blobs = Blobs(Path(folder))
    for number in range(50):
        blobs.put(b"%d" % number)


def test_processes_may_put_the_same_bytes_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_put_many, args=(str(tmp_path / "blobs"),)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    blobs = Blobs(tmp_path / "blobs")
    assert {blobs.get(key) for key in blobs.all_keys()} == {b"%d" % number for number in range(50)}
    assert not list((tmp_path / "blobs").rglob("*.part"))
