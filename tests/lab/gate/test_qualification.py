"""Qualification by sessions of equal programs, which report what they are told to."""

from __future__ import annotations

import pytest

from steelyard.answers.gate import Qualification
from steelyard.lab.gate.qualification import load_qualification, locate_file, qualify
from steelyard.lab.gate.request import GateRequest
from steelyard.lab.history.repository import Repository


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_sessions_count_false_alarms_and_planted_slow_downs_and_are_kept(suites, tmp_path):
    head = suites.suite(sort=100, find=100)
    request = GateRequest(
        base=head, head=head, words=("./bench",), harness="google-benchmark", seed=1, max_time_s=60.0
    )
    assert load_qualification(request) is None
    found = qualify(
        request,
        Repository(suites.path),
        tmp_path / "found",
        sessions=2,
        slow_down=0.1,
        watch=lambda _: None,
        tell=lambda _: None,
    )
    assert isinstance(found, Qualification)
    assert (found.sessions, found.verdicts, found.alarms, found.detected) == (2, 4, 0, 4)
    # Of no alarm in n verdicts the bound is 1 - 0.05^(1/n); of n of n seen, 0.05^(1/n).
    assert found.alarm_bound == pytest.approx(1 - 0.05**0.25)
    assert found.detected_bound == pytest.approx(0.05**0.25)
    assert 0 <= found.floor < 0.02
    assert load_qualification(request) == found
    import os

    locate_file(os.environ).write_text("damaged")
    assert load_qualification(request) is None
