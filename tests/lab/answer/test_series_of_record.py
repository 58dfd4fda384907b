"""From a record of real launches to series and models."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.model import ModelRequest, model_series
from steelyard.extensions.growth.scaling import Expectation, Question
from steelyard.lab.answer.series_of_record import series_of_record, series_of_samples

pytestmark = pytest.mark.extensions("growth")

# A program that counts its own steps: n for the loop, n² for the pairs.
COUNT = "if [ {kind} = loop ]; then echo {n}; else echo $(({n} * {n})); fi"


@pytest.fixture
def record(run_in):
    return run_in(
        program={"command": ["/bin/sh", "-c", COUNT]},
        factors={"kind": ["loop", "pairs"], "n": [8, 16, 32, 64, 128]},
        metrics={"steps": {"source": "stdout", "pattern": "([0-9]+)$"}},
        design={"blocks": 2, "discard": 0},
    )


def test_each_combination_of_the_other_factors_is_a_series_with_one_value_a_launch(record):
    series = series_of_record(record, (), ("steps",))
    assert {s.name: s.parameters for s in series} == {"loop": ("n",), "pairs": ("n",)}
    pairs = next(s for s in series if s.name == "pairs")
    assert [(p.at, p.values) for p in pairs.points] == [
        ((float(n),), (n**2.0, n**2.0)) for n in (8, 16, 32, 64, 128)
    ]
    assert pairs.labels == {"kind": "pairs"}


def test_a_record_is_modelled_and_held_to_expectations(record):
    question = Question(expectations={"loop": Expectation("O(n)"), "pairs": Expectation("O(n)")})
    result = model_series(
        ModelRequest(series_of_record(record, ("n",), ("steps",)), question, ["loop <= pairs"])
    )
    assert {m.name: (m.lead[0], m.validation.rank) for m in result.models} == {
        "loop": (Growth.make(1), "match"),
        "pairs": (Growth.make(2), "none"),
    }
    assert [rule.outcome for rule in result.rules] == ["holds"]


@pytest.mark.parametrize(("name", "message"), [("kind", "is not a number"), ("m", "unknown parameter m")])
def test_a_parameter_that_is_none_is_an_error_that_names_those_that_are(record, name, message):
    with pytest.raises(UsageError, match=message) as caught:
        series_of_record(record, (name,), ("steps",))
    assert "n" in caught.value.hint


@pytest.mark.parametrize(
    ("provenance", "simulated", "crowded"),
    [("measured", False, False), ("simulated", True, False), ("crowded", False, True)],
)
def test_where_values_come_from_goes_with_their_series(record, provenance, simulated, crowded):
    samples = [replace(sample, provenance=provenance) for sample in record.samples("steps")]
    series = series_of_samples(samples, (), record.directory)
    assert series
    for item in series:
        assert (item.simulated, item.crowded) == (simulated, crowded)


@pytest.mark.parametrize("failures", ["refuse", "ignore"])
def test_runs_that_fail_at_the_largest_scale_only_leave_no_rank_and_no_rule(run_in, failures):
    # Of the tries at 128 one fails, and another block takes its place.
    command = f"[ {{n}} = 128 ] && echo >> tries && [ $(wc -l < tries) = 2 ] && exit 1; {COUNT}"
    record = run_in(
        program={"command": ["/bin/sh", "-c", command]},
        factors={"kind": ["loop", "pairs"], "n": [8, 16, 32, 64, 128]},
        metrics={"steps": {"source": "stdout", "pattern": "([0-9]+)$"}},
        design={"blocks": 2, "discard": 0},
        analysis={"failures": failures},
    )
    result = {item.name: item.censored for item in series_of_record(record, ("n",), ("steps",))}
    refused = failures == "refuse"
    assert sorted(result.values()) == ([False, True] if refused else [False, False])
    question = Question(expectations={"*": Expectation("O(n^2)")})
    modelled = model_series(
        ModelRequest(series_of_record(record, ("n",), ("steps",)), question, ["loop <= pairs"])
    )
    ranks = {model.name: model.validation.rank for model in modelled.models}
    assert {name for name, rank in ranks.items() if rank == "undecided"} == {n for n in result if result[n]}
    assert [rule.outcome for rule in modelled.rules] == ["not_judged" if refused else "holds"]
