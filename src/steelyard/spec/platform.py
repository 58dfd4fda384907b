"""Hosts of an XML platform of SimGrid: their number, names and cores."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import msgspec

from steelyard.core.errors import UsageError

LARGEST_BYTES: Final = 16 << 20
MOST_HOSTS: Final = 1 << 20


class SimulatedHost(msgspec.Struct, frozen=True):
    """A host; each of its cores is a place for one rank."""

    name: str
    cores: int


@lru_cache(maxsize=16)
def read_hosts(path: Path) -> tuple[SimulatedHost, ...]:
    """Return the hosts of a platform, in its order: ``<host>`` and ``<cluster>`` elements.

    Raises
    ------
    UsageError
        The file cannot be read, is not a platform, or declares hosts in another way.
    """
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UsageError(f"the platform {path} is larger than 16 MiB", hint="give a file of SimGrid")
        root = ET.fromstring(path.read_bytes())  # noqa: S314 -- expat 2.4 refuses entities without bound
    except OSError as error:
        raise UsageError(
            f"the platform {path} cannot be read: {error.strerror}", hint="check platform in [launch]"
        ) from None
    except ET.ParseError as error:
        raise UsageError(
            f"the platform {path} is not valid XML: {error}", hint="give a file of SimGrid"
        ) from None
    if root.tag != "platform":
        raise UsageError(
            f"{path} is not a SimGrid platform: it starts with <{root.tag}>",
            hint="give a platform of SimGrid in [launch]: an XML file that starts with <platform>",
        )
    hosts: list[SimulatedHost] = []
    for element in root.iter():
        cores = _read_cores(element.get("core", "1"), path)
        if element.tag == "host":
            hosts.append(SimulatedHost(_read_word(element.get("id", ""), path), cores))
        elif element.tag == "cluster":
            names = _read_numbers(element.get("radical", ""), path)
            head, tail = (_read_word(element.get(end, ""), path) for end in ("prefix", "suffix"))
            if len(hosts) + len(names) > MOST_HOSTS:
                raise UsageError(f"{path} declares too many hosts", hint="declare 1,048,576 hosts at most")
            hosts += [SimulatedHost(f"{head}{number}{tail}", cores) for number in names]
    if not hosts:
        raise UsageError(
            f"{path} declares no <host> and no <cluster>",
            hint="declare each with <host>, or many with <cluster>: nothing else is read",
        )
    return tuple(hosts)


def list_places(path: Path, ranks: int, scatter: int | None = None) -> list[str]:
    """Return the host of each rank: the cores of a host are filled before the next.

    ``scatter`` draws the order of all hosts; without it, they come as the platform has them.

    Raises
    ------
    UsageError
        As ``read_hosts``; or the platform has too few cores.
    """
    hosts = read_hosts(path)
    cores = sum(host.cores for host in hosts)
    if ranks > cores:
        raise UsageError(
            f"{ranks} ranks are asked for, and {path} has {cores} cores on {len(hosts)} hosts",
            hint="ask for fewer ranks, or give a larger machine as platform in [launch]",
        )
    if scatter is not None:
        # By hash, and not by a generator of random numbers, whose shuffle may change from Python to Python.
        hosts = tuple(sorted(hosts, key=lambda host: sha256(f"{scatter} {host.name}".encode()).digest()))
    # No more than are asked for: a file may declare as many cores as it likes.
    return list(islice((host.name for host in hosts for _ in range(host.cores)), ranks))


def _read_numbers(radical: str, path: Path) -> list[int]:
    """Read ``0-3,7`` as numbers."""
    numbers: list[int] = []
    for part in radical.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if ends is None:
            raise UsageError(
                f"{path}: radical must be a list of numbers, got {radical!r}", hint='write "0-255"'
            )
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if len(numbers) + last - first >= MOST_HOSTS:
            raise UsageError(
                f"{path}: radical = {radical!r} has too many hosts", hint="declare 1,048,576 hosts at most"
            )
        numbers += range(first, last + 1)
    return numbers


def _read_word(name: str, path: Path) -> str:
    """Return a host's name, or a part of one, as it can stand on a line of its own."""
    if re.search(r"\s", name):
        raise UsageError(
            f"{path} has a host called {name!r}, which no list of hosts can hold",
            hint="give it an id without blanks",
        )
    return name


def _read_cores(text: str, path: Path) -> int:
    if not re.fullmatch(r"\d{1,6}", text) or int(text) < 1:
        raise UsageError(f"{path}: core must be a number of cores, got {text!r}", hint='write core = "16"')
    return int(text)
