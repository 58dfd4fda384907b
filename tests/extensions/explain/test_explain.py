"""Programs that nothing may sample are refused before the first run."""

from __future__ import annotations

import os

import pytest

from steelyard.core.errors import MachineError
from steelyard.extensions.explain.explain import explain
from steelyard.extensions.explain.request import ExplainRequest
from steelyard.extensions.explain.sampling import ProfileCommand


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
