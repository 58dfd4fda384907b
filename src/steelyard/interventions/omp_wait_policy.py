"""``omp_wait_policy``: whether threads of an OpenMP program that wait for others burn their CPU.

One variable of the environment (OpenMP 5.2, section 21.2.5). With as many threads as CPUs and a busy
neighbour it decides more than most optimisations do.
"""

from __future__ import annotations

from typing import ClassVar

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.named import Named


class OmpWaitPolicy(Named):
    """Waiting policy of the threads of an OpenMP program."""

    name: ClassVar[str] = "omp_wait_policy"
    about: ClassVar[str] = "whether waiting threads of an OpenMP program spin or sleep"
    levels_text: ClassVar[str] = (
        '"active" (they spin), "passive" (they sleep) or "inherited" (as the environment has it)'
    )
    levels: ClassVar[tuple[str, ...]] = ("active", "passive", "inherited")
    variables: ClassVar[frozenset[str]] = frozenset({"OMP_WAIT_POLICY"})

    def change(self, level: Scalar) -> LaunchChange:
        """OpenMP's variable; nothing where the environment decides, which mostly has none."""
        if level == "inherited":
            return LaunchChange()
        return LaunchChange(env={"OMP_WAIT_POLICY": str(level)})
