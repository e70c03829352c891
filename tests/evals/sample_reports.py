"""A small report with everything in it, and the hostile texts that its renderers must not let through."""

from __future__ import annotations

from typing import Any

from pincite.evals.values import (
    Baseline,
    Delta,
    EvalReport,
    Gate,
    GateRule,
    ItemError,
    ItemResult,
    Metric,
    Run,
)

HOSTILE = (
    "<script>alert(1)</script> | `code` @someone fixes #12 [x](javascript:alert(1)) ![i](http://evil.example/p.png)"
    " https://evil.example/ &amp; ~~gone~~ **loud**\n# Heading\r\n- item\u202etxt.exe\u2028::error::x\x00\x1b[31m%0A"
)


def answer(
    sentence: str, quote: str, *, support: str = "supported", answer_id: str = "ans_1"
) -> dict[str, Any]:
    """What the default profile says of an answer of one sentence, as far as reports read it."""
    return {
        "id": answer_id,
        "text": f"{sentence[:-1]} [1].",
        "plain": sentence,
        "abstained": False,
        "sentences": [
            {
                "text": sentence,
                "citations": ["c-1"],
                "support": support,
                "reason": "" if support == "supported" else "the source says 30 days",
            }
        ],
        "citations": [
            {"id": "c-1", "title": "Returns", "doc_id": "doc-returns", "quote": quote, "status": "verified"}
        ],
    }


def item(item_id: str, *, passed: bool = True, **values: Any) -> ItemResult:
    return ItemResult(
        item_id,
        values.pop("question", f"How long is {item_id}?"),
        passed,
        values.pop("values", {"coverage": 1.0, "precision": 1.0 if passed else 0.0, "answer_correct": None}),
        **values,
    )


def sample_report(*, hostile: str = "") -> EvalReport:
    """Three items: one that holds, one that flipped to wrong, one that is too close to call."""
    wrong = item(
        "g-002",
        passed=False,
        question=f"How long may I return shoes? {hostile}".strip(),
        answer=answer(
            f"Shoes may be returned within 90 days {hostile}.",
            f"within 30 days {hostile}",
            support="contradicted",
        ),
        verdicts=("contradicted",),
        ratings={"rules": (1,), "llm": (2,)},
        reasons=(f"the answer says 90 days {hostile}".strip(),),
        language="en",
        tags=("number",),
        doc_ids=("doc-returns",),
    )
    right = item(
        "g-002",
        question=wrong.question,
        answer=answer("Shoes may be returned within 30 days.", "within 30 days", answer_id="ans_0"),
        verdicts=("supported",),
    )
    close = item("g-003", margins={"abstain_below": 0.004}, language="de", doc_ids=("doc-plans",))
    return EvalReport(
        Run(
            "run_2",
            "2026-11-30T12:00:00Z",
            3,
            "rules",
            "extractive",
            "c" * 64,
            "a" * 64,
            "f" * 64,
            "abc1234",
            seconds=1.5,
        ),
        {
            "coverage": Metric(0.98, 250, (0.96, 0.99), 0.95),
            "precision": Metric(0.92, 250, (0.9, 0.94), 0.95),
            "hallucination_rate": Metric(0.01, 250, (0.0, 0.02)),
            "abstain_recall": Metric(None, 0),
        },
        (item("g-001", language="en", tags=("single-fact",), doc_ids=("doc-trial",)), wrong, close),
        slices={
            "language:de": {"coverage": Metric(1.0, 1), "precision": Metric(1.0, 1)},
            "language:en": {"coverage": Metric(0.97, 2, (0.9, 1.0)), "precision": Metric(0.5, 2, (0.0, 1.0))},
            "tag:number": {"coverage": Metric(1.0, 1)},
        },
        agreement={"rules/llm": 0.81, "kappa": None},
        curves={
            "calibration": ((0.2, 0.25, 4.0), (0.9, 0.95, 40.0)),
            "risk_coverage": ((0.5, 0.0), (1.0, 0.08)),
        },
        baseline=Baseline(
            "run_1",
            {
                "coverage": Delta(0.4, False, 0.6),
                "precision": Delta(-3.0, True, 0.01, ("g-002",)),
                "abstain_recall": Delta(None),
            },
            left_out=("g-003",),
        ),
        baseline_items={"g-002": right},
        config_diff={"retrieval.top_k": ("10", "5"), "llm.model": (None, "extractive")},
        gate=Gate(
            (
                GateRule("coverage", "max_drop", 2.0, -0.4, True),
                GateRule("precision", "max_drop", 2.0, 3.0, False, "precision fell by 3.0 points"),
                GateRule("abstain_recall", "max_drop", 2.0, None, False, "abstain_recall is missing"),
            )
        ),
        errors=(ItemError("line 17", "read", f"not JSON {hostile}".strip()),),
        config={"retrieval.top_k": "5"},
    )
