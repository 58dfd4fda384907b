"""``LaunchChange``: the difference that interventions make to one launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import msgspec

from steelyard.core.errors import UsageError

UNLIMITED_MIB: Final = 0xFFFF
"""Stands for no limit of the stack."""


class SchedulingClass(msgspec.Struct, frozen=True):
    """A class of the scheduler: ``os.SCHED_…``, and the priority in it, 0 but for real-time classes."""

    policy: int
    priority: int = 0


class HostSetting(msgspec.Struct, frozen=True):
    """A file of the host that holds one value, as in /sys, and the value that it is to have meanwhile."""

    path: str
    value: str


class Load(msgspec.Struct, frozen=True):
    """Processes beside the program.

    Attributes
    ----------
    percent : int
        Of each 10 ms, that each of them works.
    cpus : tuple of int or None
        That they may use; ``None``: all that Steelyard may.
    """

    kind: Literal["cpu", "memory", "disk"]
    processes: int = 1
    percent: int = 100
    cpus: tuple[int, ...] | None = None


class LaunchChange(msgspec.Struct, frozen=True):
    """Differences from a plain launch; none by default.

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
    argv0_bytes : int or None
        Bytes of slashes before the path of the program, as the first argument; ``None`` leaves that as it is.
    stack_bytes : int
        Bytes of slashes before the path given to ``execve``.
    cwd_bytes : int or None
        Length of the working directory's name; ``None`` leaves it as it is.
    heap_bytes : int or None
        Bytes that a preloaded library takes of the heap; ``None``: no library.
    nice : int or None
        The nice value; ``None`` leaves it to the spec.
    scheduling : SchedulingClass or None
        ``None`` leaves it as it is.
    stack_mib : int or None
        Largest size of the stack, MiB; ``UNLIMITED_MIB``: no limit; ``None`` leaves it as it is.
    huge_pages_off : bool
        No huge pages that the program did not ask for.
    file_cache : {"warm", "dropped"} or None
        What is done to the cache of the program's files before each trial.
    load : Load or None
        What runs beside the program.
    host : tuple of HostSetting
        What is changed on the host, and put back when the run ends.
    """

    env: Mapping[str, str] = {}
    env_bytes: int = 0
    affinity: tuple[int, ...] | None = None
    aslr_off: bool = False
    argv0_bytes: int | None = None
    stack_bytes: int = 0
    cwd_bytes: int | None = None
    heap_bytes: int | None = None
    nice: int | None = None
    scheduling: SchedulingClass | None = None
    stack_mib: int | None = None
    huge_pages_off: bool = False
    file_cache: Literal["warm", "dropped"] | None = None
    load: Load | None = None
    host: tuple[HostSetting, ...] = ()


_PLAIN = LaunchChange()


def combine(changes: Iterable[LaunchChange]) -> LaunchChange:
    """One change that does what all of ``changes`` do.

    Raises
    ------
    UsageError
        Two of them want different values of one variable, or different CPUs.
    """
    env: dict[str, str] = {}
    env_bytes = 0
    host: tuple[HostSetting, ...] = ()
    replaced: dict[str, Any] = {}
    for change in changes:
        for name, value in change.env.items():
            if env.setdefault(name, value) != value:
                raise UsageError(
                    f"two interventions want different values of {name}: {env[name]!r} and {value!r}",
                    hint="keep one of them",
                )
        env_bytes += change.env_bytes
        host += change.host
        for name in _ALONE:
            change_value = getattr(change, name)
            if (
                change_value != getattr(_PLAIN, name)
                and replaced.setdefault(name, change_value) != change_value
            ):
                text = "CPUs" if name == "affinity" else name
                raise UsageError(
                    f"two interventions want different {text}: {replaced[name]} and {change_value}",
                    hint="keep one of them",
                )
    return LaunchChange(env, env_bytes, host=tuple(dict.fromkeys(host)), **replaced)


_ALONE = tuple(name for name in LaunchChange.__struct_fields__ if name not in ("env", "env_bytes", "host"))
"""What one intervention alone can ask for."""
