"""The texts of the page, as its modules name them: what a catalogue must translate."""

from __future__ import annotations

import re
from pathlib import Path

import pincite.service

STATIC = Path(pincite.service.__file__).parent / "static"

_CALL = re.compile(r'\bt\(\s*(?:[^"()?]*\?\s*)?"((?:[^"\\]|\\.)*)"')
_OTHERWISE = re.compile(r'\bt\([^()]*\? "(?:[^"\\]|\\.)*" : (?:[^"()]*\? )?"((?:[^"\\]|\\.)*)"')
# Tables whose words are translated where they are used.
_TABLES = {
    "states.js": (
        r'(?:word|name): "([^"]+)"',
        r'(?:HIGH|MEDIUM|LOW|supported|partial|contradicted|unsupported|unchecked): "([^"]+)"',
    ),
    "documents.js": (
        r'(?:queued|running|ready|ready_with_warnings|failed|cancelled): "([^"]+)"',
        r'button\("([^"]+)"',
    ),
    "history.js": (r'\["\w*", "([^"]+)"\]',),
    "main.js": (r'^  \["[^"]+", "([^"]+)"\],$',),
    "panel.js": (r'^    (?:moved|changed|gone): "([^"]+)"', r'tab\("\w+", t\("(\w+)"\)'),
    "answer.js": (r'\["(?:helpful|incomplete)", "([^"]+)"\]',),
}
_HEADS = re.compile(r'\.\.\.\[((?:"[^"]+"(?:, )?)+)\]\.map\(\(name\) => el\("th"')


def keys() -> set[str]:
    """Every English text that the page looks up."""
    found: set[str] = set()
    for path in sorted(STATIC.glob("*.js")):
        if path.name.startswith("words"):
            continue
        text = path.read_text("utf-8")
        found.update(_CALL.findall(text))
        found.update(_OTHERWISE.findall(text))
        for heads in _HEADS.findall(text):
            found.update(re.findall(r'"([^"]+)"', heads))
        for pattern in _TABLES.get(path.name, ()):
            found.update(re.findall(pattern, text, re.MULTILINE))
    page = (STATIC / "index.html").read_text("utf-8")
    found.update(re.findall(r'data-t(?:-label)?="([^"]+)"', page))
    return {one for one in found if any(char.isalpha() for char in one)}


def catalogue(code: str) -> dict[str, str]:
    """The keys of a catalogue with the text that stands behind each."""
    text = (STATIC / f"words-{code}.js").read_text("utf-8")
    return dict(re.findall(r'^  "((?:[^"\\]|\\.)+)": (.+),$', text, re.MULTILINE))
