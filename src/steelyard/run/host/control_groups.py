"""Control groups (cgroup v2): where one can be made around each trial, and what a killed run left of them.

As in BenchExec (doi:10.1007/s10009-017-0469-y), a group of its own counts what all processes of a trial use,
also those that outlive their parent or are never waited for. Nothing of the host is changed but the
directory: controllers are used where they are enabled already, and no process is moved.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from steelyard.run.host import files

_PREFIX: Final = "steelyard-"
SCOPE: Final = "systemd-run --user --scope steelyard …"


class ControlGroups(msgspec.Struct, frozen=True):
    """Where groups for trials can be made on this machine.

    Attributes
    ----------
    base : Path or None
        The directory of cgroupfs in which they are made; ``None``: nowhere.
    memory : bool
        Whether they count memory too; CPU time is counted in each.
    reason, hint : str
        Why something is missing, and the command or setting that helps; empty where nothing is or none does.
    """

    base: Path | None
    memory: bool
    reason: str = ""
    hint: str = ""


def find_control_groups(root: Path = Path("/")) -> ControlGroups:
    """Find where groups can be made: beside that of this process, or in it where it is the topmost one.

    Parameters
    ----------
    root : Path
        Where /proc and /sys hang.
    """
    place = _find_own_group(root)
    if place is None:
        return ControlGroups(None, memory=False, reason="no cgroup v2 is mounted here")
    mount, group = place
    base = group if group == mount else group.parent
    if not os.access(base, os.W_OK | os.X_OK) or not os.access(base / "cgroup.procs", os.W_OK):
        return ControlGroups(None, memory=False, reason=f"{base} may not be written", hint=SCOPE)
    if "memory" in (files.text(base / "cgroup.subtree_control") or "").split():
        return ControlGroups(base, memory=True)
    held = "memory" not in (files.text(base / "cgroup.controllers") or "").split()
    why = (
        "has no memory controller (cgroup v1 may hold it)"
        if held
        else "does not enable its memory controller"
    )
    return ControlGroups(base, memory=False, reason=f"{base} {why}", hint="" if held else SCOPE)


def name_trial_group(base: Path) -> Path:
    """Return the directory for the trials of this process, one after another; its name has the process."""
    pid = os.getpid()
    return base / f"{_PREFIX}{pid}-{_read_start_ticks(pid)}"


def remove_leftovers(base: Path) -> list[Path]:
    """Remove groups of processes that are no more, as a run leaves that was killed; return what was removed.

    Groups in which a process still lives stay, and so do those of runs that go on.
    """
    return [path for path in _find_leftovers(base) if _remove(path)]


def _find_leftovers(base: Path) -> Iterator[Path]:
    for path in sorted(base.glob(f"{_PREFIX}*-*")):
        pid, _, ticks = path.name.removeprefix(_PREFIX).partition("-")
        if pid.isdigit() and ticks != _read_start_ticks(int(pid)):
            yield path


def _remove(path: Path) -> bool:
    try:
        path.rmdir()
    except OSError:
        return False
    return True


def _read_start_ticks(pid: int) -> str:
    """When a process was started, in ticks since the boot; empty where there is none of this number."""
    stat = files.text(Path(f"/proc/{pid}/stat")) or ""
    return stat.rpartition(")")[2].split()[19] if ")" in stat else ""


def _find_own_group(root: Path) -> tuple[Path, Path] | None:
    """Where cgroup v2 is mounted, and the directory of this process below it."""
    group = files.fields(root / "proc/self/cgroup", "::").get("0")
    for line in (files.text(root / "proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        if group is not None and after.split()[:1] == ["cgroup2"]:
            top, mount = before.split()[3:5]
            inside = os.path.relpath(group, top)
            if not inside.startswith(".."):
                place = root / mount.lstrip("/")
                return place, place / inside if inside != "." else place
    return None
