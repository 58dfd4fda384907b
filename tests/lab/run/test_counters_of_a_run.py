"""What a run says of its counters: where they were read, what idles, what a killed run left."""

from __future__ import annotations

import pytest

from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run import run as running
from steelyard.run.host.control_groups import ControlGroups

COMMANDS = {"a": ["/bin/true"], "b": ["/bin/true"]}


def test_groups_that_a_killed_run_left_are_removed_and_named(run_in, tmp_path, monkeypatch):
    groups = tmp_path / "groups"
    group = groups / "steelyard-999999999-1"
    group.mkdir(parents=True)
    monkeypatch.setattr(running, "find_control_groups", lambda: ControlGroups(groups, memory=False))
    record = run_in(program={"commands": COMMANDS, "counters": ["tree_cpu_s"]})
    assert not group.exists()
    assert [w.text for w in record.warnings() if str(group) in w.text]


@pytest.mark.parametrize("counters", [["task_clock"], []])
def test_a_run_without_groups_removes_none(run_in, tmp_path, monkeypatch, counters):
    group = tmp_path / "steelyard-999999999-1"
    group.mkdir()
    monkeypatch.setattr(running, "find_control_groups", lambda: ControlGroups(tmp_path, memory=False))
    run_in(program={"commands": COMMANDS, "counters": counters})
    assert group.exists()


def test_idle_power_and_sources_are_facts_and_the_answer_says_what_idles(run_in, monkeypatch):
    monkeypatch.setattr(running, "measure_idle_power", lambda names: {f"{names[0]}_idle_w": 12.34})
    record = run_in(program={"commands": COMMANDS, "counters": ["energy_pkg_j"]})
    facts = record.runs()[0].host
    assert facts["energy_pkg_j_idle_w"] == 12.34
    assert facts["energy_pkg_j_source"]
    idle = [item for item in analyze(record).unobserved if item.kind == "idle_power"]
    assert [element.fields for element in idle] == [{"metric": "energy_pkg_j", "watts": "12.3"}]
