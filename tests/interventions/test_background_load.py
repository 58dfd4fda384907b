from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.interventions.background_load import BackgroundLoad
from steelyard.interventions.launch_change import LaunchChange, Load

OF_FOUR = BackgroundLoad(lambda: frozenset(range(4)))


@pytest.mark.parametrize(
    ("level", "canonical", "load"),
    [
        ("none", "none", None),
        ("cpu", "cpu", Load("cpu")),
        ("memory x1 100%", "memory", Load("memory")),
        ("disk  x3", "disk x3", Load("disk", 3)),
        ("cpu x2 50 % on 1,0", "cpu x2 50% on 0-1", Load("cpu", 2, 50, (0, 1))),
    ],
)
def test_a_level_says_kind_number_strength_and_cpus(level, canonical, load):
    assert OF_FOUR.check(level) == canonical
    assert OF_FOUR.change(canonical) == LaunchChange(load=load)


@pytest.mark.parametrize(
    "level", ["network", "cpu x0", "cpu x9", "cpu 101%", "cpu 0%", "cpu on", "cpu on 2-1", 3]
)
def test_what_is_no_load_is_refused(level):
    with pytest.raises(UsageError, match="is not a level of background_load"):
        OF_FOUR.check(level)


@given(
    st.sampled_from(["cpu", "memory", "disk"]),
    st.integers(1, 8),
    st.integers(1, 100),
    st.none() | st.sets(st.integers(0, 3), min_size=1),
)
def test_the_shortest_text_means_what_the_longest_does(kind, processes, percent, cpus):
    text = f"{kind} x{processes} {percent}%" + (f" on {','.join(map(str, cpus))}" if cpus else "")
    short = OF_FOUR.check(text)
    assert OF_FOUR.check(short) == short
    expected = Load(kind, processes, percent, tuple(sorted(cpus)) if cpus else None)
    assert OF_FOUR.change(short).load == expected


def test_a_cpu_that_this_process_may_not_use_is_missing():
    assert OF_FOUR.missing("cpu on 3") is None
    assert OF_FOUR.missing("cpu on 3-5").startswith("CPUs 4-5 are not among those")
