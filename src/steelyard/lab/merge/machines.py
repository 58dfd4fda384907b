"""Machines of records: which of their runs were on one, and what each is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from steelyard.run.host.conditions import HOST_NAMES, compare_conditions
from steelyard.store.entries import Run

By = Literal["host", "record"]
"""What tells machines apart: the facts of the host, or each record is one."""

UNKNOWN: Final = "unknown"


class RunOfMachine(msgspec.Struct, frozen=True):
    """A run, the record that measured it, and what that record is called here."""

    record: str
    name: str
    run: Run


def name_machines(places: Sequence[RunOfMachine], by: By) -> list[str]:
    """Return the machine of each run.

    Runs of one boot were on one machine, whatever a container called it. Runs under one host name were too,
    unless the machine is virtual: then another boot is another machine, since hosted runners share names. A
    job's machine is the one that it says it ran on. Names that two machines share are numbered.
    """
    if by == "record":
        return _assign_names([place.record for place in places], [place.name for place in places])
    keys = [_identify(place.run) for place in places]
    boots: dict[str, str] = {}
    for key, place in zip(keys, places, strict=True):
        if _read_boot(place.run):
            boots.setdefault(_read_boot(place.run), key)
    keys = [boots.get(_read_boot(place.run), key) for key, place in zip(keys, places, strict=True)]
    return _assign_names(keys, [str(place.run.host.get("hostname") or place.name) for place in places])


def describe_conditions(runs: Iterable[tuple[str | None, Run]]) -> str:
    """Say which conditions of a machine are not the same in all of its runs; empty where all are.

    Parameters
    ----------
    runs : iterable of tuple
        The machine of each run, and the run; those without a name are left out.
        Runs of jobs are, too.
    """
    first: dict[str, Run] = {}
    changes: dict[str, dict[str, None]] = {}
    for name, run in runs:
        if name is None or "submitted_from" in run.host:  # whose facts are of another machine
            continue
        for difference in compare_conditions(first.setdefault(name, run).host, run.host):
            if difference.fact not in HOST_NAMES:
                text = f"{difference.name} ({difference.old} and {difference.new})"
                changes.setdefault(name, {})[text] = None
    texts = [f"{', '.join(entries)} of {name}" for name, entries in changes.items()]
    return f"settings changed between runs: {'; '.join(texts)}: that is part of their spread" if texts else ""


def _read_boot(run: Run) -> str:
    """Boot of the machine that ran the trials; empty where that is not known, as in jobs of a queue."""
    return "" if "submitted_from" in run.host else run.boot


def _identify(run: Run) -> str:
    host = str(run.host.get("hostname") or UNKNOWN)
    return f"{host} {run.boot}" if run.host.get("virtualization") else host


def _assign_names(keys: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a name for each key: the first that one of its runs has, numbered where others have it too."""
    first: dict[str, str] = {}
    for key, name in zip(keys, names, strict=True):
        first.setdefault(key, name)
    shared = Counter(first.values())
    used: Counter[str] = Counter()
    called: dict[str, str] = {}
    for key, name in first.items():
        used[name] += 1
        called[key] = f"{name}-{used[name]}" if shared[name] > 1 else name
    return [called[key] for key in keys]
