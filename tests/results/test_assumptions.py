from __future__ import annotations

import pytest

from steelyard.results.assumptions import assumptions

KINDS = [
    "log-ratio-t",
    "log-ratio-sign",
    "log-ratio-bootstrap-t",
    "means-log-delta",
    "means-fieller",
    "means-gum-s1",
    "means-bootstrap-t",
    "median-sign",
]


@pytest.mark.parametrize("unit", ["block", "context", "instance"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_method_assumes_something_of_its_units(unit, kind):
    result = assumptions(f"{unit}-{kind}")
    sampled = "a random sample" if unit == "instance" else "independent"
    assert result[0].startswith(f"{unit}s are {sampled}")
    assert len(result) == (1 if kind in ("log-ratio-sign", "median-sign") else 2)
    assert all(f"{unit}s" in item for item in result)


def test_random_orders_make_log_ratios_symmetric_only_where_programs_are_equal():
    independent, shape, beyond = assumptions("block-log-ratio-sign-flip")
    assert independent == "blocks are independent"
    assert shape.endswith("symmetric about their mean, as random orders make those of equal programs")
    assert "near normal, where p or level is below what signs reach" in beyond


@pytest.mark.parametrize("kind", ["log-ratio-t", "log-ratio-permutation", "medians-log-delta", *KINDS[2:7]])
def test_without_pairs_launches_must_be_independent(kind):
    result = assumptions(f"unpaired-{kind}")
    assert "no drift, no autocorrelation" in result[0]
