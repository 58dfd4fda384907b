"""``steelyard demo``, as a user stops it; what it shows is tested in tests/lab/demo."""

from __future__ import annotations

import signal
import subprocess
import sys
import time


def test_a_demo_that_is_stopped_is_said_again_as_a_whole(steelyard_env, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "demo", "-o", "d"],
        env=steelyard_env, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("d/itself-sequential.lab/journal/*")) and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    # Between two comparisons there is no record to speak of.
    assert told == "interrupted\n" or told.splitlines()[-1] == "hint: steelyard demo -o d"
