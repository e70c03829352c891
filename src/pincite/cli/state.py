"""``config show`` and ``doctor``: what holds here, and what works."""

from __future__ import annotations

import contextlib
import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pincite import __version__
from pincite.cli.output import counted, emit, paint, table
from pincite.cli.session import Session
from pincite.errors import PinciteError, StoreMissing

if TYPE_CHECKING:
    from pincite.config import Loaded
    from pincite.ports import Embedder


def show_settings(session: Session, *, origin: bool) -> int:
    """Print every setting with the value that holds, as TOML."""
    from pincite.config.sections import SECTIONS, shown

    loaded = session.settings()
    lines: list[str] = []
    for section, model in SECTIONS.items():
        values = getattr(loaded.config, section)
        pairs = [
            (
                f"{key} = {shown(_safe(section, key, getattr(values, key)))}",
                f"# {loaded.origins[section, key]}",
            )
            for key in model.model_fields
        ]
        lines += [f"[{section}]", table(pairs) if origin else "\n".join(pair for pair, _ in pairs), ""]
    lines += [f"# {name} is set; its value is not shown" for name in loaded.secrets]
    emit("\n".join(lines).rstrip())
    return 0


def _safe(section: str, key: str, value: object) -> object:
    """A value as it may be shown: the address of a database without its password."""
    from pincite.config.addresses import shown_address

    return shown_address(str(value)) if (section, key) == ("store", "url") and value else value


# --- doctor -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of ``doctor``. ``state`` is ok, warning or broken; ``help`` the next step."""

    name: str
    state: str
    found: str
    help: str = ""


MOST_PROBLEMS = 10
"""How many faults of a damaged database are named."""

_SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "broken": ("✗", "red")}


def doctor(session: Session, *, quick: bool, reader: str, as_json: bool) -> int:
    """Say what works here and what does not."""
    found = tuple(diagnose(session, quick=quick, reader=reader))
    broken = any(one.state == "broken" for one in found)
    if as_json:
        emit(json.dumps({"ok": not broken, "checks": [asdict(one) for one in found]}, ensure_ascii=False))
    else:
        for one in found:
            sign, colour = _SIGNS[one.state]
            emit(
                paint(sign, colour, on=session.colour)
                + f" {one.name:<10} {one.found}"
                + (f"  → {one.help}" if one.help else "")
            )
    return int(broken)


def diagnose(session: Session, *, quick: bool = False, reader: str = "public") -> Iterator[Diagnosis]:
    """All checks, in the order in which they help. ``quick`` does not read the whole database; documents above
    ``reader`` are neither counted nor named."""
    from pincite.stores.sqlite_schema import check_sqlite

    yield Diagnosis("python", "ok", f"{platform.python_version()} · pincite {__version__}")
    works, version = check_sqlite()
    yield Diagnosis(
        "sqlite", "ok" if works else "broken", version, "" if works else "use a Python with a newer SQLite"
    )
    try:
        loaded = session.settings()
    except PinciteError as error:
        yield _broken("config", error)
        return
    yield _about_settings(loaded)
    yield _about_model(loaded)
    embedder, diagnosis = _about_embedder(loaded, reader)
    yield diagnosis
    yield from _about_index(loaded, embedder, quick=quick, reader=reader)
    if loaded.config.store.search and _is_there(loaded):
        yield _about_search(loaded, quick=quick, reader=reader)
    if loaded.config.telemetry.enabled:
        yield _about_telemetry(loaded)


def _about_settings(loaded: Loaded) -> Diagnosis:
    from pincite.config.sections import PREFIX

    set_outside = sum(origin.startswith(PREFIX) for origin in loaded.origins.values())
    files = ", ".join(loaded.files) or "defaults, no settings file"
    return Diagnosis(
        "config",
        "ok",
        files + (f" ({counted(set_outside, 'value')} from the environment)" if set_outside else ""),
    )


def _about_model(loaded: Loaded) -> Diagnosis:
    from pincite.wiring.models import choose_model, open_judge

    name = loaded.config.llm.model
    try:
        choose_model(loaded.config.llm, loaded.where("llm", "model"))(None)
        open_judge(loaded)
    except PinciteError as error:
        return _broken("llm", error)
    step = "for prose, set [llm] model or PINCITE_LLM__MODEL" if name == "extractive" else ""
    return Diagnosis("llm", "ok", f"{name} (no model needed)" if name == "extractive" else name, step)


def _about_embedder(loaded: Loaded, reader: str) -> tuple[Embedder | None, Diagnosis]:
    from pincite.wiring.models import choose_embedder, vectors_command

    built, has_documents = _indexed(loaded, reader)
    try:
        embedder = choose_embedder(loaded.config.embedder, loaded.where("embedder", "model"), built=built)
    except PinciteError as error:
        return None, _broken("embedder", error)
    if embedder is not None:
        return embedder, Diagnosis("embedder", "ok", embedder.fingerprint)
    command = vectors_command(loaded.config.embedder, built) if has_documents else ""
    if not command:
        return None, Diagnosis("embedder", "ok", "none: search by words alone")
    found = "none: search by words alone, so not by meaning and not across languages"
    return None, Diagnosis("embedder", "warning", found, f"{command}, once; from then on auto keeps to it")


def _indexed(loaded: Loaded, reader: str) -> tuple[str | None, bool]:
    """The fingerprint of the index's vectors, and whether the reader has documents in it; neither without an index
    that can be read, which is told below."""
    from pincite.access import as_reader
    from pincite.wiring.stores import open_store

    with contextlib.suppress(PinciteError):
        store = open_store(loaded, create=False)
        try:
            return store.embedder_fingerprint, bool(store.documents(as_reader(reader)))
        finally:
            store.close()
    return None, False


def _is_there(loaded: Loaded) -> bool:
    from pincite.wiring.stores import has_store

    with contextlib.suppress(PinciteError):
        return has_store(loaded)
    return False


def _about_index(
    loaded: Loaded, embedder: Embedder | None, *, quick: bool, reader: str
) -> Iterator[Diagnosis]:
    from pincite.access import as_reader
    from pincite.cli.log_health import findings
    from pincite.types import AccessLevel
    from pincite.wiring.stores import open_store

    who = as_reader(reader)
    try:
        store = open_store(loaded, create=False)
        try:
            documents = store.documents(who)
            built = store.embedder_fingerprint
            problems = () if quick else tuple(store.problems())
            log = () if quick else tuple(findings(store, loaded.database, who, before=_kept_from(loaded)))
            warnings = store.warnings()
        finally:
            store.close()
    except StoreMissing:
        yield Diagnosis("index", "warning", f"{loaded.place} is not there yet", "pincite add FOLDER")
        return
    except PinciteError as error:
        yield _broken("index", error)
        return
    chunks = sum(one.chunk_count for one in documents)
    bare = sum(one.chunk_count - one.vector_count for one in documents)
    found = (
        f"{loaded.place}: {counted(len(documents), 'document')}, {counted(chunks, 'chunk')} "
        f"for a reader of level {reader}, " + (f"vectors of {built}" if built else "words alone")
    )
    if embedder is not None and built not in (None, embedder.fingerprint) and documents:
        step = "not of the embedder that is set: pincite add --rebuild"
        yield Diagnosis("index", "warning", found, step)
    elif embedder is not None and bare:
        yield Diagnosis(
            "index", "warning", found, f"{counted(bare, 'chunk')} without vectors: pincite refresh"
        )
    else:
        yield Diagnosis("index", "ok", found)
    yield from (Diagnosis("database", "warning", what, step) for what, step in warnings)
    yield from (Diagnosis("log", state, what, step) for state, what, step in log)
    if quick:
        return
    if not problems:
        yield Diagnosis("integrity", "ok", "database, passages and originals are whole")
        return
    # What is damaged is named with its id: not for a reader for whom some of it does not exist.
    named = problems if who.level is AccessLevel.CONFIDENTIAL else ("--reader confidential names what",)
    listed = "; ".join(named[:MOST_PROBLEMS]) + ("; …" if len(named) > MOST_PROBLEMS else "")
    yield Diagnosis(
        "integrity",
        "broken",
        f"{counted(len(problems), 'thing')} damaged: {listed}",
        "restore a backup, or move the database away and add the documents again",
    )


def _kept_from(loaded: Loaded) -> str:
    """The time before which the settings keep no answers; empty where they keep all."""
    from pincite.logbook import prune_before
    from pincite.wiring.chance import now

    days = loaded.config.log.keep_days
    return prune_before(now(), days) if days else ""


def _about_search(loaded: Loaded, *, quick: bool, reader: str) -> Diagnosis:
    """Whether what is searched beside the database has what the database has."""
    from pincite.access import as_reader
    from pincite.cli.searching import MOST_DIFFERENCES, differences
    from pincite.types import AccessLevel

    try:
        found, differing = differences(loaded, quick=quick)
    except PinciteError as error:
        return _broken("search", error)
    if not differing:
        return Diagnosis("search", "ok", found)
    # As above: documents are named to those who may know that there are any.
    named = as_reader(reader).level is AccessLevel.CONFIDENTIAL
    listed = "; ".join(differing[:MOST_DIFFERENCES]) if named else "--reader confidential names what"
    return Diagnosis(
        "search",
        "warning",
        f"{found}: {counted(len(differing), 'difference')} from the database: {listed}",
        "until then the database searches what is behind; pincite store rebuild-search",
    )


def _about_telemetry(loaded: Loaded) -> Diagnosis:
    """Whether somebody hears what is told."""
    from pincite.wiring.collector import reaches_collector

    told = loaded.config.telemetry.endpoint or "where OTEL_EXPORTER_OTLP_ENDPOINT says"
    with_texts = ", with texts" if loaded.config.telemetry.capture_content else ""
    try:
        heard = reaches_collector(loaded)
    except PinciteError as error:
        return _broken("telemetry", error)
    if heard:
        return Diagnosis("telemetry", "ok", f"traces go to {told}{with_texts}")
    return Diagnosis(
        "telemetry", "warning", f"nobody takes traces at {told}", "is the collector up? Answers do without it"
    )


def _broken(name: str, error: PinciteError) -> Diagnosis:
    where = f" ({error.where})" if error.where else ""
    return Diagnosis(name, "broken", f"{error.message}{where}", error.hint)
