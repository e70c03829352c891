"""The page as people use it."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

TWO_SOURCES = (
    "How large can a single file be on the Studio plan, and how long does a deleted file stay in the trash?"
)
LIGHTHOUSE = "How high is the lighthouse of Ostwick?"


def ask(page: Any, question: str) -> None:
    page.goto("/")
    page.fill("#question", question)
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer .menu")
    page.evaluate("document.activeElement.blur()")


def wait_until(page: Any, expression: str) -> None:
    """The page's own policy forbids the driver to wait for an expression inside it."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def axe_violations(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


# --- the walk -----------------------------------------------------------------------------------


def test_from_a_question_to_the_marked_words_and_back(page: Any) -> None:
    ask(page, TWO_SOURCES)
    assert page.locator(".marker a").count() == 2
    assert "2 of 2 citations verified" in page.inner_text(".summary")
    page.hover(".marker a >> nth=1")
    page.wait_for_selector(".card:popover-open")
    assert "30 days" in page.inner_text(".card")
    page.click(".card button:has-text('Open evidence')")
    page.wait_for_selector("#panel mark")
    assert "30 days" in " ".join(page.locator("#panel mark").all_inner_texts())
    page.click("#panel [role=tab]:has-text('Compare')")
    assert "No figure, name or negation differs" in page.inner_text("#panel .content")
    page.keyboard.press("Escape")
    assert page.is_hidden("#panel")


def test_the_address_gives_the_same_evidence_again_and_to_others(page: Any, chromium: Any) -> None:
    ask(page, TWO_SOURCES)
    page.keyboard.press("2")
    page.wait_for_selector("#panel mark")
    text, url = page.inner_text("#panel mark"), page.url
    assert "/a/ans_" in url
    assert "c=c-" in url
    page.reload()
    page.wait_for_selector("#panel mark")
    assert page.inner_text("#panel mark") == text
    other = chromium.new_context().new_page()
    other.goto(url)
    other.wait_for_selector("#panel mark")
    assert other.inner_text("#panel mark") == text
    other.context.close()


def test_back_closes_the_panel(page: Any) -> None:
    ask(page, TWO_SOURCES)
    page.keyboard.press("1")
    page.wait_for_selector("#panel mark")
    page.go_back()
    page.wait_for_selector("#panel", state="hidden")


def test_the_page_of_a_pdf_is_shown_with_boxes_on_the_cited_words(page: Any) -> None:
    ask(page, LIGHTHOUSE)
    page.keyboard.press("1")
    page.wait_for_selector("#panel [role=tab]:has-text('Page')")
    page.keyboard.press("p")
    page.wait_for_selector("#panel .box")
    wait_until(page, "(document.querySelector('#panel img')?.naturalWidth || 0) > 0")
    image, box = page.locator("#panel img").bounding_box(), page.locator("#panel .box").first.bounding_box()
    # The line stands at 700 of 792 points from the bottom, from 72 of 612 from the left.
    assert abs((box["x"] - image["x"]) / image["width"] - 72 / 612) < 0.01
    assert abs((box["y"] + box["height"] - image["y"]) / image["height"] - (792 - 698) / 792) < 0.015
    dark = _dark_share(page, image, box)
    assert dark > 0.02  # there are letters under the box, and none beside it on the right
    beside = {**box, "x": box["x"] + box["width"] + 10, "width": 40}
    assert _dark_share(page, image, beside) == 0


def _dark_share(page: Any, image: dict[str, float], box: dict[str, float]) -> float:
    """The share of dark pixels in a part of the screen, without the box that is drawn over it."""
    from PIL import Image

    page.evaluate("document.querySelectorAll('.box').forEach(one => { one.style.visibility = 'hidden'; })")
    shot = Image.open(io.BytesIO(page.screenshot())).convert("L")
    part = shot.crop(
        (int(box["x"]), int(box["y"]), int(box["x"] + box["width"]), int(box["y"] + box["height"]))
    )
    counts = part.histogram()
    return sum(counts[:110]) / sum(counts)


def test_a_follow_up_goes_on_from_the_answer(page: Any) -> None:
    ask(page, "How long does a deleted file stay in the trash?")
    page.fill("#question", "And how long do copies remain in backups?")
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelectorAll('.answer .menu').length === 2")
    assert "13 days" in page.inner_text(".conversation .turn >> nth=1")


# --- what is not there --------------------------------------------------------------------------


def test_what_the_sources_do_not_say_is_a_calm_page_with_the_closest_passages(page: Any) -> None:
    ask(page, "Can I send a fax with Havrelo?")
    assert "Not in your sources" in page.inner_text(".abstain")
    assert page.locator(".snippets li").count() >= 1
    page.click(".snippets button >> nth=0")
    page.wait_for_selector("#panel .passage-text")


def test_a_part_that_is_not_covered_has_a_card(page: Any) -> None:
    ask(page, "Within how many days of delivery can I return a Reed scanner, and does it work with Linux?")
    assert "Linux" in page.inner_text(".uncovered")
    page.click(".uncovered button")
    assert "Linux" in page.input_value("#question")


# --- other views --------------------------------------------------------------------------------


def test_a_pasted_answer_is_checked_without_documents(page: Any) -> None:
    page.goto("/verify")
    page.fill("#verify-answer", "Files stay for 90 days [1]. Towels are free [7].")
    page.fill("#verify-sources", "Files stay for 30 days.")
    page.click("button:has-text('Check')")
    page.wait_for_selector(".findings")
    assert "Not every citation holds" in page.inner_text("main")
    assert page.locator(".marker.contradicted").count() == 1
    assert page.locator(".marker.invalid").count() == 1
    page.click(".marker.contradicted a")
    page.wait_for_selector("#panel .content")
    page.click("#panel [role=tab]:has-text('Compare')")
    assert "90 days ≠ 30 days" in page.inner_text("#panel .differences")


def test_an_upload_that_fails_says_why_and_stays_listed(page: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4\nnothing")
    note = tmp_path / "bees.md"
    note.write_text("# Bees\n\nBees sleep 5 hours a night.", "utf-8")
    page.goto("/documents")
    page.wait_for_selector("table.documents tbody tr")
    page.set_input_files("#files", [str(broken), str(note)])
    page.wait_for_selector(".job.failed")
    page.wait_for_selector(".job.ready")
    assert "broken" in page.inner_text(".job.failed")
    page.reload()
    page.wait_for_selector(".job.failed")
    assert "Bees" in page.inner_text("table.documents")


def test_history_leads_back_to_an_answer(page: Any) -> None:
    ask(page, "How long does a deleted file stay in the trash?")
    page.click("nav a:has-text('History')")
    page.wait_for_selector("tbody a")
    page.click("tbody a >> nth=0")
    page.wait_for_selector(".answer .menu")
    assert "30 days" in page.inner_text(".answer")


def test_copies_have_their_references(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "How long does a deleted file stay in the trash?")
    for name, wanted in (
        ("Markdown", "[^1]: How long we keep"),
        ("Plain text", "[1] How long we keep"),
        ("CSL-JSON", '"issued"'),
    ):
        page.click(".menu summary")
        page.click(f".menu button:text-is('{name}')")
        wait_until(page, "document.getElementById('live').textContent.startsWith('Copied')")
        assert wanted in page.evaluate("navigator.clipboard.readText()")


# --- what becomes of sources, and of the model --------------------------------------------------


def stored(address: str, doc_id: str, text: str) -> None:
    import httpx

    body = {"doc_id": doc_id, "title": doc_id.capitalize(), "url": "", "text": text}
    job = httpx.post(f"{address}/api/documents", json=body).json()
    for _ in range(200):
        if httpx.get(f"{address}/api/jobs/{job['job_id']}").json()["state"].startswith("ready"):
            return
        time.sleep(0.05)
    raise AssertionError(doc_id)


def test_a_passage_that_was_edited_or_removed_since_says_so(page: Any, address: str) -> None:
    import httpx

    stored(address, "sauna", "The sauna of Brambury costs 14 EUR a visit.")
    ask(page, "What does the sauna of Brambury cost?")
    stored(address, "sauna", "The sauna of Brambury costs 16 EUR a visit.")
    page.reload()
    page.click(".marker a")
    page.wait_for_selector("#panel .banner")
    assert "was edited after the answer" in page.inner_text("#panel .banner")
    assert "14 EUR" in page.inner_text("#panel .banner blockquote")
    httpx.delete(f"{address}/api/documents/sauna")
    page.reload()
    page.wait_for_selector("#panel .note")
    assert "was removed on" in page.inner_text("#panel .note")
    assert "EUR" not in page.inner_text("main .answer")


def test_a_model_that_fails_leaves_the_passages_and_can_be_asked_again(page: Any) -> None:
    problem = {
        "type": "/problems/model-unavailable",
        "title": "The model cannot be reached",
        "status": 503,
        "detail": "The model did not answer.",
        "request_id": "req_1",
        "snippets": [
            {"chunk_id": "notes-chunk-0", "title": "Notes", "preview": "The ferry to Ostwick leaves at 9:15."}
        ],
    }
    page.route("**/chat", lambda route: route.fulfill(status=503, json=problem))
    page.goto("/")
    page.fill("#question", "When does the ferry to Ostwick leave?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".problem")
    assert "req_1" in page.inner_text(".problem")
    page.click(".snippets button")
    page.wait_for_selector("#panel .passage-text")
    page.unroute("**/chat")
    page.click("button:has-text('Ask again')")
    page.wait_for_selector(".answer .menu")


def test_a_reader_can_say_that_a_source_is_wrong(page: Any, address: str) -> None:
    import httpx

    ask(page, "How long does a deleted file stay in the trash?")
    page.click(".verdict-buttons button >> nth=0")
    page.wait_for_selector(".verdict-buttons [role=status]")
    page.keyboard.press("1")
    page.click("#panel button:has-text('Report wrong source')")
    page.wait_for_selector("#panel span[role=status]")
    said = httpx.get(
        f"{address}/api/feedback?answer_id={page.url.partition('/a/')[2].partition('?')[0]}"
    ).json()["items"]
    assert sorted((one["reaction"], one["citation_id"]) for one in said) == [
        ("helpful", None),
        ("wrong_source", "c-1"),
    ]


def test_what_was_called_wrong_waits_for_a_decision(page: Any, address: str) -> None:
    import httpx

    ask(page, "How long does a deleted file stay in the trash?")
    page.keyboard.press("1")
    page.click("#panel button:has-text('Report wrong source')")
    page.wait_for_selector("#panel span[role=status]")
    answer_id = page.url.partition("/a/")[2].partition("?")[0]
    page.goto(f"{address}/history")
    page.click("a:has-text('What waits for a decision')")
    item = page.locator(f"section:has(a[href='/a/{answer_id}'])")
    item.wait_for()
    assert "a reader says the source is wrong" in item.inner_text()
    item.locator("input").fill("it is the right one")
    item.locator("button:has-text('right')").click()
    item.wait_for(state="detached")
    (decided,) = [
        one["decisions"][0]
        for one in httpx.get(f"{address}/api/reviews?decided=true&access=confidential").json()["items"]
        if one["answer_id"] == answer_id
    ]
    assert (decided["decision"], decided["note"]) == ("right", "it is the right one")


# --- languages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["ar", "ja"])
def test_a_catalogue_has_every_word_of_the_page_and_no_other(code: str) -> None:
    from tests.browser.words import STATIC, catalogue, keys

    there = catalogue(code)
    assert keys() - set(there) <= {"https://…"}
    everything = "".join(
        one.read_text("utf-8") for one in STATIC.iterdir() if not one.name.startswith("words-")
    )
    assert [
        key
        for key in there
        if key not in everything and key not in {"answered", "partial", "uncited", "abstained"}
    ] == []


@pytest.mark.parametrize("code", ["ar", "ja"])
def test_a_translation_keeps_the_places_for_values(code: str) -> None:
    from tests.browser.words import catalogue

    for key, text in catalogue(code).items():
        wanted = set(re.findall(r"\{\w+\}", key))
        assert wanted - {"{n}"} <= set(re.findall(r"\{\w+\}", text)), key


@pytest.mark.parametrize(("code", "way", "word"), [("ar", "rtl", "المستندات"), ("ja", "ltr", "文書")])
def test_the_page_speaks_the_language_of_its_reader(
    chromium: Any, address: str, code: str, way: str, word: str
) -> None:
    context = chromium.new_context(base_url=address, locale=code, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    ask(page, TWO_SOURCES)
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [code, way]
    assert word in page.inner_text("nav")
    page.keyboard.press("1")
    page.wait_for_selector("#panel mark")
    panel, main = page.locator("#panel").bounding_box(), page.locator("main").bounding_box()
    assert (panel["x"] < main["x"]) == (way == "rtl")
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto("/documents")
    page.wait_for_selector("table.documents tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    if code == "ar":
        pytest.importorskip("axe_playwright_python", reason="axe is not installed")
        assert axe_violations(page) == []
    context.close()


# --- hostile text -------------------------------------------------------------------------------


def test_titles_and_addresses_of_documents_stay_text(page: Any) -> None:
    ask(page, "When does the ferry to Ostwick leave?")
    assert "9:15" in page.inner_text(".answer")
    assert page.locator("main img").count() == 0
    assert page.locator('a[href^="javascript"]').count() == 0
    assert "<img src=x" in page.inner_text(".sources")


# --- for everybody ------------------------------------------------------------------------------


def test_everything_works_by_keyboard(page: Any) -> None:
    page.goto("/verify")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.goto("/")
    page.wait_for_selector("#question:focus")
    page.keyboard.type(TWO_SOURCES)
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer .menu")
    for _ in range(40):
        page.keyboard.press("Shift+Tab")
        if (
            page.evaluate("document.activeElement.dataset.citation") == "c-1"
            or page.evaluate("document.activeElement.getAttribute('role')") == "doc-noteref"
        ):
            break
    page.wait_for_selector(".card:popover-open")
    page.keyboard.press("Escape")
    page.wait_for_selector(".card", state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "doc-noteref"
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel mark")
    assert page.evaluate("document.activeElement.id") == "panel-title"
    page.keyboard.press("n")
    page.wait_for_selector("#panel mark.current")
    page.keyboard.press("]")
    page.wait_for_timeout(200)
    page.keyboard.press("d")
    page.wait_for_selector("#panel .compare")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "doc-noteref"
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def test_a_tap_opens_the_card_as_a_sheet(chromium: Any, address: str) -> None:
    context = chromium.new_context(
        base_url=address, viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    ask(page, "How long does a deleted file stay in the trash?")
    page.tap(".marker a")
    page.wait_for_selector(".card.sheet:popover-open")
    page.tap(".card button:has-text('Open evidence')")
    page.wait_for_selector("#panel mark")
    context.close()


def test_arabic_is_read_from_the_right(page: Any) -> None:
    ask(page, "كم يومًا لديّ لإرجاع جهاز Reed بعد استلامه؟")
    assert page.get_attribute(".answer", "lang") == "ar"
    assert page.evaluate("getComputedStyle(document.querySelector('.prose p')).direction") == "rtl"


@pytest.mark.parametrize("path", ["/", "/verify", "/documents", "/history", "/reviews"])
def test_nothing_is_cut_off_at_320_pixels(page: Any, path: str) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(path)
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, scheme: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    found = {}
    for path in ("/verify", "/documents", "/history", "/"):
        page.goto(path)
        page.wait_for_timeout(300)
        found[path] = axe_violations(page)
    ask(page, TWO_SOURCES)
    found["answer"] = axe_violations(page)
    page.keyboard.press("1")
    page.wait_for_selector("#panel mark")
    found["panel"] = axe_violations(page)
    page.hover(".marker a >> nth=1")
    page.wait_for_selector(".card:popover-open")
    found["card"] = axe_violations(page)
    ask(page, "Can I send a fax with Havrelo?")
    found["abstain"] = axe_violations(page)
    ask(page, "Within how many days of delivery can I return a Reed scanner, and does it work with Linux?")
    found["uncovered"] = axe_violations(page)
    assert {place: faults for place, faults in found.items() if faults} == {}


def test_forced_colours_keep_the_states_apart(page: Any) -> None:
    page.emulate_media(forced_colors="active")
    page.goto("/verify")
    page.fill("#verify-answer", "Files stay for 90 days [1]. Towels are free [2].")
    page.fill("#verify-sources", "Files stay for 30 days.\n---\nTowels are free.")
    page.click("button:has-text('Check')")
    page.wait_for_selector(".findings")
    looks = page.evaluate(
        "[...document.querySelectorAll('.marker a')].map(one => [one.textContent, getComputedStyle(one).borderStyle])"
    )
    assert looks[0][0] == "1≠"
    assert looks[1][0] == "2"


def test_the_page_weighs_little(address: str) -> None:
    import httpx
    from tests.browser.words import STATIC

    names = [one.name for one in STATIC.iterdir() if one.suffix in (".js", ".css", ".svg")]
    english = [one for one in names if not one.startswith("words-")]
    total = len(httpx.get(address).content) + sum(
        len(httpx.get(f"{address}/static/{name}").content) for name in (*english, "words-ar.js")
    )
    assert total <= 150_000
