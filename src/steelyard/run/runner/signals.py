"""What signals are called."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """``SIGSEGV``; ``SIGRTMIN+3`` for a real-time signal, the number for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        first = int(signal.SIGRTMIN)
        return f"SIGRTMIN+{number - first}" if first <= number <= int(signal.SIGRTMAX) else f"signal {number}"
