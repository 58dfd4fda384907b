from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import experiment
from steelyard.spec.experiment import Design, Stop

FACTORS = """
[program]
command = ["p", "{opt}", "{n}"]
[factors]
opt = ["O2", "O3"]
n = [1, 2]
aslr = ["on", "off"]
[design]
"""


def test_a_design_has_defaults(read):
    assert read("").design == Design(
        kind="full", exclude=(), blocks=10, replicates=1, discard=1, seed=1, order="randomized", stop=None
    )


def test_everything_of_a_design_is_read(read):
    text = (
        FACTORS
        + """
    kind = "full"
    exclude = [{ opt = "O3", n = 1.0 }, { aslr = false, n = 2 }]
    blocks = 30
    replicates = 2
    discard = 0
    seed = 9223372036854775807
    order = "randomized"
    stop = { rel_halfwidth = 0.02, max_blocks = 200, max_time = "10 min" }
    """
    )
    assert read(text).design == Design(
        exclude=({"opt": "O3", "n": 1}, {"aslr": "off", "n": 2}),
        blocks=30,
        replicates=2,
        discard=0,
        seed=2**63 - 1,
        stop=Stop(0.02, 200, 600.0),
    )


def test_excluded_levels_are_kept_as_the_factor_has_them(read):
    excluded = read(FACTORS + "exclude = [{ n = 1.0, opt = 'O3' }]").design.exclude[0]["n"]
    assert (excluded, type(excluded)) == (1, int)


def test_an_exclusion_that_excludes_nothing_is_refused(refused):
    text = """
    [program]
    command = ["p", "{a}", "{b}"]
    [factors]
    w = { zip = ["a", "b"], levels = [[1, 10], [2, 20], [3, 30]] }
    [design]
    exclude = [{ a = 1 }, { a = 2, b = 30 }]
    """
    message, hint = refused(text)
    assert (
        message
        == "design.exclude[2]: { a = 2, b = 30 } excludes nothing: no treatment has these levels together"
    )
    assert hint == "remove it, or correct its levels"


def test_a_factor_that_has_one_level_from_the_start_may_keep_it(read):
    head = '[program]\ncommand = ["p", "{a}", "{b}"]\n'
    text = "[factors]\na = [1]\nb = [1, 2, 3]\n[design]\nexclude = [{ b = 2 }]"
    assert read(head + text).design.exclude == ({"b": 2},)


def many(a, b, exclude=(), **options):
    return experiment(
        program={"command": ["p", "{a}", "{b}"]},
        factors={"a": list(range(a)), "b": list(range(b))},
        design={"exclude": list(exclude)},
        **options,
    )


def test_more_than_ten_thousand_treatments_are_refused_unless_confirmed():
    assert len(many(100, 100).factors) == 2
    with pytest.raises(SpecError, match="factors: 10,100 treatments are more than 10,000") as caught:
        many(101, 100)
    assert "--yes" in caught.value.hint
    assert len(many(101, 100, allow_many=True).factors) == 2


def test_treatments_are_counted_after_exclusions():
    assert len(many(101, 100, exclude=[{"a": 0}]).factors) == 2


def test_a_million_treatments_can_be_confirmed_and_more_cannot():
    many(1000, 1000, allow_many=True)
    with pytest.raises(SpecError, match="1,001,000 combinations of levels are more than can be planned"):
        many(1001, 1000, allow_many=True)


def test_the_number_of_treatments_is_told_without_listing_them():
    with pytest.raises(SpecError, match="1,000,000,000,000 combinations"):
        experiment(
            program={"command": ["p", "{a}", "{b}", "{c}", "{d}"]},
            factors={name: list(range(1000)) for name in "abcd"},
            allow_many=True,
        )


def test_a_strict_stop_rule_needs_a_precision_and_40_blocks(read, refused):
    assert read("[design]\nstop = { rel_halfwidth = 0.02, strict = true }").design.stop == Stop(
        0.02, strict=True
    )
    message, hint = refused("[design]\nstop = { strict = true }")
    assert message == "design.stop.strict: strict needs a target precision, and none is set"
    assert "rel_halfwidth = 0.02" in hint
    message, hint = refused("[design]\nstop = { rel_halfwidth = 0.02, strict = true, max_blocks = 39 }")
    assert message == "design.stop.max_blocks: 39 is below 40, which is the first look of a strict stop rule"
    assert hint == "write max_blocks = 40 or more"
