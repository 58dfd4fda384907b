"""``steelyard demo``, as a user stops it; what it shows is tested in test_programs.py beside it."""

from __future__ import annotations

import signal


def test_a_demo_that_is_stopped_is_said_again_as_a_whole(steelyard_started, tmp_path, eventually):
    process = steelyard_started("demo", "-o", "d")
    eventually(lambda: list(tmp_path.glob("d/itself-sequential.lab/journal/*")), process)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate()
    assert process.returncode == 130, message
    # Between two comparisons there is no record to speak of.
    assert message.strip() == "interrupted" or message.splitlines()[-1] == "hint: steelyard demo -o d"
