"""``kind = "hosts"``: names that ssh is given, and what is copied."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from msgspec.structs import replace

from steelyard.interventions.node import Node
from steelyard.spec.experiment import Contexts, Design, LaunchMethod
from steelyard.spec.levels import check_distinct
from steelyard.spec.tables.launch import HostsLaunch
from steelyard.spec.text.origin import Origin

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,253}")
"""Nothing that ssh would take for an option, and a shell for more than a word."""


def check_hosts(table: HostsLaunch, origin: Origin) -> None:
    """Refuse invalid names of hosts, and files that cannot be copied.

    Raises
    ------
    SpecError
    """
    if not table.hosts:
        raise origin.error(("launch", "hosts"), "names no host", 'write hosts = ["n1", "n2"]')
    for i, name in enumerate(table.hosts):
        if not _NAME.fullmatch(name):
            problem = f"{name!r} is not the name of a host"
            hint = "write letters, digits, dots and -; put users and ports into ~/.ssh/config"
            raise origin.error(("launch", "hosts", i), problem, hint)
    check_distinct(table.hosts, "hosts", origin, ("launch", "hosts"))
    if not table.ssh:
        raise origin.error(("launch", "ssh"), "names no program", 'write ssh = ["ssh"], or leave it out')
    if table.files and table.stage != "copy":
        problem = 'has no effect with stage = "shared"'
        raise origin.error(("launch", "files"), problem, 'write stage = "copy", or leave files out')
    for i, name in enumerate(table.files):
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            problem = f"{name!r} is not below the directory of the spec"
            raise origin.error(("launch", "files", i), problem, 'name the files there: files = ["data"]')


def draw_hosts(
    contexts: Contexts | None, launch: LaunchMethod, design: Design, origin: Origin
) -> Contexts | None:
    """Return the contexts, with the hosts as nodes where there are two or more.

    Raises
    ------
    SpecError
    """
    if not isinstance(launch, HostsLaunch):
        return contexts
    settings = {} if contexts is None else contexts.settings
    if Node.name in settings:
        problem = "hosts are drawn from those under [launch]"
        raise origin.error(("contexts", Node.name), problem, "leave node out")
    if len(launch.hosts) < 2:
        return contexts
    if design.order != "randomized":
        problem = f"a block lies on one host, and order = {design.order!r} has no blocks of all treatments"
        raise origin.error(("launch", "hosts"), problem, 'write order = "randomized", or name one host')
    nodes = {Node.name: launch.hosts}
    return (
        Contexts({**settings, **nodes})
        if contexts is None
        else replace(contexts, settings={**settings, **nodes})
    )
