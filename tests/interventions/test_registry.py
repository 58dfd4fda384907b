from __future__ import annotations

import subprocess
import sys

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions import INTERVENTIONS, LaunchChange
from steelyard.spec.tables.contexts import ContextsTable


def test_the_registry_is_keyed_by_the_names_of_its_members():
    assert set(INTERVENTIONS) == {
        "env_bytes",
        "argv0_bytes",
        "cwd_bytes",
        "stack_offset",
        "heap_offset",
        "aslr",
        "affinity",
        "omp_wait_policy",
        "omp_num_threads",
        "lc_all",
        "stack_limit",
        "nice",
        "scheduling",
        "background_load",
        "file_cache",
        "transparent_huge_pages",
        "governor",
        "link_order",
        "padding",
        "code",
        "node",
    }
    assert all(name == item.name for name, item in INTERVENTIONS.items())


CHANGING = [item for item in INTERVENTIONS.values() if not item.is_place]


@pytest.mark.parametrize("intervention", CHANGING, ids=lambda value: value.name)
def test_every_level_of_a_population_is_a_canonical_level_that_this_machine_can_make(intervention):
    population = intervention.population()
    assert len(set(population)) == len(population) > 1
    for level in population:
        assert intervention.check(level) == level
        assert isinstance(intervention.change(level), LaunchChange)
        assert set(intervention.change(level).env) <= intervention.variables


@pytest.mark.parametrize("intervention", CHANGING, ids=lambda value: value.name)
@pytest.mark.parametrize("level", ["", "nonsense", -100, 1.5, float("nan")])
def test_what_is_no_level_is_refused_with_its_value_and_what_would_be_one(intervention, level):
    with pytest.raises(UsageError) as caught:
        intervention.check(level)
    assert repr(level) in caught.value.message
    assert caught.value.hint == f"write {intervention.levels_text}"


@pytest.mark.parametrize("intervention", INTERVENTIONS.values(), ids=lambda value: value.name)
def test_an_intervention_says_what_it_is_in_one_line(intervention):
    assert intervention.about
    assert "\n" not in intervention.about + intervention.levels_text


def test_every_intervention_is_a_setting_of_contexts_and_the_other_way_round():
    assert set(ContextsTable.__struct_fields__) - {"passes"} == set(INTERVENTIONS)


def test_interventions_load_without_numpy():
    code = "import steelyard.interventions, sys; print({'numpy', 'scipy', 'ctypes'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"
