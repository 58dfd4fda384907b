"""What became of one run of a solver on one instance."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.outcomes import Ending, read_ending

Outcome = Literal["solved", "timeout", "wrong", "failed"]

OUTCOMES: Final[Mapping[Ending, Outcome]] = {"ok": "solved", "timed_out": "timeout", "failed": "failed"}
_FLAGS: Final[Mapping[str, Outcome]] = {"1": "solved", "0": "failed"}
"""Numbers that some tables have for solved and not solved."""
_WRONG: Final = re.compile(r"(wrong|incorrect|unsound|invalid proof|invalid model)\b", re.IGNORECASE)

_ANSWERS: Final[Mapping[str, str]] = {
    "sat": "sat",
    "satisfiable": "sat",
    "unsat": "unsat",
    "unsatisfiable": "unsat",
}


class SolverRun(msgspec.Struct, frozen=True):
    """One run.

    Attributes
    ----------
    time_s : float
        What the solver took; of one that was not solved, what was spent on it.
    answer : str
        The answer of a run that was solved, where the status says it: ``sat`` or ``unsat``.
    reason : str
        Why a run was not solved, in the words of the file.
    """

    solver: str
    instance: str
    outcome: Outcome
    time_s: float
    seed: str = ""
    answer: str = ""
    reason: str = ""


class Campaign(msgspec.Struct, frozen=True):
    """All runs, under one limit.

    Attributes
    ----------
    runs : tuple of SolverRun
    limit_s : float
        At which every run was ended, or is taken to have been.
    origin : str
        Where the limit comes from, in words.
    """

    runs: tuple[SolverRun, ...]
    limit_s: float
    origin: str

    @property
    def solvers(self) -> tuple[str, ...]:
        """In the order in which they come."""
        return tuple(dict.fromkeys(run.solver for run in self.runs))

    def find_contradictions(self, solvers: Collection[str]) -> list[str]:
        """List the instances for which runs of these solvers have both answers, of which one is wrong."""
        answers: dict[str, set[str]] = {}
        for run in self.runs:
            if run.answer and run.outcome == "solved" and run.solver in solvers:
                answers.setdefault(run.instance, set()).add(run.answer)
        return [instance for instance, distinct in answers.items() if len(distinct) > 1]

    def list_missing_runs(self, solver: str) -> dict[str, int]:
        """Count, by instance, the runs that a solver has of others and lacks of this one."""
        runs = Counter(run.instance for run in self.runs if run.solver == solver)
        most = max(runs.values(), default=0)
        return {instance: most - count for instance, count in runs.items() if count < most}

    @property
    def instances(self) -> tuple[str, ...]:
        """In the order in which they come."""
        return tuple(dict.fromkeys(run.instance for run in self.runs))


def read_answer(text: str) -> str:
    """Return the answer that a word for a solved run says; empty where it says none."""
    return _ANSWERS.get(text.strip().lower(), "")


def read_outcome(text: str, place: str) -> Outcome:
    """Read the word of a table for an outcome.

    Raises
    ------
    UsageError
        The word is not known.
    """
    if _WRONG.match(text.strip()):
        return "wrong"
    ending = read_ending(text)
    if ending is not None:
        return OUTCOMES[ending]
    if text in _FLAGS:
        return _FLAGS[text]
    raise UsageError(
        f"{place}: the status {text!r} is not known",
        hint="write ok, timeout or failed; or name the words of solved runs: --solved WORD",
    )


def make_campaign(runs: Iterable[SolverRun], limit_s: float | None, place: str) -> Campaign:
    """Put runs under one limit; one that took longer than it counts as timed out.

    Without a limit, it is what all runs that timed out took.

    Raises
    ------
    UsageError
        No limit is given, and the runs that timed out took different times or there are none; or two runs
        are of one solver, instance and seed.
    """
    collected = tuple(runs)
    _refuse_repeated(collected, place)
    origin = "as given"
    if limit_s is None:
        times = {run.time_s for run in collected if run.outcome == "timeout" and math.isfinite(run.time_s)}
        if len(times) != 1:
            spread = f"runs timed out after {min(times):g} to {max(times):g} s" if times else ""
            problem = spread or "no run that timed out has a time"
            raise UsageError(f"{place}: the time limit is not known: {problem}", hint="--limit SECONDS")
        (limit_s,) = times
        origin = "at which runs timed out"
    cut = tuple(
        msgspec.structs.replace(run, outcome="timeout", time_s=limit_s)
        if run.outcome == "solved" and run.time_s > limit_s
        else run
        for run in collected
    )
    return Campaign(cut, limit_s, origin)


def _refuse_repeated(runs: Iterable[SolverRun], place: str) -> None:
    keys: set[tuple[str, str, str]] = set()
    for run in runs:
        key = (run.solver, run.instance, run.seed)
        if key in keys:
            seed = f", seed {run.seed}" if run.seed else ""
            raise UsageError(
                f"{place}: {run.solver} has two runs of {run.instance}{seed}",
                hint="name the column that tells them apart: --seed COLUMN",
            )
        keys.add(key)
