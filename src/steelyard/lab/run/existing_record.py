"""Records that are there already: which one a user names, and whether it belongs to what is asked now."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import RecordError, UsageError
from steelyard.spec.experiment import Experiment
from steelyard.store import Record
from steelyard.store.facts import FILE

_MADE_BY: Final = {"pilot": "audit", "observe": "observe", "itself-sequential": "demo"}
"""The first record of a command that makes several of them, and the command."""


def record_of_spec(spec: Path) -> Path:
    """Name the record of a spec: ``NAME.lab`` beside ``NAME.toml``."""
    return spec.absolute().with_suffix(".lab")


def is_record(path: Path) -> bool:
    """Whether a path is meant as a record: a directory, or the ``record.sqlite`` in one."""
    return path.is_dir() or path.name == FILE


def find_record(named: Path) -> Path:
    """Find the record that ``named`` is, holds (its ``record.sqlite``), or is the spec of.

    Raises
    ------
    UsageError
        A spec that has no record yet.
    """
    if named.name == FILE:
        return named.parent
    if not named.is_file() and named.suffix != ".toml":
        return named
    directory = record_of_spec(named)
    if not directory.exists():
        raise UsageError(
            f"{named} has no record yet ({directory} does not exist)", hint=f"steelyard run {named}"
        )
    return directory


def existing_seed(directory: Path) -> int | None:
    """Read the seed of the record in the directory, so that it can go on; ``None`` without a record."""
    if not (directory / FILE).exists():
        return None
    with Record.open(directory) as record:
        return record.experiment.design.seed


def take_recorded_claims(experiment: Experiment, directory: Path) -> Experiment:
    """Replace the claims by those of the record: asking something else of it needs no new run."""
    if not (directory / FILE).exists():
        return experiment
    with Record.open(directory) as record:
        return msgspec.structs.replace(experiment, claims=record.experiment.claims)


def experiment_here(record: Record) -> Experiment:
    """Return the experiment of a record with its spec where that lies now.

    A record may have travelled with its sources, to another home or into a container. Where the directory of
    its spec does not exist, that is the directory in which the record lies.
    """
    experiment = record.experiment
    if Path(experiment.source).is_dir():
        return experiment
    return msgspec.structs.replace(experiment, source=str(record.directory.absolute().parent))


def move_path(path: str, before: str, now: str) -> str:
    """Return where a file lies after the directory of its spec has moved; outside of that, where it was."""
    if before == now or not Path(path).is_relative_to(before):
        return path
    return str(Path(now, Path(path).relative_to(before)))


def list_contents(record: Record, path: str, source: str) -> set[str]:
    """List the SHA-256 that the program at ``path`` may have to be one that the record measured.

    Parameters
    ----------
    source : str
        Directory of the spec now.

    Returns
    -------
    set of str
        That of the program at this place, or at the same place below the directory of the spec. A program at
        any other place, such as a cache below another home, is identified by its contents alone.
    """
    at_place = (
        record.program.get(place) for place in (move_path(path, source, record.experiment.source), path)
    )
    before = next(filter(None, at_place), None)
    programs = record.program.values() if before is None else (before,)
    return {facts["sha256"] for facts in programs}


def differences(record: Record, experiment: Experiment) -> list[str]:
    """List what differs between the spec as it was run and ``experiment``: ``key.path: old → new``.

    Where the spec lies does not count: the same one may be reached by a link, or its directory be moved.
    """
    return record.list_changes(msgspec.structs.replace(experiment, source=record.experiment.source))


def refuse_imported(directory: Path) -> None:
    """Refuse to run what another tool measured, or what other records are continued in.

    Raises
    ------
    RecordError
    """
    if not (directory / FILE).exists():
        return
    with Record.open(directory) as record:
        if record.imported:
            raise RecordError(
                f"{directory} was imported from another tool; Steelyard cannot continue it",
                hint=f"steelyard analyze {shlex.quote(str(directory))}",
            )
        if record.merged:
            raise RecordError(
                f"{directory} was made of other records, which machines continue on their own",
                hint="continue those, and merge them again into another directory",
            )


def refuse_other_experiment(record: Record, experiment: Experiment, hint: str) -> None:
    """Refuse a record of another experiment.

    Raises
    ------
    RecordError
        The record is of another experiment; the message shows what differs.
    """
    if texts := differences(record, experiment):
        raise RecordError(
            f"{record.directory} holds another experiment; the spec differs in:{_join_reasons(texts)}",
            hint=hint,
        )


def refuse_other_command(directory: Path, command: str) -> None:
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
    texts = sorted(file.parent.stem for file in directory.glob(f"*.lab/{FILE}"))
    makers = [_MADE_BY[stem] for stem in texts if stem in _MADE_BY]
    if texts and command not in makers:
        text = f"steelyard {makers[0]}" if makers else "other experiments"
        raise RecordError(
            f"{directory} contains the records of {text} ({', '.join(texts)})",
            hint=f"name a directory that does not exist yet for steelyard {command}: -o NAME.lab",
        )


def refuse_other_stage(directory: Path, stage: str, experiment: Experiment, command: str) -> None:
    """Refuse to continue a stage that was measured with another program or other options.

    Raises
    ------
    RecordError
        Says of which program, or what differs.
    """
    place = directory / f"{stage}.lab"
    if not (place / FILE).exists():
        return
    with Record.open(place) as record:
        reasons, before = differences(record, experiment), record.experiment
    if not reasons:
        return
    old, new = _format_command(before), _format_command(experiment)
    if old != new:
        again = shlex.join(["steelyard", command, old, "-o", str(directory)])
        raise RecordError(
            f"{directory} is what steelyard {command} has of {old!r}, and not of {new!r}",
            hint=f"name a directory that does not exist yet: -o NAME.lab ({again} goes on with that one)",
        )
    raise RecordError(
        f"{directory} is what steelyard {command} has of {old!r} with other options; its {stage} differs in:"
        f"{_join_reasons(reasons)}",
        hint="give the same options again to continue it; or name a directory that does not exist yet:"
        " -o NAME.lab",
    )


def _join_reasons(reasons: list[str]) -> str:
    return "".join(f"\n    {line}" for line in reasons)


def _format_command(experiment: Experiment) -> str:
    """Return the first of its commands, as it was typed: braces are doubled in what is stored."""
    first = next(iter(experiment.program.commands.values()), ())
    return shlex.join(word.replace("{{", "{").replace("}}", "}") for word in first)
