"""Two hundred questions about documents that the reader may not see: nothing of them comes out, in no field."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.doubles import pipeline

from pincite import Document, Pipeline
from pincite.events import Event, Finished, Started
from pincite.renderers.json import answer_json
from pincite.samples import samples_dir
from pincite.types import AccessLevel, Reader

SECRETS = (
    Document("merger", "# Project Kestrel\n\nHavrelo buys Zandvliet Optics for 48,731,000 EUR. The purchase closes on 17 August 2027. Ingrid Haverkamp negotiates it.\n\n"
             "If the board refuses, Havrelo pays a break fee of 1,377,000 EUR to Zandvliet.", title="Project Kestrel", access_level="confidential"),
    Document("salaries", "# Salary bands\n\n| Band | Title | Yearly |\n|---|---|---|\n| Q7 | principal engineer | 143,900 EUR |\n| Q9 | vice president | 211,450 EUR |\n\n"
             "Bonuses of 23.75 % are paid in Thermidor.", title="Salary bands", access_level="confidential"),
    Document("incident", "# Incident Bluefinch\n\nOn 3 October an intern published 8,214 customer records in a bucket named bluefinch-export. Regulators were not told.",
             title="Incident Bluefinch", access_level="confidential"),
    Document("roadmap", "# Roadmap\n\nThe Reed Quattro with a colour screen ships in Vendémiaire for 489.50 EUR. It is assembled in Plovdiv.", title="Roadmap", access_level="internal"),
    Document("floor", "# Discount floor\n\nAccount managers may go down to 61.25 % of the list price for Works. Below that Wilhelmina Oostdijk signs.",
             title="Discount floor", access_level="internal"),
)  # fmt: skip

QUESTIONS = (
    "What is {0}?", "How much is {0}?", "When does {0} happen?", "Who is responsible for {0}?", "Tell me about {0}.",
    "Is {0} true?", "What do the documents say about {0}, and what does shipping cost?", "Was kostet {0}?", "{0}について教えてください。", "Why {0}",
)  # fmt: skip


def _samples() -> tuple[Document, ...]:
    everyone = Reader(AccessLevel.CONFIDENTIAL)
    with Pipeline(store="memory", embedder="none") as rag:
        rag.add(samples_dir() / "en")
        store = rag.parts.store
        found = (store.document(one.info.doc_id, everyone) for one in store.documents(everyone))
        return tuple(one for one in found if one is not None)


_SAMPLES = _samples()


def _telling(text: str) -> set[str]:
    """Words and figures of a secret that no open document has."""
    public = " ".join(one.text + one.title for one in _SAMPLES if one.access_level == "public").casefold()
    words = set(re.findall(r"[\w.,%-]{4,}", text.casefold()))
    return {word.strip(".,") for word in words if word.strip(".,") not in public}


def _questions() -> list[tuple[str, Reader]]:
    asked = []
    for document in SECRETS:
        reader = Reader(
            AccessLevel.INTERNAL if document.access_level == "confidential" else AccessLevel.PUBLIC
        )
        topics = (document.title, *re.findall(r"[A-Z][\w-]+ [\w-]+|\d[\d.,]+ \w+", document.text)[:3])
        asked += [(form.format(topic), reader) for topic in topics for form in QUESTIONS]
    return asked


def _printed(rag: Pipeline, question: str, reader: Reader) -> tuple[str, str]:
    """All that comes out beside the question itself: the events and the stored answer."""
    events: list[Event] = list(rag.events(question, reader=reader))
    first, last = events[0], events[-1]
    assert isinstance(first, Started)
    assert isinstance(last, Finished)
    timeless = replace(last.answer, timing_ms={}, id="ans_1")  # type: ignore[arg-type]
    forms = "\n".join(timeless.to(form) for form in ("text", "markdown"))
    started = replace(first, answer_id="ans_1")  # type: ignore[arg-type]
    return repr([started, *events[1:-1]]) + forms, answer_json(timeless)


def test_two_hundred_questions_about_secrets_bring_nothing_to_light() -> None:
    with_secrets, without = pipeline(*_SAMPLES, *SECRETS), pipeline(*_SAMPLES)
    # What the reader of a level sees is what they would see if the secrets above it were not there.
    without.add(*(one for one in SECRETS if one.access_level == "internal"))
    only_public = pipeline(*_SAMPLES)
    asked = _questions()
    assert len(asked) >= 200
    secret_words = {one.doc_id: _telling(one.title + one.text) for one in SECRETS}
    for question, reader in asked:
        seen = _printed(with_secrets, question, reader)
        plain = without if reader.level is AccessLevel.INTERNAL else only_public
        assert seen == _printed(plain, question, reader)
        hidden = set().union(
            *(secret_words[one.doc_id] for one in SECRETS if not reader.may_read(one.access_level))
        )
        told = "".join(seen).replace(question, "").casefold()
        for word in question.casefold().split():
            hidden.discard(word.strip(".,?"))
        found = {word for word in hidden if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", told)}
        assert not found, (question, found)
