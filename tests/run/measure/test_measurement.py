"""The fields of a measurement: those that the runner observes are called there as they are here."""

from __future__ import annotations

from steelyard.run.measure.measurement import COLUMNS, OBSERVED
from steelyard.run.runner.journal import RawTrial


def test_what_the_runner_observes_has_the_same_names_and_order_in_its_journal():
    assert [name for name in RawTrial.__struct_fields__ if name in OBSERVED] == list(OBSERVED)


def test_columns_are_the_place_of_a_trial_its_status_and_what_was_observed():
    assert ("trial", "block", "place", "treatment", "status", *OBSERVED) == COLUMNS
