"""What observing a program costs, and the examples that Steelyard brings."""

from __future__ import annotations

from steelyard.extensions.demo import SOURCES as EXAMPLES
from steelyard.extensions.observe.observe import find_missing_counters, observe
from steelyard.extensions.observe.probes import INCLUDE
from steelyard.extensions.observe.probes import option as make_option_probe
from steelyard.extensions.observe.request import ObserveRequest

__all__ = [
    "EXAMPLES",
    "INCLUDE",
    "ObserveRequest",
    "find_missing_counters",
    "make_option_probe",
    "observe",
]
