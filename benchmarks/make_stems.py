"""Write the stems of the synonyms' words to ``lexicons/stems_<language>.json``, so that no process has to make them.

    python benchmarks/make_stems.py [--check]

To be run when synonyms.json or the version of PyStemmer changes; ``tests/text/test_synonyms.py`` tells when.
"""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

from pincite.text import synonyms
from pincite.text.lexicon import TIER1
from pincite.text.words import _terms_of, known_terms

FOLDER = Path(__file__).resolve().parent.parent / "src" / "pincite" / "text" / "lexicons"
SPACED = tuple(language for language in TIER1 if language not in ("ja", "zh"))


def made(language: str) -> str:
    """The file's text for one language."""
    _terms_of.cache_clear()
    synonyms._load.cache_clear()
    with patch.object(synonyms, "_ready_stems", return_value={}):
        synonyms._load(language)
    stems = {surface: list(terms) for surface, terms in sorted(known_terms(language).items())}
    shape = "stems: word of an entry of synonyms.json -> its terms; made by benchmarks/make_stems.py"
    data = {"shape": shape, "stemmer": metadata.version("PyStemmer"), "stems": stems}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def main() -> None:
    stale = []
    for language in SPACED:
        path = FOLDER / f"stems_{language}.json"
        text = made(language)
        if "--check" in sys.argv:
            stale += [language] if not path.exists() or path.read_text("utf-8") != text else []
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: {len(text):,} bytes")
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run python benchmarks/make_stems.py")


if __name__ == "__main__":
    main()
