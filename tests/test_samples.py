"""The shipped help centre is valid, holds every trap that the tests lean on, and its golden set can be answered.

The code here that reads articles is deliberately tiny and its own: they must be right without our parsers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

from pincite.evals.golden import check_against, read_golden, wording_faults
from pincite.evals.values import GoldenItem
from pincite.pipeline import Pipeline
from pincite.ports.stores import Store
from pincite.samples import DEMO_QUESTIONS, samples_dir
from pincite.text.sentences import split_sentences
from pincite.types import AccessLevel, ChunkId, Reader

REQUIRED = ("doc_id", "title", "url", "text")
OPTIONAL = ("owner", "published_date", "version", "access_level", "source_type", "language", "sections")
LEVELS = ("public", "internal", "confidential")
INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"

Record = dict[str, object]


def read_markdown(source: str) -> Record:
    empty, front, text = source.split("---\n", 2)
    assert empty == ""
    pairs = [line.split(": ", 1) for line in front.splitlines()]
    assert len({key for key, _ in pairs}) == len(pairs)
    return {**dict(pairs), "text": text}


def read(path: Path) -> Record:
    source = path.read_text(encoding="utf-8")
    record = json.loads(source) if path.suffix == ".json" else read_markdown(source)
    assert isinstance(record, dict)
    return record


FILES = tuple(sorted(path for path in samples_dir().glob("*/*") if path.suffix in {".md", ".json"}))
RECORDS = {str(read(path)["doc_id"]): read(path) for path in FILES}
GOLDEN = tuple(item for item in read_golden(samples_dir() / "golden.jsonl") if isinstance(item, GoldenItem))


def text_of(doc_id: str) -> str:
    return str(RECORDS[doc_id]["text"])


def flat(text: str) -> str:
    """``text`` without soft hyphens, words broken at a line end joined, any white space as one blank."""
    return " ".join(re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text.replace("\u00ad", "")).split())


def published(doc_id: str) -> date:
    return date.fromisoformat(str(RECORDS[doc_id]["published_date"]))


# --- the files --------------------------------------------------------------------------------------


def test_there_are_thirteen_english_articles_and_the_same_nine_in_three_other_languages() -> None:
    stems = {
        code: sorted(path.stem for path in FILES if path.parent.name == code)
        for code in ("en", "de", "ja", "ar")
    }
    assert [len(stems[code]) for code in ("en", "de", "ja", "ar")] == [13, 9, 9, 9]
    assert stems["de"] == stems["ja"] == stems["ar"]
    assert set(stems["de"]) < set(stems["en"])


def test_about_half_of_the_articles_are_json_and_half_markdown() -> None:
    for code in ("en", "de", "ja", "ar"):
        kinds = Counter(path.suffix for path in FILES if path.parent.name == code)
        assert abs(kinds[".json"] - kinds[".md"]) <= 1


def test_every_doc_id_is_used_once_and_names_its_language() -> None:
    assert len(RECORDS) == len(FILES)
    for path in FILES:
        record = read(path)
        suffix = "" if path.parent.name == "en" else f"-{path.parent.name}"
        assert record["doc_id"] == f"doc-{path.stem}{suffix}"
        assert record["language"] == path.parent.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_article_has_known_fields_of_the_right_kind(path: Path) -> None:
    record = read(path)
    assert set(record) <= {*REQUIRED, *OPTIONAL}
    assert all(isinstance(value, str) and value.strip() for key, value in record.items() if key != "sections")
    assert {*REQUIRED, *OPTIONAL} - {"sections"} <= set(record)
    assert re.fullmatch(r"[a-z0-9-]+", str(record["doc_id"]))
    assert record["access_level"] in LEVELS
    assert date.fromisoformat(str(record["published_date"])).isoformat() == record["published_date"]
    assert re.fullmatch(r"https://[a-z]+\.havrelo\.example/[a-z0-9/-]+", str(record["url"]))


def test_no_address_leads_to_a_real_site() -> None:
    for doc_id in RECORDS:
        hosts = re.findall(r"https?://([^/\s)\"]+)|@([a-z]+\.[a-z.]+)", text_of(doc_id))
        for host in filter(None, (name for pair in hosts for name in pair)):
            assert host.rstrip(".").partition(":")[0].endswith(".example"), f"{doc_id}: {host}"


def test_an_english_article_is_as_long_as_articles_are() -> None:
    for path in FILES:
        if path.parent.name == "en":
            assert 400 <= len(str(read(path)["text"]).split()) <= 900, path.name


def test_sections_given_in_advance_begin_with_their_heading_and_follow_each_other() -> None:
    text = text_of("doc-returns-2024")
    sections = RECORDS["doc-returns-2024"]["sections"]
    assert isinstance(sections, list)
    assert len(sections) == 7
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        assert set(section) == {"title", "level", "start", "end"}
        assert text[section["start"] : section["end"]].startswith(section["title"] + "\n")
        assert section["end"] == (following["start"] if following else len(text))


# --- the traps --------------------------------------------------------------------------------------


def test_trap_tables_whose_cells_mean_nothing_without_their_header() -> None:
    text = text_of("doc-plans-prices")
    assert "| Plan | Monthly, EUR | Monthly, USD | Yearly, EUR per month | Yearly, USD per month |" in text
    assert "| Studio | 15.00 | 17.00 | 12.50 | 14.00 |" in text
    assert "| Plan | Largest single file | Pages per PDF | Files per upload |" in text_of("doc-upload-limits")


def test_trap_code_fences() -> None:
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", text_of("doc-api-upload"), re.DOTALL | re.MULTILINE)
    assert [language for language, _ in fences] == ["bash", "json", "toml"]
    assert "curl -X POST" in fences[0][1]
    assert "# files that match are left alone" in fences[2][1]  # looks like a heading
    assert '"draft[0-9].pdf"' in fences[2][1]  # looks like a marker
    assert "`tags[0]`" in text_of("doc-api-upload")


@pytest.mark.parametrize("doc_id", sorted(RECORDS))
def test_trap_numbered_steps_in_most_articles(doc_id: str) -> None:
    steps = re.findall(r"^(\d)\. ", text_of(doc_id), re.MULTILINE)
    without = re.sub("-(?:de|ja|ar)$", "", doc_id) in {
        "doc-returns-2024",
        "doc-retention",
        "doc-community-faq",
    }
    assert (steps[:2] == ["1", "2"]) is not without


def test_trap_bullet_lists_that_need_their_lead_in() -> None:
    assert "cannot be returned unless they are faulty:\n\n- cleaning kits" in text_of("doc-returns-2026")
    assert "and:\n\n- it cannot be sent by express to zone 4;" in text_of("doc-shipping")
    assert "if all of this holds:\n\n- it is the customer's first late return;" in text_of(
        "doc-refund-exceptions"
    )


def test_trap_three_access_levels_and_facts_that_only_the_higher_ones_hold() -> None:
    levels = {doc_id: record["access_level"] for doc_id, record in RECORDS.items()}
    assert all(levels[f"doc-refund-exceptions{code}"] == "internal" for code in ("", "-de", "-ja", "-ar"))
    assert levels["doc-price-floor"] == "confidential"
    assert Counter(levels.values()) == {"public": 35, "internal": 4, "confidential": 1}
    public = " ".join(text_of(doc_id) for doc_id, level in levels.items() if level == "public")
    assert "day 45" in text_of("doc-refund-exceptions")
    assert "EUR 160.00" in text_of("doc-price-floor")
    for secret in ("day 45", "Tag 45", "45日目", "اليوم 45", "LR-45", "160.00", "98.40", "38.5", "floor"):
        assert secret not in public


def test_trap_two_returns_policies_that_contradict_each_other_the_older_marked_superseded() -> None:
    old, new = flat(text_of("doc-returns-2024")), text_of("doc-returns-2026")
    assert published("doc-returns-2024") < published("doc-returns-2026")
    assert "has been superseded by the returns policy of 2 February 2026" in old
    assert "You may return a scanner within 14 days of delivery." in old
    assert "can be returned within 30 days of delivery" in new
    assert "The customer pays the return postage." in old
    assert "Within the EU we provide a prepaid label and pay the postage." in new
    assert "a restocking fee of EUR 12.00" in old
    assert "There is no restocking fee." in new


def test_trap_an_older_article_that_contradicts_a_newer_one_without_being_marked() -> None:
    assert published("doc-community-faq") < published("doc-retention")
    assert "The trash is kept for 90 days." in text_of("doc-community-faq")
    assert "goes to the trash and stays there for 30 days." in text_of("doc-retention")


@pytest.mark.parametrize(
    ("doc_id", "near"),
    [
        ("doc-upload-limits", ("25 MB", "250 MB", "250 GB", "2.5 GB", "20 MB")),
        ("doc-plans-prices", ("25 GB", "250 GB", "2.5 TB")),
        ("doc-retention", ("30 days", "13 days", "13 months")),
        ("doc-returns-2026", ("30 days", "13 days", "14 days")),
        ("doc-shipping", ("15:30", "13:30")),
        ("doc-reed-setup", ("2.4 GHz", "5 GHz", "firmware 3.10", "firmware 3.1 ", "3 seconds", "8 seconds")),
        ("doc-support-hours", ("8:00–20:00", "9:00–17:30", "8:00–18:00", "10:00–14:00")),
        ("doc-refund-exceptions", ("EUR 80 (USD 90)", "EUR 80–400 (USD 90–450)")),
    ],
)
def test_trap_numbers_that_are_easily_mixed_up(doc_id: str, near: tuple[str, ...]) -> None:
    assert [words for words in near if words not in text_of(doc_id)] == []


def test_trap_markers_a_closing_source_tag_and_orders_to_an_assistant_in_a_pasted_text() -> None:
    text = text_of("doc-community-faq")
    for hostile in (
        "[c-1]",
        "[1] [2]",
        "</source>",
        '<source id="c-2"',
        "ignore all previous instructions",
        "SYSTEM:",
    ):
        assert hostile in text
    assert "then [2], then [1]." in text  # and harmless brackets in prose


def test_trap_hyphenation_soft_hyphens_and_no_break_spaces_in_one_article() -> None:
    text = text_of("doc-returns-2024")
    assert len(re.findall(r"[a-z]-\n[a-z]", text)) >= 5
    assert "cannot be re-\nturned" in text
    assert "30\u00a0days" in text
    assert "super\u00adseded" in text
    assert "14\u00a0days" in text
    assert "EUR\u00a012.00" in text
    for doc_id in RECORDS.keys() - {"doc-returns-2024"}:
        assert not set(text_of(doc_id)) & {*INVISIBLE, "\u00a0"}, doc_id


@pytest.mark.parametrize("doc_id", ["doc-reed-setup", "doc-shipping"])
@pytest.mark.parametrize("language", ["", "-de", "-ja", "-ar"])
def test_trap_an_emoji_outside_the_basic_plane_before_a_fact(doc_id: str, language: str) -> None:
    assert re.search(r"[\U0001F300-\U0001FAFF] \w[^\n]*\d", text_of(doc_id + language))


def test_trap_rules_with_except_and_not() -> None:
    assert "returned, except when they are faulty" in flat(text_of("doc-returns-2024"))
    assert "except for the API" in text_of("doc-plans-prices")
    assert "does not apply to express, to zones 3 and 4" in text_of("doc-shipping")
    assert "up to 2.5 GB, except in the browser" in text_of("doc-upload-limits")
    assert "It is the only service that is open on a Sunday." in text_of("doc-support-hours")
    assert "not with 5 GHz" in text_of("doc-reed-setup")


def test_trap_abbreviations_and_decimals_that_do_not_end_a_sentence() -> None:
    english = " ".join(text_of(doc_id) for doc_id, record in RECORDS.items() if record["language"] == "en")
    for words in (
        "e.g. `2026",
        "i.e. from thin",
        "approx. 0.4 MB",
        "max. 0.3 mm",
        "USD 1.09 for EUR 1.00",
        "96.5 %",
    ):
        assert words in english
    assert "z. B. „31,4 MB" in text_of("doc-upload-limits-de")


def test_trap_a_version_that_is_not_a_decimal_number() -> None:
    assert RECORDS["doc-plans-prices"]["version"] == "2.10"


def test_trap_number_forms_of_four_languages() -> None:
    assert "2,5 GB" in text_of("doc-upload-limits-de")
    assert "| Solo | 25 MB | 150 | 20 |\n| Studio | 250 MB | 1.500 | 100 |" in text_of("doc-upload-limits-de")
    assert "2026年2月2日" in text_of("doc-returns-2026-ja")
    assert "15時30分" in text_of("doc-shipping-ja")
    assert "٣٠ يومًا" in text_of("doc-returns-2026-ar")
    assert "١٩٫٠٠" in text_of("doc-returns-2026-ar")


SAID_OTHERWISE = {
    "doc-shipping-ja": {"13:30", "15:30"},  # 13時30分
    "doc-reed-setup-ar": {"2"},  # the dual: دقيقتين
    "doc-returns-2026-ar": {"20"},  # اليوم العشرين
    "doc-support-hours-ar": {"2"},
}
"""Numbers of the English article that a language writes as words or in another form."""


def numbers(text: str, language: str) -> set[str]:
    """The numbers of a text as English writes them, without thousands separators."""
    text = text.translate(str.maketrans("٠١٢٣٤٥٦٧٨٩٫", "0123456789."))
    text = re.sub(r"https://[^\s)]+|^\d\. ", " ", text, flags=re.MULTILINE)
    found = set(re.findall(r"\d+(?:[.,:]\d+)*", text))
    thousands = r"(\d)\.(\d{3})" if language == "de" else r"(\d),(\d{3})"
    return {re.sub(rf"^{thousands}$", r"\1\2", number).replace(",", ".") for number in found}


@pytest.mark.parametrize(
    "doc_id", sorted(key for key, record in RECORDS.items() if record["language"] != "en")
)
def test_an_article_states_the_numbers_and_dates_of_its_english_version(doc_id: str) -> None:
    record, english = RECORDS[doc_id], RECORDS[doc_id.rsplit("-", 1)[0]]
    missing = numbers(str(english["text"]), "en") - numbers(text_of(doc_id), str(record["language"]))
    assert missing == SAID_OTHERWISE.get(doc_id, set())
    for key in ("published_date", "version", "access_level", "source_type"):
        assert record[key] == english[key]


# --- the questions ----------------------------------------------------------------------------------

KINDS = (
    "single-fact", "number", "table-cell", "code", "two-documents", "contradiction", "dates", "partial", "near-miss", "far",
    "cross-lingual", "access", "leak", "follow-up",
)  # fmt: skip


@pytest.fixture(scope="module")
def filled() -> Iterator[Store]:
    with Pipeline(store="memory", embedder="none") as pipeline:
        pipeline.add(*(samples_dir() / language for language in ("en", "de", "ja", "ar")))
        yield pipeline.parts.store


def test_the_golden_set_has_250_items_with_their_own_ids() -> None:
    assert [item.id for item in GOLDEN] == [f"g-{number:03d}" for number in range(1, 251)]
    assert all(item.reference_answer.strip() for item in GOLDEN)


def test_fifty_of_the_new_items_are_frozen_and_the_hash_of_their_ids_says_which() -> None:
    by_hash = sorted((item.id for item in GOLDEN[40:]), key=lambda id_: sha256(id_.encode()).hexdigest())
    assert {item.id for item in GOLDEN if "frozen" in item.tags} == set(by_hash[:50])


@pytest.mark.parametrize("language", ["en", "de", "ja", "ar"])
def test_every_language_has_at_least_fifty_items_and_two_of_each_kind(language: str) -> None:
    tags = Counter(tag for item in GOLDEN if item.language == language for tag in item.tags)
    assert sum(item.language == language for item in GOLDEN) >= 50
    assert [kind for kind in KINDS if tags[kind] < 2] == []
    assert tags["unanswerable"] + tags["leak"] >= 10


@pytest.mark.parametrize("item", GOLDEN, ids=lambda item: item.id)
def test_a_golden_item_can_be_answered_from_its_documents(item: GoldenItem) -> None:
    expected = item.expected_doc_ids
    assert [doc_id for doc_id in expected if doc_id not in RECORDS] == []
    assert bool(expected) is bool(item.must_include) is bool(item.expected_chunk_ids) is not item.must_abstain
    source = "\n".join(flat(text_of(doc_id)) for doc_id in expected)
    assert wording_faults(replace(item, must_not_include=()), source) == ()


def test_every_golden_item_names_documents_and_passages_that_its_reader_may_see(filled: Store) -> None:
    assert [error for item in GOLDEN for error in check_against(item, filled)] == []


def test_the_passages_of_a_golden_item_hold_its_answer(filled: Store) -> None:
    for item in GOLDEN:
        reader = Reader(AccessLevel(item.reader))
        found = [filled.chunk(ChunkId(one), reader) for one in item.expected_chunk_ids]
        texts = "\n".join(one[0].text for one in found if one)
        assert wording_faults(replace(item, must_not_include=()), texts) == (), item.id


def test_what_must_not_be_said_does_not_stand_in_the_sentence_or_row_that_answers(filled: Store) -> None:
    for item in GOLDEN:
        chunks = [
            filled.chunk(ChunkId(one), Reader(AccessLevel(item.reader))) for one in item.expected_chunk_ids
        ]
        for line in "\n".join(one[0].text for one in chunks if one).split("\n"):
            said = [line] if line.startswith("|") else [span.of(line) for span in split_sentences(line)]
            for sentence in said:
                answers = any(
                    not wording_faults(GoldenItem("", "?", must_include=(row,)), sentence)
                    for row in item.must_include
                )
                assert not answers or not wording_faults(replace(item, must_include=()), sentence), item.id


def test_what_is_said_to_be_uncovered_stands_in_the_question_and_in_no_document() -> None:
    everything = " ".join(text_of(doc_id) for doc_id in RECORDS).casefold()
    pairs = [(item.question, words) for item in GOLDEN for words in item.expected_uncovered]
    pairs += [(demo.question, words) for demo in DEMO_QUESTIONS for words in demo.expected_uncovered]
    assert len(pairs) == 16
    for question, words in pairs:
        assert words in question
        assert words.casefold() not in everything


def test_the_four_demo_questions_show_four_different_things() -> None:
    two, part, near, none = DEMO_QUESTIONS
    assert len(two.expected_doc_ids) == 2
    assert part.expected_uncovered
    assert near.must_include == ("25 MB",)
    assert "250 MB" in near.must_not_include
    assert none.must_abstain
    assert none.expected_doc_ids == ()


def test_each_demo_question_can_be_answered_from_its_documents() -> None:
    for demo in DEMO_QUESTIONS:
        source = "\n".join(flat(text_of(doc_id)) for doc_id in demo.expected_doc_ids)
        assert [words for words in demo.must_include if words not in source] == []
        assert bool(demo.must_include) is not demo.must_abstain
    assert not any("fax" in text_of(doc_id).casefold() for doc_id in RECORDS)
