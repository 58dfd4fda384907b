"""Interventions: what Steelyard itself can change about the start of a program, one file each.

Their names are reserved: as a factor, an intervention is compared; in ``[contexts]``, it is a nuisance to
average over.
"""

from __future__ import annotations

from typing import Final

from steelyard.interventions.affinity import Affinity
from steelyard.interventions.aslr import Aslr
from steelyard.interventions.env_bytes import EnvBytes
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange, combine

AFFINITY: Final = Affinity()
"""Also answers whether ``compact`` and ``scatter`` differ on this machine."""

INTERVENTIONS: Final[dict[str, Intervention]] = {each.name: each for each in (EnvBytes(), Aslr(), AFFINITY)}
"""Reserved name to intervention."""

__all__ = ["AFFINITY", "INTERVENTIONS", "Intervention", "LaunchChange", "combine"]
