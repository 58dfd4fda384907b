"""What a plan says that it could show: counted from the design, measured from the record beside it."""

from __future__ import annotations

import math

import pytest

from steelyard.design import treatments
from steelyard.extensions.plan.outlook import outlook_of
from steelyard.lab.answer.analyze import analyze
from steelyard.stats.planning.planned_test import PlannedTest


def look_ahead(experiment, directory, blocks=10):
    return outlook_of(experiment, treatments(experiment), blocks, directory)


def crossed(make_experiment, **analysis):
    return make_experiment(
        program={"command": ["/bin/sleep", "0.{a}{b}"]},
        factors={"a": [0, 1, 2], "b": [0, 1]},
        analysis=analysis,
    )


@pytest.mark.parametrize(
    ("analysis", "comparisons"),
    [({}, 5), ({"family": "all-pairs"}, 15), ({"baseline": {"a": 0}}, 2), ({"strata": ["a"]}, 1)],
)
def test_comparisons_are_those_of_the_largest_family(make_experiment, tmp_path, analysis, comparisons):
    result = look_ahead(crossed(make_experiment, **analysis), tmp_path / "none.lab")
    assert result.comparisons == comparisons
    assert result.level == pytest.approx(0.05 / comparisons)
    assert (result.unit, result.units) == ("block", 10)


@pytest.mark.parametrize(
    ("spec", "wider"),
    [
        ({}, True),
        ({"analysis": {"interval": "log-delta"}}, False),
        ({"analysis": {"estimand": "ratio_of_means"}}, False),
        ({"analysis": {"estimand": "median_ratio"}}, True),
        ({"contexts": {"env_bytes": "random"}}, True),
        ({"contexts": {"env_bytes": "random", "passes": 2}, "design": {"blocks": 14}}, False),
    ],
)
def test_few_blocks_are_said_to_show_as_much_as_their_declared_interval(
    make_experiment, tmp_path, spec, wider
):
    result = look_ahead(make_experiment(**spec), tmp_path / "none.lab", 14 if "contexts" in spec else 7)
    row, by_t = result.rows[0], PlannedTest(result.unit, "t", 0.05).detectable(result.units)
    assert (row.shows > math.expm1(1.001 * by_t * row.s)) == wider


def test_a_rule_that_asks_for_verdicts_is_planned_over_its_looks(make_experiment, tmp_path):
    looked = look_ahead(
        make_experiment(design={"blocks": 5, "stop": {"decided": True}}), tmp_path / "none.lab"
    )
    fixed = look_ahead(make_experiment(design={"blocks": 10}), tmp_path / "none.lab")
    assert (looked.decided, fixed.decided) == (True, False)
    for row, fixed_row in zip(looked.rows, fixed.rows, strict=True):
        assert row.shows > fixed_row.shows
    assert looked.rows[3].needed > fixed.rows[3].needed


def test_nothing_to_compare_is_no_outlook(make_experiment, tmp_path):
    assert look_ahead(make_experiment(program={"command": ["/bin/true"]}), tmp_path / "none.lab") is None


def test_contexts_that_return_and_runs_of_a_sequential_order_are_the_units(make_experiment, tmp_path):
    contexts = make_experiment(contexts={"env_bytes": "random", "passes": 2}, design={"blocks": 10})
    result = look_ahead(contexts, tmp_path / "none.lab")
    assert (result.unit, result.units) == ("context", 5)
    sequential = make_experiment(design={"blocks": 6, "order": "sequential", "replicates": 2})
    assert (
        look_ahead(sequential, tmp_path / "none.lab", 1).unit,
        look_ahead(sequential, tmp_path, 1).units,
    ) == ("run", 12)
    # Its plan has a block for each launch: as many as treatments have runs together.
    published = make_experiment(design={"blocks": 6, "order": "nogueira-matias-2014", "replicates": 2})
    assert (
        look_ahead(published, tmp_path / "none.lab", 24).unit,
        look_ahead(published, tmp_path, 24).units,
    ) == ("run", 12)


def test_a_record_gives_its_own_spread(run_in, make_experiment, tmp_path):
    with run_in(design={"blocks": 4}) as record:
        ratio = analyze(record).judged[0].speedup
    result = look_ahead(make_experiment(design={"blocks": 4}), tmp_path / "made.lab")
    assert result.rows[0].pilot == "b"
    # The answer adds what the clock leaves uncertain, which more blocks do not make smaller.
    assert result.rows[0].s == pytest.approx(ratio.se * math.sqrt(4), rel=1e-3)
    assert result.rows[1].pilot is None


def test_a_record_of_something_else_is_passed_over(run_in, make_experiment, tmp_path):
    run_in(design={"blocks": 4}).close()
    result = make_experiment(metrics={"rate": {"pattern": "([0-9]+)"}}, analysis={"metric": "rate"})
    assert all(row.pilot is None for row in look_ahead(result, tmp_path / "made.lab").rows)
    passes = make_experiment(contexts={"env_bytes": "random", "passes": 2}, design={"blocks": 4})
    assert all(row.pilot is None for row in look_ahead(passes, tmp_path / "made.lab").rows)
