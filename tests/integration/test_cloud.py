"""Originals in a bucket, of a server on this machine that speaks the protocol of S3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Pipeline
from pincite.blobs import blob_key
from pincite.blobs_cloud import CloudBlobs
from pincite.errors import ConfigError, StoreError

pytest.importorskip("s3fs", reason="needs the extra cloud")
moto_server = pytest.importorskip("moto.server", reason="needs moto[server], a server for tests")
boto3 = pytest.importorskip("boto3", reason="comes with moto")

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries of AWS, about themselves


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
        server.stop()


@pytest.fixture(scope="module")
def bucket(endpoint: str) -> Any:
    client = boto3.client("s3", endpoint_url=endpoint)
    client.create_bucket(Bucket="docs")
    return client


def test_bytes_come_back_under_their_hash(endpoint: str, bucket: Any) -> None:
    blobs = CloudBlobs("s3://docs/first/", endpoint=endpoint)
    key = blobs.put(b"%PDF")
    assert key == blob_key(b"%PDF") == blobs.put(b"%PDF")
    assert blobs.get(key) == b"%PDF"
    assert blobs.has(key)
    assert list(blobs.all_keys()) == [key]
    path = blobs.path(key)
    assert path is not None
    assert path.read_bytes() == b"%PDF"
    blobs.remove(key)
    assert (blobs.get(key), blobs.has(key), blobs.path(key), list(blobs.all_keys())) == (
        None,
        False,
        None,
        [],
    )


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "a" * 63, "A" * 64, "a" * 64, "\x00" * 64])
def test_what_is_no_key_or_not_there_is_nothing(endpoint: str, bucket: Any, key: str) -> None:
    blobs = CloudBlobs("s3://docs/first", endpoint=endpoint)
    blobs.remove(key)
    assert (blobs.get(key), blobs.has(key), blobs.path(key)) == (None, False, None)


def test_a_damaged_object_is_refused_and_healed_by_the_same_bytes(endpoint: str, bucket: Any) -> None:
    blobs = CloudBlobs("s3://docs/second", endpoint=endpoint)
    key = blobs.put(b"red")
    bucket.put_object(Bucket="docs", Key=f"second/{key[:2]}/{key}", Body=b"RED")
    with pytest.raises(StoreError, match="damaged"):
        blobs.get(key)
    blobs.put(b"red")
    assert blobs.get(key) == b"red"


def test_copies_on_this_machine_stay_within_their_limit(
    endpoint: str, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.blobs_cloud.CACHE_BYTES", 100)
    blobs = CloudBlobs("s3://docs/third", endpoint=endpoint)
    paths = [blobs.path(blobs.put(bytes([number]) * 60)) for number in range(3)]
    assert [path is not None and path.exists() for path in paths] == [False, False, True]


@pytest.mark.parametrize("what", ["put", "get", "all_keys"])
def test_a_missing_bucket_is_named(endpoint: str, what: str) -> None:
    blobs = CloudBlobs("s3://missing/x", endpoint=endpoint)
    calls = {
        "put": lambda: blobs.put(b"a"),
        "get": lambda: blobs.get("a" * 64),
        "all_keys": lambda: list(blobs.all_keys()),
    }
    with pytest.raises(StoreError, match="there is no bucket 'missing'"):
        calls[what]()


def test_a_server_that_is_down_is_an_error_with_the_next_step(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.blobs_cloud.TRIES", 1)
    with pytest.raises(StoreError, match=r"s3://docs/x: .*\[store\] blobs_endpoint"):
        CloudBlobs("s3://docs/x", endpoint="http://127.0.0.1:9").get("a" * 64)


def test_denied_access_is_said(endpoint: str, bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = CloudBlobs("s3://docs/x", endpoint=endpoint)

    def denied(*words: Any) -> None:
        raise PermissionError("Access Denied")

    monkeypatch.setattr(blobs._files, "cat_file", denied)
    with pytest.raises(StoreError, match="access is denied; see that AWS_ACCESS_KEY_ID"):
        blobs.get("a" * 64)


@pytest.mark.parametrize("place", ["s3://", "s3://A_B/x", "s3://docs/a b", "gs://docs/x"])
def test_what_is_no_place_in_a_bucket_is_refused(place: str) -> None:
    with pytest.raises(ConfigError, match="no place in a bucket"):
        CloudBlobs(place)


def test_a_pipeline_keeps_originals_in_the_bucket_and_removes_them(
    endpoint: str, bucket: Any, tmp_path: Path
) -> None:
    (tmp_path / "fees.md").write_text("# Fees\n\nEntry is free.\n", "utf-8")
    settings = {"path": str(tmp_path / "p.db"), "blobs": "s3://docs/pipe", "blobs_endpoint": endpoint}
    with Pipeline(embedder="none", store=settings) as rag:
        rag.add(tmp_path / "fees.md")
        (stored,) = rag.documents()
        data = rag.parts.store.blobs.get(stored.info.blob or "")
        assert data == b"# Fees\n\nEntry is free.\n"
        assert not (tmp_path / "p.db.blobs").exists()
        rag.remove(stored.info.doc_id)
        assert list(rag.parts.store.blobs.all_keys()) == []
