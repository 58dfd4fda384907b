from __future__ import annotations

import pytest

from steelyard.design.plan import Context
from steelyard.lab.answer.design_facts import default_context, layout_per_launch


@pytest.mark.parametrize(
    ("contexts", "factors", "drawn"),
    [
        (None, {}, False),
        ({"env_bytes": "random"}, {}, True),
        ({"env_bytes": "random", "aslr": "on"}, {}, True),
        ({"env_bytes": "random", "aslr": "off"}, {}, False),
        ({"env_bytes": "random"}, {"aslr": ["on", "off"]}, True),
    ],
)
def test_layouts_are_those_of_launches_unless_address_randomisation_is_off(
    make_experiment, contexts, factors, drawn
):
    inputs = {"contexts": contexts} if contexts else {}
    assert layout_per_launch(make_experiment(factors=factors, **inputs)) is drawn


def contexts(*settings):
    return [Context(i, item) for i, item in enumerate(settings, 1)]


def test_the_default_context_has_the_stack_where_a_plain_launch_has_it():
    drawn = contexts({"env_bytes": 32, "aslr": "off"}, {"env_bytes": 15, "aslr": "off"})
    assert default_context(drawn) == 2
    assert default_context(contexts({"env_bytes": 32}, {"env_bytes": 16})) is None


def test_every_setting_that_varies_must_be_the_plain_one():
    drawn = contexts({"env_bytes": 0, "aslr": "off"}, {"env_bytes": 0, "aslr": "on"})
    assert default_context(drawn) == 2


def test_where_nothing_varies_or_nobody_knows_the_plain_level_there_is_no_default():
    assert default_context([]) is None
    assert default_context(contexts({"env_bytes": 0}, {"env_bytes": 0})) is None
    assert default_context(contexts({"affinity": "0"}, {"affinity": "1"})) is None
