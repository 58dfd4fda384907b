"""``omp_num_threads``: how many threads an OpenMP program starts (OpenMP 5.2, section 21.1.2)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange

INHERITED: Final = "inherited"
MOST: Final = 65_536


class OmpNumThreads(Intervention):
    """Threads of an OpenMP program."""

    name: ClassVar[str] = "omp_num_threads"
    about: ClassVar[str] = "how many threads an OpenMP program starts"
    levels_text: ClassVar[str] = (
        f'a whole number from 1 to {MOST}, or "inherited" (as the environment has it)'
    )
    variables: ClassVar[frozenset[str]] = frozenset({"OMP_NUM_THREADS"})

    def check(self, level: Scalar) -> Scalar:
        """Return the number; see ``Intervention.check``."""
        is_number = isinstance(level, int) and not isinstance(level, bool) and 1 <= level <= MOST
        if not is_number and level != INHERITED:
            raise self.make_refusal(level)
        return level

    def change(self, level: Scalar) -> LaunchChange:
        """OpenMP's variable; nothing where the environment decides."""
        return LaunchChange() if level == INHERITED else LaunchChange(env={"OMP_NUM_THREADS": str(level)})

    def population(self) -> Sequence[Scalar]:
        """Return the environment's own, one thread, and one for each CPU that Steelyard may use."""
        return (INHERITED, *dict.fromkeys((1, len(os.sched_getaffinity(0)))))
