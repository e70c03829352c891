"""Settings to parts: the only package that picks parts by name. Whatever is slow to import is imported when it is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from pincite.config import Loaded, config_hash, load
from pincite.config.addresses import is_address
from pincite.config.sections import SECTIONS, RetrievalSection
from pincite.errors import ConfigError, did_you_mean
from pincite.ingest import Cut
from pincite.parts import Parts, Search, Settings
from pincite.ports import Embedder, Judge, Model
from pincite.ports.stores import Store
from pincite.types import AccessLevel, Hit, Question
from pincite.wiring.chance import new_answer_id, now
from pincite.wiring.collector import open_telemetry
from pincite.wiring.models import (
    can_judge,
    check_reranker,
    choose_embedder,
    choose_judge,
    choose_model,
    open_judge,
    open_reranker,
    reply_tokens,
    share_embedder,
    vectors_command,
)
from pincite.wiring.sources import boxes, file_parser, load_sources
from pincite.wiring.stores import open_store, searched

NAMED_PARTS = {
    "llm": "llm.model",
    "embedder": "embedder.model",
    "store": "store.path",
    "judge": "verify.judge",
}
"""What a caller may give as a name or as the part itself, and the setting that names it otherwise."""


def parts_and_settings(
    overrides: Mapping[str, Any], path: str | Path | None = None, *, create: bool = True
) -> tuple[Parts, Settings]:
    """The parts and settings of a pipeline: what the settings say, unless ``overrides`` say otherwise.

    Args:
        overrides: ``llm``, ``embedder``, ``store`` and ``judge``: a name or the part itself. ``store`` is
            ``"memory"``, ``"sqlite"``, the path or the address (``postgresql://…``) of a database, or a ``Store``; ``embedder=None`` means words alone.
            ``log=False`` keeps no answers. Sections of the settings: ``retrieval={"top_k": 5}``.
        path: The settings file; ``./pincite.toml`` if there is one, otherwise.
        create: Whether a database that is not there is made.

    Raises:
        ConfigError: If a name or setting is unknown or cannot be right.
        StoreError: If the database cannot be opened, or is not there and ``create`` is false.
    """
    arguments, parts = _sorted_out(overrides)
    return assemble(load(path, arguments=arguments), parts, create=create)


def assemble(
    loaded: Loaded, given: Mapping[str, Any] | None = None, *, create: bool = True
) -> tuple[Parts, Settings]:
    """``parts_and_settings`` for settings that are loaded already. ``given`` holds parts, and ``log``."""
    from pincite import __version__

    given = given or {}
    config = loaded.config
    # The cheap and the likely wrong first: nothing is opened before every name is known to be right.
    judge: str | Judge = given.get("judge") or config.verify.judge
    if isinstance(judge, str):
        choose_judge(judge, "" if given.get("judge") else loaded.where("verify", "judge"))
    make_model = None if "llm" in given else choose_model(config.llm, loaded.where("llm", "model"))
    check_reranker(config.retrieval.rerank, loaded.where("retrieval", "rerank"))
    store, embedder = _store_and_embedder(loaded, given, create=create)
    model: Model = make_model(embedder) if make_model else given["llm"]
    parts = Parts(
        store=store,
        search=_search(config.retrieval, loaded.where("retrieval", "rerank")),
        load=partial(
            load_sources, allow_private=config.parse.allow_private, parser=partial(file_parser, loaded)
        ),
        model=model,
        model_name=config.llm.model
        if "llm" not in given
        else getattr(model, "__name__", type(model).__name__),
        judge=open_judge(loaded, judge, model if "llm" in given or can_judge(config.llm.model) else None)
        if isinstance(judge, str)
        else judge,
        embedder=embedder,
        clock=now,
        new_id=new_answer_id,
        serialise=_serialise if given.get("log", True) else None,
        boxes=partial(boxes, loaded),
        share=None if "embedder" in given else partial(share_embedder, config.embedder),
        made_with={
            "config_hash": config_hash(config),
            "judge": judge if isinstance(judge, str) else getattr(judge, "__name__", type(judge).__name__),
            "pincite": __version__,
        },
        telemetry=open_telemetry(loaded) if config.telemetry.enabled else None,
    )
    # An index that is given is not the one that the command would find.
    is_own = "store" in given or "embedder" in given
    command = "" if is_own else vectors_command(config.embedder, store.embedder_fingerprint)
    return parts, _walk_settings(loaded, command, own_model="llm" in given)


def _store_and_embedder(
    loaded: Loaded, given: Mapping[str, Any], *, create: bool
) -> tuple[Store, Embedder | None]:
    config = loaded.config
    store: Store | None = given.get("store")
    if "embedder" in given:
        embedder: Embedder | None = given["embedder"]
    else:
        if (
            store is None
            and config.embedder.model == "auto"
            and (config.store.url or loaded.database.exists())
        ):
            store = open_store(loaded, create=create)
        embedder = choose_embedder(
            config.embedder,
            loaded.where("embedder", "model"),
            built=store.embedder_fingerprint if store is not None else None,
        )
    if store is None:
        store = open_store(loaded, create=create)
    return (store if "store" in given else searched(loaded, store, embedder)), embedder


def _walk_settings(loaded: Loaded, command: str, *, own_model: bool) -> Settings:
    """What the walk reads. Nobody knows how much an own model of the caller can read: its prompts are not cut."""
    config = loaded.config
    return Settings(
        top_k=config.retrieval.top_k,
        weak_below=config.retrieval.weak_below,
        abstain_below=config.answer.abstain_below,
        require_citation=config.answer.require_citation,
        show_partial=config.verify.partial == "show",
        retry_once=config.verify.retry_once,
        default_access=AccessLevel(config.access.default),
        cut=Cut(
            strategy=config.chunk.strategy,
            max_chars=config.chunk.max_chars,
            size=config.chunk.size,
            overlap=config.chunk.overlap,
        ),
        language=None if config.answer.language == "auto" else config.answer.language,
        context_tokens=0 if own_model else config.llm.context_tokens,
        reply_tokens=reply_tokens(config.llm),
        vectors_command=command,
    )


def _sorted_out(overrides: Mapping[str, Any]) -> tuple[dict[str, dict[str, object]], dict[str, Any]]:
    """What callers give by name or section goes to the settings, parts themselves stay apart."""
    arguments: dict[str, dict[str, object]] = {}
    parts: dict[str, Any] = {}
    for name, value in overrides.items():
        if name in SECTIONS and isinstance(value, Mapping):
            arguments.setdefault(name, {}).update(value)
        elif name == "log":
            parts["log"] = bool(value)
        elif name not in NAMED_PARTS:
            known = dict.fromkeys([*NAMED_PARTS, "log", *SECTIONS])
            hint = did_you_mean(name, known, f"choose from {', '.join(known)}")
            raise ConfigError(f"unknown argument {name!r}", hint=hint)
        elif name == "store" and isinstance(value, str | Path):
            if value == "memory":
                from pincite.stores.memory import MemoryStore

                parts["store"] = MemoryStore()
            elif is_address(str(value)):
                arguments.setdefault("store", {})["url"] = str(value)
            else:
                arguments.setdefault("store", {})["url"] = ""
                if value != "sqlite":
                    arguments["store"]["path"] = str(_database_path(value))
        elif name == "embedder" and value is None:
            parts["embedder"] = None
        elif isinstance(value, str):
            section, _, key = NAMED_PARTS[name].partition(".")
            arguments.setdefault(section, {})[key] = value
        else:
            parts[name] = value
    return arguments, parts


def _database_path(value: str | Path) -> Path:
    path = Path(value)
    if isinstance(value, str) and not path.suffix and path.name == value:
        # A slip such as "memroy" must not become a database of that name.
        raise ConfigError(
            f"unknown store {value!r}", hint="choose memory or sqlite, or give a path such as pincite.db"
        )
    return path


def _search(settings: RetrievalSection, where: str) -> Search:
    # Loaded by the first question: commands that ask none do not wait for it.
    reranker = cache(lambda: open_reranker(settings, where))

    def find(question: Question, store: Store, embedder: Embedder | None) -> tuple[Hit, ...]:
        from pincite.search import search

        return search(
            question,
            store,
            embedder=embedder,
            mode=settings.mode,
            fusion=settings.fusion,
            reranker=reranker(),
        )

    return find


def _serialise(answer: Any) -> str:
    from pincite.renderers.json import answer_json

    return answer_json(answer)
