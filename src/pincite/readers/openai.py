"""What OpenAI returns: a Responses object, or a message of Chat Completions or the older Assistants, with annotations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pincite.readers.marks import Mark, Shape, as_mapping, own_source, with_markers
from pincite.readers.plain import ReadAnswer
from pincite.types import Document, Span

_SHAPE = Shape("OpenAI")
# Annotations that name a source. The others (file_path, container_file_citation) are files that the model made.
_CITING = ("url_citation", "file_citation")
# A source in the text itself: U+E200 cite U+E202 turn0file3 U+E201.
_TURN = re.compile(r"turn(\d{1,4})([a-z]{1,12})(\d{1,6})")
_PRIVATE = re.compile("\ue200[^\ue200\ue201]{0,2000}\ue201")


def openai(answer: Any) -> ReadAnswer | None:
    """Accepts a response, its ``output``, a Chat Completions response or one message (mappings or the library's objects).

    Each ``url_citation`` or ``file_citation`` becomes a marker: in place of the link or sign that it annotates, or
    behind the words. ``file_search_call`` results are the sources, those of one file as one; without any, and without
    sources given to ``verify``, what is cited has no text, and is not checkable. ``turn0file3`` is the fourth source.

    Raises:
        ConfigError: If it is such a message and something in it is not as it must be.
    """
    items = _items(answer)
    if items is None:
        return None
    reading = _Reading()
    for where, item in items:
        if item.get("type") == "file_search_call":
            reading.add_results(item, where)
    parts = [
        part
        for where, item in items
        if item.get("type") != "file_search_call"
        for part in _parts(item, where)
    ]
    texts = [reading.marked(text, annotations, where) for where, text, annotations in parts]
    text = "\n\n".join(one for one in texts if one)
    sources = tuple(reading.sources())
    return ReadAnswer(text, sources=sources or None, marks=tuple(reading.marks))


def _items(answer: Any) -> list[tuple[str, Mapping[str, Any]]] | None:
    """The messages and search calls of the answer with their paths; ``None`` when it is something else."""
    if isinstance(answer, str | list | tuple):
        if isinstance(answer, str) or not any(_is_output(as_mapping(one)) for one in answer):
            return None
        output = _SHAPE.items(answer, "output")
    else:
        value = as_mapping(answer)
        if value is None:
            return None
        if isinstance(value.get("choices"), list | tuple):
            choices = _SHAPE.items(value["choices"], "choices")
            message = as_mapping(choices[0].get("message")) if choices else None
            if message is None:
                raise _SHAPE.wrong("choices[0].message", "is missing")
            return [("choices[0].message", message)]
        if isinstance(value.get("output"), list | tuple):
            output = _SHAPE.items(value["output"], "output")
        elif _is_output(value) or _is_chat(value):
            return [("message", value)]
        elif value.get("type") == "output_text":
            return [("message", {"content": [value]})]
        else:
            return None
    kept = ("message", "file_search_call")
    return [(f"output[{n}]", one) for n, one in enumerate(output) if one.get("type") in kept]


def _is_output(value: Mapping[str, Any] | None) -> bool:
    if value is None:
        return False
    content = value.get("content")
    if not isinstance(content, list | tuple):
        return value.get("type") == "file_search_call"
    return any(
        part is not None and part.get("type") == "output_text"
        for part in (as_mapping(one) for one in content)
    )


def _is_chat(value: Mapping[str, Any]) -> bool:
    """A message of Chat Completions or of the Assistants: a list of blocks without more is Anthropic's."""
    content = value.get("content")
    if value.get("role") != "assistant" or not isinstance(content, list | tuple):
        return value.get("role") == "assistant" and isinstance(content, str)
    parts = [part for one in content if (part := as_mapping(one)) is not None]
    return "annotations" in value or any(isinstance(part.get("text"), Mapping) for part in parts)


def _parts(item: Mapping[str, Any], where: str) -> Iterator[tuple[str, str, list[Mapping[str, Any]]]]:
    """The texts of a message with their annotations."""
    content = item.get("content")
    if content is None or isinstance(content, str):
        yield where, content or "", _annotations(item, where)
        return
    for number, part in enumerate(_SHAPE.items(content, f"{where}.content")):
        path = f"{where}.content[{number}]"
        if part.get("type") not in ("output_text", "text"):
            continue
        # The older Assistants put text and annotations one level deeper.
        held = part["text"] if isinstance(part.get("text"), Mapping) else part
        name = "value" if held is not part else "text"
        found = _annotations(held, path) or (_annotations(item, where) if part is held else [])
        yield path, _SHAPE.string(held, name, path), found


def _annotations(values: Mapping[str, Any], where: str) -> list[Mapping[str, Any]]:
    found = _SHAPE.items(values.get("annotations"), f"{where}.annotations")
    out: list[Mapping[str, Any]] = []
    for number, one in enumerate(found):
        kind = one.get("type")
        if kind in _CITING:
            # Chat Completions and Assistants hold the rest in a field that is called like the type.
            inner = one.get(kind)
            if inner is not None and as_mapping(inner) is None:
                raise _SHAPE.wrong(f"{where}.annotations[{number}].{kind}", "must be an object")
            out.append({**one, **(as_mapping(inner) or {})})
    return out


@dataclass
class _Reading:
    """What has been read of one answer. ``files`` maps a file to its name and the texts found in it, ``numbers`` a file,
    its name or another cited source to its place; ``turns`` a search result to its file; ``bare`` are cited sources of
    which no text came."""

    marks: list[Mark] = field(default_factory=list)
    files: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    turns: dict[tuple[int, int], str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    bare: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0

    def add_results(self, call: Mapping[str, Any], where: str) -> None:
        for number, result in enumerate(_SHAPE.items(call.get("results"), f"{where}.results")):
            path = f"{where}.results[{number}]"
            name = _SHAPE.string(result, "filename", path)
            file = _SHAPE.string(result, "file_id", path) or name or path
            if file not in self.files:
                self.files[file] = (name or file, [])
                self.numbers[file] = len(self.files)
                self.numbers.setdefault(name or file, len(self.files))
            self.files[file][1].append(_SHAPE.string(result, "text", path))
            self.turns[self.calls, number] = file
        self.calls += 1

    def sources(self) -> Iterator[Document]:
        """Files first, then what has no text."""
        for number, (name, texts) in enumerate(self.files.values(), start=1):
            text = "\n\n".join(dict.fromkeys(texts))
            yield Document(f"file-{number}", text, title=name, access_level="public")
        for number, (name, url) in enumerate(self.bare, start=len(self.files) + 1):
            yield own_source(number, "", name, url)

    def marked(self, text: str, annotations: list[Mapping[str, Any]], where: str) -> str:
        """``text`` with a marker for each annotation, without the links that they annotate."""
        self._add_turns(text)
        found = [self._cited(text, one, f"{where}.annotations[{n}]") for n, one in enumerate(annotations)]
        plain, last = "", 0
        starts: list[int] = []
        printed: list[tuple[int, int]] = []
        for span, is_printed, _ in sorted(found, key=lambda one: (one[0].start, one[0].end)):
            if is_printed and span.start >= last:
                plain += text[last : span.start]
                last = span.end
                starts.append(span.start)
                printed.append((span.end, len(plain)))
        plain += text[last:]

        def moved(at: int) -> int:
            before = bisect_right(starts, at)
            if not before:
                return at
            end, start = printed[before - 1]
            return start + max(0, at - end)

        cited = [(Span(moved(span.start), moved(span.end)), spelling) for span, _, spelling in found]
        return with_markers(plain, cited)

    def _cited(self, text: str, annotation: Mapping[str, Any], where: str) -> tuple[Span, bool, str]:
        """What is annotated, whether that is the printed citation itself, and the marker."""
        url = _SHAPE.string(annotation, "url", where)
        file = _SHAPE.string(annotation, "file_id", where)
        name = _SHAPE.string(annotation, "filename", where) or _SHAPE.string(annotation, "title", where)
        names = tuple(one for one in (file, name, url) if one)
        if not names:
            raise _SHAPE.wrong(where, "names no source: file_id, filename or url")
        spelling = f"cited-{len(self.marks) + 1}"
        self.marks.append(Mark(spelling, own=self._own(names[0], name or names[0], url), names=names))
        start, end = (_SHAPE.index(annotation, key, where) for key in ("start_index", "end_index"))
        if start is None or end is None:
            index = _SHAPE.index(annotation, "index", where)
            at = len(text) if index is None else min(index, len(text))
            while 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum():
                at += 1
            return Span(at, at), False, spelling
        start, end = min(start, len(text)), min(end, len(text))
        if end < start:
            raise _SHAPE.wrong(f"{where}.end_index", "lies before start_index")
        said = text[start:end]
        printed = bool(said) and (said == annotation.get("text") or "†" in said or bool(url and url in said))
        if printed and text[start - 1 : start] == "(" and text[end : end + 1] == ")":
            start, end = start - 1, end + 1
        return Span(start, end), printed, spelling

    def _own(self, key: str, name: str, url: str) -> int:
        if key not in self.numbers and name not in self.numbers:
            self.bare.append((name, url))
            self.numbers[key] = len(self.files) + len(self.bare)
        return self.numbers.get(key) or self.numbers[name]

    def _add_turns(self, text: str) -> None:
        known = {mark.spelling for mark in self.marks}
        for cite in _PRIVATE.findall(text):
            for found in _TURN.finditer(cite):
                turn, number = int(found[1]), int(found[3])
                if found[0] in known:
                    continue
                known.add(found[0])
                file = self.turns.get((turn, number))
                own = 0 if file is None else self.numbers[file]
                names = (found[0],) if file is None else (file, self.files[file][0])
                self.marks.append(Mark(found[0], own=own, place=None if turn else number + 1, names=names))
