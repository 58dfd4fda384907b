from __future__ import annotations

import pytest

from steelyard.interventions.argv0_bytes import Argv0Bytes
from steelyard.interventions.cwd_bytes import CwdBytes
from steelyard.interventions.heap_offset import HeapOffset
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.stack_offset import StackOffset

PAGE = 4096


@pytest.mark.parametrize(
    ("intervention", "change"),
    [
        (Argv0Bytes(PAGE), LaunchChange(argv0_bytes=48)),
        (StackOffset(PAGE), LaunchChange(stack_bytes=48)),
        (HeapOffset(PAGE), LaunchChange(heap_bytes=48)),
    ],
)
def test_a_number_of_bytes_moves_one_thing(intervention, change):
    assert intervention.change(intervention.check(48)) == change


def test_random_offsets_of_the_heap_are_all_residues_of_a_page():
    assert list(HeapOffset(PAGE).population()) == list(range(0, PAGE, 16))


@pytest.mark.parametrize("intervention", [Argv0Bytes(PAGE), StackOffset(PAGE)])
def test_random_offsets_that_a_path_has_to_hold_end_where_a_path_ends(intervention):
    assert list(intervention.population()) == list(range(0, 3072, 16))


def test_levels_within_sixteen_bytes_are_one_place():
    assert HeapOffset(PAGE).place(31) == HeapOffset(PAGE).place(16) != HeapOffset(PAGE).place(32)
    assert CwdBytes().place(513) != CwdBytes().place(512)
