"""A history as JUnit XML: what fails, what is skipped, what passes."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from answers.histories import a_drift, a_regression_that_stands, a_step, two_machines

from steelyard.extensions.history.junit import render


def suite(found, since=None, *, strict=False):
    (result,) = ET.fromstring(render(found, since, strict=strict))  # noqa: S314 -- ours
    return result


def test_a_regression_that_stands_fails_its_series_in_words():
    result = suite(a_regression_that_stands())
    assert (result.get("tests"), result.get("failures")) == ("1", "1")
    (case,) = result
    assert case.get("name") == "wall_s of nbody"
    assert "5.2 % more" in case.find("failure").text


def test_a_step_that_was_undone_passes():
    assert suite(a_step()).get("failures") == "0"


@pytest.mark.parametrize(("strict", "key"), [(False, "skipped"), (True, "failures")])
def test_a_drift_is_skipped_and_fails_under_strict(strict, key):
    assert suite(a_drift(), strict=strict).get(key) == "1"


def test_series_of_several_machines_are_told_apart():
    names = [case.get("name") for case in suite(two_machines())]
    assert len({*names}) == len(names) == 5
    assert "wall_s of nbody, machine 2" in names


@pytest.mark.parametrize(("strict", "key"), [(False, "skipped"), (True, "failure")])
def test_records_that_cannot_be_read_are_a_case_of_their_own(strict, key):
    (case,) = [case for case in suite(two_machines(), strict=strict) if "complete" in case.get("name")]
    assert "x.lab is damaged" in case.find(key).get("message") + (case.find(key).text or "")
