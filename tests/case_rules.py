"""What a case's ``expected`` says, held against what the product gave. Only the fields that it names count."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]


def problems(case: Json, got: Json) -> list[str]:
    """Everything in which ``got`` is not what the case expects, one line each; empty when all is right."""
    return list(_problems(case["op"], case["input"], case["expected"], got))


def _problems(op: str, given: Json, expected: Json, got: Json) -> Iterator[str]:
    for name, wanted in expected.items():
        rule = RULES.get((op, name)) or RULES.get(("", name))
        if rule is not None:
            yield from rule(wanted, got, given, expected)
        elif name not in got:
            yield f"{name}: nothing given, expected {wanted!r}"
        elif not same(wanted, got[name]):
            yield f"{name}: expected {wanted!r}\n{' ' * len(name)}   got      {got[name]!r}"


def same(wanted: object, got: object) -> bool:
    """Equal; tuples are lists, numbers equal to 6 decimals, and an object may hold more than is wanted."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(
            name in got and same(one, got[name]) for name, one in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(got, list | tuple)
            and len(got) == len(wanted)
            and all(same(a, b) for a, b in zip(wanted, got, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return abs(wanted - got) < 5e-7 * max(1, abs(wanted))
    return wanted == got


Rule = Callable[[Any, Json, Json, Json], Iterator[str]]


def _any_of(wanted: list[Json], got: Json, given: Json, expected: Json) -> Iterator[str]:
    if not any(same(one, got) for one in wanted):
        yield f"none of {wanted!r}\n   got {got!r}"


def _status_in(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    if got["status"] not in wanted:
        yield f"status: expected one of {wanted}, got {got['status']!r}"


def _between(wanted: list[Any], got: Json, given: Json, expected: Json) -> Iterator[str]:
    """Bounds for one number, for each of several, or the same bounds for all of several."""
    value = got["confidence"]
    values = value if isinstance(value, list) else [value]
    bounds = wanted if isinstance(wanted[0], list) else [wanted] * len(values)
    for one, (low, high) in zip(values, bounds, strict=True):
        if not isinstance(one, int | float) or not math.isfinite(one) or not low <= one <= high:
            yield f"confidence: {one!r} is not between {low} and {high}"


def _must_contain(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    yield from (f"{one!r} is missing" for one in wanted if one.casefold() not in _text(got).casefold())


def _must_not_contain(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    yield from (f"{one!r} is there" for one in wanted if one.casefold() in _text(got).casefold())


def _must_contain_exactly(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    yield from (f"{one!r} is missing" for one in wanted if one not in _text(got))


def _must_not_contain_exactly(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    yield from (f"{one!r} is there" for one in wanted if one in _text(got))


def _text(got: Json) -> str:
    return str(got.get("text", got.get("html", got.get("payload", ""))))


def _no_script_urls(wanted: bool, got: Json, given: Json, expected: Json) -> Iterator[str]:
    for target in re.findall(r"""href\s*=\s*["']?\s*([^"'>\s]*)""", _text(got), re.IGNORECASE):
        if not re.match(r"https?:|mailto:|[#/?]|[\w%./-]*\Z", target, re.IGNORECASE):
            yield f"href={target!r}"


def _max_length(wanted: int, got: Json, given: Json, expected: Json) -> Iterator[str]:
    if len(got["text"]) > wanted:
        yield f"{len(got['text'])} characters, at most {wanted} allowed"


def _ends_with(wanted: str, got: Json, given: Json, expected: Json) -> Iterator[str]:
    if not got["text"].endswith(wanted):
        yield f"ends with {got['text'][-10:]!r}, not {wanted!r}"


def _tooltip_rules(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    quote, text = given["quote"], got["text"]
    rest = text.removesuffix("…")
    checks = {
        "rest_is_prefix_of_quote": quote.startswith(rest),
        "cut_at_word": rest == quote
        or not quote[len(rest) : len(rest) + 1].isalnum()
        or not rest[-1:].isalnum(),
        "single_ellipsis": text.count("…") == (0 if text == quote else 1)
        and "..." not in text[len(rest) - 3 :],
        "full_quote_kept": got.get("quote_full", quote) == quote,
    }
    yield from (f"rule {name} does not hold for {text!r}" for name in wanted if not checks[name])


def _chunk_rules(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    text, chunks = given.get("text", ""), got["chunks"]
    covered = {at for one in chunks for at in range(one["start"], one["end"])}
    checks: dict[str, Callable[[], bool]] = {
        "slices_match": lambda: all(text[one["start"] : one["end"]] == one["text"] for one in chunks),
        "covers_text": lambda: all(char.isspace() or at in covered for at, char in enumerate(text)),
        "no_mid_word_cut": lambda: (
            not any(
                0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
                for one in chunks
                for at in (one["start"], one["end"])
            )
        ),
        "size_at_most": lambda: all(len(one["text"]) <= given["chunk_size"] for one in chunks),
        "more_than_one_chunk": lambda: len(chunks) > 1,
    }
    yield from (f"rule {name} does not hold for {chunks!r}" for name in wanted if not checks[name]())


def _table_rules(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    header, rows, chunks = expected["header"], expected["rows"], got["chunks"]
    bodies = [one["body"].splitlines() for one in chunks]
    held = [row for body in bodies for row in body if row.strip() in rows]
    checks = {
        "header_in_every_chunk": all(
            header in one["text"] for one, body in zip(chunks, bodies, strict=True) if set(body) & set(rows)
        ),
        "rows_whole": all(any(row in body for body in bodies) for row in rows),
        "rows_once_in_order": [row.strip() for row in held] == rows,
        "more_than_one_chunk": len(chunks) > 1,
    }
    yield from (f"rule {name} does not hold for {chunks!r}" for name in wanted if not checks[name])


def _nothing(wanted: object, got: Json, given: Json, expected: Json) -> Iterator[str]:
    """The field serves another rule."""
    return iter(())


def _must_differ(wanted: list[list[int]], got: Json, given: Json, expected: Json) -> Iterator[str]:
    keys = got["keys"]
    yield from (f"keys {a} and {b} are the same" for a, b in wanted if keys[a] == keys[b])


def _marker_spans(wanted: list[list[int]], got: Json, given: Json, expected: Json) -> Iterator[str]:
    """What was shown is always a beginning of the final text and ends in no marker."""
    final = expected["final_text"]
    for shown in got["shown"]:
        if not final.startswith(shown):
            yield f"{shown!r} is no beginning of {final!r}"
        for start, end in wanted:
            if start < len(shown) < end:
                yield f"{shown!r} ends inside {final[start:end]!r}"
    if not same(wanted, got["marker_spans"]):
        yield f"marker_spans: expected {wanted!r}, got {got['marker_spans']!r}"


def _stays_inside(wanted: bool, got: Json, given: Json, expected: Json) -> Iterator[str]:
    """``paths`` are relative to the upload folder; ``None`` is a refusal."""
    for name, path in zip(given["names"], got["paths"], strict=True):
        if path is not None and (
            path.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", path) or ":" in path[:3]
        ):
            yield f"{name!r} would be written to {path!r}"


def _kept(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    paths = dict(zip(given["names"], got["paths"], strict=True))
    yield from (f"{name!r} became {paths[name]!r}" for name in wanted if paths[name] != name)


def _refused(wanted: list[str], got: Json, given: Json, expected: Json) -> Iterator[str]:
    paths = dict(zip(given["names"], got["paths"], strict=True))
    yield from (f"{name!r} became {paths[name]!r}" for name in wanted if paths[name] is not None)


def _no_control(wanted: bool, got: Json, given: Json, expected: Json) -> Iterator[str]:
    yield from (f"{path!r}" for path in got["paths"] if path and not path.isprintable())


RULES: dict[tuple[str, str], Rule] = {
    ("", "any_of"): _any_of,
    ("", "status_in"): _status_in,
    ("", "confidence_between"): _between,
    ("", "must_contain"): _must_contain_exactly,
    ("", "must_not_contain"): _must_not_contain_exactly,
    ("render_answer", "must_contain"): _must_contain,
    ("render_answer", "must_not_contain"): _must_not_contain,
    ("", "no_script_urls_in_href"): _no_script_urls,
    ("tooltip", "max_length"): _max_length,
    ("tooltip", "ends_with"): _ends_with,
    ("tooltip", "rules"): _tooltip_rules,
    ("chunk_text", "rules"): _chunk_rules,
    ("chunk_table", "rules"): _table_rules,
    ("chunk_table", "header"): _nothing,
    ("chunk_table", "rows"): _nothing,
    ("cache_key", "must_differ"): _must_differ,
    ("cache_key", "may_match"): _nothing,
    ("stream_markers", "marker_spans"): _marker_spans,
    ("upload_path", "must_stay_inside"): _stays_inside,
    ("upload_path", "kept"): _kept,
    ("upload_path", "refused"): _refused,
    ("upload_path", "no_control_characters_in_path"): _no_control,
}
