"""What is known of an experiment without a spec that was begun before, and what stands in a directory instead
of one.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

from steelyard.errors import RecordError
from steelyard.spec.experiment import Experiment
from steelyard.store import Record
from steelyard.store.facts import FILE

_MADE_BY: Final = {"pilot": "audit", "observe": "observe", "itself-sequential": "demo"}
"""The first record of a command that makes several of them, and the command."""


def earlier_seed(directory: Path) -> int | None:
    """The seed of the record in the directory, so that it can go on; ``None`` where there is none."""
    if not (directory / FILE).exists():
        return None
    with Record.open(directory) as record:
        return record.experiment.design.seed


def refuse_other(directory: Path, command: str) -> None:
    """Refuse a directory that another command has filled.

    Parameters
    ----------
    command : {"audit", "observe", "demo"}

    Raises
    ------
    RecordError
        Says what the directory is.
    """
    named = shlex.quote(str(directory))
    if (directory / FILE).exists():
        with Record.open(directory) as record:
            name = record.experiment.name
        raise RecordError(
            f"{directory} is the record of one experiment ({name}), and steelyard {command} makes several",
            hint=f"name a directory that does not exist yet: -o NAME.lab"
            f" (steelyard analyze {named} answers from that one)",
        )
    found = sorted(file.parent.stem for file in directory.glob(f"*.lab/{FILE}"))
    makers = [_MADE_BY[stem] for stem in found if stem in _MADE_BY]
    if found and command not in makers:
        whose = f"steelyard {makers[0]}" if makers else "other experiments"
        raise RecordError(
            f"{directory} has the records of {whose} in it ({', '.join(found)})",
            hint=f"name a directory that does not exist yet for steelyard {command}: -o NAME.lab",
        )


def refuse_changed(directory: Path, stage: str, experiment: Experiment, command: str) -> None:
    """Refuse to go on with what was asked of another program, or otherwise.

    Raises
    ------
    RecordError
        Says of which program, or what differs.
    """
    place = directory / f"{stage}.lab"
    if not (place / FILE).exists():
        return
    with Record.open(place) as record:
        differences, before = record.changed(experiment), record.experiment
    if not differences:
        return
    old, new = _words(before), _words(experiment)
    if old != new:
        again = shlex.join(["steelyard", command, old, "-o", str(directory)])
        raise RecordError(
            f"{directory} is what steelyard {command} has of {old!r}, and not of {new!r}",
            hint=f"name a directory that does not exist yet: -o NAME.lab ({again} goes on with that one)",
        )
    shown = "".join(f"\n    {line}" for line in differences)
    raise RecordError(
        f"{directory} is what steelyard {command} has of {old!r} with other options; its {stage} differs in:"
        f"{shown}",
        hint="give the options of then, and it goes on; or name a directory that does not exist yet:"
        " -o NAME.lab",
    )


def _words(experiment: Experiment) -> str:
    """The first of its commands, as it was typed: braces are doubled in what is stored."""
    first = next(iter(experiment.program.commands.values()), ())
    return shlex.join(word.replace("{{", "{").replace("}}", "}") for word in first)
