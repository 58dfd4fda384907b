"""Layers between the experiment and the bare machine: hypervisor, container, control groups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from steelyard.core.units import Scalar
from steelyard.run.host import files

_NO_LIMIT_BYTES: Final = 1 << 62
"""Version 1 says "no limit" with the greatest multiple of a page."""

_VENDORS: Final = {
    "QEMU": "kvm",
    "KVM": "kvm",
    "Amazon EC2": "kvm",
    "Google": "kvm",
    "VMware": "vmware",
    "innotek": "virtualbox",
    "VirtualBox": "virtualbox",
    "Xen": "xen",
    "Microsoft Corporation Virtual": "hyper-v",
    "Parallels": "parallels",
    "BHYVE": "bhyve",
}
"""Names of hypervisors in the firmware's tables (DMI)."""

_CONTAINER_MARKS: Final = {
    ".dockerenv": "docker",
    "run/.containerenv": "podman",
    ".singularity.d": "singularity",
}


def confinement_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    """Name and value of each fact; ``None`` where nothing shows one."""
    yield "virtualization", _get_virtualization(root)
    yield "container", _get_container(root)
    groups = list(find_own_groups(root))
    cpu_limits = [limit for group in groups if (limit := compute_cpu_limit(group)) is not None]
    memory_limits = [limit for group in groups if (limit := _compute_memory_limit(group)) is not None]
    yield "cgroup_cpu_limit", min(cpu_limits, default=None)
    yield "cgroup_memory_limit_bytes", min(memory_limits, default=None)


def _get_virtualization(root: Path) -> str | None:
    hypervisor = files.text(root / "sys/hypervisor/type")
    if hypervisor:
        return hypervisor
    firmware_table = root / "sys/class/dmi/id"
    firmware = f"{files.text(firmware_table / 'sys_vendor')} {files.text(firmware_table / 'product_name')}"
    for vendor, name in _VENDORS.items():
        if vendor in firmware:
            return name
    clocks = files.text(root / "sys/devices/system/clocksource/clocksource0/available_clocksource") or ""
    for clock, name in (("kvm-clock", "kvm"), ("hyperv", "hyper-v"), ("xen", "xen")):
        if clock in clocks:
            return name
    flags = files.fields(root / "proc/cpuinfo", ":").get("flags", "")
    return "unknown hypervisor" if "hypervisor" in flags.split() else None


def _get_container(root: Path) -> str | None:
    for mark, name in _CONTAINER_MARKS.items():
        if (root / mark).exists():
            return name
    manager = files.text(root / "run/systemd/container")
    if manager:
        return manager
    groups = files.text(root / "proc/self/cgroup") or ""
    return next((name for name in ("kubepods", "docker", "lxc", "libpod") if f"/{name}" in groups), None)


def find_own_groups(root: Path) -> Iterator[Path]:
    """Yield the directories of all control groups of this process, up to the root of each hierarchy."""
    for line in (files.text(root / "proc/self/cgroup") or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        mount = _get_mount(root, set(controllers.split(",")) if controllers else set())
        if mount is None:
            continue
        inside = _make_below(PurePosixPath(path), mount[0])
        for group in (inside, *inside.parents):
            yield root / mount[1].lstrip("/") / group


def _make_below(path: PurePosixPath, mounted: PurePosixPath) -> PurePosixPath:
    """Return the group's path below its mount.

    Inside a container the mount shows a part of the hierarchy only.
    """
    absolute = path if path.is_absolute() else PurePosixPath("/")
    if ".." in absolute.parts:
        return PurePosixPath()
    return absolute.relative_to(mounted if absolute.is_relative_to(mounted) else "/")


def _get_mount(root: Path, controllers: set[str]) -> tuple[PurePosixPath, str] | None:
    """Return the mounted part of the hierarchy with these controllers, and its mount point.

    Without controllers, it is that of version 2.
    """
    for line in (files.text(root / "proc/self/mountinfo") or "").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = [*rest.split(" "), "", "", ""][:3]
        # Version 1 has one hierarchy a controller; version 2 one for all.
        result = (
            kind == "cgroup" and controllers <= set(options.split(",")) if controllers else kind == "cgroup2"
        )
        if result:
            columns = fields.split(" ")
            return PurePosixPath(columns[3]), columns[4]
    return None


def compute_cpu_limit(group: Path) -> float | None:
    """CPUs that a group may use at a time; ``None`` without a limit."""
    quota, _, period = (files.text(group / "cpu.max") or "").partition(" ")
    if not quota:
        quota = files.text(group / "cpu.cfs_quota_us") or ""
        period = files.text(group / "cpu.cfs_period_us") or ""
    if not (quota.isdecimal() and period.isdecimal() and int(period)):
        return None
    return int(quota) / int(period)


def _compute_memory_limit(group: Path) -> int | None:
    limit = files.number(group / "memory.max") or files.number(group / "memory.limit_in_bytes")
    return limit if limit and limit < _NO_LIMIT_BYTES else None
