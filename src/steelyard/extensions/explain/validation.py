"""``--validate``: objects of the old program, linked into the new one, and what is left of the difference.

An explanation is an observation; this is the experiment. For each object that defines a named function, a
third program is linked, NEW but for that object. It runs in blocks with both others, and all are laid out
anew for each block.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import MachineError, ProgramError, RecordError
from steelyard.core.sample import Sample
from steelyard.extensions.explain.contributions import compare_means, estimate_remainder
from steelyard.extensions.explain.linking import FILE, SIDE, Linking, copy_objects, name_program
from steelyard.extensions.explain.names import clean_symbol, shorten_signature
from steelyard.extensions.explain.request import NEW, OLD, ExplainRequest
from steelyard.extensions.explain.results import Contribution, Explanation, Validation, Validity
from steelyard.files.plain import read_plain, write_plain
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.results.interval import Interval
from steelyard.run.build import Builder
from steelyard.store import Record

NAME: Final = "explain-validation"
DIRECTORY: Final = "validation"
FILE_OF_TESTS: Final = "validation.json"
MOST: Final = 3
"""Objects that are tested, those with the largest contributions."""
_SHARE: Final = 0.5
"""Of the contribution that has to go, or to stay."""
_DEFINED: Final = frozenset("tTwWVuiD")
_RUN_S: Final = 600.0


class Trial(msgspec.Struct, frozen=True):
    """An object of OLD that is to be linked into NEW.

    Attributes
    ----------
    arm : str
        Of the record; empty where it cannot be tested.
    reason : str
        Why it cannot.
    """

    object: str
    functions: tuple[str, ...]
    arm: str = ""
    reason: str = ""


def refuse_untestable() -> None:
    """Refuse ``--validate`` before the first run, where no symbols can be read."""
    if shutil.which("nm") is None:
        raise MachineError(
            "--validate reads symbols with nm, which is not found", hint="apt-get install binutils"
        )


def validate(
    request: ExplainRequest,
    explanation: Explanation,
    objects: Path,
    directory: Path,
    *,
    watch: Watch,
    tell: Callable[[str], None],
) -> None:
    """Test the named functions of an explanation, and keep the outcome in its record.

    Parameters
    ----------
    objects : Path
        Directory of the copies of both programs' objects.
    directory : Path
        Of the record.

    Raises
    ------
    ProgramError, InterruptedRunError
        As ``steelyard.lab.run.run.run``.
    """
    linking = request.linking
    assert linking is not None  # noqa: S101 -- for the type checker: refused before
    trials = [_prepare(request, linking, trial, objects) for trial in list_trials(explanation.named, linking)]
    write_plain(directory / FILE_OF_TESTS, msgspec.json.encode(trials))
    if not trials:
        tell("explain: no function is named, so that there is nothing to test")
    if sides := {trial.arm: trial.arm for trial in trials if trial.arm}:
        tell(f"explain: testing {' and '.join(trial.object for trial in trials if trial.arm)} of OLD in NEW")
        arms = {OLD: OLD, NEW: NEW, **sides}
        commands = {name: request.list_escaped_words(OLD if name == OLD else NEW) for name in arms}
        run(request.make_experiment(NAME, commands, arms, objects), directory / DIRECTORY, watch=watch)


def list_trials(named: Sequence[Contribution], linking: Linking) -> list[Trial]:
    """List the objects that define named functions; those that cannot be tested last, with the reason."""
    old, new = (_list_defined(files) for files in (linking.old, linking.new))
    members: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for entry in named:
        places, reason = _find_object(entry, old, new)
        members.setdefault(places, []).append(entry.name)
        if reason:
            reasons[places] = reason
    trials = [
        Trial(place, tuple(functions), reason=reasons.get(place, "") or _find_obstacle(place, linking))
        for place, functions in members.items()
    ]
    return [
        *[trial for trial in trials if not trial.reason][:MOST],
        *[trial for trial in trials if trial.reason][:MOST],
    ]


def _find_object(
    entry: Contribution, old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]
) -> tuple[str, str]:
    """Return the object that defines a function, and why it cannot be told."""
    if entry.place:
        return entry.place, f"it is in {entry.place}, which is not linked from --objects"
    keys = {shorten_signature(name) for name in (entry.name, entry.old_name or entry.name)}
    places = sorted({name for side in (old, new) for name, defined in side.items() if keys & defined})
    if len(places) > 1:
        stem = Path(entry.file).stem
        places = [name for name in places if Path(name).stem.partition(".")[0] == stem] or places
    if not places:
        return entry.name, "no object defines it: it is inlined, or made by the linker"
    if len(places) > 1:
        return entry.name, f"{len(places)} objects define it ({', '.join(places[:3])})"
    return places[0], ""


def _find_obstacle(name: str, linking: Linking) -> str:
    if name not in linking.new:
        return "only OLD has this object"
    if name not in linking.old:
        return "only NEW has this object"
    if Path(linking.old[name]).read_bytes() == Path(linking.new[name]).read_bytes():
        return "both programs have the same object: look at its callers and its data"
    return ""


def _list_defined(files: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the functions that each object defines, without parameters and clones."""
    defined = {}
    for name, file in files.items():
        done = subprocess.run(
            ["nm", "-C", "-P", "--defined-only", file],  # noqa: S607 -- that of PATH
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        rows = (line.rsplit(" ", 3) for line in done.stdout.splitlines())
        symbols = (row[0].strip() for row in rows if len(row) == 4 and row[1] in _DEFINED)
        defined[name] = frozenset(shorten_signature(clean_symbol(symbol)) for symbol in symbols)
    return defined


def _prepare(request: ExplainRequest, linking: Linking, trial: Trial, objects: Path) -> Trial:
    """Link the program of a trial, and try it once."""
    if trial.reason:
        return trial
    arm = f"{NEW} with {trial.object.replace('/', '-')} of {OLD}"
    mixed = {**linking.new, trial.object: linking.old[trial.object]}
    copy_objects(linking, {arm: mixed}, objects)
    builder = Builder(linking.make_build(objects), Path.cwd())
    old, new = (name_program(words[0]) for words in (request.old, request.new))
    try:
        programs = [
            builder.build({SIDE: side, FILE: file, "code": 0}).directory / file
            for side, file in ((OLD, old), (NEW, new), (arm, new))
        ]
    except ProgramError as error:
        return replace(trial, reason=f"NEW does not link with it: {error.message}")
    words = ((*request.old[1:],), (*request.new[1:],), (*request.new[1:],))
    ends = [_try(program, rest, request.stdin) for program, rest in zip(programs, words, strict=True)]
    if ends[2][0] != ends[1][0]:
        return replace(
            trial, reason=f"NEW ends with {_describe(ends[2][0])} with it: both are not of one interface"
        )
    if ends[0][1] == ends[1][1] != ends[2][1]:
        return replace(trial, reason="NEW prints something else with it: both are not of one interface")
    return replace(trial, arm=arm)


def _describe(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _try(program: Path, rest: Sequence[str], stdin: str | None) -> tuple[int, bytes]:
    """Return exit code and standard output of a run; -9 where it does not end."""
    with open(stdin or "/dev/null", "rb") as content:  # noqa: PTH123 -- a name as the user typed it
        try:
            done = subprocess.run(
                [str(program), *rest], stdin=content, capture_output=True, check=False, timeout=_RUN_S
            )
        except subprocess.TimeoutExpired:
            return -9, b""
    return done.returncode, done.stdout


def add_validations(explanation: Explanation, directory: Path) -> Explanation:
    """Add the outcome of ``--validate`` to the explanation of a record, where it has some.

    Raises
    ------
    RecordError
        The file is damaged.
    """
    content = read_plain(directory / FILE_OF_TESTS)
    if content is None:
        return explanation
    try:
        trials = msgspec.json.decode(content, type=list[Trial])
    except msgspec.MsgspecError as error:
        raise RecordError(
            f"{directory / FILE_OF_TESTS} is damaged: {error}", hint="remove it, or validate again"
        ) from None
    samples: dict[str, Sample] = {}
    if any(trial.arm for trial in trials):
        with Record.open(directory / DIRECTORY) as record:
            samples = {
                str(sample.treatment.levels["command"]): sample
                for sample in record.samples(explanation.metric.name)
            }
    entries = {entry.name: entry for entry in explanation.named}
    tested = tuple(
        _judge(trial, [entries[name] for name in trial.functions if name in entries], samples)
        for trial in trials
    )
    return replace(explanation, validations=tested)


def _judge(trial: Trial, entries: Sequence[Contribution], samples: Mapping[str, Sample]) -> Validation:
    value = sum(entry.value for entry in entries)
    bounds = [entry.ci95 for entry in entries if entry.ci95 is not None]
    interval = (
        Interval(sum(bound.low for bound in bounds), sum(bound.high for bound in bounds)) if bounds else None
    )
    outcome = Validation(trial.object, trial.functions, value, interval, "not_tested", reason=trial.reason)
    if not trial.arm or not {OLD, NEW, trial.arm} <= samples.keys():
        return outcome
    old, new, mixed = _align([samples[name] for name in (OLD, NEW, trial.arm)])
    undone = estimate_remainder(new - mixed, old)
    change, ci95 = compare_means(samples[OLD], samples[trial.arm])
    return replace(
        outcome,
        verdict=judge_undone(undone.ci95, interval or Interval(value, value)),
        change=change,
        ci95=ci95,
        undone=undone.value,
        undone_ci95=undone.ci95,
        blocks=old.size,
    )


def _align(samples: Sequence[Sample]) -> tuple[Floats, ...]:
    """Return the values of the blocks that all have."""
    values = [dict(zip(sample.blocks, sample.values, strict=True)) for sample in samples]
    common = sorted(set.intersection(*(set(side) for side in values)))
    return tuple(np.array([side[block] for block in common]) for side in values)


def judge_undone(undone: Interval | None, contribution: Interval) -> Validity:
    """Judge what an object takes away by what its functions were said to add.

    Both intervals count at their unfavourable ends. A wrong verdict needs one of them to miss on one side,
    which happens in 5 % at most: 2.5 % for each.
    """
    if undone is None:
        return "not_resolved"
    sign = 1.0 if contribution.low + contribution.high >= 0 else -1.0
    ends = sorted((sign * undone.low, sign * undone.high))
    bounds = sorted((sign * contribution.low, sign * contribution.high))
    if ends[0] > _SHARE * bounds[1]:
        return "confirmed"
    if ends[1] < _SHARE * bounds[0]:
        return "refuted"
    return "not_resolved"
