"""Pictures of the page in each of its states, into docs/pictures. Needs the extras serve and dev, and Chromium.

python docs/pictures.py              # all
python docs/pictures.py evaluations  # those of evaluations alone
"""

from __future__ import annotations

import io
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
PICTURES = ROOT / "docs" / "pictures"
SIZE = {"width": 1120, "height": 720}
COLOURS = 96
"""A page has few; the pictures stay small."""

TWO_SOURCES = (
    "How large can a single file be on the Studio plan, and how long does a deleted file stay in the trash?"
)
UNCOVERED = "Within how many days of delivery can I return a Reed scanner, and does it work with Linux?"


def says_too_much(request: Any) -> Iterator[Any]:
    """A model that says one sentence from the sources and one that is not in them."""
    from pincite.ports import Delta

    yield Delta(
        '{"statement": "A deleted file stays in the trash for 30 days [c-1].", "quotes": [{"id": "c-1", "quote": "stays there for 30 days"}]}\n'
        '{"statement": "After that it is kept in the archive for 7 years [c-1].", "quotes": [{"id": "c-1", "quote": "archive for 7 years"}]}\n'
    )


def serve(model: Any = None) -> str:
    """A service with the English and Arabic samples and a PDF; its address."""
    from tests.pdf_files import PdfPage, write_pdf

    from pincite import Document, Pipeline
    from pincite.samples import samples_dir
    from pincite.service.app import create_app
    from pincite.service.settings import Service

    rag = Pipeline(store="memory", embedder="none", **({"llm": model} if model else {}))
    page = PdfPage().lines(
        72, 700, ["The lighthouse of Ostwick is 43 metres high.", "It was lit in 1871 for the first time."]
    )
    folder = PICTURES / "ostwick.pdf"
    folder.write_bytes(write_pdf(PdfPage().text(72, 700, "Ostwick lighthouse handbook."), page))
    rag.add(samples_dir() / "en", samples_dir() / "ar", folder)
    folder.unlink()
    rag.add(Document("sauna", "The sauna of Brambury costs 14 EUR a visit.", title="Sauna"))
    return served(create_app(Service(rag)))


EVALUATED = 40
"""Items of the shipped golden set that the pictured runs ask: the figures need not be those of all."""


def serve_evaluated() -> str:
    """A service with three evaluations of the samples, of which the last is worse: half of its passages are gone."""
    from dataclasses import replace
    from datetime import UTC, datetime

    from pincite import Pipeline
    from pincite.evals.kept import stored_run
    from pincite.evals.run import Options, Tools, gated, run
    from pincite.samples import samples_dir
    from pincite.service.app import create_app
    from pincite.service.settings import Service

    rag = Pipeline(store="memory", embedder="none")
    rag.add(*sorted(path for path in samples_dir().iterdir() if path.is_dir() and path.name[:1] != "_"))
    quiet = replace(rag.parts, serialise=None)
    targets = {"coverage": 0.95, "precision": 0.95, "answer_correct": 0.85, "abstain_recall": 0.9}
    before = None
    for day, (top_k, abstain_below) in enumerate(((10, 0.2), (10, 0.4), (1, 0.4)), start=28):
        pipeline = Pipeline(quiet, replace(rag.settings, top_k=top_k, abstain_below=abstain_below))
        began = datetime(2026, 11, day, 9, 30, tzinfo=UTC)
        report = run(
            samples_dir() / "golden.jsonl",
            lambda _, answers=pipeline: Tools(answers),  # type: ignore[misc]
            Options(
                limit=EVALUATED,
                targets=targets,
                config={"retrieval.top_k": str(top_k), "answer.abstain_below": str(abstain_below)},
                git_sha=f"{day:x}c0ffee5",
            ),
            new_id=lambda moment: f"run_2026-11-{moment.day}",
            clock=lambda began=began: began,  # type: ignore[misc]
        )
        report = gated(report, baseline=before, where="the run before")
        before = report
        rag.parts.store.save_run(stored_run(report, "confidential"))
    return served(create_app(Service(rag)))


def served(app: Any) -> str:
    """The address of an application that is served by a thread."""
    from pincite.service.server import server_of

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = server_of(app, host="127.0.0.1", port=port)
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{port}"


def walk_evaluations(browser: Any, base: str) -> None:
    """The list of runs, one run with its plots, what became wrong; and the HTML report of it."""
    page = browser.new_context(
        base_url=base, viewport={"width": 1120, "height": 900}, reduced_motion="reduce"
    ).new_page()
    page.goto("/evals")
    page.wait_for_selector(".plot")
    shoot(page, "evaluations")
    page.click(".runs tbody a >> nth=0")
    page.wait_for_selector(".plot")
    shoot(page, "evaluation")
    page.evaluate("document.querySelector('.change').scrollIntoView()")
    shoot(page, "evaluation-changed")
    run_id = page.url.rpartition("/")[2]
    page.click(".change a")
    page.wait_for_selector("main .badge")
    shoot(page, "evaluation-answer")
    page.context.close()

    page = browser.new_context(base_url=base, viewport=SIZE, color_scheme="dark").new_page()
    page.goto(f"/api/evals/{run_id}?format=html")
    page.evaluate("document.querySelector('#plots').scrollIntoView()")
    shoot(page, "evaluation-report")
    page.context.close()


def shoot(page: Any, name: str) -> None:
    """The window as PNG with few colours."""
    from PIL import Image

    page.wait_for_timeout(350)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def ask(page: Any, question: str) -> None:
    page.goto("/")
    page.fill("#question", question)
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer .menu")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def walk(browser: Any, base: str, doubtful: str) -> None:
    page = browser.new_context(base_url=base, viewport=SIZE).new_page()
    page.goto("/")
    page.wait_for_selector(".examples")
    shoot(page, "start")
    ask(page, TWO_SOURCES)
    shoot(page, "answer")
    page.hover(".marker a >> nth=1")
    page.wait_for_selector(".card:popover-open")
    shoot(page, "card")
    page.click(".card button:has-text('Open evidence')")
    page.wait_for_selector("#panel mark")
    shoot(page, "evidence-text")
    page.keyboard.press("d")
    shoot(page, "evidence-compare")
    page.click(".summary summary")
    page.keyboard.press("Escape")
    shoot(page, "checks")
    ask(page, "How high is the lighthouse of Ostwick?")
    page.keyboard.press("1")
    page.wait_for_selector("#panel mark")
    page.keyboard.press("p")
    page.wait_for_selector("#panel .box")
    page.wait_for_timeout(500)
    shoot(page, "evidence-page")
    ask(page, "Can I send a fax with Havrelo?")
    shoot(page, "abstain")
    ask(page, UNCOVERED)
    shoot(page, "not-covered")
    ask(page, "What does the sauna of Brambury cost?")
    changed(base)
    page.reload()
    page.click(".marker a")
    page.wait_for_selector("#panel .banner")
    shoot(page, "edited-since")
    page.goto("/verify")
    page.fill("#verify-answer", "Files stay for 90 days [1]. Towels are free [2]. Lockers cost nothing [7].")
    page.fill("#verify-sources", "Files stay for 30 days.\n---\nTowels are free.")
    page.click("button:has-text('Check')")
    page.wait_for_selector(".findings")
    page.evaluate("document.querySelector('.answer').scrollIntoView()")
    shoot(page, "verify")
    page.goto("/documents")
    page.wait_for_selector("table.documents tbody tr")
    page.set_input_files(
        "#files",
        [
            {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4\nnothing"},
            {
                "name": "bees.md",
                "mimeType": "text/markdown",
                "buffer": b"# Bees\n\nBees sleep 5 hours a night.",
            },
        ],
    )
    page.wait_for_selector(".job.failed")
    page.wait_for_selector(".job.ready")
    shoot(page, "documents")
    page.goto("/history")
    page.wait_for_selector("tbody a")
    shoot(page, "history")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    shoot(page, "keys")
    page.context.close()

    page = browser.new_context(base_url=doubtful, viewport=SIZE).new_page()
    ask(page, "How long does a deleted file stay in the trash?")
    page.click(".removed summary")
    shoot(page, "removed")
    page.context.close()

    page = browser.new_context(base_url=base, viewport=SIZE, color_scheme="dark").new_page()
    ask(page, UNCOVERED)
    page.keyboard.press("1")
    page.wait_for_selector("#panel mark")
    shoot(page, "dark")
    page.context.close()

    page = browser.new_context(base_url=base, viewport=SIZE, forced_colors="active").new_page()
    ask(page, TWO_SOURCES)
    shoot(page, "forced-colours")
    page.context.close()

    page = browser.new_context(base_url=base, viewport=SIZE, locale="ar").new_page()
    ask(page, "كم يومًا لديّ لإرجاع جهاز Reed بعد استلامه؟")
    page.keyboard.press("1")
    page.wait_for_selector("#panel mark")
    shoot(page, "arabic")
    page.context.close()

    phone = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
    page = browser.new_context(base_url=base, **phone).new_page()
    ask(page, "How long does a deleted file stay in the trash?")
    page.tap(".marker a")
    page.wait_for_selector(".card.sheet:popover-open")
    shoot(page, "phone-card")
    page.tap(".card button:has-text('Open evidence')")
    page.wait_for_selector("#panel mark")
    shoot(page, "phone-evidence")
    page.context.close()

    page = browser.new_context(base_url=base, viewport={"width": 800, "height": 900}).new_page()
    ask(page, TWO_SOURCES)
    page.emulate_media(media="print")
    shoot(page, "print")
    page.context.close()


def changed(base: str) -> None:
    """A newer version of a document that an answer cites."""
    import httpx

    body = {
        "doc_id": "sauna",
        "title": "Sauna",
        "url": "",
        "text": "The sauna of Brambury costs 16 EUR a visit.",
    }
    job = httpx.post(f"{base}/api/documents", json=body).json()
    while not httpx.get(f"{base}/api/jobs/{job['job_id']}").json()["state"].startswith("ready"):
        time.sleep(0.05)


def main() -> int:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.stderr.write("Chromium is not installed (Debian: apt-get install chromium)\n")
        return 1
    PICTURES.mkdir(exist_ok=True)
    only = sys.argv[1:]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        if only != ["evaluations"]:
            walk(browser, serve(), serve(says_too_much))
        walk_evaluations(browser, serve_evaluated())
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
