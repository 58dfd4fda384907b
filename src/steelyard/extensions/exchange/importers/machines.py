"""Which machine a file says that it was measured on, and whether two files say the same.

Values of two machines compare the machines. What differs is named; a version of a runtime that differs is no
other machine, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar

MACHINE: Final = {
    "host": "host",
    "cpu": "CPU",
    "cpus_online": "number of CPUs",
    "arch": "architecture",
    "os": "system",
}
"""Facts of a machine that readers give under these names, in words."""
SOFTWARE: Final = {"runtime": "runtime", "compiler": "compiler"}
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


def describe_differences(hosts: Mapping[str, Host], names: Mapping[str, str]) -> list[str]:
    """Describe the facts in which files differ that have them."""
    sentences = []
    for name, words in names.items():
        values = {place: host[name] for place, host in hosts.items() if name in host}
        if len(set(values.values())) > 1:
            pairs = dict.fromkeys(f"{value} ({place})" for place, value in _pick(values).items())
            sentences.append(f"{words} {' and '.join(pairs)}")
    return sentences


def _pick(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return a file for each value, the first that has it."""
    first: dict[Scalar, str] = {}
    for place, value in values.items():
        first.setdefault(value, place)
    return {place: value for value, place in first.items()}
