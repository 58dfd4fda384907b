"""Samples of several records as one."""

from __future__ import annotations

from array import array

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.extensions.repository.joining import join_samples


def make_sample(values):
    n = len(values)
    ids, ones = array("q", range(1, n + 1)), array("q", [1] * n)
    treatment = Treatment(1, "a", {"tree": "a"})
    return Sample(BUILTIN["wall_s"], treatment, array("d", values), ids, ones, array("q", [7] * n), ids)


def test_samples_of_records_keep_their_order_and_their_blocks_apart():
    joined = join_samples([make_sample([1.0, 2.0]), make_sample([3.0, 4.0, 5.0]), make_sample([6.0])])
    assert [*joined.values] == [1, 2, 3, 4, 5, 6]
    assert [*joined.blocks] == [1, 2, 3, 4, 5, 6]
    assert [*joined.trials] == sorted(set(joined.trials))


def test_a_context_of_one_record_is_none_of_another():
    assert set(join_samples([make_sample([1.0]), make_sample([2.0])]).contexts) == {0}
