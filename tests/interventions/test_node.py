"""Nodes of a queue: names that no command takes for an option, and no change of a launch."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions import LaunchChange
from steelyard.interventions.node import Node


@pytest.mark.parametrize("name", ["n1", "login-2.cluster.example", "0", "a_b"])
def test_the_name_of_a_host_is_a_level_and_changes_no_launch(name):
    assert Node().check(name) == name
    assert Node().change(name) == LaunchChange()


@pytest.mark.parametrize(
    "level", ["", "-n1", "n1,n2", "n[1-4]", "n 1", "$(id)", "n1\n", "a" * 255, 3, 1.5, True]
)
def test_what_a_command_could_take_for_more_than_one_name_is_refused(level):
    with pytest.raises(UsageError) as caught:
        Node().check(level)
    assert repr(level) in caught.value.message
    assert 'node = ["n1", "n2"]' in caught.value.hint


def test_this_machine_knows_no_nodes():
    assert not Node().population()
