"""``observe``: what a probe costs the program that it observes."""

from __future__ import annotations

from steelyard.lab.observe.observe import observe
from steelyard.lab.observe.probes import KNOWN, Probe
from steelyard.lab.observe.request import Observing

__all__ = ["KNOWN", "Observing", "Probe", "observe"]
