"""Which machine a file says that it was measured on, and whether two files say the same.

Values of two machines compare the machines. What differs is named; a version of a runtime that differs is no
other machine, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.run.host.conditions import compare_conditions

MACHINE: Final = ("host", "cpu", "cpus_online", "arch", "os")
"""Facts of a machine that readers give under these names."""
SOFTWARE: Final = ("runtime", "compiler")
"""Facts of what ran on it."""

Host = Mapping[str, Scalar]


def make_host(**facts: Scalar | None) -> dict[str, Scalar]:
    """Return the facts that a file has; those that it has not are ``None`` or empty."""
    return {name: value for name, value in facts.items() if value not in (None, "", 0)}


def refuse_other_machines(hosts: Mapping[str, Host]) -> None:
    """Refuse files of several machines.

    Parameters
    ----------
    hosts : Mapping[str, Host]
        Facts of the machine, by the name of the file.

    Raises
    ------
    UsageError
        Two files say different things of their machine; the message names all of them.
    """
    if differences := describe_differences(hosts, MACHINE):
        raise UsageError(
            f"the files were measured on different machines: {'; '.join(differences)}",
            hint="measure both sides on one machine; --across-machines compares all the same, and says so",
        )


def describe_differences(hosts: Mapping[str, Host], facts: Sequence[str]) -> list[str]:
    """Describe the conditions in which files differ that have them, each value by the first file of it."""
    first: dict[str, Scalar] = {}
    place_of: dict[str, str] = {}
    pairs: dict[str, dict[str, None]] = {}
    for place, host in hosts.items():
        for difference in compare_conditions(first, host, facts):
            entries = pairs.setdefault(
                difference.fact, {f"{difference.name} {difference.old} ({place_of[difference.fact]})": None}
            )
            if not any(entry.startswith(f"{difference.new} (") for entry in entries):
                entries[f"{difference.new} ({place})"] = None
        first = {**host, **first}
        place_of = {**dict.fromkeys(host, place), **place_of}
    return [" and ".join(pairs[fact]) for fact in facts if fact in pairs]
