from __future__ import annotations

from array import array

import msgspec
import pytest

from steelyard.core.sample import Failures, Instances, Sample, Treatment
from steelyard.core.units import BUILTIN

A = Treatment(1, "a", {"opt": "O2"})


def sample(**lengths):
    columns = {
        name: array("q", range(lengths.get(name, 3))) for name in ("blocks", "passes", "contexts", "trials")
    }
    return Sample(BUILTIN["wall_s"], A, array("d", [0.0] * lengths.get("values", 3)), **columns)


def test_a_sample_is_as_long_as_its_values():
    assert len(sample()) == 3
    assert len(sample(values=0, blocks=0, passes=0, contexts=0, trials=0)) == 0


@pytest.mark.parametrize("name", ["values", "blocks", "passes", "contexts", "trials"])
def test_columns_of_unequal_length_are_a_bug(name):
    with pytest.raises(ValueError, match=r"equal length, got lengths \[3, 4\]"):
        sample(**{name: 4})


def test_what_is_made_of_a_sample_is_checked_as_a_new_one_is():
    with pytest.raises(ValueError, match="equal length"):
        msgspec.structs.replace(sample(), values=array("d", [1.0]))


def test_a_sample_has_no_labels_and_no_failures_unless_it_is_told():
    assert (sample().labels, sample().failures) == ({}, Failures(0, 0, 0))


def test_the_share_of_failures_is_of_what_was_attempted():
    assert Failures(8, 2, 1).share == 0.25
    assert Failures().share == 0.0


@pytest.mark.parametrize(("thing", "field"), [(sample(), "values"), (A, "label"), (Failures(), "failed")])
def test_what_was_observed_is_not_changed_afterwards(thing, field):
    with pytest.raises(AttributeError):
        setattr(thing, field, None)


def test_values_are_selected_with_all_that_is_known_of_each():
    result = msgspec.structs.replace(
        sample(),
        censored=array("b", [0, 1, 0]),
        instances=Instances("graph", ("a", "b"), array("q", [0, 1, 0])),
    )
    part = result.select([2, 1])
    assert (part.trials.tolist(), part.censored.tolist(), part.instances.ids.tolist()) == (
        [2, 1],
        [0, 1],
        [0, 1],
    )
    assert not sample().select([0]).censored
