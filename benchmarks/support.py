"""Does the rules judge know what a source says? Figures on public labelled sets, beside the dumbest rules.

    python benchmarks/support.py DATA            table on the screen
    python benchmarks/support.py DATA --json     the same as JSON
    python benchmarks/support.py DATA --fit      fit on the even half first, and write support_weights.json

The judge gets claim and evidence texts only; the runner asserts it. Everything is fitted on sources whose hash is
even and reported on the odd ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from functools import lru_cache
from math import sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rapidfuzz.fuzz import token_set_ratio

from pincite.checks import score as scoring
from pincite.checks.rules import measure, rules
from pincite.evals.datasets.support import Example, kept, pairs, verbatim
from pincite.findings import Support
from pincite.ports import ClaimTask, Judgement, Passage
from pincite.text.words import content_words

Floats = npt.NDArray[np.float64]
WEIGHTS = Path(scoring.__file__).with_name("support_weights.json")
WITHHELD = (Support.UNSUPPORTED, Support.CONTRADICTED)
WORKERS = 2
STEPS, RATE, DECAY, SHIFT_DECAY = 500, 0.1, 0.0001, 0.1
"""Projected gradient descent with the Adam rule: steps, step size, L2 penalty of weights and of each set's own shift."""

KEPT_SUPPORTED, KEPT_SHOWN = 0.85, 0.98
"""Shares of the even half of the kept sentences that the two thresholds let through: the goals and a margin."""


def task(example: Example) -> ClaimTask:
    """What the judge sees of an example: nothing but its texts."""
    made = ClaimTask(
        example.claim, tuple(Passage(f"c-{n}", text) for n, text in enumerate(example.evidence, 1))
    )
    seen = [value for item in fields(made) if item.name != "passages" and (value := getattr(made, item.name))]
    seen += [
        v for p in made.passages for item in fields(p) if item.name != "id" and (v := getattr(p, item.name))
    ]
    assert seen == [example.claim, *example.evidence], "the judge must see claim and evidence text only"
    return made


def judge(examples: Sequence[Example]) -> list[Judgement]:
    """One task at a time, so that no claim can lean on another."""
    with ProcessPoolExecutor(WORKERS) as pool:
        return list(pool.map(_judge_one, examples, chunksize=200))


def _judge_one(example: Example) -> Judgement:
    return rules([task(example)])[0]


def measured(examples: Sequence[Example]) -> Floats:
    """Features, one row for each example."""
    with ProcessPoolExecutor(WORKERS) as pool:
        return np.array(list(pool.map(_measure_one, examples, chunksize=200)))


def _measure_one(example: Example) -> tuple[float, ...]:
    return measure(task(example))


# --- measures -----------------------------------------------------------------------------------


def balanced_accuracy(label: npt.NDArray[np.bool_], said: npt.NDArray[np.bool_]) -> float:
    return 50.0 * (float(said[label].mean()) + 1.0 - float(said[~label].mean()))


def auroc(label: npt.NDArray[np.bool_], score: Floats) -> float:
    """Share of pairs in the right order, ties half."""
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.bincount(inverse, weights=ranks) / counts)[inverse]
    positive, negative = int(label.sum()), int((~label).sum())
    return 100.0 * (float(ranks[label].sum()) - positive * (positive + 1) / 2) / (positive * negative)


def best_threshold(label: npt.NDArray[np.bool_], score: Floats) -> float:
    """The cut with the highest balanced accuracy; of equal ones the lowest."""
    cuts = np.unique(score)
    cuts = cuts[:: max(1, len(cuts) // 400)]
    return float(max(cuts, key=lambda cut: (balanced_accuracy(label, score >= cut), -cut)))


def shared_threshold(sets: Sequence[tuple[npt.NDArray[np.bool_], Floats]]) -> float:
    """The cut with the highest mean balanced accuracy over several sets."""
    cuts = np.unique(np.concatenate([score for _, score in sets]))
    cuts = cuts[:: max(1, len(cuts) // 400)]
    return float(max(cuts, key=lambda cut: np.mean([balanced_accuracy(y, s >= cut) for y, s in sets])))


def interval(value: float, n: int) -> float:
    """Half the width of a 95 % interval of a balanced accuracy in percent, normal approximation."""
    return 196.0 * sqrt(max(value / 100 * (1 - value / 100), 1e-9) / n)


# --- naive rules --------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language))


def overlap(example: Example) -> float:
    claim = _terms(example.claim, example.language)
    source = frozenset().union(*(_terms(text, example.language) for text in example.evidence))
    return len(claim & source) / len(claim) if claim else 0.0


def token_set(example: Example) -> float:
    return float(max(token_set_ratio(example.claim.lower(), text.lower()) for text in example.evidence))


def naive_fitted(example: Example, frequency: dict[str, int], total: int) -> float:
    """IDF coverage, minus one for each number of the claim that the evidence lacks."""
    claim = sorted(_terms(example.claim, example.language))
    source = frozenset().union(*(_terms(text, example.language) for text in example.evidence))
    weight = {term: float(np.log((total + 1) / (frequency.get(term, 0) + 0.5))) for term in claim}
    held = sum(weight[term] for term in claim if term in source)
    numbers = sum(term.isdigit() and term not in source for term in claim)
    return held / max(sum(weight.values()), 1e-9) - numbers


# --- fitting ------------------------------------------------------------------------------------


def fit(sets: Sequence[tuple[npt.NDArray[np.bool_], Floats]]) -> tuple[Floats, float]:
    """Logistic regression without negative weights; every set and both labels in it count the same.

    Each set may shift the bias a little while fitting, so that lengths and shares peculiar to it teach less; the shift is
    held near 0, so that the common bias (a score of 0.5) is a fair cut for a set that was not seen.
    """
    size = sets[0][1].shape[1]
    theta = np.zeros(size + len(sets) + 1)
    theta[:size] = 0.5
    moment, square = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, STEPS + 1):
        slope = np.zeros_like(theta)
        for number, (label, x) in enumerate(sets):
            p = 1 / (1 + np.exp(-(x @ theta[:size] + theta[size + number] + theta[-1])))
            error = np.where(label, 0.5 / label.sum(), 0.5 / (~label).sum()) * (p - label) / len(sets)
            slope[:size] += x.T @ error
            slope[size + number] = error.sum() + SHIFT_DECAY * theta[size + number] / len(sets)
            slope[-1] += error.sum()
        slope[:size] += DECAY * theta[:size]
        moment = 0.9 * moment + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        theta -= RATE * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        theta[:size] = np.maximum(theta[:size], 0.0)
    return theta[:size], float(theta[-1])


def write_weights(data: Path) -> None:
    """Fit on the even halves, choose both thresholds on the even half of the kept sentences, write the file."""
    sets = {name: [e for e in examples if e.is_even] for name, examples in pairs(data).items()}
    table = [(np.array([e.supported for e in es]), measured(es)) for es in sets.values()]
    found, bias = fit(table)
    named = {name: round(float(w), 4) for name, w in zip(scoring.FEATURES, found, strict=True)}
    body = {
        "made_by": "benchmarks/support.py --fit",
        "fitted_on": "even source groups of " + ", ".join(sets),
        "bias": round(bias, 4),
        "supported_from": 0.5,
        "partial_from": 0.25,
        "weights": named,
    }
    fitted = scoring.Weights(body["bias"], tuple(named.values()), 0.5, 0.25)  # type: ignore[arg-type]
    supported, partial = [], []
    for examples in kept(data).values():
        scores = np.array([fitted.score(row) for row in measured([e for e in examples if e.is_even])])
        supported.append(float(np.quantile(scores, 1 - KEPT_SUPPORTED)))
        partial.append(float(np.quantile(scores, 1 - KEPT_SHOWN)))
    body["supported_from"], body["partial_from"] = round(min(supported), 4), round(min(partial), 4)
    WEIGHTS.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
    scoring.weights.cache_clear()


# --- report -------------------------------------------------------------------------------------


def report(data: Path) -> dict[str, object]:
    sets = pairs(data)
    labels = {name: np.array([e.supported for e in es]) for name, es in sets.items()}
    even = {name: np.array([e.is_even for e in es]) for name, es in sets.items()}
    judged = {name: judge(es) for name, es in sets.items()}
    scores = {name: np.array([j.score for j in js]) for name, js in judged.items()}
    features = {name: measured(es) for name, es in sets.items()}
    out: dict[str, object] = {}
    rows: list[dict[str, float]] = []
    for name, examples in sets.items():
        odd, fitted_on, y = ~even[name], even[name], labels[name]
        others = [other for other in sets if other != name]
        weights, _ = fit([(labels[o][even[o]], features[o][even[o]]) for o in others])
        cut = shared_threshold([(labels[o][even[o]], features[o][even[o]] @ weights) for o in others])
        frequency: dict[str, int] = {}
        for example in examples:
            for term in sorted(frozenset().union(*(_terms(t, example.language) for t in example.evidence))):
                frequency[term] = frequency.get(term, 0) + 1
        naive = np.array([naive_fitted(e, frequency, len(examples)) for e in examples])
        own = best_threshold(y[fitted_on], scores[name][fitted_on])
        verdicts = np.array([j.support == Support.SUPPORTED for j in judged[name]])
        n = int(odd.sum())
        row = {
            "bacc": balanced_accuracy(y[odd], scores[name][odd] >= own),
            "bacc_others": balanced_accuracy(y[odd], features[name][odd] @ weights >= cut),
            "bacc_verdict": balanced_accuracy(y[odd], verdicts[odd]),
            "auroc": auroc(y[odd], scores[name][odd]),
            "naive_overlap": balanced_accuracy(y[odd], np.array([overlap(e) > 0.3 for e in examples])[odd]),
            "naive_token_set": balanced_accuracy(
                y[odd], np.array([token_set(e) >= 85 for e in examples])[odd]
            ),
            "naive_fitted": balanced_accuracy(
                y[odd], naive[odd] >= best_threshold(y[fitted_on], naive[fitted_on])
            ),
            "supported_when_right": 100 * float(verdicts[odd & y].mean()),
            "supported_when_wrong": 100 * float(verdicts[odd & ~y].mean()),
            "n": n,
        }
        row["interval"] = interval(row["bacc"], n)
        rows.append(row)
        out[f"{name}.{examples[0].language}"] = {key: round(value, 1) for key, value in row.items()}
        tags = sorted({tag for e in examples for tag in e.tags})
        if tags:
            by_tag = {tag: np.array([tag in e.tags for e in examples]) & odd for tag in tags}
            out[f"{name}.by_kind"] = {
                tag: {"supported": round(100 * float(verdicts[mask].mean()), 1), "n": int(mask.sum())}
                for tag, mask in by_tag.items()
                if mask.any()
            }
    out["mean"] = {key: round(float(np.mean([row[key] for row in rows])), 1) for key in rows[0]}
    out["kept"] = {name: _kept_row([e for e in es if not e.is_even]) for name, es in kept(data).items()}
    wrong = {name: [e for e, j in zip(es, judge(es), strict=True) if j.support != Support.SUPPORTED]
             for name, es in verbatim(data).items()}  # fmt: skip
    out["verbatim"] = {
        "not_supported": sum(map(len, wrong.values())),
        "n": sum(map(len, verbatim(data).values())),
        "by_set": {name: len(es) for name, es in wrong.items() if es},
    }
    return out


def _kept_row(examples: Sequence[Example]) -> dict[str, float]:
    said = [judgement.support for judgement in judge(examples)]
    share = {
        "kept": np.mean([one not in WITHHELD for one in said]),
        "supported": np.mean([one == Support.SUPPORTED for one in said]),
        "contradicted": np.mean([one == Support.CONTRADICTED for one in said]),
    }
    return {**{key: round(100 * float(value), 1) for key, value in share.items()}, "n": len(said)}


def show(found: dict[str, object]) -> None:
    for name, row in found.items():
        assert isinstance(row, dict)
        print(f"{name:24}", "  ".join(f"{key} {value}" for key, value in row.items()))


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args(arguments)
    if options.fit:
        write_weights(options.data)
    found = report(options.data)
    if options.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        show(found)


if __name__ == "__main__":
    main(sys.argv[1:])
