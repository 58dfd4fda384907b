"""``scales``: models of an experiment against what is expected."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.sample import Failures
from steelyard.extensions.growth.scales_judging import settle
from steelyard.extensions.growth.scaling import Expectation, Question, model, series_of
from steelyard.extensions.growth.scaling.status_quo import accept

P = [16, 32, 64, 128, 256, 512]
OPS = {
    "bcast": lambda p: 5e-6 + 2e-6 * np.log2(p),
    "reduce": lambda p: 6e-6 + 3e-6 * np.log2(p),
    "allreduce": lambda p: 8e-6 + 1e-7 * p,
    "tree": lambda p: 1e-6 + 1e-6 * np.log2(p),
}
FACTORS = {"op": list(OPS), "p": P}


def values(noise, seed=1, spread=0.01):
    draw = noise(seed, spread)
    return lambda levels, blocks: draw(blocks.size) * OPS[levels["op"]](levels["p"])


def scales(**keys):
    return {"scales": "wall_s", "parameter": "p", **keys}


def test_every_function_is_ranked_and_one_that_grows_faster_fails_the_claim(bench, noise):
    (verdict,) = bench(FACTORS, [scales(expect="O(log p)")], values(noise)).judge()
    assert verdict.outcome == "fails"
    assert {i.stratum["op"]: i.outcome for i in verdict.instances} == {
        "bcast": "holds",
        "reduce": "holds",
        "allreduce": "fails",
        "tree": "holds",
    }


def test_an_upper_bound_is_kept_by_every_slower_growth_and_broken_by_the_next_class(bench, noise):
    (verdict,) = bench(FACTORS, [scales(at_most="O(p)")], values(noise)).judge()
    assert verdict.outcome == "holds"
    (verdict,) = bench(FACTORS, [scales(at_most="O(log p)")], values(noise)).judge()
    assert [i.stratum["op"] for i in verdict.instances if i.outcome == "fails"] == ["allreduce"]
    assert verdict.outcome == "fails"


def test_under_strict_approximate_growth_is_not_resolved_and_a_match_holds(bench, noise):
    result = bench(FACTORS, [scales(expect="O(log^2 p)", where={"op": "bcast"})], values(noise, spread=1e-4))
    (verdict,) = result.judge()
    assert verdict.instances[0].evidence.model.validation.rank == "approximate"
    assert (verdict.outcome, verdict.strictly().outcome) == ("holds", "not_resolved")
    (match,) = bench(
        FACTORS, [scales(expect="O(log p)", where={"op": "bcast"})], values(noise, spread=1e-4)
    ).judge()
    assert match.strictly() == match


def test_where_chooses_functions_and_a_litmus_test_tells_whose_fault_it_is(bench, noise):
    claims = [
        scales(expect="O(log p)", where={"op": "bcast"}),
        scales(expect="O(log p)", where={"op": "allreduce"}, litmus={"op": "tree"}),
    ]
    verdicts, broken = bench(FACTORS, claims, values(noise)).judge()
    assert (verdicts.outcome, broken.outcome) == ("holds", "fails")
    assert broken.instances[0].evidence.cause == "library"
    (all_others,) = bench(FACTORS, [scales(expect="O(log p)", litmus={"op": "tree"})], values(noise)).judge()
    assert [instance.stratum["op"] for instance in all_others.instances] == ["bcast", "reduce", "allreduce"]


def test_a_rank_at_a_scale_of_interest_is_part_of_the_evidence(bench, noise):
    claims = [scales(expect="O(log p)", where={"op": "bcast"}, at={"p": 8192})]
    (verdict,) = bench(FACTORS, claims, values(noise)).judge()
    result = verdict.instances[0].evidence.model
    assert result.validation.scale == 8192
    assert result.predictions[0].low < OPS["bcast"](8192) < result.predictions[0].high


def test_a_model_of_two_parameters_is_judged_in_each_that_the_expectation_names(bench, noise):
    factors = {"keys": [1000, 2000, 4000, 8000, 16000], "p": [2, 4, 8, 16, 32]}

    draw = noise(3, 0.002)

    def sort(levels, blocks):
        keys, p = levels["keys"], levels["p"]
        return draw(blocks.size) * (1e-6 + 1e-9 * keys * np.log2(keys) + 2e-7 * p**2)

    def judged(expect):
        (verdict,) = bench(factors, [{"scales": "wall_s", "expect": expect}], sort).judge()
        return {instance.stratum["parameter"]: instance.outcome for instance in verdict.instances}

    assert judged("O(keys log keys + p^2)") == {"keys": "holds", "p": "holds"}
    assert judged("O(keys log keys + log p)") == {"keys": "holds", "p": "fails"}
    assert judged("O(p^2)") == {"p": "holds"}


def test_the_status_quo_is_kept_or_not(bench, noise, tmp_path):
    claim = scales(accepted="accepted.json")
    result = bench(FACTORS, [claim], values(noise), source=str(tmp_path))
    series = made_series(result)
    (tmp_path / "accepted.json").write_text(accept([model(item) for item in series], series)[0])
    assert result.judge()[0].outcome == "holds"
    # One of them became a loop over all processes.
    slower = dict(OPS, bcast=lambda p: 5e-6 + 1e-6 * p)
    draw = noise(1, 0.01)
    changed = bench(
        FACTORS,
        [claim],
        lambda levels, blocks: draw(blocks.size) * slower[levels["op"]](levels["p"]),
        source=str(tmp_path),
    )
    (verdict,) = changed.judge()
    assert verdict.outcome == "fails"
    assert [i.stratum["op"] for i in verdict.instances if i.outcome == "fails"] == ["bcast"]


def made_series(record):
    from pathlib import Path

    from steelyard.lab.answer.series_of_record import series_of_samples

    return series_of_samples(record.samples("wall_s"), ("p",), Path("made.lab"))


def test_missing_file_of_accepted_models_is_an_error_with_the_command_that_makes_it(bench, noise, tmp_path):
    result = bench(FACTORS, [scales(accepted="none.json")], values(noise), source=str(tmp_path))
    with pytest.raises(UsageError, match=r"none\.json: cannot be read") as caught:
        result.judge()
    assert "--accept" in caught.value.hint


@pytest.mark.parametrize(
    ("failures", "open_"),
    [
        ({"bcast": Failures(21, 1, 1)}, {"bcast"}),
        ({"bcast": Failures(21, 1, 0)}, {"bcast"}),
        ({"bcast": Failures(21, 1, 1), "allreduce": Failures(22, 2, 0)}, {"bcast", "allreduce"}),
        ({}, set()),
    ],
)
def test_runs_that_failed_at_some_scales_leave_the_growth_of_that_function_open(
    bench, noise, failures, open_
):
    claims = [
        scales(expect="O(log p)"),
        {"rule": "bcast <= allreduce + reduce", "over": "op", "parameter": "p"},
        {"rule": "allreduce <= reduce + tree", "over": "op", "parameter": "p"},
    ]
    for ignored in (False, True):
        analysis = {"failures": "ignore" if ignored else "refuse"}
        result = bench(FACTORS, claims, values(noise), analysis=analysis)
        # The slowest point: what is missing there may have been the slow ones.
        result.failures = {f"op={op}, p=512": item for op, item in failures.items()}
        assert not failures or {t.label for t in result.treatments} >= set(result.failures)
        ranked, verdicts, broken = result.judge()
        answer = {i.stratum["op"]: (i.outcome, i.evidence.reason) for i in ranked.instances}
        plain = {"allreduce": ("fails", None)}
        withheld = set() if ignored else open_
        assert answer == {
            op: ("not_judged", "failures") if op in withheld else plain.get(op, ("holds", None)) for op in OPS
        }
        assert verdicts.outcome == ("not_judged" if withheld else "holds")
        assert broken.outcome == ("not_judged" if "allreduce" in withheld else "fails")


def test_failures_that_are_as_many_at_every_scale_are_left_by_chance(bench, noise):
    result = bench(FACTORS, [scales(expect="O(log p)", where={"op": "bcast"})], values(noise))
    result.failures = {t.label: Failures(21, 1, 0) for t in result.treatments}
    assert result.judge()[0].outcome == "holds"


def test_too_few_points_are_no_verdict(bench, noise):
    factors = {"op": ["bcast", "reduce"], "p": [16, 32]}
    (verdict,) = bench(factors, [scales(expect="O(log p)")], values(noise)).judge()
    assert verdict.outcome == "not_judged"
    assert all(i.evidence.reason for i in verdict.instances)


def test_a_verdict_that_asks_for_an_audit_counts_only_where_it_is_passed(bench, noise):
    tier = dict(OPS, tree=lambda p: 1e-6 + 1e-6 * p if p < 512 else 4e-3)
    draw = noise(3, 0.01)

    def drawn(levels, blocks):
        return draw(blocks.size) * tier[levels["op"]](levels["p"])

    selection = {"where": {"op": "allreduce"}}
    (result,) = bench(FACTORS, [scales(at_most="O(p)", audited=True, **selection)], drawn).judge()
    assert result.outcome == "holds"
    selection = {"where": {"op": "tree"}}
    (plain,) = bench(FACTORS, [scales(at_most="O(p^3)", **selection)], drawn).judge()
    (audited,) = bench(FACTORS, [scales(at_most="O(p^3)", audited=True, **selection)], drawn).judge()
    assert (plain.outcome, audited.outcome) == ("holds", "not_judged")
    assert "p = 512 was measured as" in audited.instances[0].evidence.reason


def test_what_looks_like_a_rate_falls_and_is_declared_a_cost_is_not_settled():
    at = [1, 2, 4, 8, 16, 32]
    rows = [[100 * n**-0.25 * (1 + 0.001 * k) for k in range(3)] for n in at]
    falls = series_of("f", ["n"], [[n] for n in at], rows, metric="tps")
    bound = Question(expectations={"*": Expectation("O(1)", at_most=True)})
    outcomes = {
        better: settle(series, model(series, bound), None)[0]
        for better in ("lower", "higher", "neither")
        for series in [replace(falls, better=better)]
    }
    assert outcomes == {"lower": "not_resolved", "higher": "fails", "neither": "holds"}
