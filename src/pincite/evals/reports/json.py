"""A report as JSON (schema 1.0), and read again: what a later run takes as its baseline."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from pincite.errors import ConfigError
from pincite.evals.values import SCHEMA_VERSION, EvalReport, Gate, ItemResult, Metric

Made = dict[str, Any]


# --- out ----------------------------------------------------------------------------------------


def report_json(report: EvalReport) -> str:
    """``report_dict`` as JSON: a line for each item, metric and slice, so that two reports can be compared line by line.

    Half of a surrogate pair, which no file in UTF-8 can hold, is written as an escape.
    """
    return "".join(report_pieces(report))


def report_pieces(report: EvalReport) -> Iterator[str]:
    """``report_json`` piece by piece, an item at a time: there may be 100,000, which take ten times the memory as
    dictionaries."""
    yield "{"
    between = "\n"
    for name, value in report_dict(replace(report, items=())).items():
        yield f"{between}{_line(name)}: "
        between = ",\n"
        if name == "items" and report.items:
            for at, item in enumerate(report.items):
                made = _plain(item)
                _judged(made, item, report.run.judge)
                yield _written(("[\n " if at == 0 else ",\n ") + _line(made))
            yield "\n]"
        else:
            yield _written(_lines(value))
    yield "\n}\n"


def _written(text: str) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _lines(value: Any) -> str:
    if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
        return "{\n" + ",\n".join(f" {_line(key)}: {_line(one)}" for key, one in value.items()) + "\n}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f" {_line(one)}" for one in value) + "\n]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


_SURROGATE = re.compile("[\ud800-\udfff]")


def report_dict(report: EvalReport) -> dict[str, Any]:
    """The report as JSON knows it: ``report_from`` makes the same report of it.

    Beside the fields of the values stand what follows from them (``meets_target``, ``passed`` of the gate,
    ``machine_sensitive``, and as ``judge_ratings`` the ratings of the run's own judge). A number that is none (NaN, infinite) becomes ``null``.
    """
    body: dict[str, Any] = {"schema_version": SCHEMA_VERSION, **_plain(report)}
    for item, made in zip(report.items, body["items"], strict=True):
        _judged(made, item, report.run.judge)
    for item_id, item in report.baseline_items.items():
        _judged(body["baseline_items"][item_id], item, report.run.judge)
    return body


def _judged(made: Made, item: ItemResult, judge: str) -> None:
    made["judge_ratings"] = list(item.ratings.get(judge) or next(iter(item.ratings.values()), ()))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return _plain_list(value)
    made_of = {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Metric):
        made_of["meets_target"] = value.meets_target
    elif isinstance(value, Gate):
        made_of["passed"] = value.passed
    elif isinstance(value, ItemResult):
        made_of["machine_sensitive"] = value.machine_sensitive
        made_of["margins"] = {key: one for key, one in made_of["margins"].items() if one is not None}
    return made_of


def _plain_list(values: Sequence[Any]) -> list[Any] | None:
    """An interval or a point with a number that is none is none as a whole; a point is then left out of its curve."""
    if any(isinstance(one, float) and not math.isfinite(one) for one in values):
        return None
    made = [(one, _plain(one)) for one in values]
    return [plain for one, plain in made if plain is not None or one is None]


# --- in -----------------------------------------------------------------------------------------


def read_report(path: str | Path) -> EvalReport:
    """The report of a file, such as the baseline of a gate.

    Raises:
        ConfigError: If the file cannot be read, is not JSON, has another ``schema_version``, or a field of it is
            missing or of another kind: the message names file and field.
    """
    where = str(path)
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"this report cannot be read: {error.strerror}", where=where, hint=_MAKE) from error
    except UnicodeDecodeError as error:
        raise ConfigError("this report is not UTF-8", where=where, hint=_MAKE) from error
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"this report is not JSON: {error}", where=where, hint=_MAKE) from error
    return report_from(body, where=where)


_MAKE = "`pincite eval --output report.json` writes one"


def report_from(body: Any, *, where: str = "report") -> EvalReport:
    """The report that ``report_dict`` wrote. Fields that are not known are left out.

    Args:
        body: What was read from JSON. Not trusted.
        where: The file, for messages.

    Raises:
        ConfigError: As of ``read_report``.
    """
    if not isinstance(body, Mapping):
        raise ConfigError("a report is a JSON object", where=where, hint=_MAKE)
    version = body.get("schema_version")
    if version != SCHEMA_VERSION:
        given = "has no schema_version" if version is None else f"has schema_version {str(version)[:40]!r}"
        raise ConfigError(
            f"this report {given}, and {SCHEMA_VERSION!r} is read", where=where, hint=f"make it anew: {_MAKE}"
        )
    try:
        return cast(EvalReport, _read(EvalReport, body, ""))
    except _Wrong as wrong:
        raise ConfigError(str(wrong), where=where, hint=_MAKE) from None


class _Wrong(Exception):
    """A field that cannot be right. The message begins with its place, as ``metrics.coverage.n``."""

    def __init__(self, place: str, wanted: str, given: Any) -> None:
        super().__init__(f"{place.lstrip('.')} must be {wanted}, and is {_shown(given)}")


def _shown(given: Any) -> str:
    names = {dict: "an object", list: "a list", NoneType: "null"}
    return names.get(type(given)) or json.dumps(str(given)[:60] if isinstance(given, str) else given)[:60]


def _read(kind: Any, given: Any, place: str) -> Any:
    """The value of a kind (a dataclass, or what its fields may be) from JSON."""
    if kind is Any:
        return given
    if kind in _SIMPLE:
        return _SIMPLE[kind](given, place)
    if is_dataclass(kind):
        return _object(cast(type, kind), given, place)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _either(inner, given, place)
    if origin is tuple:
        return _tuple(inner, given, place)
    if not isinstance(given, Mapping):
        raise _Wrong(place, "an object", given)
    return {str(key): _read(inner[1], one, f"{place}.{key[:60]}") for key, one in given.items()}


def _object(kind: type, given: Any, place: str) -> Any:
    if not isinstance(given, Mapping):
        raise _Wrong(place, "an object", given)
    made = {}
    for name, (inner, needed) in _fields_of(kind).items():
        if name in given:
            made[name] = _read(inner, given[name], f"{place}.{name}")
        elif needed:
            raise _Wrong(f"{place}.{name}", "given", None)
    return kind(**made)


@cache
def _fields_of(kind: type) -> Mapping[str, tuple[Any, bool]]:
    """The kind of each field, and whether it must be given."""
    hints = get_type_hints(kind)
    return {
        one.name: (hints[one.name], one.default is MISSING and one.default_factory is MISSING)
        for one in fields(kind)
    }


def _either(kinds: tuple[Any, ...], given: Any, place: str) -> Any:
    if given is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    for kind in rest[:-1]:
        try:
            return _read(kind, given, place)
        except _Wrong:
            continue
    return _read(rest[-1], given, place)


def _tuple(kinds: tuple[Any, ...], given: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(given, list):
        raise _Wrong(place, "a list", given)
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], one, f"{place}[{at}]") for at, one in enumerate(given))
    if len(given) != len(kinds):
        raise _Wrong(place, f"a list of {len(kinds)}", given)
    return tuple(
        _read(kind, one, f"{place}[{at}]") for at, (kind, one) in enumerate(zip(kinds, given, strict=True))
    )


def _text(given: Any, place: str) -> str:
    if not isinstance(given, str):
        raise _Wrong(place, "a text", given)
    return given


def _flag(given: Any, place: str) -> bool:
    if not isinstance(given, bool):
        raise _Wrong(place, "true or false", given)
    return given


def _whole(given: Any, place: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise _Wrong(place, "a whole number", given)
    return given


def _number(given: Any, place: str) -> float:
    try:
        made = float(given) if isinstance(given, int | float) and not isinstance(given, bool) else math.nan
    except OverflowError:
        made = math.nan
    if not math.isfinite(made):  # JSON of others may hold NaN
        raise _Wrong(place, "a number", given)
    return made


_SIMPLE: Mapping[Any, Callable[[Any, str], Any]] = {str: _text, bool: _flag, int: _whole, float: _number}
