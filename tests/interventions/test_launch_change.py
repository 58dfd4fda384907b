from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions import LaunchChange, combine


def test_no_changes_make_a_plain_launch():
    assert combine([]) == LaunchChange()


def test_changes_of_different_kinds_are_all_made():
    changes = [
        LaunchChange(env_bytes=48),
        LaunchChange(aslr_off=True),
        LaunchChange(affinity=(0, 1)),
        LaunchChange(env={"OMP_PROC_BIND": "close"}),
    ]
    assert combine(changes) == LaunchChange({"OMP_PROC_BIND": "close"}, 48, (0, 1), aslr_off=True)


def test_growths_of_the_environment_add_up():
    assert combine([LaunchChange(env_bytes=16), LaunchChange(env_bytes=5)]).env_bytes == 21


def test_equal_wishes_are_no_conflict():
    wish = LaunchChange(env={"A": "1"}, affinity=(2,))
    assert combine([wish, wish]) == wish


def test_two_values_of_one_variable_are_a_conflict_that_names_both():
    with pytest.raises(UsageError, match=r"different values of A: 'x' and 'y'") as caught:
        combine([LaunchChange(env={"A": "x"}), LaunchChange(env={"A": "y"})])
    assert caught.value.hint


def test_two_sets_of_cpus_are_a_conflict():
    with pytest.raises(UsageError, match=r"different CPUs: \(0,\) and \(1,\)"):
        combine([LaunchChange(affinity=(0,)), LaunchChange(affinity=(1,))])


def test_a_change_is_not_changed_afterwards():
    with pytest.raises(AttributeError, match="immutable"):
        LaunchChange().env_bytes = 1
