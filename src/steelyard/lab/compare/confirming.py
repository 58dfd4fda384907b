"""The programs of two records measured in turns, where they are still what the records measured."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any, Final

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.lab.run.existing_record import experiment_here, move_path
from steelyard.run.launch.provenance import program_identity
from steelyard.spec import Experiment, experiment
from steelyard.spec.dumping import dumps
from steelyard.store import Record

LEAST_BLOCKS: Final = 5
MAX_TIME_S: Final = 10.0
"""As of a comparison of commands."""

_MAY_DIFFER: Final = ("name", "program", "design", "analysis", "claims")


def experiment_in_turns(old: Path, new: Path, *, metric: str | None, seed: int) -> Experiment:
    """Return the experiment that runs the command of each record, block by block, as the records ran it.

    Parameters
    ----------
    metric : str, optional
        By default the primary one of the old record.

    Raises
    ------
    UsageError
        A record was imported or has several commands, the records differ in more than their commands, or a
        program is not there any more as it was measured.
    """
    with Record.open(old) as before, Record.open(new) as after:
        for record in (before, after):
            record.refuse_edited()
        tables = [_make_table(record) for record in (before, after)]
        for key in tables[0].keys() | tables[1].keys():
            if key not in _MAY_DIFFER and tables[0].get(key) != tables[1].get(key):
                raise _make_impossible(old, new, f"their [{key}] differ")
        source = experiment_here(before).source
        if source != experiment_here(after).source:
            raise _make_impossible(old, new, "they were measured in different directories")
        words = [_build_command(record) for record in (before, after)]
        programs = [dict(table["program"]) for table in tables]
        for program in programs:
            for key in ("command", "commands"):
                program.pop(key, None)
        if programs[0] != programs[1]:
            differing = sorted(
                key
                for key in programs[0].keys() | programs[1].keys()
                if programs[0].get(key) != programs[1].get(key)
            )
            raise _make_impossible(old, new, f"they differ in program.{differing[0]}")
        chosen = metric or before.experiment.analysis.metric
    commands = dict(zip((str(old), str(new)), words, strict=True))
    keys = {key: table for key, table in tables[0].items() if key not in _MAY_DIFFER}
    return experiment(
        **keys,
        name="confirm",
        source=source,
        program={**programs[0], "commands": commands},
        design={
            "blocks": LEAST_BLOCKS,
            "discard": 1,
            "seed": seed,
            "stop": {"decided": True, "max_time": MAX_TIME_S},
        },
        analysis={"metric": chosen, "baseline": {"command": str(old)}},
    )


def _make_table(record: Record) -> dict[str, Any]:
    """Return the spec of a record, key by key."""
    if record.imported:
        raise UsageError(
            f"{record.directory} was imported: Steelyard cannot run what it holds",
            hint="leave --confirm out, or name records that steelyard run or compare made",
        )
    return tomllib.loads(dumps(record.experiment))


def _build_command(record: Record) -> str | tuple[str, ...]:
    """Return the only command of a record, whose programs are as they were."""
    program = record.experiment.program
    if len(program.commands) != 1 or record.experiment.build is not None:
        reason = "builds its program" if record.experiment.build is not None else "has several commands"
        raise UsageError(
            f"{record.directory} {reason}: --confirm runs the one command of each record",
            hint="measure the commands in turns: steelyard compare OLD_COMMAND NEW_COMMAND",
        )
    source = experiment_here(record).source
    for recorded, facts in record.program.items():
        path = move_path(recorded, record.experiment.source, source)
        if _find_sha256(path) != facts["sha256"]:
            raise UsageError(
                f"{path} is not there any more as {record.directory} has measured it",
                hint="build it again beside the other one, then: steelyard compare OLD_COMMAND NEW_COMMAND",
            )
    (words,) = program.commands.values()
    return words[0] if program.shell else tuple(words)


def _find_sha256(path: str) -> str | None:
    try:
        return program_identity(Path(path)).sha256
    except (SteelyardError, OSError):
        return None


def _make_impossible(old: Path, new: Path, why: str) -> UsageError:
    return UsageError(
        f"{old} and {new} cannot be confirmed in turns: {why}",
        hint=f"leave --confirm out: steelyard compare {shlex.quote(str(old))} {shlex.quote(str(new))}",
    )
