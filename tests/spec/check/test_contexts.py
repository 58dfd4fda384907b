from __future__ import annotations

from steelyard.interventions import INTERVENTIONS
from steelyard.spec.experiment import Contexts, Range
from steelyard.spec.tables.contexts import ContextsTable


def test_settings_are_random_fixed_a_list_or_a_range(read):
    text = """
    [contexts]
    env_bytes = { range = [0, 4096], step = 16 }
    aslr = ["on", false]
    affinity = "random"
    """
    assert read(text).contexts == Contexts(
        {"env_bytes": Range((0, 4096), 16), "aslr": ("on", "off"), "affinity": "random"}
    )


def test_a_fixed_setting_is_kept_as_records_keep_levels(read):
    assert read('[contexts]\naffinity = "1,0"\naslr = false').contexts == Contexts(
        {"aslr": "off", "affinity": "0-1"}
    )


def test_contexts_are_visited_once_unless_passes_says_otherwise(read):
    assert read('[contexts]\nenv_bytes = "random"').contexts.passes == 1
    assert read('[contexts]\nenv_bytes = "random"\npasses = 2').contexts.passes == 2


def test_every_intervention_is_a_setting():
    assert set(ContextsTable.__struct_fields__) == {*INTERVENTIONS, "passes"}


def test_a_setting_cannot_be_a_factor_as_well(refused):
    message, hint = refused('[factors]\naslr = ["on", "off"]\n[contexts]\naslr = "off"')
    assert (
        message == "contexts.aslr: aslr is a factor as well: it cannot be compared and averaged over at once"
    )
    assert hint == "leave it out here, or in [factors]"
