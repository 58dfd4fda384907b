from __future__ import annotations

import math

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.solvers.runs import SolverRun, make_campaign, read_outcome


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("ok", "solved"),
        ("SAT", "solved"),
        ("timeout", "timeout"),
        ("Timed out", "timeout"),
        ("time-limit", "timeout"),
        ("timed_out", "timeout"),
        ("memout", "failed"),
        ("Out of memory", "failed"),
        ("unknown", "failed"),
    ],
)
def test_the_usual_words_for_an_outcome_are_known(word, outcome):
    assert read_outcome(word, "x") == outcome


def test_an_unknown_word_is_refused_with_its_place():
    with pytest.raises(UsageError, match=r"t\.csv, line 3: the status 'meh' is not known"):
        read_outcome("meh", "t.csv, line 3")


def test_the_limit_is_where_runs_timed_out_if_all_did_at_one_time():
    runs = [SolverRun("a", "i", "timeout", 60.0), SolverRun("a", "j", "solved", 3.0)]
    campaign = make_campaign(runs, None, "t.csv")
    assert (campaign.limit_s, campaign.origin) == (60.0, "at which runs timed out")


@pytest.mark.parametrize(
    ("times", "problem"),
    [((60.0, 61.5), "runs timed out after 60 to 61.5 s"), ((math.inf,), "no run that timed out has a time")],
)
def test_a_limit_that_is_not_known_is_asked_for(times, problem):
    runs = [SolverRun("a", str(place), "timeout", time) for place, time in enumerate(times)]
    with pytest.raises(UsageError, match=problem) as caught:
        make_campaign(runs, None, "t.csv")
    assert caught.value.hint == "--limit SECONDS"


def test_a_run_beyond_the_limit_was_not_solved():
    campaign = make_campaign([SolverRun("a", "i", "solved", 61.0)], 60.0, "t.csv")
    assert campaign.runs == (SolverRun("a", "i", "timeout", 60.0),)


def test_two_runs_of_one_solver_instance_and_seed_are_refused():
    runs = [SolverRun("a", "i", "solved", 1.0), SolverRun("a", "i", "solved", 2.0)]
    with pytest.raises(UsageError, match="a has two runs of i") as caught:
        make_campaign(runs, 60.0, "t.csv")
    assert "--seed COLUMN" in caught.value.hint
