"""What observing a program costs, and the examples that Steelyard brings."""

from __future__ import annotations

from steelyard.lab.demo import SOURCES as EXAMPLES
from steelyard.lab.observe.observe import find_missing_counters, observe
from steelyard.lab.observe.probes import INCLUDE
from steelyard.lab.observe.probes import option as make_option_probe
from steelyard.lab.observe.request import ObserveRequest

__all__ = [
    "EXAMPLES",
    "INCLUDE",
    "ObserveRequest",
    "find_missing_counters",
    "make_option_probe",
    "observe",
]
