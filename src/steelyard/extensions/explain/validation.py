"""``--validate``: parts of the old program in the new one, and what is left of the difference.

An explanation is an observation; this is the experiment. For each part that has a named function, an object
or lines of a source file, a third program is made: NEW but for that part. It runs in blocks with both others.
"""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import RecordError
from steelyard.core.sample import Sample
from steelyard.extensions.explain.contributions import compare_means, estimate_remainder
from steelyard.extensions.explain.request import NEW, OLD
from steelyard.extensions.explain.results import Contribution, Explanation, Validation, Validity
from steelyard.files.plain import read_plain, write_plain
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.results.interval import Interval
from steelyard.spec.experiment import Experiment
from steelyard.store import Record

NAME: Final = "explain-validation"
DIRECTORY: Final = "validation"
FILE_OF_TESTS: Final = "validation.json"
MOST: Final = 3
"""Parts that are tested, those with the largest contributions."""
_SHARE: Final = 0.5
"""Of the contribution that has to go, or to stay."""
_RUN_S: Final = 600.0


class Trial(msgspec.Struct, frozen=True):
    """A part of OLD that is to take its place in NEW.

    Attributes
    ----------
    object : str
        An object file, or a source file with lines.
    functions : tuple of str
        Named ones that it has.
    arm : str
        Of the record; empty where it cannot be tested.
    reason : str
        Why it cannot.
    """

    object: str
    functions: tuple[str, ...]
    arm: str = ""
    reason: str = ""


class Replacement(ABC):
    """How programs are made that are NEW but for a part of OLD."""

    @abstractmethod
    def find_part(self, entry: Contribution) -> tuple[str, str]:
        """Return the part that has a function, and why it cannot be tested; empty where it can."""

    def list_trials(self, named: Sequence[Contribution]) -> list[Trial]:
        """List the parts that have named functions; those that cannot be tested have a reason."""
        members: dict[str, list[str]] = {}
        reasons: dict[str, str] = {}
        for entry in named:
            part, reason = self.find_part(entry)
            members.setdefault(part, []).append(entry.name)
            if reason:
                reasons[part] = reason
        return [Trial(part, tuple(names), reason=reasons.get(part, "")) for part, names in members.items()]

    @abstractmethod
    def prepare(self, trial: Trial) -> Trial:
        """Make the program of a trial and try it once; return it with its arm, or with a reason."""

    @abstractmethod
    def make_experiment(self, arms: Sequence[str]) -> Experiment:
        """Return the experiment of both programs and of those that were prepared."""

    @abstractmethod
    def discard(self, directory: Path) -> None:
        """Remove what was made for a record, when it is complete."""


def validate(
    replacement: Replacement,
    explanation: Explanation,
    directory: Path,
    *,
    watch: Watch,
    tell: Callable[[str], None],
) -> None:
    """Test the named functions of an explanation, and keep the outcome in its record.

    Parameters
    ----------
    directory : Path
        Of the record.

    Raises
    ------
    ProgramError, InterruptedRunError
        As ``steelyard.lab.run.run.run``.
    """
    listed = replacement.list_trials(explanation.named)
    able = [trial for trial in listed if not trial.reason][:MOST]
    trials = [
        *map(replacement.prepare, able),
        *[trial for trial in listed if trial.reason][:MOST],
    ]
    write_plain(directory / FILE_OF_TESTS, msgspec.json.encode(trials))
    if not trials:
        tell("explain: no function is named, so that there is nothing to test")
    if arms := [trial.arm for trial in trials if trial.arm]:
        tell(f"explain: testing {' and '.join(trial.object for trial in trials if trial.arm)} of OLD in NEW")
        run(replacement.make_experiment(arms), directory / DIRECTORY, watch=watch)


def name_arm(part: str) -> str:
    """Return what the program with a part of OLD is called."""
    return f"{NEW} with {part.replace('/', '-')} of {OLD}"


def find_difference(programs: Sequence[Sequence[str]], stdin: str | None) -> str:
    """Run OLD, NEW and what was made of both, and return why that cannot be measured; empty where it can.

    Parameters
    ----------
    programs : sequence of sequence of str
        The words of each.
    """
    old, new, mixed = (_try(words, stdin) for words in programs)
    if mixed[0] != new[0]:
        return f"the new program then ends with {_describe(mixed[0])}: both are not of one interface"
    if old[1] == new[1] != mixed[1]:
        return "the new program then prints something else: both are not of one interface"
    return ""


def _describe(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _try(words: Sequence[str], stdin: str | None) -> tuple[int, bytes]:
    """Return exit code and standard output of a run; -9 where it does not end."""
    with open(stdin or "/dev/null", "rb") as content:  # noqa: PTH123 -- a name as the user typed it
        try:
            done = subprocess.run(words, stdin=content, capture_output=True, check=False, timeout=_RUN_S)
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
