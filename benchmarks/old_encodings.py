"""Texts without a word about their encoding: how often it is found, how often it is left open, how often it is wrong.

    python benchmarks/old_encodings.py DATA [--chars N] [--json]

DATA is a folder of texts in many languages (``*.jsonl`` with ``lang`` and ``markdown`` or ``context``). Each is written in the
encodings that its language was written in before UTF-8, cut to ``--chars`` bytes, and read back. Pages that are ASCII or
UTF-8 then are left out. The rules were made with ``docs`` in sight; ``xquad`` and ``jsquad`` were not looked at. Beside it: always windows-1252, and the package charset-normalizer where it is installed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from pincite.parsers.encodings import decoded_by_guess

OLD = {
    "ja": ("cp932", "euc_jp"), "zh": ("gb18030",), "zh-cn": ("gb18030",), "zh-tw": ("big5",), "ko": ("cp949",),
    "ru": ("cp1251", "koi8_r"), "tr": ("cp1254",), "en": ("cp1252",), "de": ("cp1252",), "fr": ("cp1252",),
    "es": ("cp1252",), "it": ("cp1252",), "pt": ("cp1252",), "pt-br": ("cp1252",), "da": ("cp1252",), "nl": ("cp1252",),
}  # fmt: skip

Reader = Callable[[bytes], str | None]


def written(folder: Path, limit: int) -> Iterator[tuple[str, bytes, str]]:
    """Encoding, bytes and what they say."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            page = json.loads(line)
            for name in OLD.get(page["lang"], ()):
                data = (page.get("markdown") or page["context"]).encode(name, "ignore")[:limit]
                try:
                    text = data.decode(name)
                except UnicodeDecodeError:  # cut in the middle of a character
                    data = data[:-1]
                    text = data.decode(name, "ignore")
                if not data.isascii() and not _is_utf_8(data):
                    yield name, data, text


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def guessed(data: bytes) -> str | None:
    found = decoded_by_guess(data)
    return found[0] if found else None


def always_western(data: bytes) -> str | None:
    return data.decode("cp1252", "replace")


def readers() -> dict[str, Reader]:
    found: dict[str, Reader] = {"pincite": guessed, "always windows-1252": always_western}
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return found

    def normalizer(data: bytes) -> str | None:
        best = from_bytes(data).best()
        return str(best) if best is not None else None

    return {**found, "charset-normalizer": normalizer}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--chars", type=int, default=10**9)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    texts = list(written(given.data, given.chars))
    results = {}
    for name, read in readers().items():
        counts: Counter[str] = Counter()
        for _, data, text in texts:
            got = read(data)
            counts["open" if got is None else "right" if got == text else "wrong"] += 1
        results[name] = {"texts": len(texts), **{key: counts[key] for key in ("right", "open", "wrong")}}
    if given.json:
        print(json.dumps(results))
    else:
        for name, found in results.items():
            print(
                f"{name:<22} {found['texts']} texts: {found['right']} right, {found['open']} left open, {found['wrong']} wrong"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
