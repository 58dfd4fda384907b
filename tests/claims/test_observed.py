"""Which samples are in which stratum: levels of the factors that are free, and labels."""

from __future__ import annotations

from array import array

import pytest
from msgspec.structs import replace

from steelyard.claims.observed import Observed, has, identifying_labels, strata
from steelyard.core.sample import Failures, Sample, Treatment
from steelyard.core.units import Metric
from steelyard.spec import experiment


def sample(opt, n, op):
    treatment = Treatment(1, f"{opt}, {n}", {"opt": opt, "n": n})
    empty = [array("q") for _ in range(4)]
    return Sample(Metric("latency_s", "s"), treatment, array("d"), *empty, {"op": op} if op else {})


def test_labels_are_part_of_a_stratum_and_of_what_where_chooses():
    samples = [sample(opt, n, op) for opt in ("O2", "O3") for n in (1, 2) for op in ("bcast", "scan")]
    result = strata(samples, ("n",), {"op": "scan"})
    assert [stratum for stratum, _ in result] == [{"n": 1}, {"n": 2}]
    assert [[s.treatment.levels["opt"] for s in members] for _, members in result] == [["O2", "O3"]] * 2


def test_what_is_not_known_of_a_sample_excludes_it_from_nothing():
    assert has({"opt": "O2"}, {"op": "scan"})
    assert not has({"op": "bcast"}, {"op": "scan"})
    assert len(strata([sample("O2", 1, None)], (), {"op": "scan"})) == 1


def line(treatment, labels):
    n = 3
    numbers = array("q", range(1, n + 1))
    return Sample(
        Metric("t", "s"), treatment, array("d", [1.0] * n), numbers, array("q", [1] * n), array("q", [0] * n),
        numbers, labels, Failures(n, 0, 0),
    )  # fmt: skip


def test_labels_that_describe_are_told_from_labels_that_identify():
    old, new = Treatment(1, "old", {"library": "old"}), Treatment(2, "new", {"library": "new"})
    lines = [
        line(old, {"op": "bcast", "algorithm": "tree"}),
        line(old, {"op": "gather", "algorithm": "linear"}),
        line(new, {"op": "bcast", "algorithm": "ring"}),
        line(new, {"op": "gather", "algorithm": "linear"}),
    ]
    assert identifying_labels(lines) == {"op"}
    # Two algorithms of one operation in one treatment are two functions.
    assert identifying_labels([*lines, line(old, {"op": "bcast", "algorithm": "ring"})]) == {
        "op",
        "algorithm",
    }
    strata_found = strata(lines, (), {})
    assert [levels for levels, _ in strata_found] == [{"op": "bcast"}, {"op": "gather"}]
    assert [len(members) for _, members in strata_found] == [2, 2]


def observing(**keys):
    return Observed(experiment(program={"command": ["prog"]}, source="/lab"), *[lambda *_: ()] * 4, **keys)


@pytest.mark.parametrize(
    ("keys", "provenance", "contexts", "scope"),
    [
        ({}, "measured", [0, 0, 0], "context"),
        ({}, "measured", [1, 1, 1], "context"),
        ({}, "measured", [1, 2, 1], None),
        ({}, "simulated", [0, 0, 0], None),
        ({}, "one_process", [0, 0, 0], "process"),
        ({"unknown_contexts": True}, "measured", [0, 0, 0], None),
        ({"unknown_contexts": True}, "one_process", [0, 0, 0], "process"),
    ],
)
def test_the_scope_of_samples_is_what_all_of_their_runs_share(keys, provenance, contexts, scope):
    plain = replace(line(Treatment(1, "old", {}), {}), contexts=array("q", contexts))
    assert observing(**keys).scope(plain, replace(plain, provenance=provenance)) == scope
