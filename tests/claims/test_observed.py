"""Which samples are in which stratum: levels of the factors that are free, and labels."""

from __future__ import annotations

from array import array

from steelyard.claims.observed import has, strata
from steelyard.sample import Sample, Treatment
from steelyard.units import Metric


def sample(opt, n, op):
    treatment = Treatment(1, f"{opt}, {n}", {"opt": opt, "n": n})
    empty = [array("q") for _ in range(4)]
    return Sample(Metric("latency_s", "s"), treatment, array("d"), *empty, {"op": op} if op else {})


def test_labels_are_part_of_a_stratum_and_of_what_where_chooses():
    samples = [sample(opt, n, op) for opt in ("O2", "O3") for n in (1, 2) for op in ("bcast", "scan")]
    found = strata(samples, ("n",), {"op": "scan"})
    assert [stratum for stratum, _ in found] == [{"n": 1, "op": "scan"}, {"n": 2, "op": "scan"}]
    assert [[s.treatment.levels["opt"] for s in members] for _, members in found] == [["O2", "O3"]] * 2


def test_what_is_not_known_of_a_sample_excludes_it_from_nothing():
    assert has({"opt": "O2"}, {"op": "scan"})
    assert not has({"op": "bcast"}, {"op": "scan"})
    assert len(strata([sample("O2", 1, None)], (), {"op": "scan"})) == 1
