"""Recall, MRR and nDCG, by hand and against ir_measures."""

from __future__ import annotations

import random

import pytest

from pincite.evals.measures.ranking import ndcg, recall, reciprocal_rank
from pincite.evals.measures.sets import precision_recall


def test_several_passages_of_one_document_rank_it_once() -> None:
    assert reciprocal_rank(["a", "a", "b"], ["b"]) == 0.5
    assert ndcg(["a", "a", "b"], ["b"]) == ndcg(["a", "b"], ["b"])


def test_what_was_not_found_counts_zero_and_what_nobody_expects_nothing() -> None:
    assert (recall([], ["a"]), reciprocal_rank([], ["a"]), ndcg([], ["a"])) == (0.0, 0.0, 0.0)
    assert (recall(["a"], []), reciprocal_rank(["a"], []), ndcg(["a"], [])) == (None, None, None)


def test_ids_are_counted_once_and_precision_without_any_is_none() -> None:
    assert precision_recall(["a", "b"], ["a", "a"]) == (1.0, 0.5)
    assert precision_recall([], ["a"]) == (0.0, None)
    assert precision_recall(["a"], []) == (None, 0.0)


def test_rankings_agree_with_ir_measures() -> None:
    measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    chance = random.Random(11)
    ids = [f"d{number}" for number in range(30)]
    for query in range(40):
        ranking = chance.sample(ids, 20)
        relevant = chance.sample(ids, chance.randint(1, 15))
        qrels = [measures.Qrel(str(query), one, 1) for one in relevant]
        run = [measures.ScoredDoc(str(query), one, float(-rank)) for rank, one in enumerate(ranking)]
        wanted = [measures.nDCG @ 10, measures.RR, measures.R @ 20]
        found = measures.calc_aggregate(wanted, qrels, run)
        assert ndcg(ranking, relevant) == pytest.approx(found[measures.nDCG @ 10], abs=1e-6)
        assert reciprocal_rank(ranking, relevant) == pytest.approx(found[measures.RR], abs=1e-6)
        assert recall(ranking, relevant) == pytest.approx(found[measures.R @ 20], abs=1e-6)
