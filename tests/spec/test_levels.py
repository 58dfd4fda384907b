from __future__ import annotations

import pytest

from steelyard.spec.levels import find_level, unique
from steelyard.spec.text.origin import Origin


@pytest.fixture
def refusal():
    def refusal(levels, wanted):
        with pytest.raises(Exception, match="has no level") as caught:
            find_level("n", levels, wanted, Origin("s"), ("n",))
        return caught.value.hint

    return refusal


def test_a_level_is_found_by_its_value_and_kept_as_the_factor_has_it():
    assert type(find_level("n", (1, 2), 2.0, Origin("s"), ())) is int
    assert find_level("n", ("a", True), True, Origin("s"), ()) is True


def test_truth_is_no_number(refusal):
    assert refusal((1, 2), True) == "its levels are 1, 2"
    assert refusal((True, False), 1) == "its levels are true, false"


def test_ten_levels_are_listed_and_of_more_the_first_ten(refusal):
    ten = ", ".join(map(str, range(10)))
    assert refusal(tuple(range(10)), "z") == f"its levels are {ten}"
    assert refusal(tuple(range(11)), "z") == f"its levels are {ten}, …"


def test_the_nearest_level_is_offered(refusal):
    assert refusal(("none", "compact"), "compat") == 'did you mean "compact"?'


def test_levels_are_unique_by_type_and_value():
    assert [repr(level) for level in unique([1, 1.0, True, 1, "1", 1.0])] == ["1", "1.0", "True", "'1'"]
