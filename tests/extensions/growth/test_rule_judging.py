"""``rule``: both sides at every measured point, and their growth; SciPy's t test is the witness."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.claims.judging import judge
from steelyard.claims.observed import Observed
from steelyard.core.analysis import Analysis
from steelyard.core.errors import SpecError, UsageError
from steelyard.core.sample import Failures, Sample
from steelyard.core.units import Metric
from steelyard.design import treatments
from steelyard.extensions.growth.evidence import RuleEvidence, RulePointEvidence
from steelyard.lab.answer.series_of_record import series_of_samples
from steelyard.spec import experiment

P = [16, 32, 64, 128, 256, 512]
SIZES = [8, 1024, 65536]
OPS = {
    "bcast": lambda p: 5e-6 + 2e-6 * np.log2(p),
    "reduce": lambda p: 6e-6 + 3e-6 * np.log2(p),
    "allreduce": lambda p: 8e-6 + 1e-7 * p,
    "tree": lambda p: 1e-6 + 1e-6 * np.log2(p),
}
RULE = {"rule": "allreduce <= reduce + bcast", "over": "op", "parameter": "p"}


def both(p):
    """What Reduce and Bcast take together."""
    return OPS["reduce"](p) + OPS["bcast"](p)


def drawn(noise, laws, seed=1, spread=0.01):
    draw = noise(seed, spread)
    return lambda levels, blocks: draw(blocks.size) * laws(levels)


def points(verdict):
    return {
        tuple(instance.stratum.values()): instance.outcome
        for instance in verdict.instances
        if isinstance(instance.evidence, RulePointEvidence)
    }


def growth(verdict):
    return [instance for instance in verdict.instances if isinstance(instance.evidence, RuleEvidence)]


def test_a_rule_holds_or_fails_by_points_and_by_growth(bench, noise):
    claims = [{**RULE, "rule": "bcast <= allreduce + reduce"}, RULE]
    laws = drawn(noise, lambda levels: OPS[levels["op"]](levels["p"]))
    verdicts, broken = bench({"op": list(OPS), "p": P}, claims, laws).judge()
    assert (verdicts.outcome, broken.outcome) == ("holds", "fails")
    assert set(points(verdicts).values()) == {"holds"}
    # 8 + 0.1 p against 11 + 5 log2 p microseconds: at 512 the left side takes 1.057 times as long.
    assert {p for (p,), outcome in points(broken).items() if outcome == "holds"} == set(P[:-1])
    (grown,) = growth(broken)
    answer = grown.evidence.answer
    assert (grown.outcome, answer.probability < 0.2) == ("fails", True)
    assert OPS["allreduce"](answer.breaks_at) == pytest.approx(both(answer.breaks_at), rel=0.05)


def test_ten_times_as_slow_at_every_scale_fails_though_it_grows_no_faster(bench, noise):
    laws = drawn(noise, lambda v: 10 * both(v["p"]) if v["op"] == "allreduce" else OPS[v["op"]](v["p"]))
    (verdict,) = bench({"op": ["allreduce", "reduce", "bcast"], "p": P}, [RULE], laws).judge()
    assert verdict.outcome == "fails"
    assert set(points(verdict).values()) == {"fails"}
    assert [item.outcome for item in growth(verdict)] != ["fails"]
    assert all(
        instance.evidence.ratio == pytest.approx(10, rel=0.05)
        for instance in verdict.instances
        if isinstance(instance.evidence, RulePointEvidence)
    )


def test_slow_at_one_size_and_scale_is_flagged_there_and_nowhere_else(bench, noise):
    def laws(v):
        if v["op"] != "allreduce":
            return OPS[v["op"]](v["p"]) * (1 + v["bytes"] / 1000)
        slow = 1.5 if (v["p"], v["bytes"]) == (64, 1024) else 0.9
        return slow * both(v["p"]) * (1 + v["bytes"] / 1000)

    factors = {"op": ["allreduce", "reduce", "bcast"], "bytes": SIZES, "p": P}
    (verdict,) = bench(factors, [RULE], drawn(noise, laws)).judge()
    assert verdict.outcome == "fails"
    assert {place for place, outcome in points(verdict).items() if outcome == "fails"} == {(1024, 64)}
    assert set(points(verdict).values()) == {"fails", "holds"}


def test_the_ratio_of_sums_is_tested_in_the_same_blocks(bench, noise):
    # A block's disturbance is common to both sides and cancels.
    common = np.exp(0.3 * np.random.default_rng(9).standard_normal(20))
    draw = noise(4, 0.02)
    result = bench(
        {"op": ["allreduce", "reduce", "bcast"], "p": P},
        [{**RULE, "growth": False}],
        lambda v, blocks: common * draw(blocks.size) * (2.2 * 1e-5 if v["op"] == "allreduce" else 1e-5),
    )
    (verdict,) = result.judge()
    values = {(t.levels["op"], t.levels["p"]): result.made[t.id] for t in result.treatments}
    for instance in verdict.instances:
        p = instance.stratum["p"]
        logs = np.log(values["allreduce", p] / (values["reduce", p] + values["bcast", p]))
        expected = witness.ttest_1samp(logs, np.log(1.05))
        # The rule's test flips signs, which needs no normal distribution and tells about as much.
        assert np.log(instance.evidence.p) == pytest.approx(np.log(expected.pvalue), rel=0.2)
        assert instance.evidence.ratio == pytest.approx(np.exp(logs.mean()))
        low, high = witness.ttest_1samp(logs, 0).confidence_interval(1 - instance.evidence.level)
        assert instance.evidence.interval.low == pytest.approx(np.exp(low), abs=0.005)
        assert instance.evidence.interval.high == pytest.approx(np.exp(high), abs=0.005)


@pytest.mark.parametrize(("tolerance", "outcome"), [(0.05, "fails"), (0.2, "holds")])
def test_the_tolerance_is_part_of_the_rule(bench, noise, tolerance, outcome):
    laws = drawn(noise, lambda v: 1.1 * both(v["p"]) if v["op"] == "allreduce" else OPS[v["op"]](v["p"]))
    claim = {**RULE, "growth": False, "tolerance": tolerance}
    (verdict,) = bench({"op": ["allreduce", "reduce", "bcast"], "p": P}, [claim], laws).judge()
    assert verdict.outcome == outcome


def test_equal_within_what_runs_can_tell_is_open_and_does_not_hold(bench, noise):
    laws = drawn(noise, lambda v: 2.1e-5 if v["op"] == "allreduce" else 1e-5, spread=0.2)
    (verdict,) = bench({"op": ["allreduce", "reduce", "bcast"], "p": P}, [RULE], laws, blocks=5).judge()
    assert verdict.outcome == "not_resolved"


def test_sides_that_were_nowhere_measured_together_are_an_error(bench, noise):
    laws = drawn(noise, lambda v: OPS[v["op"]](v["p"]))
    claim = {"rule": "bcast <= reduce", "over": "op", "parameter": "p"}
    for exclude in (
        [{"op": "reduce"}],
        [{"op": "reduce", "p": p} for p in P[:3]] + [{"op": "bcast", "p": p} for p in P[3:]],
    ):
        result = bench({"op": list(OPS), "p": P}, [claim], laws, design={"exclude": exclude})
        with pytest.raises(UsageError, match="no point has wall_s of bcast and reduce"):
            result.judge()


def test_a_point_with_one_side_keeps_the_rule_from_holding_and_names_the_other(bench, noise):
    laws = drawn(noise, lambda v: 3e-5 if v["op"] == "reduce" else 1e-5)
    exclude = [{"op": "reduce", "p": 512}]
    claim = {"rule": "bcast <= reduce", "over": "op", "parameter": "p"}
    (verdict,) = bench({"op": list(OPS), "p": P}, [claim], laws, design={"exclude": exclude}).judge()
    assert points(verdict) == {**{(p,): "holds" for p in P[:-1]}, (512,): "not_judged"}
    assert verdict.outcome == "not_judged"
    claim = {"rule": "reduce <= bcast", "over": "op", "parameter": "p"}
    laws = drawn(noise, lambda v: 1e-5 if v["op"] == "reduce" else 3e-5)
    (verdict,) = bench({"op": list(OPS), "p": P}, [claim], laws, design={"exclude": exclude}).judge()
    assert points(verdict) == {**{(p,): "holds" for p in P[:-1]}, (512,): "not_judged"}
    (lacking,) = (instance for instance in verdict.instances if instance.stratum == {"p": 512})
    assert lacking.evidence.reason == "reduce was not measured"
    assert verdict.outcome == "not_judged"


def test_rules_are_one_family_over_all_of_their_points(bench, noise):
    laws = drawn(noise, lambda v: OPS[v["op"]](v["p"]))
    claims = [
        {**RULE, "rule": text} for text in ("bcast <= reduce", "reduce <= tree + bcast", "tree <= bcast")
    ]
    verdicts = bench({"op": list(OPS), "p": P}, claims, laws).judge()
    assert {item.family.size for item in verdicts} == {3}
    for verdict in verdicts:
        levels = {
            instance.evidence.level
            for instance in verdict.instances
            if isinstance(instance.evidence, RulePointEvidence)
        }
        assert levels <= {verdict.family.level, verdict.family.level / len(P)}


def test_failed_runs_leave_a_rule_open(bench, noise):
    laws = drawn(noise, lambda v: 10 * both(v["p"]) if v["op"] == "allreduce" else OPS[v["op"]](v["p"]))
    result = bench({"op": ["allreduce", "reduce", "bcast"], "p": P}, [RULE], laws)
    result.failures = {"op=bcast, p=64": Failures(21, 1, 1)}
    (verdict,) = result.judge()
    assert points(verdict)[64,] == "not_judged"
    assert points(verdict)[512,] == "fails"


def test_a_rule_is_judged_for_each_library_or_for_those_that_where_names(bench, noise):
    laws = {("a", "x"): 1.0, ("b", "x"): 2.0, ("a", "y"): 2.0, ("b", "y"): 1.0}
    draw = noise(5, 0.01)
    factors = {"op": ["a", "b"], "lib": ["x", "y"], "p": P}
    rule = {"rule": "a <= b", "over": "op", "parameter": "p"}
    every, element = bench(
        factors,
        [rule, {**rule, "where": {"lib": "x"}}],
        lambda v, blocks: draw(blocks.size) * (1 + 0.01 * v["p"] ** laws[v["op"], v["lib"]]),
    ).judge()
    assert [(item.stratum, item.outcome) for item in growth(every)] == [
        ({"lib": "x"}, "holds"),
        ({"lib": "y"}, "fails"),
    ]
    assert [entry.stratum for entry in growth(element)] == [{"lib": "x"}]
    assert {lib for lib, _ in points(element)} == {"x"}


def test_two_scales_are_enough_where_growth_is_not_asked(bench, noise):
    factors = {"op": ["allreduce", "reduce", "bcast"], "p": [2, 4]}
    laws = drawn(noise, lambda v: 3e-5 if v["op"] == "allreduce" else 1e-5)
    with pytest.raises(SpecError, match="growth needs at least 3") as caught:
        bench(factors, [RULE], laws)
    assert "growth = false" in caught.value.hint
    (verdict,) = bench(factors, [{**RULE, "growth": False}], laws).judge()
    assert points(verdict) == {(2,): "fails", (4,): "fails"}
    assert growth(verdict) == []


METRIC = Metric("latency_s", "s")


def labelled(claims, lines, *, provenance="simulated", blocks=1, levels=P):
    """Judge samples that a program labels: ``lines(p)`` gives labels and values."""
    spec_ = experiment(
        source="/lab",
        program={"command": ["prog", "{p}"]},
        factors={"p": list(levels)},
        metrics={"latency_s": {"source": "lines", "unit": "s"}},
        claims=claims,
        analysis={"metric": "latency_s"},
    )
    counts = array("q", range(1, blocks + 1))
    samples = [
        Sample(
            METRIC,
            t,
            array("d", values),
            counts,
            array("q", [1] * blocks),
            array("q", [0] * blocks),
            counts,
            labels,
            Failures(blocks, 0, 0),
            provenance=provenance,
        )
        for t in treatments(spec_)
        for labels, values in lines(t.levels["p"])
    ]
    observed = Observed(
        spec_,
        lambda metric: Analysis(metric=metric),
        lambda _: samples,
        lambda _: samples,
        lambda _, parameters: series_of_samples(samples, parameters, Path("made.lab")),
    )
    return judge(spec_.claims, observed)


def simulated(p):
    """One simulation; each operation names the algorithm that it chose, which changes with the scale."""
    for size in (8, 4096):
        for op, value in (("allreduce", 1.5), ("reduce", 1.0), ("bcast", 0.6)):
            slow = 2 if op == "allreduce" and p >= 128 and size == 4096 else 1
            algorithm = f"{op}-{'ring' if p >= 64 else 'tree'}"
            yield {"op": op, "bytes": size, "algorithm": algorithm}, [value * slow * (1 + np.log2(p))]


def test_simulated_values_are_compared_as_they_are_whatever_algorithm_they_name():
    claim = {**RULE, "metric": "latency_s"}
    (verdict,) = labelled([claim], simulated)
    broken = {place for place, outcome in points(verdict).items() if outcome == "fails"}
    assert len(points(verdict)) == 2 * len(P)
    assert broken == {(p, 4096) for p in (128, 256, 512)}
    worst = next(instance for instance in verdict.instances if instance.stratum == {"p": 128, "bytes": 4096})
    assert worst.evidence.method == "exact"
    assert worst.evidence.ratio == pytest.approx(3.0 / 1.6)
    assert worst.evidence.interval.low == worst.evidence.interval.high == worst.evidence.ratio
    # Pieces under two names of algorithms are one function.
    assert {item.stratum.get("bytes") for item in growth(verdict)} == {8, 4096}
    assert all(element.evidence.answer is not None for element in growth(verdict))


def test_one_measured_value_a_point_is_no_evidence_in_a_record():
    claim = {**RULE, "metric": "latency_s", "growth": False}
    (verdict,) = labelled([claim], simulated, provenance="measured")
    assert set(points(verdict).values()) == {"not_judged"}


def test_more_ranks_than_cpus_decide_no_rule():
    claim = {**RULE, "metric": "latency_s"}
    rng = np.random.default_rng(2)
    lines = lambda p: [  # noqa: E731
        ({**labels}, values[0] * (1 + 0.01 * rng.random(20))) for labels, values in simulated(p)
    ]
    (verdict,) = labelled([claim], lines, provenance="crowded", blocks=20)
    assert verdict.outcome == "not_judged"
    assert set(points(verdict).values()) == {"not_judged"}


@pytest.mark.simulates
def test_a_library_at_the_limit_of_every_rule_is_flagged_as_rarely_as_stated(bench, noise, perfect_passes):
    times, flagged, most = 200, 0, 21
    claims = [{**RULE, "growth": False}, {**RULE, "rule": "tree <= reduce + bcast", "growth": False}]
    draw = noise(43, 0.1)

    def laws(v, blocks):
        element = 1e-5 * draw(blocks.size)
        # Log-normal sums: the limit is where the geometric means have this ratio.
        if v["op"] in ("allreduce", "tree"):
            return 1.05 * 1e-5 * (draw(blocks.size) + draw(blocks.size))
        return element

    for _ in range(times):
        verdicts = bench(
            {"op": ["allreduce", "tree", "reduce", "bcast"], "p": [2, 4, 8]}, claims, laws, blocks=12
        ).judge()
        flagged += any(item.outcome == "fails" for item in verdicts)
    assert perfect_passes(times, 0.05, 0, most) > 0.999
    assert flagged <= most


def test_a_point_that_lacks_a_part_of_the_left_side_keeps_the_rule_from_holding(bench, noise):
    laws = drawn(noise, lambda v: 3e-5 if v["op"] == "allreduce" else 1e-5)
    exclude = [{"op": "reduce", "p": 512}]
    claim = {"rule": "bcast + reduce <= allreduce", "over": "op", "parameter": "p"}
    (verdict,) = bench({"op": list(OPS), "p": P}, [claim], laws, design={"exclude": exclude}).judge()
    assert points(verdict) == {**{(p,): "holds" for p in P[:-1]}, (512,): "not_judged"}
    assert verdict.outcome == "not_judged"


def test_a_slow_run_of_the_right_side_hides_no_rule_that_a_typical_run_breaks(bench, noise):
    """Allreduce takes three times what both others take, but for one run in which Bcast took a second."""
    draw = noise(4, 0.01)

    def values(levels, blocks):
        times = draw(blocks.size) * (6e-5 if levels["op"] == "allreduce" else 1e-5)
        if levels["op"] == "bcast":
            times[7] = 1.0
        return times

    claim = {**RULE, "growth": False}
    (verdict,) = bench({"op": ["allreduce", "reduce", "bcast"], "p": [16]}, [claim], values).judge()
    evidence = verdict.instances[0].evidence
    assert verdict.outcome == "fails"
    assert evidence.decided_by == "typical"
    assert 2.5 < evidence.interval.low < evidence.ratio < 3.1
