"""``LaunchChange``: the difference that interventions make to one launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from steelyard.errors import UsageError


@dataclass(frozen=True, slots=True)
class LaunchChange:
    """What is different from a plain launch; the default is no difference.

    Attributes
    ----------
    env : Mapping[str, str]
        Variables to set, as they are: nothing in them is expanded.
    env_bytes : int
        Bytes to add to the padding of the environment.
    affinity : tuple of int or None
        The CPUs that the process may use; ``None`` leaves them as they are.
    aslr_off : bool
        Start without address space layout randomisation.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    env_bytes: int = 0
    affinity: tuple[int, ...] | None = None
    aslr_off: bool = False


def combine(changes: Iterable[LaunchChange]) -> LaunchChange:
    """One change that does what all of ``changes`` do.

    Raises
    ------
    UsageError
        Two of them want different values of one variable, or different CPUs.
    """
    env: dict[str, str] = {}
    env_bytes = 0
    affinity: tuple[int, ...] | None = None
    aslr_off = False
    for change in changes:
        for name, value in change.env.items():
            if env.setdefault(name, value) != value:
                raise UsageError(
                    f"two interventions want different values of {name}: {env[name]!r} and {value!r}",
                    hint="keep one of them",
                )
        env_bytes += change.env_bytes
        if change.affinity is not None:
            if affinity not in (None, change.affinity):
                raise UsageError(
                    f"two interventions want different CPUs: {affinity} and {change.affinity}",
                    hint="keep one of them",
                )
            affinity = change.affinity
        aslr_off = aslr_off or change.aslr_off
    return LaunchChange(env, env_bytes, affinity, aslr_off)
