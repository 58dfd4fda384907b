from __future__ import annotations

import json
import subprocess
import sys
from typing import get_args

import pytest
from msgspec.structs import replace

from steelyard.core.sample import Failures
from steelyard.report.status import _WORDS, render
from steelyard.results.status import STATUS as DOCUMENT
from steelyard.results.status import Holder, State, Status

STATUS = Status(
    experiment="O2 against O3",
    record="o2-o3.lab",
    state="running",
    treatments=2,
    blocks_done=12,
    blocks_planned=30,
    trials_done=26,
    spent_s=200,
    left_s=305.4,
    failures={"O3": Failures(13, 1, 0)},
    stops_at_precision=True,
    target=0.01,
    reached=0.0183,
    holder=Holder(4242, "lab3", "2026-11-21 20:50"),
)


def test_a_status_says_how_far_what_failed_how_long_and_who():
    assert render(STATUS) == (
        "O2 against O3: running\n"
        "  blocks     12 of at most 30; 2 treatments in each\n"
        "  runs       26, failed: O3 1 of 13\n"
        "  precision  1.8 % reached, 1 % requested (half-width of the widest interval)\n"
        "  time       3 min 20 s spent, about 5 min 5 s left\n"
        "  locked by  process 4242 on lab3 since 2026-11-21 20:50\n"
        "  record     o2-o3.lab\n"
    )


def test_what_is_not_known_is_not_said():
    bare = replace(
        STATUS,
        state="planned",
        blocks_planned=None,
        trials_done=0,
        spent_s=0,
        left_s=None,
        failures={},
        target=None,
    )
    assert render(replace(bare, holder=None, treatments=1)) == (
        "O2 against O3: nothing has run yet\n"
        "  blocks     12, until precise enough; 1 treatment in each\n"
        "  runs       0, none failed\n"
        "  time       0 s spent\n"
        "  record     o2-o3.lab\n"
    )


def test_a_target_that_nothing_was_held_against_yet_is_said():
    assert "not known yet, 1 % requested" in render(replace(STATUS, reached=None))


def test_every_state_has_words():
    assert set(_WORDS) == set(get_args(State))


@pytest.mark.parametrize("width", [60, 80])
def test_long_names_stay_within_the_width(width):
    long = replace(
        STATUS, experiment="a long name " * 12, failures={f"t{i}": Failures(9, 1, 0) for i in range(9)}
    )
    assert all(len(line) <= width for line in render(long, width).splitlines())


def test_the_rest_of_a_long_name_is_indented():
    first, second, *_ = render(replace(STATUS, experiment="a name of several words"), 20).splitlines()
    assert first.startswith("a name of")
    assert second.startswith("  ")
    assert second[2] != " "


def test_the_document_holds_every_field():
    content = json.loads(DOCUMENT.text(STATUS))
    assert (content["format"], content["version"]) == ("steelyard/status", 1)
    assert content["failures"] == {"O3": {"attempted": 13, "failed": 1, "timed_out": 0, "reason": ""}}
    assert content["holder"] == {"pid": 4242, "host": "lab3", "since": "2026-11-21 20:50"}
    assert (content["blocks_done"], content["reached"]) == (12, 0.0183)


def test_a_status_needs_no_numpy():
    loads = "steelyard.report.status, steelyard.report.text.progress"
    code = f"import sys, {loads}; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
