"""The reference: the same work in every session, timed beside each test.

What a session shares with none other, the clock of the CPU or neighbours on the machine, slows it as it slows
the tests, so that their ratio says what the tests became.
"""

from __future__ import annotations

from typing import Final

from steelyard.extensions.pytest.loop import Loop, calibrate

METRIC: Final = "reference_s"
LEAST_S: Final = 1e-3


def work() -> int:
    """Do what Python programs do: compute, allocate, sort, iterate."""
    numbers = [i * 7919 % 1009 for i in range(1000)]
    numbers.sort()
    total = 0
    for number in numbers:
        total += number
    return total


def loop() -> Loop:
    """Return the reference, ready to be timed."""
    return calibrate(work, LEAST_S)
