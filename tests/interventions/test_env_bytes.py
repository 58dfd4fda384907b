from __future__ import annotations

import os

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions.argv0_bytes import Argv0Bytes
from steelyard.interventions.cwd_bytes import CwdBytes
from steelyard.interventions.env_bytes import LARGEST, EnvBytes
from steelyard.interventions.heap_offset import HeapOffset
from steelyard.interventions.stack_offset import StackOffset


@pytest.mark.parametrize("level", [0, 1, 4096, LARGEST])
def test_a_number_of_bytes_is_a_level_and_grows_the_environment_by_itself(level):
    assert EnvBytes().check(level) == level
    change = EnvBytes().change(level)
    assert (change.env_bytes, change.env, change.affinity, change.aslr_off) == (level, {}, None, False)


@pytest.mark.parametrize("level", [True, "16", 16.0, -1, LARGEST + 1])
def test_what_is_no_number_of_bytes_up_to_the_largest_is_refused(level):
    with pytest.raises(UsageError, match="is not a level of env_bytes"):
        EnvBytes().check(level)


@pytest.mark.parametrize("page", [4096, 16384, 65536])
def test_random_levels_are_the_residues_of_the_page_of_the_machine_in_steps_of_16(page):
    population = EnvBytes(page).population()
    assert list(population) == list(range(0, page, 16))


def test_the_page_is_that_of_the_system():
    assert EnvBytes().page_bytes == os.sysconf("SC_PAGE_SIZE")


def test_bytes_between_levels_are_drawn_of_what_holds_strings_and_not_of_the_heap():
    for item in (EnvBytes(), Argv0Bytes(), StackOffset(), CwdBytes()):
        assert {item.refine(512, i / 16) for i in range(16)} == set(range(512, 528))
        assert item.check(item.refine(item.population()[-1], 0.999)) <= item.check(item.population()[-1]) + 15
    assert HeapOffset().refine(512, 0.999) == 512


@pytest.mark.parametrize("page", [4096, 65536])
def test_the_fine_part_of_a_draw_reaches_every_byte_of_a_page_once_and_none_beyond(page):
    intervention = EnvBytes(page)
    drawn = [intervention.refine(level, i / 16) for level in intervention.population() for i in range(16)]
    assert sorted(drawn) == list(range(page))
    assert intervention.refine(0, 0.999999) == 15
    assert all(intervention.check(level) == level for level in (drawn[0], drawn[-1]))
