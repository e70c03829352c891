"""Every name that telemetry uses: of spans, attributes, events and measures.

``gen_ai.*`` are names of OpenTelemetry's semantic conventions for generative AI, all of status "development": when they
change, they change here. ``pincite.*`` are our own. docs/telemetry.md is held to these tables by a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.findings import AnswerStatus, CitationStatus, ReasonCode

SCOPE = "pincite"
"""Name of the tracer, the meter and the logger, and of the service where the environment gives no other."""

# --- spans --------------------------------------------------------------------------------------

ASK = "pincite.ask"
RETRIEVAL = "retrieval"
WEIGH = "pincite.weigh"
CHAT = "chat"
"""Followed by the name of the model."""
VERIFY = "pincite.verify"
CITATION_CHECK = "pincite.citation.check"
REPAIR = "pincite.repair"

# --- attributes ---------------------------------------------------------------------------------

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_ID = "gen_ai.response.id"
CONVERSATION = "gen_ai.conversation.id"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOKEN_TYPE = "gen_ai.token.type"
QUERY_TEXT = "gen_ai.retrieval.query.text"
ERROR_TYPE = "error.type"

OUTCOME = "pincite.outcome"
REASON_CODE = "pincite.reason_code"
ANSWER_CONFIDENCE = "pincite.answer.confidence"
ANSWER_COVERAGE = "pincite.answer.coverage"
GROUNDED = "pincite.answer.grounded"
LANGUAGE = "pincite.language"
READER_LEVEL = "pincite.reader.level"
TOP_K = "pincite.retrieval.top_k"
CHUNK_IDS = "pincite.retrieval.chunk_ids"
SCORES = "pincite.retrieval.scores"
LEFT_OUT = "pincite.retrieval.left_out"
ACTIVE_SECONDS = "pincite.active_seconds"
STATEMENTS = "pincite.statements"
CITATIONS_CHECKED = "pincite.citations.checked"
CITATIONS_UNVERIFIED = "pincite.citations.unverified"
CITATIONS_NOT_TOLD = "pincite.citations.not_told"
MENDED = "pincite.repair.mended"
WITHHELD = "pincite.repair.withheld"

CITATION_ID = "pincite.citation.id"
CITATION_STATUS = "pincite.citation.status"
QUOTE_MATCH = "pincite.citation.quote_match"
MATCH_SCORE = "pincite.citation.match_score"
CHUNK_ID = "pincite.citation.chunk_id"
DOC_ID = "pincite.citation.doc_id"
SUPPORT = "pincite.citation.support"
SHOWN = "pincite.citation.shown"

# Only with [telemetry] capture_content.
CONTENT_CLAIM = "pincite.content.sentence"
CONTENT_QUOTE = "pincite.content.quote"
CONTENT_REASON = "pincite.content.reason"
CONTENT = frozenset({QUERY_TEXT, CONTENT_CLAIM, CONTENT_QUOTE, CONTENT_REASON})

# --- events of evaluation -----------------------------------------------------------------------

EVALUATION = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
EVALUATION_VALUE = "gen_ai.evaluation.score.value"
EVALUATION_LABEL = "gen_ai.evaluation.score.label"
EVALUATION_EXPLANATION = "gen_ai.evaluation.explanation"

QUOTE_MATCH_OF = "citation.quote_match"
SUPPORT_OF = "citation.support"
COVERAGE_OF = "answer.coverage"
ACCURACY_OF = "answer.citation_accuracy"
CONFIDENCE_OF = "answer.confidence"
GROUNDED_OF = "answer.grounded"

# --- measures -----------------------------------------------------------------------------------

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
TENTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# The conventions' own steps for gen_ai.client.token.usage.
TOKENS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0)


@dataclass(frozen=True, slots=True)
class Instrument:
    """One measure. ``unit`` as OpenTelemetry writes it; ``buckets`` are upper bounds, of histograms alone.

    ``known`` are the values of its labels where the list is closed: /metrics shows them from the start, at 0, so that a
    first failure is an increase.
    """

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    unit: str
    about: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    known: tuple[tuple[str, ...], ...] = ()


_OUTCOMES = (*(status.value.lower() for status in AnswerStatus), "error", "cancelled")
_STATUSES = tuple((status.value,) for status in CitationStatus)
_MENDINGS = ("cited", "repointed", "replaced", "marker_removed", "quote_removed", "connective_removed")

ANSWERS = Instrument(
    "pincite.answers",
    "counter",
    "{answer}",
    "Requests by how they ended: answered, partial, uncited, abstained, error, cancelled",
    ("outcome",),
    known=tuple((outcome,) for outcome in _OUTCOMES),
)
ABSTENTIONS = Instrument(
    "pincite.abstentions",
    "counter",
    "{answer}",
    "Questions that were declined, by reason",
    ("reason",),
    known=tuple((code.value,) for code in ReasonCode),
)
CITATIONS = Instrument(
    "pincite.citations",
    "counter",
    "{citation}",
    "Citations that readers were shown, by status",
    ("status",),
    known=_STATUSES,
)
CAUGHT = Instrument(
    "pincite.caught_citations",
    "counter",
    "{citation}",
    "Failed citations of drafts that no reader was shown, by status",
    ("status",),
    known=_STATUSES,
)
BY_DOCUMENT = Instrument(
    "pincite.unverified_citations",
    "counter",
    "{citation}",
    "Citations that failed, shown or caught, by the document they name",
    ("doc_id",),
)
CONFIDENCE = Instrument(
    "pincite.confidence", "histogram", "1", "Confidence of answers", ("outcome",), buckets=TENTHS
)
REPAIRS = Instrument(
    "pincite.repair",
    "counter",
    "{sentence}",
    "Failed sentences by what became of them: mended (and how) or withheld",
    ("result", "kind"),
    known=(*(("mended", kind) for kind in _MENDINGS), ("withheld", "")),
)
RETRIEVAL_DURATION = Instrument(
    "gen_ai.retrieval.duration", "histogram", "s", "Time to find the passages", buckets=SECONDS
)
VERIFY_DURATION = Instrument(
    "pincite.verify.duration", "histogram", "s", "Time to check the sentences of an answer", buckets=SECONDS
)
STAGE_DURATION = Instrument(
    "pincite.stage.duration", "histogram", "s", "Time of the stages of an answer", ("stage",), SECONDS
)
ASK_DURATION = Instrument(
    "pincite.ask.duration", "histogram", "s", "Time of whole requests", ("outcome",), SECONDS
)
CLIENT_DURATION = Instrument(
    "gen_ai.client.operation.duration",
    "histogram",
    "s",
    "Time that the model took",
    (OPERATION, PROVIDER, REQUEST_MODEL),
    SECONDS,
)
TOKEN_USAGE = Instrument(
    "gen_ai.client.token.usage",
    "histogram",
    "{token}",
    "Tokens that the model read (input) and wrote (output)",
    (TOKEN_TYPE, OPERATION, PROVIDER, REQUEST_MODEL),
    TOKENS,
)
STREAMS = Instrument("pincite.streams", "gauge", "{answer}", "Answers that are being written")

INSTRUMENTS = (
    ANSWERS,
    ABSTENTIONS,
    CITATIONS,
    CAUGHT,
    BY_DOCUMENT,
    CONFIDENCE,
    REPAIRS,
    RETRIEVAL_DURATION,
    VERIFY_DURATION,
    STAGE_DURATION,
    ASK_DURATION,
    CLIENT_DURATION,
    TOKEN_USAGE,
)
"""What every request counts for. ``STREAMS`` is a running service's alone."""

OTHER_DOCUMENTS = "(other)"
"""Label of documents beyond the number that is told apart."""


def prometheus_name(instrument: Instrument) -> str:
    """The name at ``/metrics``: what Prometheus makes of the OpenTelemetry name, without the ending of series.

    Counters get ``_total`` behind it, histograms ``_bucket``, ``_sum`` and ``_count``.

    >>> prometheus_name(RETRIEVAL_DURATION), prometheus_name(CITATIONS)
    ('gen_ai_retrieval_duration_seconds', 'pincite_citations')
    """
    return prometheus_label(instrument.name) + ("_seconds" if instrument.unit == "s" else "")


def prometheus_label(name: str) -> str:
    """A label's name at ``/metrics``: dots become underscores."""
    return name.replace(".", "_")
