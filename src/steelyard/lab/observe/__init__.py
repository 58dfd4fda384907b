"""``observe``: what a probe costs the program that it observes."""

from __future__ import annotations

from steelyard.lab.observe.asking import Observing
from steelyard.lab.observe.conduct import observe
from steelyard.lab.observe.probes import KNOWN, Probe

__all__ = ["KNOWN", "Observing", "Probe", "observe"]
