"""Interventions: what Steelyard itself can change about the start of a program, one file each.

Their names are reserved: as a factor, an intervention is compared; in ``[contexts]``, it is a nuisance to
average over.
"""

from __future__ import annotations

from typing import Final

from steelyard.core.extension import load_contexts
from steelyard.interventions.affinity import Affinity
from steelyard.interventions.argv0_bytes import Argv0Bytes
from steelyard.interventions.aslr import Aslr
from steelyard.interventions.background_load import BackgroundLoad
from steelyard.interventions.built import Code, LinkOrder, Padding
from steelyard.interventions.cwd_bytes import CwdBytes
from steelyard.interventions.env_bytes import EnvBytes
from steelyard.interventions.file_cache import FileCache
from steelyard.interventions.governor import Governor
from steelyard.interventions.heap_offset import HeapOffset
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange, combine
from steelyard.interventions.lc_all import LcAll
from steelyard.interventions.nice import Nice
from steelyard.interventions.node import Node
from steelyard.interventions.omp_num_threads import OmpNumThreads
from steelyard.interventions.omp_wait_policy import OmpWaitPolicy
from steelyard.interventions.scheduling import Scheduling
from steelyard.interventions.stack_limit import StackLimit
from steelyard.interventions.stack_offset import StackOffset
from steelyard.interventions.transparent_huge_pages import TransparentHugePages

AFFINITY: Final = Affinity()
"""Also answers whether ``compact`` and ``scatter`` differ on this machine."""

INTERVENTIONS: Final[dict[str, Intervention]] = {
    intervention.name: intervention
    for intervention in (
        EnvBytes(),
        Argv0Bytes(),
        CwdBytes(),
        StackOffset(),
        HeapOffset(),
        Aslr(),
        AFFINITY,
        OmpWaitPolicy(),
        OmpNumThreads(),
        LcAll(),
        StackLimit(),
        Nice(),
        Scheduling(),
        BackgroundLoad(),
        FileCache(),
        TransparentHugePages(),
        Governor(),
        LinkOrder(),
        Padding(),
        Code(),
        Node(),
    )
}
"""Reserved name to intervention; those of extensions follow, and replace none."""
INTERVENTIONS.update({name: entry for name, entry in load_contexts().items() if name not in INTERVENTIONS})

__all__ = ["AFFINITY", "INTERVENTIONS", "Intervention", "LaunchChange", "combine"]
