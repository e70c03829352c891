"""The faithfulness of Ragas for recorded answers, to stand beside our own figures. In an environment of its own.

    python benchmarks/ragas_faithfulness.py ANSWERS.jsonl --model NAME --base-url http://127.0.0.1:8080/v1 [--limit N]
    python benchmarks/ragas_faithfulness.py --scripted

ANSWERS.jsonl holds a line for each answer: ``id``, ``question``, ``answer`` and ``sources`` (texts, or objects with ``text``): a golden file
with recorded answers, or the file of ``pincite eval --answers``. A folder (``--environment``) gets Ragas (Apache-2.0) with what it needs,
some 600 MB; pincite itself neither needs nor installs it. ``langchain-community`` is held below 0.4, where modules that Ragas 0.4
imports are gone. The key of the server is read from OPENAI_API_KEY.

Prints a line of JSON for each answer and one for all. What the model answers badly is an error and no zero. ``--scripted`` runs it against a
small server that says what it was told to: it shows that all fits together, and measures nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PACKAGES = ("ragas>=0.4,<0.5", "langchain-community<0.4")
INSIDE = "PINCITE_RAGAS_INSIDE"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("answers", type=Path, nargs="?")
    parser.add_argument("--model", default="scripted")
    parser.add_argument("--base-url", default="")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--environment", type=Path, default=Path(tempfile.gettempdir()) / "pincite-ragas")
    parser.add_argument("--scripted", action="store_true")
    options = parser.parse_args()
    if not options.scripted and (options.answers is None or not options.base_url):
        parser.error("give ANSWERS.jsonl, --model and --base-url, or --scripted")
    if os.environ.get(INSIDE) != "1":
        python = environment(options.environment)
        return subprocess.run(
            [python, __file__, *sys.argv[1:]], env={**os.environ, INSIDE: "1"}, check=False
        ).returncode
    if options.scripted:
        with_server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
        threading.Thread(target=with_server.serve_forever, daemon=True).start()
        options.base_url = f"http://127.0.0.1:{with_server.server_port}/v1"
        items: list[dict[str, Any]] = [EXAMPLE]
    else:
        items = list(read(options.answers, options.limit))
    return asyncio.run(score(items, options.model, options.base_url))


def environment(folder: Path) -> str:
    """The interpreter of an environment with Ragas, made when it is not there."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (
        subprocess.run([python, "-c", "import ragas"], capture_output=True, check=False).returncode
        if python.exists()
        else True
    ):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *PACKAGES], check=True
        )
    return str(python)


def read(path: Path, limit: int) -> Iterator[dict[str, Any]]:
    """The recorded answers of a file, the first ``limit`` of them when it is not 0."""
    count = 0
    for line in path.read_text("utf-8").splitlines():
        found = json.loads(line) if line.strip() else {}
        answer = found.get("answer")
        text = answer.get("answer") or answer.get("text") if isinstance(answer, dict) else answer
        if text and (not limit or count < limit):
            count += 1
            sources = [
                one if isinstance(one, str) else one.get("text") or one.get("content")
                for one in found["sources"]
            ]
            yield {
                "id": found["id"],
                "question": found.get("question", ""),
                "answer": text,
                "sources": sources,
            }


async def score(items: list[dict[str, Any]], model: str, base_url: str) -> int:
    from openai import AsyncOpenAI
    from ragas import __version__
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    client = AsyncOpenAI(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")
    faithfulness = Faithfulness(llm=llm_factory(model, client=client, temperature=0.0))
    values: list[float] = []
    errors = 0
    for item in items:
        try:
            found = await faithfulness.ascore(
                user_input=item["question"] or "?",
                response=item["answer"],
                retrieved_contexts=item["sources"],
            )
            value = float(found.value)
            if math.isnan(value):
                raise ValueError("no statement came of the answer")
        except Exception as error:  # whatever a server and three libraries raise is this item's error
            errors += 1
            print(
                json.dumps({"id": item["id"], "error": f"{type(error).__name__}: {error}"[:300]}), flush=True
            )
            continue
        values.append(value)
        print(json.dumps({"id": item["id"], "faithfulness": round(value, 4)}), flush=True)
    mean = round(sum(values) / len(values), 4) if values else None
    print(
        json.dumps(
            {"faithfulness": mean, "n": len(values), "errors": errors, "model": model, "ragas": __version__}
        )
    )
    return int(bool(errors))


# --- a server that says what it was told to -----------------------------------------------------

EXAMPLE = {
    "id": "scripted",
    "question": "How long are files kept, and how large may they be?",
    "answer": "Files are kept for 30 days. Uploads may be up to 90 MB.",
    "sources": ["Files are kept for 30 days.", "Uploads may be up to 25 MB."],
}
STATEMENTS = ["Files are kept for 30 days.", "Uploads may be up to 90 MB."]
VERDICTS = [
    {"statement": STATEMENTS[0], "reason": "the context says it", "verdict": 1},
    {"statement": STATEMENTS[1], "reason": "the context says 25 MB", "verdict": 0},
]


class Scripted(BaseHTTPRequestHandler):
    """Two statements for the first question of Ragas, and for the second that one of them is borne out: 0.5."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        tools = body.get("tools") or []
        reply = json.dumps({"statements": VERDICTS if "verdict" in json.dumps(tools or body) else STATEMENTS})
        message: dict[str, Any] = {"role": "assistant", "content": reply}
        if tools:
            called = {"name": tools[0]["function"]["name"], "arguments": reply}
            message = {
                "role": "assistant", "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": called}],
            }  # fmt: skip
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [choice],
            "usage": usage,
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


if __name__ == "__main__":
    sys.exit(main())
