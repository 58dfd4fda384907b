"""What was started for a record is found by its mark, wherever it went, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys

from steelyard.run.runner.strays import end_strays, find_strays


def test_strays_of_another_record_are_left_alone(mark):
    process = subprocess.Popen(["sleep", "600"], env={"STEELYARD_TRIAL": f"{mark}0-000000000001"})
    try:
        assert end_strays(mark) == []
        assert process.poll() is None
        [stray] = find_strays(f"{mark}0")
        assert (stray.pid, stray.trial, stray.command) == (process.pid, "000000000001", "sleep")
    finally:
        process.kill()
        process.wait()


def test_a_process_that_looks_for_strays_never_finds_itself(mark):
    script = f"from steelyard.run.runner.strays import end_strays; print(end_strays({mark!r}))"
    env = {**os.environ, "STEELYARD_TRIAL": f"{mark}-000000000001", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_record_without_strays_has_none(mark):
    assert find_strays(mark) == []
    assert end_strays(mark) == []
