"""A chat over your documents with Flask: `POST /chat` for programs, `GET /` for people, no script in the page.

    pip install "pincite" flask
    pincite init && pincite add docs/
    flask --app flask_chat run

Run it in the folder that has `pincite.db`; the cited words are shown when the pointer or the keyboard is on a number.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from flask import Flask, jsonify, request

from pincite import Pipeline
from pincite.errors import ConfigError, ModelError

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Ask the documents</title>
<form style="font: 1rem system-ui; max-width: 46rem; margin: 2rem auto">
  <label for="q">Your question</label>
  <input id="q" name="q" value="{question}" style="width: 100%; font: inherit; padding: .5rem" autofocus>
</form>
{answer}
</html>"""


def create_app(rag: Pipeline | None = None) -> Flask:
    """The application; `flask run` finds it by this name."""
    app = Flask(__name__)
    pipeline = rag or Pipeline.from_config()

    @app.post("/chat")
    def chat() -> Any:
        body = request.get_json(silent=True)
        question = body.get("question") if isinstance(body, dict) else None
        if not isinstance(question, str):
            return jsonify(error='send {"question": "…"}'), 422
        try:
            return jsonify(json.loads(pipeline.ask(question).to("json")))
        except ConfigError as error:
            return jsonify(error=error.message), 422
        except ModelError as error:
            return jsonify(error="the model did not answer", retryable=error.retryable), 503

    @app.get("/")
    def page() -> str:
        question = request.args.get("q", "").strip()
        answer = ""
        if question:
            try:
                answer = pipeline.ask(question)._repr_html_()
            except ConfigError as error:
                answer = f"<p>{escape(error.message)}</p>"
        return PAGE.format(question=escape(question, quote=True), answer=answer)

    return app
