"""Limit of the stack as a level."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions.stack_limit import StackLimit

MIB = 1 << 20


def with_limits(soft, hard):
    return StackLimit(lambda: (soft, hard))


def test_the_opposite_of_a_limit_is_none_and_of_none_that_of_most_machines():
    assert with_limits(8 * MIB, -1).population() == ("system", "unlimited")
    assert with_limits(-1, -1).population() == ("system", 8)


def test_levels_above_the_hard_limit_are_missing_with_that_limit():
    limit = with_limits(8 * MIB, 64 * MIB)
    assert limit.missing("unlimited") == "the hard limit of this process is 64 MiB (ulimit -H -s)"
    assert limit.missing(65) is not None
    assert limit.missing(64) is None
    assert limit.missing("system") is None


def test_a_level_is_a_size_in_mebibytes_and_that_of_the_shell_changes_nothing():
    assert StackLimit().change(16).stack_mib == 16
    assert StackLimit().change("unlimited").stack_mib == 65_535
    assert StackLimit().change("system").stack_mib is None


@pytest.mark.parametrize("level", [0, -1, 65_535, True, "8", "none"])
def test_other_levels_are_refused(level):
    with pytest.raises(UsageError, match="is not a level of stack_limit"):
        StackLimit().check(level)
