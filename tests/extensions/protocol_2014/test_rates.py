"""How often the protocol and its alternatives err; a small part of benchmarks/coverage/families.py.

N = 300 families of four equal treatments. A procedure that errs in exactly 6 % of families shows at most 27
with a probability of 98 %.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_path = Path(__file__).parents[3] / "benchmarks" / "coverage" / "families.py"
_spec = importlib.util.spec_from_file_location("families", _path)
families = importlib.util.module_from_spec(_spec)
sys.modules["families"] = families  # its dataclasses look for their module
_spec.loader.exec_module(families)

BY_NAME = {scenario.name: scenario for scenario in families.SCENARIOS}
COUNT, MOST = 300, 27


@pytest.mark.parametrize(
    "name",
    ["normal", "lognormal 1", "bimodal 70/30, 6 sd apart", "drift of 2 sd, random order"],
)
def test_equal_treatments_give_any_false_finding_in_at_most_6_of_100_families(perfect_passes, name):
    assert perfect_passes(COUNT, 0.06, 0, MOST) > 0.98
    result = families.false_findings(BY_NAME[name], COUNT, 4, seed=1)
    assert {procedure: n for procedure, n in result.items() if n > MOST} == {}


@pytest.mark.parametrize(
    ("name", "rate"), [("AR(1) 0.5, one after the other", 0.4), ("drift of 2 sd, one after the other", 0.95)]
)
def test_one_treatment_after_the_other_no_procedure_holds_its_level(perfect_passes, name, rate):
    """Of 40 families, as many as a rate of 40 or 95 % gives; one that held 6 % would show 8 at most."""
    least = 9 if rate < 0.9 else 34
    assert perfect_passes(40, rate, least, 40) > 0.98
    assert perfect_passes(40, 0.06, 0, 8) > 0.99
    result = families.false_findings(BY_NAME[name], 40, 4, seed=2)
    assert min(result.values()) >= least


def test_rank_tests_find_a_shift_of_skewed_values_more_often_than_welch(perfect_passes):
    """Lognormal 1: 99 against 71 % in the long run, of 40 × 3 pairs."""
    result = families.true_findings(BY_NAME["lognormal 1"], 40, 4, seed=3)
    assert result["protocol"] > 0.9
    assert result["Brunner-Munzel"] > 0.9
    assert result["Welch"] < 0.88
