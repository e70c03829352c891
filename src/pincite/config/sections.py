"""What there is to set. The pages of docs/ and `pincite config show` are made from these tables."""

from __future__ import annotations

import json
from typing import Annotated, Literal, get_args

from annotated_types import Ge, Le
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

PREFIX = "PINCITE_"
"""Of environment variables: ``PINCITE_LLM__MODEL`` is ``[llm] model``."""


class Section(BaseModel):
    """A table of the settings file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _none_for_false(value: object) -> object:
    return "none" if value in (False, "false", "") else value


class LlmSection(Section):
    """What drafts the answers. Whatever a model writes is checked before it is shown."""

    model: str = Field(
        default="extractive",
        title="extractive, openai:NAME, anthropic:NAME, anthropic-citations:NAME or openai-compatible:NAME",
        description="`extractive` answers with sentences of the sources and needs no model; `openai-compatible` is any "
        "server at `base_url`; `anthropic-citations` lets the provider cite, and checks it. "
        "In Python, a function may be passed instead: `Pipeline(llm=my_model)`",
    )
    base_url: str = Field(
        default="",
        title="an address",
        description="The server's address, such as `http://127.0.0.1:11434/v1`; the provider's own without one",
    )
    temperature: float = Field(default=0.0, ge=0, le=2, description="0: the same answer each time, or nearly")
    max_retries: int = Field(
        default=2, ge=0, le=10, description="How often a call that failed for the moment is made again"
    )
    max_reply_tokens: int = Field(default=4096, ge=64, le=1_000_000, description="Longest reply, in tokens")
    context_tokens: int = Field(
        default=0,
        ge=0,
        le=100_000_000,
        description="What the model can read and write at once, in tokens; passages that do not fit are left out, and "
        "the answer says so. 0: nobody knows",
    )
    timeout_s: float = Field(
        default=300.0, ge=1, le=86_400, description="Seconds that one call may take, retries included"
    )
    read_timeout_s: float = Field(
        default=120.0, ge=1, le=86_400, description="Seconds without a word from the server"
    )
    price_in: float = Field(
        default=0.0,
        ge=0,
        le=1_000_000,
        description="Price of a million tokens read, to tell what an answer cost",
    )
    price_out: float = Field(default=0.0, ge=0, le=1_000_000, description="Price of a million tokens written")


class EmbedderSection(Section):
    """Search by meaning. An index keeps the vectors of one embedder: after a change, `pincite add --rebuild`."""

    model: str = Field(
        default="auto",
        title="auto, none, local, local-fast, onnx:FOLDER or api:MODEL",
        description="What turns texts into vectors. `none`: nothing, search is by words alone; `local`: the model that "
        "the extra of that name brings; `local-fast`: the same weights on onnxruntime, four times as fast; `auto`: what made "
        "an index's vectors if it is one of these two, words alone for any other",
    )
    batch_size: int = Field(default=64, ge=1, le=4096, description="Texts that are handed over together")
    threads: int = Field(
        default=0, ge=0, le=1024, description="For models that run here; 0: as many as there are cores"
    )
    base_url: str = Field(default="", description="For `api`: the server's address; OpenAI's own without one")


class ParseSection(Section):
    """How files and addresses are read."""

    allow_private: bool = Field(
        default=False,
        description="Whether `add` may read addresses of this machine and of private networks. Leave it off where others "
        "may name addresses",
    )
    password_file: str = Field(
        default="",
        title="a path",
        description="Passwords for PDF files that are encrypted, one a line; each is tried. Or set `PINCITE_PDF_PASSWORD`",
    )
    tables: bool = Field(
        default=True,
        description="Read tables in PDF files by their ruling lines, if the extra `tables` is installed; their rows are "
        "lines of text otherwise",
    )
    ocr: str = Field(
        default="",
        pattern=r"^(?:[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20})*)?$",
        title="languages of tesseract, such as eng+deu",
        description="Recognise the text of PDF pages that are pictures, with an installed `tesseract`; empty: do not",
    )


class ChunkSection(Section):
    """How documents are cut into passages. Holds for documents that are added from then on."""

    strategy: Literal["structure", "fixed", "sentence"] = Field(
        default="structure",
        description="`structure` keeps paragraphs, lists and tables whole; `fixed` counts characters; "
        "`sentence` makes a passage of each sentence",
    )
    max_chars: int = Field(default=1200, ge=1, description="Longest passage, in characters; not for `fixed`")
    size: int = Field(default=300, ge=1, description="Length of a passage, in characters; for `fixed`")
    overlap: int = Field(
        default=50, ge=0, description="Characters that neighbours share; for `fixed`, less than `size`"
    )


class RetrievalSection(Section):
    """Which passages an answer is made from."""

    top_k: int = Field(default=10, ge=1, le=100, description="How many passages an answer may use")
    mode: Literal["hybrid", "words"] = Field(
        default="hybrid",
        description="`hybrid`: by words and, with an embedder, by meaning; `words`: by words alone",
    )
    fusion: Literal["score", "rrf"] = Field(
        default="score", description="How both are joined: by their scores, or by their ranks alone"
    )
    rerank: Annotated[str, BeforeValidator(_none_for_false)] = Field(
        default="none",
        title="none, onnx:FOLDER or api:MODEL",
        description="A cross-encoder that reads the question with each of the best passages and puts them in a new "
        "order. `onnx:` takes a folder with the graph and its tokenizer, or a name on the hub; `api:` a server with a "
        "`/rerank` endpoint at `rerank_base_url`, with the key in PINCITE_API_KEY. It takes time for every question",
    )
    rerank_base_url: str = Field(default="", description="For a reranker of kind `api`: the server's address")
    weak_below: float = Field(
        default=0.30,
        ge=0,
        le=1,
        description="Warn when no passage has more evidence than this, and what the answer cites is no likelier to answer",
    )


class VerifySection(Section):
    """How answers are checked."""

    judge: str = Field(
        default="rules",
        title="rules, entailment or llm",
        description="What decides whether the cited passages say what a sentence says: the rules alone, or the rules "
        "first and then a model about what they leave open, that of `entailment` or of `[llm]`",
    )
    entailment: str = Field(
        default="",
        title="a path",
        description="For the judge `entailment`: the folder of a cross-encoder for entailment, as an ONNX graph with "
        "its tokenizer",
    )
    partial: Literal["show", "strip"] = Field(
        default="show",
        description="Whether sentences that are supported in part are shown, marked, or taken out",
    )
    retry_once: bool = Field(default=True, description="Send failed sentences back to the model once")


class AnswerSection(Section):
    """What an answer must be."""

    require_citation: bool = Field(default=True, description="Take out factual sentences that cite nothing")
    abstain_below: float = Field(
        default=0.40,
        ge=0,
        le=1,
        description="Decline when the passages found are less likely than this to answer the question, as far as that "
        "is calibrated; 0 leaves it to what can be verified",
    )
    language: str = Field(
        default="auto",
        pattern="^(?:auto|[a-z]{2,3})$",
        title="auto or a code such as de",
        description="Language of fixed sentences, such as `de`; `auto`: that of the question",
    )


class AccessSection(Section):
    """Who may read what."""

    default: Literal["public", "internal", "confidential"] = Field(
        default="public", description="Level of documents that are added without one"
    )
    keys_file: str = Field(
        default="",
        title="a path",
        description="For `pincite serve`: a TOML file of keys with the levels of their readers; secrets are kept as hashes",
    )


class ServerSection(Section):
    """`pincite serve`. Keys come from `PINCITE_SERVER__API_KEYS` or the file of `[access] keys_file`, never from here."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        title="an address",
        description="Where it listens. Any address but this machine's own needs keys",
    )
    port: int = Field(default=8000, ge=1, le=65535, description="The port")
    max_upload_mb: int = Field(
        default=50, ge=1, le=2_000, description="Largest file that may be uploaded, in MB"
    )
    max_streams: int = Field(
        default=50,
        ge=1,
        le=1_000,
        description="Answers that are written at one time; more get 503 and are to retry",
    )
    requests_per_minute: int = Field(
        default=0, ge=0, le=1_000_000, description="Of each key; more get 429 and are to wait. 0: no limit"
    )


class TelemetrySection(Section):
    """What is told to those who run it: traces, measures and evaluations in the form of OpenTelemetry (extra `otel`).
    Off, nothing of it is loaded. See docs/telemetry.md."""

    enabled: bool = Field(default=False, description="Whether requests are told to a collector")
    endpoint: str = Field(
        default="",
        pattern=r"^(?:https?://\S+)?$",
        title="an address such as http://127.0.0.1:4318",
        description="The collector's address for OTLP over HTTP, without `/v1/traces`; empty: as "
        "`OTEL_EXPORTER_OTLP_ENDPOINT` says, `http://localhost:4318` without it",
    )
    capture_content: bool = Field(
        default=False,
        description="Whether questions, sentences, quotes and reasons go along; without it only ids, scores and words of "
        "closed lists do",
    )


class TargetsSection(Section):
    """What `pincite eval` aims at. A run that misses one of these exits with 1; all are shares."""

    coverage: float = Field(
        default=0.95,
        ge=0,
        le=1,
        description="Least share of factual sentences that cite a source; 0: no target",
    )
    precision: float = Field(
        default=0.95, ge=0, le=1, description="Least share of citations that are rated 4 or 5; 0: no target"
    )
    citation_accuracy: float = Field(
        default=0.90, ge=0, le=1, description="Least share of markers of an answer that hold; 0: no target"
    )
    answer_correct: float = Field(
        default=0.85,
        ge=0,
        le=1,
        description="Least share of answerable questions that are answered rightly; of fewer than 100, missed only when the "
        "whole 95 % interval is below; 0: no target",
    )
    abstain_recall: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Least share of unanswerable questions that are declined; 0: no target",
    )
    answerable_declined: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Largest share of answerable questions that may be declined; 1: no target",
    )
    grounded_confidence: float = Field(
        default=0.90,
        ge=0,
        le=1,
        description="Of an answer that counts as grounded: share of its citations that hold",
    )
    grounded_coverage: float = Field(
        default=0.80,
        ge=0,
        le=1,
        description="Of an answer that counts as grounded: share of its sentences that cite",
    )


class StoreSection(Section):
    """Where documents, passages and answers are kept."""

    path: str = Field(
        default="pincite.db",
        min_length=1,
        title="a path",
        description="The database. In a settings file, relative to the folder of that file",
    )
    blobs: str = Field(
        default="",
        title='"", a folder or s3://BUCKET/PREFIX',
        description="Where the original files of documents are kept, of this database alone: a folder, which machines may "
        "share, or a bucket of any server with the protocol of S3, with the credentials in `AWS_…` variables (extra `cloud`). "
        "Empty: beside the file at `path`, or inside the database at `url`",
    )
    blobs_endpoint: str = Field(
        default="",
        pattern=r"^(?:|https?://\S+)$",
        title='"" or an address',
        description="For a bucket in `blobs` that is not at AWS: the address of its server",
    )
    url: str = Field(
        default="",
        pattern=r"^(?:|(?i:postgres(?:ql)?)://\S+)$",
        title='"" or postgresql://USER@HOST/DATABASE',
        description="A PostgreSQL database in place of the file at `path`, for more than one machine (docs/postgres.md). "
        "Without a password: that goes into `PINCITE_STORE__URL`, `PGPASSWORD` or `~/.pgpass`",
    )
    schema_name: str = Field(
        default="pincite",
        pattern=r"^[a-z_][a-z0-9_]{0,62}$",
        title="a name in small letters",
        description="For `url`: the schema that everything is in",
    )
    vectors: Literal["memory", "server", "hnsw"] = Field(
        default="memory",
        description="For `url`: who compares a question with all vectors that its reader may see. `memory`: pincite, which "
        "keeps them in memory; `server`: PostgreSQL, which takes longer and no memory here; `hnsw`: PostgreSQL by a graph, "
        "which misses some",
    )
    pool_size: int = Field(
        default=10, ge=1, le=1_000, description="For `url`: connections of one process, at most"
    )
    timeout_s: float = Field(
        default=30.0, ge=1, le=3_600, description="For `url`: seconds that one statement may take"
    )
    search: str = Field(
        default="",
        title='"" or qdrant:URL',
        description="Where passages are searched: in the database itself, or in Qdrant, such as `qdrant:http://host:6333`, "
        "with the key in PINCITE_QDRANT_API_KEY; texts and answers stay in the database (docs/qdrant.md)",
    )
    search_collection: str = Field(
        default="pincite",
        pattern=r"^[A-Za-z0-9_-]{1,100}$",
        title="a name",
        description="The collection in Qdrant; each database needs one of its own",
    )
    search_shards: int = Field(
        default=1, ge=1, le=1_024, description="Shards of a collection that is made from then on"
    )
    search_replicas: int = Field(
        default=1, ge=1, le=64, description="Copies of each shard, of a collection that is made from then on"
    )
    search_on_disk: bool = Field(
        default=True,
        description="Whether a collection that is made from then on leaves its vectors on disk; in memory otherwise",
    )
    search_exact: bool = Field(
        default=True,
        description="Compare a question with every vector that its reader may see; off: by a graph, which is faster in "
        "millions of passages and may miss some. Of a collection that is made from then on",
    )
    search_timeout_s: float = Field(
        default=10.0, ge=1, le=3_600, description="Seconds that Qdrant may take for one call"
    )
    search_fallback: bool = Field(
        default=True,
        description="Whether the database searches when Qdrant cannot, which gives the same, more slowly; an error otherwise",
    )


REDACTIONS = (
    "email", "iban", "card", "ip", "phone", "question", "answer", "quotes", "notes", "principal", "client",
)  # fmt: skip
"""As in ``text.redaction.CHOICES``, which need not be imported to read settings."""


def _words(value: object) -> object:
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


def _known_redactions(words: list[str]) -> list[str]:
    if unknown := [word for word in words if word not in REDACTIONS]:
        raise ValueError(f"unknown {unknown[0]}")
    return words


class LogSection(Section):
    """The log of answers: `pincite log` and docs/audit.md."""

    keep_days: int = Field(
        default=90,
        ge=0,
        le=100_000,
        description="`pincite log prune` drops answers that are older; 0: it drops none. Nothing else drops any",
    )
    redact: Annotated[list[str], BeforeValidator(_words), AfterValidator(_known_redactions)] = Field(
        default=[],
        title=f"a list of {', '.join(REDACTIONS)}",
        description="What `pincite log export` blacks out. The log itself is never changed",
    )


class Config(BaseSettings):
    """All settings, complete and checked."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    llm: LlmSection = LlmSection()
    embedder: EmbedderSection = EmbedderSection()
    parse: ParseSection = ParseSection()
    chunk: ChunkSection = ChunkSection()
    retrieval: RetrievalSection = RetrievalSection()
    verify: VerifySection = VerifySection()
    answer: AnswerSection = AnswerSection()
    targets: TargetsSection = TargetsSection()
    access: AccessSection = AccessSection()
    server: ServerSection = ServerSection()
    telemetry: TelemetrySection = TelemetrySection()
    store: StoreSection = StoreSection()
    log: LogSection = LogSection()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # ``load`` puts the layers on each other itself: it must know where each value came from.
        return (init_settings,)


SECTIONS: dict[str, type[Section]] = {
    name: info.annotation
    for name, info in Config.model_fields.items()
    if isinstance(info.annotation, type) and issubclass(info.annotation, Section)
}


def allowed(info: FieldInfo) -> str:
    """What a setting may be, in words.

    >>> allowed(RetrievalSection.model_fields["top_k"]), allowed(VerifySection.model_fields["partial"])
    ('a whole number between 1 and 100', 'show or strip')
    """
    if info.title:
        return info.title
    if choices := get_args(info.annotation):
        *most, last = map(str, choices)
        return f"{', '.join(most)} or {last}"
    low = next((item.ge for item in info.metadata if isinstance(item, Ge)), None)
    high = next((item.le for item in info.metadata if isinstance(item, Le)), None)
    noun = {bool: "true or false", int: "a whole number", float: "a number"}.get(info.annotation, "text")  # type: ignore[arg-type]  # may be any annotation, or none
    if low is not None and high is not None:
        return f"{noun} between {low} and {high}"
    return f"{noun} of at least {low}" if low is not None else noun


def shown(value: object) -> str:
    """A value as a settings file writes it.

    >>> shown("a"), shown(True), shown(0.3)
    ('"a"', 'true', '0.3')
    """
    written = json.dumps(value, ensure_ascii=False, default=str)
    return written if len(written) <= 80 else f"{written[:79]}…"


def example_file() -> str:
    """``pincite.toml`` as ``pincite init`` writes it: every setting with its meaning, commented out at its default."""
    lines = ["# Settings of pincite. A line that is commented out shows the default."]
    for name, model in SECTIONS.items():
        lines += ["", f"[{name}]"]
        for key, info in model.model_fields.items():
            lines += [f"# {info.description}: {allowed(info)}.", f"# {key} = {shown(info.default)}"]
    return "\n".join(lines) + "\n"
