"""Claims compare instance by instance where instances are declared; SciPy's t tests are the witness."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.claims.best import divide
from steelyard.core.sample import Failures
from steelyard.stats.describe.instances import pool

# Table 1 of DOI 10.1145/2851553.2851573: eight problem instances in two runs.
RUNS = {
    2: (67.1721137, 69.1144691, 58.2407584, 95.0383578, 81.5043034, 66.1346017, 196.359002, 71.0783083),
    5: (68.2187308, 64.6999926, 73.1340169, 66.5868368, 111.286377, 78.3502649, 127.3131639, 96.6814628),
}
FACTORS = {"run": [2, 5], "graph": list(range(1, 9))}
BY_SOURCE = {"instances": "graph", "baseline": {"run": 2}}
FASTER = {"faster": {"run": 5}, "than": {"run": 2}}


def table_1(levels, blocks):
    # Each run of an instance takes what it takes: blocks add what looks like precision and is none.
    return RUNS[levels["run"]][levels["graph"] - 1] * (1 + 1e-6 * np.sin(blocks))


def test_table_1_has_eight_units_and_not_eighty_runs(bench):
    (verdict,) = bench(FACTORS, [FASTER], table_1, blocks=10, analysis=BY_SOURCE).judge()
    ((instance,),) = [verdict.instances]
    evidence = instance.evidence
    assert instance.stratum == {}
    assert (evidence.n, evidence.by, evidence.method) == (8, "instance", "instance-log-ratio-t")
    assert evidence.ratio == pytest.approx(0.978156, abs=1e-5)
    expected = witness.ttest_rel(*np.log([RUNS[2], RUNS[5]]))
    assert verdict.family.p == pytest.approx(expected.pvalue, rel=1e-4)
    assert verdict.outcome == "not_resolved"


def test_without_instances_every_source_is_a_stratum(bench):
    (verdict,) = bench(FACTORS, [FASTER], table_1, blocks=10, analysis={"baseline": {"run": 2}}).judge()
    assert len(verdict.instances) == 8
    assert verdict.outcome == "fails"


def test_a_claim_that_names_an_instance_is_about_that_one(bench):
    claims = [{**FASTER, "where": {"graph": 7}}, {**FASTER, "where": {"graph": 8}}]
    first, second = bench(FACTORS, claims, table_1, blocks=10, analysis=BY_SOURCE).judge()
    assert (first.outcome, second.outcome) == ("holds", "fails")
    assert first.instances[0].evidence.by == "block"


def test_limits_hold_for_every_instance(bench):
    claims = [{"limit": "wall_s", "max": 150.0}]
    (verdict,) = bench(FACTORS, claims, table_1, blocks=10, analysis=BY_SOURCE).judge()
    assert verdict.outcome == "fails"
    assert [i.stratum for i in verdict.instances if i.outcome == "fails"] == [{"run": 2, "graph": 7}]


def test_the_best_is_chosen_on_instances_that_do_not_judge_it(bench, noise):
    draw = noise(3, 0.02)
    gains = {"a": 0.0, "b": 0.3, "c": 0.1}
    # What each instance does to each level; of the noise of runs nearly nothing is left.
    liking = np.random.default_rng(5).normal(0, 0.05, (3, 12))

    def values(levels, blocks):
        favour = liking["abc".index(levels["k"]), levels["graph"] - 1] + gains[levels["k"]]
        return draw(blocks.size) * math.exp(-favour) * levels["graph"]

    factors = {"k": ["a", "b", "c"], "graph": list(range(1, 13))}
    result = bench(factors, [{"best": "k"}], values, blocks=6, analysis={"instances": "graph"})
    (verdict,) = result.judge()
    evidence = verdict.instances[0].evidence
    assert (verdict.outcome, evidence.chosen) == ("holds", "b")
    assert (evidence.selection, evidence.n, evidence.by) == (4, 8, "instance")
    choosing, judging = divide(pool(result.samples("wall_s"), "graph"))
    assert not choosing & judging
    logs = {k: [] for k in factors["k"]}
    for t in result.treatments:
        if t.levels["graph"] - 1 in judging:
            logs[t.levels["k"]].append(np.log(result.made[t.id]).mean())
    for candidate in evidence.candidates:
        low, high = witness.ttest_rel(logs[candidate.level], logs["b"]).confidence_interval(0.95)
        assert (candidate.interval.low, candidate.interval.high) == pytest.approx(
            (math.exp(low), math.exp(high)),
            rel=1e-3,  # blocks add a little to what instances differ by
        )


@pytest.mark.extensions("observe")
def test_what_a_probe_costs_is_compared_by_instance_too(bench, noise):
    draw = noise(4, 0.001)
    costs = np.random.default_rng(6).normal(0, 0.02, 10)
    factors = {"probe": ["off", "on"], "fix": ["no", "yes"], "graph": list(range(1, 11))}

    def values(levels, blocks):
        cost = costs[levels["graph"] - 1] if levels["probe"] == "on" else 0.0
        return draw(blocks.size) * math.exp(cost) * (0.5 if levels["fix"] == "yes" else 1.0)

    observed = {"probe": {"probe": "on"}, "without": {"probe": "off"}}
    claims = [
        {"unperturbed": "wall_s", **observed, "within": 0.05},
        {
            "validates": "wall_s",
            "intervention": {"fix": "yes"},
            "than": {"fix": "no"},
            **observed,
            "direction": "lower",
            "within": 0.05,
        },
    ]
    result = bench(
        factors, claims, values, blocks=5, analysis={"instances": "graph", "baseline": {"probe": "off"}}
    )
    unperturbed, validated = result.judge()
    assert {i.evidence.n for i in unperturbed.instances} == {10}
    assert {i.evidence.by for i in unperturbed.instances + validated.instances} == {"instance"}
    assert validated.outcome == "holds"
    assert len(validated.instances) == 3
    # The probe costs every instance something else, and the same with the fix as without it.
    interaction = validated.instances[-1].evidence
    assert interaction.interval.high - interaction.interval.low < 0.01
    cost = unperturbed.instances[0].evidence
    assert cost.interval.high - cost.interval.low > 0.01


def test_runs_that_failed_in_one_instance_count(bench):
    result = bench(FACTORS, [FASTER], table_1, blocks=10, analysis=BY_SOURCE)
    result.failures = {"run=5, graph=3": Failures(11, 1, 1)}
    assert result.failures.keys() <= {t.label for t in result.treatments}
    (verdict,) = result.judge()
    assert verdict.instances[0].evidence.reason == "failures"
