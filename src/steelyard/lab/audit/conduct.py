"""The stages of an audit: a pilot that tells how long a run takes, a screening, a replication; each an
experiment with a record of its own, so that an audit that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from steelyard.errors import UsageError
from steelyard.lab.audit.asking import Auditing, Row
from steelyard.lab.audit.candidates import MOVE_THE_STACK, Candidate, addresses_can_be_fixed, candidates
from steelyard.lab.audit.effort import Effort, effort
from steelyard.lab.conductor import Progress, Watch
from steelyard.lab.run import run
from steelyard.spec.experiment import Experiment
from steelyard.stats.audit.finding import Audit, Finding, Screened
from steelyard.stats.audit.replication import Pair, replicate, verdict
from steelyard.stats.audit.screening import Picks, pick, relative, spread, unseen
from steelyard.stats.contrast import Floats
from steelyard.store import Record
from steelyard.store.facts import FILE
from steelyard.units import Metric, Scalar

PILOT_RUNS: Final = 10

_COMPUTES: Final = (0.8, 1.1)
"""CPU time over elapsed time without waits for a CPU, of a program that computes in one thread; in the run of
the pilot that was disturbed least: the runner waits for a CPU too, which only elapsed time shows."""

Tell = Callable[[str], None]
"""Told once what the audit is going to do, and how long that takes."""


def earlier_seed(directory: Path) -> int | None:
    """The seed of an audit that was begun in the directory; ``None`` where there is none."""
    if not (directory / "pilot.lab" / FILE).exists():
        return None
    with Record.open(directory / "pilot.lab") as record:
        return record.experiment.design.seed


def audit(asking: Auditing, directory: Path, *, watch: Watch, tell: Tell) -> Audit:
    """Find which contexts move a program's time.

    Parameters
    ----------
    directory : Path
        Of the records ``pilot.lab``, ``screening.lab`` and ``replication.lab``.

    Raises
    ------
    UsageError, MachineError
        As ``candidates``; a metric that is 0 somewhere, of which there is no ratio.
    RecordError, ProgramError, InterruptedRunError
        As ``steelyard.lab.run.run``; after an interruption, the same call goes on.
    """
    among, left_out = candidates(asking)
    bench = _Bench(asking, directory, watch)
    bench.measure([{}], stage="pilot", blocks=PILOT_RUNS, discard=1)
    asking = bench.asking = replace(asking, metric=asking.metric or bench.sensible_metric())
    plan = effort(asking, among, float(np.median(np.exp(bench.logs("pilot", "wall_s")))))
    tell(_intention(plan, among))
    base = {candidate.name: candidate.base for candidate in among}
    visits = _screen(bench, among, base, plan)
    rows, comparisons = _again(among, base, visits)
    logs = bench.measure(rows, stage="replication", blocks=plan.blocks, discard=1)
    where = {tuple(row.values()): place for place, row in enumerate(rows)}

    def values(row: Row) -> Floats:
        found: Floats = logs[where[tuple(row.values())]]
        return found

    pairs = [
        Pair(each.name, each.level, values(each.row) - np.mean([values(row) for row in each.typical], axis=0))
        for each in comparisons
    ]
    judged = replicate(pairs, alpha=asking.alpha, least=asking.least)
    findings = []
    for candidate in among:
        its = tuple(found for name, found in judged if name == candidate.name)
        visit = visits.get(candidate.name)
        findings.append(
            Finding(
                name=candidate.name,
                verdict=verdict(its, asking.least),
                typical=visit.typical if visit else (candidate.base,),
                screened=visit.screened if visit else (),
                replicated=its,
                spread=visit.spread if visit else None,
                population=len(candidate.population),
                unseen=unseen(len(candidate.population), len(visit.screened)) if visit else 0.0,
            )
        )
    return Audit(
        command=asking.command,
        findings=tuple(sorted(findings, key=_importance)),
        left_out=left_out,
        metric=bench.asked_metric,
        unit=bench.metric.unit,
        typical=float(np.exp(np.median([values(row) for row in comparisons[0].typical]))),
        passes=plan.passes if visits else 0,
        blocks=plan.blocks,
        runs=bench.runs,
        seed=asking.seed,
        alpha=asking.alpha,
        least=asking.least,
        thorough=asking.thorough,
    )


@dataclass(frozen=True, slots=True)
class _Visit:
    """What the screening says of one numeric kind of context."""

    screened: tuple[Screened, ...]
    picks: Picks
    spread: float | None

    @property
    def typical(self) -> tuple[Scalar, ...]:
        return tuple(self.screened[place].level for place in self.picks.typical)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A setting, and the typical ones that it is compared with."""

    name: str
    level: Scalar
    row: Row
    typical: tuple[Row, ...]


class _Bench:
    """Runs the stages and counts their runs."""

    def __init__(self, asking: Auditing, directory: Path, watch: Watch) -> None:
        self.asking = asking
        self._directory = directory
        self._watch = watch
        self.runs = 0
        self.metric = Metric("wall_s", "s")

    @property
    def asked_metric(self) -> str:
        """What is judged; elapsed time as long as that is not known."""
        return self.asking.metric or "wall_s"

    def sensible_metric(self) -> str:
        """``cpu_s`` where a run of the pilot computed on one CPU all the time that it had one."""
        with Record.open(self._place("pilot")) as record:
            wall, cpu, *waits = (
                np.array(sample.values, dtype=np.float64)
                for sample in record.samples("wall_s", "cpu_s", "queue_wait_s")
                if len(sample)
            )
        busy = np.max(cpu / (wall - waits[0] if waits else wall))
        return "cpu_s" if _COMPUTES[0] <= busy <= _COMPUTES[1] else "wall_s"

    def measure(self, rows: Sequence[Row], *, stage: str, blocks: int, discard: int) -> Floats:
        """Logarithms of the metric, rows x blocks."""

        def watch(at: Progress) -> None:
            self._watch(replace(at, what=f"blocks of the {stage}") if at.what == "blocks" else at)

        run(self._experiment(rows, stage, blocks, discard), self._place(stage), watch=watch)
        with Record.open(self._place(stage)) as record:
            self.runs += record.progress().trials
        return self.logs(stage, self.asked_metric)

    def logs(self, stage: str, metric: str) -> Floats:
        """Logarithms of any metric of a stage, rows x blocks."""
        with Record.open(self._place(stage)) as record:
            samples = record.samples(metric)
        if metric == self.asked_metric:
            self.metric = samples[0].metric
        values = np.array([sample.values for sample in samples], dtype=np.float64)
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise UsageError(
                f"{metric} is 0 in some runs, and a ratio to it says nothing",
                hint="choose another metric: --metric wall_s",
            )
        return np.log(values)

    def _experiment(self, rows: Sequence[Row], stage: str, blocks: int, discard: int) -> Experiment:
        fixed = {} if "aslr" in rows[0] or not addresses_can_be_fixed() else {"aslr": "off"}
        return self.asking.experiment(rows, stage=stage, blocks=blocks, discard=discard, fixed=fixed)

    def _place(self, stage: str) -> Path:
        return self._directory / f"{stage}.lab"


def _screen(bench: _Bench, among: Sequence[Candidate], base: Row, plan: Effort) -> Mapping[str, _Visit]:
    """Visit levels of the numeric kinds, one kind at a time, the others at their base.

    Names are visited as well, though not judged by it: launches are padded to the longest among them, and
    only the same set of variables makes a level the same place on the stack in both stages.
    """
    drawn = {
        each.name: each.draw(plan.levels[each.name], bench.asking.seed) for each in among if each.numeric
    }
    rows = [dict(base)] + [
        {**base, name: level} for name, levels in drawn.items() for level in levels if level != base[name]
    ]
    if len(rows) == 1:
        return {}
    rows += [
        {**base, each.name: level}
        for each in among
        if not each.numeric
        for level in each.population
        if level != each.base
    ]
    logs = bench.measure(rows, stage="screening", blocks=plan.passes, discard=0)
    medians = relative(logs)
    visits = {}
    for name, levels in drawn.items():
        places = [rows.index({**base, name: level}) for level in levels]
        ratios = np.exp(medians[places] - np.median(medians[places])).tolist()
        screened = tuple(Screened(level, ratio) for level, ratio in zip(levels, ratios, strict=True))
        visits[name] = _Visit(screened, pick(ratios, bench.asking.least), spread(logs[places]))
    return visits


def _again(
    among: Sequence[Candidate], base: Row, visits: Mapping[str, _Visit]
) -> tuple[list[Row], list[_Comparison]]:
    """The settings of the replication, and what is compared in it.

    Names are compared where the layout is a typical one: at an extreme one, they would be judged by it.
    """
    usual = {**base, **{name: visit.typical[0] for name, visit in list(visits.items())[:1]}}
    comparisons = []
    for candidate in among:
        name = candidate.name
        if visit := visits.get(name):
            typical = tuple({**base, name: level} for level in visit.typical)
            levels = tuple(visit.screened[place].level for place in visit.picks.extreme)
            settings = {level: {**base, name: level} for level in levels}
        else:
            typical = (usual,)
            settings = {
                level: {**usual, name: level} for level in candidate.population if level != candidate.base
            }
        comparisons += [_Comparison(name, level, row, typical) for level, row in settings.items()]
    wanted = [row for each in comparisons for row in (each.row, *each.typical)]
    # Some kinds put a variable into the environment that grows with the level. All launches are padded to the
    # longest, which therefore has to be there again, or every level lies elsewhere than in the screening.
    wanted += [
        {**base, name: visit.screened[-1].level}
        for name, visit in visits.items()
        if name not in MOVE_THE_STACK
    ]
    rows = {tuple(row.values()): row for row in wanted}
    return list(rows.values()), comparisons


def _importance(finding: Finding) -> tuple[bool, float]:
    ratio = finding.extreme.ratio
    return finding.verdict != "moves", -max(ratio, 1 / ratio)


def _intention(plan: Effort, among: Sequence[Candidate]) -> str:
    from steelyard.units import format_duration

    levels = [
        f"{plan.levels[each.name]} of {len(each.population)} levels of {each.name}"
        if each.numeric
        else f"{each.name}"
        for each in among
    ]
    return f"audit: {', '.join(levels)}; about {format_duration(plan.seconds)}"
