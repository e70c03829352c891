"""The commands and options as data. The parser and docs/cli.md are both made from it.

The standard library's argparse reads them: it costs 15 ms at every start, where typer with what it imports costs 180.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pincite.cli.errors import UsageError
from pincite.errors import did_you_mean


@dataclass(frozen=True, slots=True)
class Option:
    """An argument or option. ``names`` and ``how`` go to argparse; ``help`` may hold ``%(default)s``."""

    names: tuple[str, ...]
    help: str
    how: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` is one word, or two for a command of a group. ``handler`` is ``module:function`` in ``pincite.cli``;
    it takes the session and the options by name, and returns the exit code."""

    name: str
    help: str
    handler: str
    options: tuple[Option, ...] = ()


def option(*names: str, help: str, **how: Any) -> Option:  # noqa: A002 - argparse's own word
    """One option; see ``Option``."""
    return Option(names, help, how)


# --- what values must be ------------------------------------------------------------------------


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A converter for whole numbers from ``low`` to ``high``."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"must be a whole number between {low:,} and {high:,}, got {text!r}"
            )
        return value

    return convert


def share(text: str) -> float:
    """A number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got {text!r}")
    return value


def points(text: str) -> float:
    """Percentage points, from 0 to 100."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 100, got {text!r}")
    return value


def one_of(*words: str, what: str, where: str) -> Callable[[str], str]:
    """A converter for ``what`` there is only one of ``words`` of; ``where`` is the option."""

    def convert(text: str) -> str:
        if text in words:
            return text
        hint = did_you_mean(text, words, f"choose from {', '.join(words)}")
        raise UsageError(f"unknown {what} {text!r}", where=where, hint=hint)

    return convert


# --- the commands -------------------------------------------------------------------------------

# As in ``types.AccessLevel`` and ``renderers``, written out: `--help` must not wait for those modules.
LEVELS = ("public", "internal", "confidential")
JUDGES = ("rules", "entailment", "llm")
PROFILES = ("grounded-003", "quoted-004", "numbered-000", "audited-001", "source-list-002")
ANSWER_FORMS = ("text", "markdown", "html", "json", "csl-json", "webannotation", *PROFILES)
STATUSES = ("answered", "partial", "uncited", "abstained", "unverified", "removed")
REPORT_FORMS = ("text", "markdown", "html", "json", "github")
"""``github``: workflow commands, which GitHub shows at the lines of a pull request."""

EVAL_FORMS = ("text", "markdown", "json", "github")

READER = option(
    "--reader",
    metavar="LEVEL",
    type=one_of(*LEVELS, what="access level", where="--reader"),
    default="public",
    help="who reads: public, internal or confidential (default: %(default)s)",
)
JUDGE = option(
    "--judge",
    metavar="NAME",
    type=one_of(*JUDGES, what="judge", where="--judge"),
    help="what decides about support: rules, or after them a model: entailment ([verify] entailment) or llm ([llm] model)",
)
JSON = option("--json", dest="as_json", action="store_true", help="print JSON, one object a line")

SINCE = option(
    "--since",
    metavar="TIME",
    default="",
    help="only of this time on: an age such as 7d, 12h or 2w, or a date",
)
STATUS = option(
    "--status",
    metavar="STATUS",
    type=one_of(*STATUSES, what="status", where="--status"),
    help="only answers of this status: answered, partial, uncited, abstained, unverified (some citation does not hold) or "
    "removed (some statement was withheld)",
)

PASSWORDS = option(
    "--password-file", metavar="FILE", help="passwords for PDF files that are encrypted, one a line"
)
JOBS = option(
    "--jobs",
    metavar="N",
    type=whole_number(1, 64),
    default=1,
    help="processes that parse, cut and embed (default: %(default)s)",
)
RAY = option(
    "--ray",
    dest="ray_address",
    metavar="ADDRESS",
    default="",
    help="a Ray cluster that does this work instead: HOST:PORT, ray://HOST:PORT, auto for the one of this machine, or local to start --jobs workers; needs the extra `ray`",
)

GLOBAL_OPTIONS = (
    option("-c", dest="assignments", metavar="KEY=VALUE", action="append", default=[], help="set one setting, such as -c retrieval.top_k=5"),
    option("--config", metavar="FILE", help="settings to read in place of ./pincite.toml"),
    option("-q", "--quiet", action="store_true", help="say nothing beside the data and errors"),
    option("-v", "--verbose", action="count", default=0, help="say more; show the traceback of an internal error"),
    option("--no-color", action="store_true", help="no colour, as with NO_COLOR"),
)  # fmt: skip

GROUPS = {
    "docs": "list documents, show, check or remove them",
    "log": "the answers that were given: what was said, why, and that nobody changed it",
    "review": "what people should look at, and what they decide",
    "config": "the settings that hold",
    "store": "what the database and the search beside it hold",
    "prompt": "what a language model is sent",
}
"""Groups and what they are for. A group with a command ``list`` runs it when none is named."""

COMMANDS = (
    Command(
        "init",
        "write pincite.toml, docs/ (thirteen sample articles) and golden.jsonl (questions about them)",
        "documents:init",
        (option("--force", action="store_true", help="overwrite what is there"),),
    ),
    Command(
        "add",
        "take documents in; what is there already, unchanged, is left alone",
        "sources:add",
        (
            option("paths", metavar="PATH", nargs="*", help="files, folders and http(s) addresses"),
            option("--access", metavar="LEVEL", type=one_of(*LEVELS, what="access level", where="--access"), help="level of documents that bring none: public, internal or confidential"),
            option("--dry-run", action="store_true", help="read and cut, but store nothing"),
            option("--watch", action="store_true", help="stay, and refresh whenever a file changes, until Ctrl-C"),
            PASSWORDS,
            JOBS,
            RAY,
            option("--rebuild", action="store_true", help="also cut and index again all that is stored, such as after a change of settings"),
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command(
        "refresh",
        "read the files, folders and URLs of the stored documents again; says what was added, changed and removed",
        "sources:refresh",
        (
            option("--remove", action="store_true", help="remove documents whose file is no longer there; they are only listed otherwise"),
            option("--dry-run", action="store_true", help="say what would change, but store nothing"),
            option("--watch", action="store_true", help="stay, and refresh whenever a file changes, until Ctrl-C"),
            PASSWORDS,
            JOBS,
            RAY,
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command("docs list", "list the documents that a reader may see", "documents:list_documents", (READER, JSON)),
    Command(
        "docs show", "show a document with its passages", "documents:show_document",
        (
            option("doc_id", metavar="ID", help="of the document"),
            option("--part", metavar="NAME", help='only the part of that name, such as "Table 3", "Annex B" or "§ 12(4)"'),
            READER,
            JSON,
        ),
    ),
    Command(
        "docs check",
        "count which documents bring what a citation shows, and which got it by default; with --require, exits with 1 when "
        "a document does not bring it",
        "documents:check_documents",
        (
            option("--require", metavar="FIELDS", action="append", default=[], help="fields that every document must bring, such as owner,published_date"),
            READER,
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command(
        "docs rm", "remove a document with its passages, its original and its words in answers", "documents:remove_document",
        (option("doc_id", metavar="ID", help="of the document"),),
    ),
    Command(
        "ask",
        "answer a question from the documents, or say that they do not",
        "answers:ask",
        (
            option("question", metavar="QUESTION", help="the question; - reads it from standard input"),
            option("--format", dest="form", metavar="FORMAT", type=one_of(*ANSWER_FORMS, what="format", where="--format"), default="text", help=f"text, markdown, html or json (default: %(default)s), the sources alone as csl-json or webannotation, or JSON in another shape: {', '.join(PROFILES)}"),
            option("--json", dest="as_json", action="store_true", help="the same as --format json"),
            option("--top-k", metavar="N", type=whole_number(1, 100), help="how many passages the answer may use, 1 to 100"),
            READER,
            JUDGE,
            option("--show", choices=("evidence", "none"), default="evidence", help="with text: sources and what was checked, or the answer alone (default: %(default)s)"),
            option("--no-log", action="store_true", help="do not keep this answer"),
            option("--continue", dest="go_on", action="store_true", help="go on from the newest answer, so that the question may say \"it\" or \"and for …\""),
            option("--after", metavar="ID", help="go on from this answer"),
            option("--fail-on-abstain", action="store_true", help="exit with 1 when the sources do not answer the question"),
        ),
    ),
    Command(
        "verify",
        "check the citations of an answer against its sources; needs no settings, no index and no network. Exits with 1 when "
        "a citation does not hold; with --min-coverage or --min-precision, when one of these is missed",
        "checking:verify",
        (
            option("answer", metavar="ANSWER", help="a file with the answer, or - for standard input; JSON may bring its sources along"),
            option("--sources", metavar="S", nargs="+", action="extend", help="files, folders, or - for standard input, in the order of their numbers"),
            JUDGE,
            option("--format", dest="form", metavar="FORMAT", type=one_of(*REPORT_FORMS, what="format", where="--format"), help="text, markdown, html, json or github; by default what --output ends with, or text"),
            option("--json", dest="as_json", action="store_true", help="the same as --format json"),
            option("--output", metavar="FILE", help="write the report to a file"),
            option("--min-coverage", metavar="X", type=share, help="exit with 1 below this share of cited sentences"),
            option("--min-precision", metavar="X", type=share, help="exit with 1 below this share of citations that hold"),
        ),
    ),
    Command(
        "eval",
        "answer the questions of a golden file and measure the answers, or measure recorded ones; exits with 1 when a target "
        "is missed, something got worse than in the baseline, or an item came to no result",
        "evaluate:evaluate",
        (
            option("golden", metavar="GOLDEN.jsonl", nargs="?", help="questions with what is expected, one a line; without it golden.jsonl of this folder, or else (or with the word samples) the shipped ones, over the shipped samples"),
            option("--answers", metavar="FILE", help="recorded answers, JSONL of id, answer and sources, in place of new ones"),
            option("--baseline", metavar="R.json", help="an earlier report to compare with"),
            option("--max-drop", metavar="POINTS", type=points, default=2.0, help="by how many percentage points a metric may get worse (default: %(default)s)"),
            option("--max-drop-significant", action="store_true", help="let a larger drop pass that may be chance (p of a paired test at least 0.05)"),
            option("--compare-unchanged", action="store_true", help="compare although documents or questions changed since: items whose documents and expectations are as they were are counted, the others are listed side by side"),
            option("--save-baseline", action="store_true", help="write this run to the file of --baseline (baseline.json without one), unless something in it got worse"),
            option("--accept-drop", action="store_true", help="let --save-baseline write a run in which something got worse"),
            option("--limit", metavar="N", type=whole_number(1, 1_000_000), help="run no more than these, drawn by --seed"),
            option("--seed", metavar="N", type=whole_number(0, 2**31 - 1), default=0, help="which items --limit draws, and the draws of intervals and tests (default: %(default)s)"),
            option("--only", metavar="TAG", help="run only items of a tag, or of language:CODE or document:ID"),
            option("--judge", metavar="NAME", type=one_of(*JUDGES, what="judge", where="--judge"), help="what rates citations: rules; entailment, which checks them too; or llm, the language model, beside the rules"),
            option("--output", metavar="FILE", nargs="+", action="extend", help="write reports: FILE ends in .json, .md, .html or .xml (JUnit)"),
            option("--format", dest="form", metavar="FORMAT", type=one_of(*EVAL_FORMS, what="format", where="--format"), default="text", help=f"what is printed: {', '.join(EVAL_FORMS)} (default: %(default)s)"),
            option("--json", dest="as_json", action="store_true", help="the same as --format json"),
            option("--jobs", metavar="N", type=whole_number(1, 64), default=1, help="processes that answer (default: %(default)s)"),
            RAY,
            option("--resume", action="store_true", help="go on with a run that was interrupted: its journal stands beside the first file of --output"),
        ),
    ),
    Command(
        "chunk",
        "print a passage in its context; a bar stands in front of its own lines",
        "documents:chunk",
        (
            option("chunk_id", metavar="ID", help="of the passage"),
            option("--before", metavar="N", type=whole_number(0, 100), default=1, help="passages in front of it (default: %(default)s)"),
            option("--after", metavar="N", type=whole_number(0, 100), default=1, help="passages behind it (default: %(default)s)"),
            READER,
            JSON,
        ),
    ),
    Command(
        "log list",
        "list answers, the newest first; JSON gives each whole, as ask --json printed it",
        "log:list_answers",
        (
            option("--limit", metavar="N", type=whole_number(1, 10_000), default=20, help="no more than these (default: %(default)s)"),
            option("--stale", action="store_true", help="only answers that rest on passages that changed, or on documents that were removed, superseded or retracted"),
            SINCE,
            STATUS,
            READER,
            JSON,
        ),
    ),
    Command(
        "log show", "show an answer as it was given, how it came about, what was said of it, and what has become of its sources", "log:show_answer",
        (
            option("answer_id", metavar="ID", help="of the answer"),
            READER,
            option("--json", dest="as_json", action="store_true", help="print the answer whole, as ask --json did"),
        ),
    ),
    Command(
        "log export",
        "print answers with how they came about and what was said of them, one a line; [log] redact is blacked out",
        "log_upkeep:export",
        (
            option("--format", dest="form", choices=("jsonl", "csv"), default="jsonl", help="jsonl, or csv with a line for each answer (default: %(default)s)"),
            SINCE,
            STATUS,
            option("--misses", action="store_true", help="print drafts of golden items instead: of answers that declined, have citations that do not hold, lost sentences, or were said to be wrong"),
            option("--redact", metavar="KINDS", nargs="?", const="", help="black out more than the settings say: kinds such as email,question, or alone every kind of personal data"),
            option("--out", metavar="FILE", help="write there"),
            READER,
        ),
    ),
    Command(
        "log verify",
        "check that nobody changed the log: edits, deletions, insertions and another order are named with their positions, lawful "
        "changes are told apart; exits with 1 when something is wrong. Names ids of all levels, never texts",
        "log_upkeep:verify_log",
        (
            option("--head", dest="heads", metavar="POSITION:LINK", action="append", default=[], help="a head that was kept elsewhere; the chain must still run through it; may be repeated"),
            option("--heads-file", metavar="FILE", help="a file of such heads, one a line, as `pincite log head >> FILE` writes it"),
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command(
        "log head", "print the head of the log, to be kept where nobody can change it", "log_upkeep:show_head",
        (option("--json", dest="as_json", action="store_true", help="print one JSON object"),),
    ),
    Command(
        "log replay",
        "judge an answer once more from the stored texts and say what differs, and what changed since; exits with 1 when "
        "something differs or could not be judged",
        "log_upkeep:replay_answer",
        (
            option("answer_id", metavar="ID", help="of the answer"),
            option("--judge", metavar="NAME", type=one_of(*JUDGES, what="judge", where="--judge"), help="another judge than the one of that time: rules, entailment or llm"),
            READER,
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command(
        "log prune",
        "drop answers that are older than [log] keep_days, with what was said of them; the log says how many and of when",
        "log_upkeep:prune",
        (
            option("--keep-days", metavar="N", type=whole_number(1, 100_000), help="in place of the setting"),
            option("--dry-run", action="store_true", help="say how many, but drop none"),
        ),
    ),
    Command(
        "log rm", "erase one answer, with what was said of it; the log says that it was, and keeps its hash", "log_upkeep:erase",
        (
            option("answer_id", metavar="ID", help="of the answer"),
            option("--why", metavar="TEXT", default="erased", help="the reason, which the log keeps for ever (default: %(default)s)"),
            READER,
        ),
    ),
    Command(
        "review list",
        "list what people should look at: sentences and citations that do not hold or hold in part, statements that were "
        "withheld, what readers said is wrong, and answers of low confidence",
        "reviews:list_reviews",
        (
            option("--limit", metavar="N", type=whole_number(1, 10_000), default=20, help="no more than these (default: %(default)s)"),
            SINCE,
            option("--all", dest="every", action="store_true", help="also what was decided"),
            option("--decided", action="store_true", help="only what was decided"),
            READER,
            JSON,
        ),
    ),
    Command(
        "review decide",
        "decide whether a sentence, a citation, a withheld statement or a whole answer is right; every decision is kept, the "
        "newest holds",
        "reviews:decide",
        (
            option("item_id", metavar="ITEM", help="as `pincite review` lists it"),
            option("decision", metavar="DECISION", help="right, wrong or unclear"),
            option("--note", metavar="TEXT", default="", help="why"),
            option("--reviewer", metavar="NAME", help="who decides (default: the user of this machine)"),
            READER,
        ),
    ),
    Command(
        "review export", "print golden items made of what was decided, one a line", "reviews:export_reviews",
        (
            option("--out", metavar="FILE", help="write there"),
            READER,
        ),
    ),
    Command(
        "serve",
        "serve the HTTP interface and the page; needs the extra `serve`",
        "serving:serve",
        (
            option("--host", metavar="ADDRESS", help="where to listen; any but this machine's own address needs keys"),
            option("--port", metavar="N", type=whole_number(1, 65_535), help="the port"),
            option("--no-open", action="store_true", help="do not open the page in a browser"),
            option("--new-key", metavar="LEVEL", type=one_of(*LEVELS, what="access level", where="--new-key"), help="print a new key for readers of this level, and end"),
            option("--writes", action="store_true", help="with --new-key: it may also change documents"),
        ),
    ),
    Command(
        "config show", "print every setting with the value that holds, as TOML", "state:show_settings",
        (option("--origin", action="store_true", help="say of each value where it was set"),),
    ),
    Command(
        "prompt show", "print what a language model would be sent for a question; the rules alone without one", "prompts:show",
        (
            option("question", metavar="QUESTION", nargs="?", help="the question"),
            option("--top-k", metavar="N", type=whole_number(1, 100), help="how many passages the answer may use, 1 to 100"),
            READER,
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command(
        "backup",
        "copy the database to FILE and the originals of its documents to FILE.blobs, while others read and write; the copy "
        "can be used as it is",
        "sources:backup",
        (option("file", metavar="FILE", help="of the copy; must not be there yet"),),
    ),
    Command(
        "store copy",
        "copy everything to another place while others read and write: a database file, or postgresql://… ; an interrupted copy "
        "goes on with the same command, and all is compared by its hashes at the end. Nothing is changed in SRC",
        "stores:copy",
        (
            option("source", metavar="SRC", help="a database file, or postgresql://USER@HOST/DATABASE"),
            option("target", metavar="DST", help="the same; must be empty, or an earlier copy of SRC that nobody has changed"),
            option("--source-blobs", metavar="PLACE", help="where SRC has the originals, as in [store] blobs; beside it otherwise"),
            option("--target-blobs", metavar="PLACE", help="where DST is to have the originals; beside it otherwise"),
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
    Command(
        "store check",
        "read everything and say what is damaged, with the next step: hashes of texts, words counted anew, vectors, originals and "
        "the log; exits with 1 when something is",
        "stores:check",
        (option("--json", dest="as_json", action="store_true", help="print one JSON object"),),
    ),
    Command(
        "store rebuild-search",
        "bring to Qdrant ([store] search) what it lacks of the database, and delete what it has too much; goes on where it "
        "was interrupted",
        "searching:rebuild",
        (option("--anew", action="store_true", help="drop the collection and make it anew, as after a change of its shards or of the embedder"),),
    ),
    Command(
        "doctor", "say what works here and what does not; exits with 1 when something is broken", "state:doctor",
        (
            option("--quick", action="store_true", help="do not read the whole database and all originals to see whether they are damaged"),
            READER,
            option("--json", dest="as_json", action="store_true", help="print one JSON object"),
        ),
    ),
)  # fmt: skip
