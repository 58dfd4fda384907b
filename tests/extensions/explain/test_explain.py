"""Programs that nothing may sample are refused before the first run."""

from __future__ import annotations

import os

import pytest

from steelyard.core.errors import MachineError
from steelyard.extensions.explain.explain import explain, explain_record
from steelyard.extensions.explain.family import FEWEST_BLOCKS
from steelyard.extensions.explain.profiles import Function, Profile, Profiles
from steelyard.extensions.explain.request import ARMS, ExplainRequest
from steelyard.extensions.explain.sampling import ProfileCommand
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record


def test_a_program_of_another_user_s_rights_is_refused_with_the_cure(tmp_path, monkeypatch):
    program = tmp_path / "prog"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o4755)
    monkeypatch.setattr(os, "geteuid", lambda: program.stat().st_uid + 1)
    request = ExplainRequest(old=("true",), new=(str(program),), blocks=12)
    profiler = ProfileCommand("true {profile} {command}")
    with pytest.raises(MachineError, match=r"prog runs with the rights of another user") as caught:
        explain(request, profiler, tmp_path / "x.lab", watch=lambda _: None, tell=lambda _: None)
    assert "explain a copy of it" in caught.value.hint
    assert not (tmp_path / "x.lab").exists()


def test_waiting_is_elapsed_time_without_cpu_time(tmp_path):
    spec = experiment(
        name="waits",
        program={"commands": {arm: ["sleep", "0.02" if "new" in arm else "0.001"] for arm in ARMS}},
        design={"blocks": FEWEST_BLOCKS},
        analysis={"metric": "wall_s"},
    )
    run(spec, tmp_path / "waits.lab")
    with Record.open(tmp_path / "waits.lab") as record:
        trials = {trial for sample in record.samples("cpu_s") for trial in sample.trials}
        profile = Profile({(Function("main"),): 1e6}, samples=1)
        explanation = explain_record(record, Profiles("ns", dict.fromkeys(trials, profile)))
    # Of elapsed time alone, what is left beside the time that is divided would be 0.
    assert explanation.waiting.value != 0
