from __future__ import annotations

import signal

from steelyard.run.runner.runner_errors import signal_name


def test_all_signals_have_a_name():
    assert signal_name(signal.SIGTERM) == "SIGTERM"
    assert signal_name(int(signal.SIGRTMIN) + 3) == "SIGRTMIN+3"
    assert signal_name(1000) == "signal 1000"
