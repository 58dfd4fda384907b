from __future__ import annotations

import math

import pytest

from steelyard.core.analysis import TypeB
from steelyard.core.errors import SpecError
from steelyard.spec import dumps, loads

HEAD = '[program]\ncommand = ["p"]\n'


def stated(*tables, more=""):
    text = HEAD + "[analysis]\n" + more + "".join(f"\n[[analysis.type_b]]\n{table}\n" for table in tables)
    return loads(text, source="/", name="x")


def test_a_size_is_a_standard_uncertainty_or_becomes_one():
    result = stated(
        'name = "a"\nu = 0.5', 'name = "b"\nhalf_width = 3\nrelative = true', 'name = "c"\nstep = 6\nnu = 4'
    )
    assert result.analysis.type_b == (
        TypeB("a", 0.5),
        TypeB("b", 3 / math.sqrt(3), relative=True),
        TypeB("c", 6 / math.sqrt(12), nu=4),
    )


def test_what_was_stated_survives_its_text():
    result = stated('name = "a"\nu = 0.5\nshared = true', 'name = "b"\nstep = 0.1')
    assert loads(dumps(result), source="/", name="x") == result


@pytest.mark.parametrize(
    ("tables", "more", "message", "hint"),
    [
        (['name = "a"'], "", "a has no size", "u, half_width and step"),
        (['name = "a"\nu = 1\nstep = 2'], "", "u and step are both its size", "u, half_width and step"),
        (['name = "a"\nu = 1', 'name = "a"\nu = 2'], "", "a is stated twice", "leave one out"),
        (['name = "a"\nu = 0'], "", "must be a number above 0, got 0", "above 0"),
        (['name = "a"\nu = 1'], 'estimand = "median_ratio"', "by sign has no place", "log-delta"),
        (['name = "a"\nu = 1'], 'interval = "bootstrap-t"', "by bootstrap-t has no place", "log-delta"),
    ],
)
def test_a_mistake_is_told_with_its_cure(tables, more, message, hint):
    with pytest.raises(SpecError) as caught:
        stated(*tables, more=more)
    assert message in caught.value.message
    assert "analysis.type_b" in caught.value.message
    assert hint in caught.value.hint
