"""``studies/placebos``: runs are dealt out as said, planted drifts are found in rows and not in turns, and
what is kept is what the runs give.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scripts_of_studies import load_script

STUDY = Path(__file__).parents[1] / "placebos"
sys.path.insert(0, str(STUDY.parent))
sys.path.insert(0, str(STUDY))

import findings  # noqa: E402
import rules  # noqa: E402
import sham  # noqa: E402
from sham import ARMS, RUNS, Order  # noqa: E402

ALL = ARMS * RUNS


@pytest.fixture(scope="module")
def study():
    """The script of the study."""
    return load_script("placebos_study", STUDY / "study.py")


def test_every_order_deals_each_arm_as_many_runs_in_turns_of_its_length(study):
    for order in study.orders():
        if order.length == 1:
            dealt = sham.deal(order, ALL)
            assert Counter(dealt) == dict.fromkeys(range(ARMS), RUNS)
            turns = [len([*runs]) for _, runs in itertools.groupby(dealt)]
            assert all(turn % order.turn == 0 for turn in turns)
            rounds = [dealt[start :: order.turn][:ARMS] for start in range(0, ALL, ARMS * order.turn)]
            assert all(sorted(dealt_round) == [*range(ARMS)] for dealt_round in rounds)


def test_drawn_rounds_differ_from_each_other_and_by_seed():
    first, second = (sham.deal(Order(1, drawn=True, seed=seed), ALL) for seed in (1, 2))
    assert first != second
    assert first[:ARMS] != first[ARMS : 2 * ARMS]
    assert first == sham.deal(Order(1, drawn=True, seed=1), ALL)


def test_turns_that_do_not_divide_the_runs_are_refused():
    with pytest.raises(ValueError, match="turns of 7 do not divide 240 runs among 8 arms"):
        sham.deal(Order(7), ALL)


def test_arms_hold_the_runs_in_their_order_longer_ones_and_the_first_ones():
    times = [float(i) for i in range(ALL)]
    assert sham.arms_of(times, Order(RUNS))[1] == times[30:60]
    assert sham.arms_of(times, Order(1))[1] == times[1::ARMS]
    assert sham.arms_of(times, Order(15, length=2))[0][:2] == [0 + 1, 2 + 3]
    assert sham.arms_of(times, Order(RUNS, used=6))[7] == times[210:216]


def drift(seed, slope):
    """Runs of one treatment on a machine that slows down, by ``slope`` from the first to the last."""
    noise = np.random.default_rng(seed).normal(0, 0.01, ALL)
    return [float(value) for value in 1 + slope * np.arange(ALL) / ALL + noise]


def test_a_planted_drift_differs_in_rows_and_hardly_in_blocks(study):
    series = {
        **{f"drift {i}": drift(i, 0.1) for i in range(3)},
        **{f"none {i}": drift(i, 0) for i in range(3)},
    }
    shares = {}
    for order in (Order(RUNS), Order(1, drawn=True, seed=1)):
        rows = study.count_families(series, order)
        for kind in ("drift", "none"):
            of_kind = [row for row in rows if row["program"].startswith(kind)]
            shares[order.turn, kind] = sum(row["before"] for row in of_kind) / sum(
                row["pairs"] for row in of_kind
            )
    assert shares[RUNS, "drift"] > 0.9
    assert shares[1, "drift"] < 0.1
    assert shares[RUNS, "none"] < 0.2
    assert shares[1, "none"] < 0.2


def test_kept_families_and_gaps_are_those_of_the_runs(study):
    program, times = next(iter(sham.read_series().items()))
    for order in (Order(RUNS), Order(1, drawn=True, seed=2), Order(6, length=5), Order(RUNS, used=6)):
        (counted,) = study.count_families({program: times}, order)
        (reference,) = (
            row
            for row in findings.rows("families")
            if row["program"] == program and study.order_of(row) == order
        )
        assert {key: str(value) for key, value in counted.items()} == reference
    counted = [{key: str(value) for key, value in row.items()} for row in study.count_gaps({program: times})]
    reference = [row for row in findings.rows("gaps") if row["program"] == program]
    assert sorted(counted, key=str) == sorted(reference, key=str)


def test_kept_rules_are_those_of_the_runs(study):
    program, times = next(iter(sham.read_series().items()))
    for order in (Order(RUNS), Order(3, drawn=True, seed=1)):
        (counted,) = study.apply_rules({program: times}, order)
        (reference,) = (
            row
            for row in findings.rows("rules")
            if row["program"] == program and study.order_of(row) == order
        )
        assert {key: str(value) for key, value in counted.items()} == reference


def test_every_order_has_every_program_once(study):
    programs = set(sham.read_series())
    assert all(len(times) == ALL for times in sham.read_series().values())
    counts = Counter((study.order_of(row), row["program"]) for row in findings.rows("families"))
    assert counts == dict.fromkeys(itertools.product(study.orders(), programs), 1)


def test_rules_find_what_is_planted_in_arms():
    rng = np.random.default_rng(65)
    arms = [[float(x) for x in 1 + rng.normal(0, 1e-4, RUNS)] for _ in range(ARMS)]
    assert rules.judge_arms(arms).span < 0.001
    arms[3] = [0.9 * value for value in arms[3]]
    judged = rules.judge_arms(arms)
    assert judged.span == pytest.approx(1 / 0.9 - 1, abs=0.002)
    assert judged.best == pytest.approx(judged.again, abs=0.002)
    assert judged.faster < 0.001
    grown = [
        [p * value for value in arm] for p, arm in zip((*rules.SCALES, 1, 1, 1), arms[:3] * 3, strict=False)
    ]
    assert rules.judge_arms(grown).growth == rules.judge_arms(grown).posterior == "O(p)"


def test_a_share_of_families_has_the_exact_interval_and_averages_draws():
    rows = [{"program": str(i), "pairs": "28", "before": "0", "after": str(int(i < 3))} for i in range(30)]
    share = findings.share_of_families(rows)
    # Clopper and Pearson 1934 of 3 of 30, as tables give them.
    assert (share.low, share.high) == (pytest.approx(0.0211, abs=2e-4), pytest.approx(0.2653, abs=2e-4))
    assert findings.share_of_families(rows * 4) == share
    assert share.verdict == "not resolved"


def test_a_share_of_pairs_is_judged_by_its_interval():
    def judged(*counts):
        rows = [
            {"program": str(i), "pairs": "28", "before": str(n), "after": "0"} for i, n in enumerate(counts)
        ]
        return findings.share_of_pairs(rows).verdict

    assert judged(*[0, 1] * 10) == "holds"
    assert judged(*[14, 15] * 10) == "fails"
    assert judged(*[0, 3] * 10) == "not resolved"
