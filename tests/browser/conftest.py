"""A running service with documents, and Debian's Chromium to look at it. Skipped where there is none."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

collect_ignore = []
try:
    import fastapi  # noqa: F401
    import playwright  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError:
    collect_ignore = ["test_page.py", "test_evals_page.py"]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Of a service over the English and Arabic samples and a PDF of two pages."""
    from tests.pdf_files import PdfPage, write_pdf

    from pincite import Document, Pipeline
    from pincite.samples import samples_dir
    from pincite.service.app import create_app
    from pincite.service.settings import Service

    rag = Pipeline(store="memory", embedder="none")
    page = PdfPage().lines(
        72, 700, ["The lighthouse of Ostwick is 43 metres high.", "It was lit in 1871 for the first time."]
    )
    handbook = write_pdf(PdfPage().text(72, 700, "Ostwick lighthouse handbook."), page)
    rag.add(samples_dir() / "en", samples_dir() / "ar")
    rag.add(
        Document(
            "notes",
            "The ferry to Ostwick leaves at 9:15.",
            title="Notes <img src=x onerror=alert(1)>",
            url="javascript:alert(1)",
        )
    )
    with running(create_app(Service(rag))) as base:
        _upload(base, "ostwick.pdf", handbook)
        yield base


@contextmanager
def running(app: Any) -> Iterator[str]:
    """The address of an application that is served by a thread."""
    import uvicorn

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(200):
        if server.started:
            break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


def _upload(base: str, name: str, data: bytes) -> None:
    import httpx

    job = httpx.post(f"{base}/api/documents", files={"file": (name, data)}).json()
    for _ in range(200):
        told = httpx.get(f"{base}/api/jobs/{job['job_id']}").json()
        if told["state"] not in ("queued", "running"):
            assert told["state"] in ("ready", "ready_with_warnings"), told
            return
        time.sleep(0.05)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """A new window, whose errors fail the test."""
    context = chromium.new_context(base_url=address, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(8_000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}") or dialog.dismiss())
    yield opened
    context.close()
    assert faults == []
