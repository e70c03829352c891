"""Word lists as data files: read once, when first needed."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

TIER1 = ("en", "de", "es", "fr", "ja", "zh", "ar", "hi")
"""Languages with lexicons; the others have digits, units and dates only."""


@lru_cache(maxsize=32)
def load_lexicon(name: str) -> dict[str, Any]:  # JSON: shape differs by file and is given in its "shape" line
    """The data file ``lexicons/<name>.json``. Callers must not change it.

    >>> load_lexicon("months")["months"]["en"][0][0]
    'january'
    """
    text = files("pincite.text").joinpath("lexicons", f"{name}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def base_language(language: str | None) -> str | None:
    """The language part of a tag, lower case: ``de`` of ``de-AT``.

    >>> base_language("pt_BR"), base_language(None)
    ('pt', None)
    """
    if not language:
        return None
    return language.lower().replace("_", "-").split("-", 1)[0]


def tabled(language: str | None) -> str:
    """The tier-1 language whose word lists serve a text in ``language``; English where there is none.

    A short English sentence is easily taken for Dutch or Danish; English words do no harm there.

    >>> tabled("fr"), tabled("nl"), tabled(None)
    ('fr', 'en', 'en')
    """
    code = base_language(language)
    return code if code in TIER1 and code is not None else "en"
