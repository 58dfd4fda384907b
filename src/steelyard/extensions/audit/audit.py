"""The stages of an audit: a pilot that tells how long a run takes, a screening, a replication.

Each is an experiment with a record of its own, so that an audit that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import ProgramError
from steelyard.core.units import Scalar
from steelyard.extensions.audit.candidates import (
    MOVE_THE_STACK,
    WAITING,
    AuditCandidate,
    candidates,
    get_start_setting,
    list_unvaried,
    place_threads,
)
from steelyard.extensions.audit.counts import count_lengths, refuse_counts
from steelyard.extensions.audit.effort import FEWEST_BLOCKS, SHARE_IN_A_LIMIT, Effort, effort
from steelyard.extensions.audit.replication import LevelPair, replicate, verdict
from steelyard.extensions.audit.request import AuditRequest, Row
from steelyard.extensions.audit.results import AS_STARTED, COUNTED, Audit, AuditedContext, Screened
from steelyard.extensions.audit.screening import Picks, pick, relative, spread
from steelyard.extensions.audit.stages import Stages
from steelyard.lab.run.existing_record import refuse_other_command
from steelyard.lab.run.run_loop import Watch
from steelyard.stats.planning.unseen import unseen_share

PILOT_RUNS: Final = 10

Tell = Callable[[str], None]
"""Told once what the audit is going to do, and how long that takes."""


def audit(request: AuditRequest, directory: Path, *, watch: Watch, tell: Tell) -> Audit:
    """Find which contexts move a program's time.

    Parameters
    ----------
    directory : Path
        Of the records ``pilot.lab``, ``screening.lab`` and ``replication.lab``.

    Raises
    ------
    UsageError, MachineError
        As ``candidates``; a metric that is 0 somewhere, of which ratios are undefined.
    RecordError, ProgramError, InterruptedRunError
        As ``steelyard.lab.run.run.run``; after an interruption, the same call goes on.
    """
    refuse_other_command(directory, "audit")
    among, left_out = candidates(request)
    if request.counts:
        refuse_counts(among, left_out)
    bench = Stages(request, directory, watch)
    bench.measure([{}], stage="pilot", blocks=PILOT_RUNS, discard=1)
    chosen = request.metric is None
    request = bench.request = replace(request, metric=request.metric or bench.sensible_metric())
    bench.run_s = float(np.median(np.exp(bench.logs("pilot", "wall_s"))))
    among, idle = place_threads(among, bench.threads(), requested=bool(request.only))
    among, failing = _choose_bearable(bench, among)
    left_out = {**left_out, **idle, **failing}
    plan = effort(request, among, bench.run_s)
    bench.refuse_too_much(plan)
    tell(_describe_intention(plan, among, request))
    base = {candidate.name: candidate.base for candidate in among}
    # Kinds that are asked for by name are a question of their own.
    shell = None if request.only else get_start_setting(among)
    drawn = {kind.name: kind.draw(plan.levels[kind.name], request.seed) for kind in among if kind.numeric}
    counted = None
    if request.counts:
        lengths = next(kind for kind in among if kind.name == COUNTED)
        settings = _list_rows(among, base, {**drawn, COUNTED: ()}, shell)
        drawn[COUNTED], counted = count_lengths(bench, lengths, settings, tell)
    visits = _get_screen(bench, _list_rows(among, base, drawn, shell), base, drawn, plan.passes)
    rows, comparisons = _measure_again(among, base, visits, shell)
    bench.measure(rows, stage="replication", blocks=plan.blocks, discard=1, fewest=FEWEST_BLOCKS)
    waiting = WAITING if chosen and bench.asked_metric == "cpu_s" else frozenset()
    replication = _Replication(rows, comparisons, among, visits, waiting & base.keys())
    judged = replication.judge_blocks(bench)
    while request.limited and judged.undecided and bench.double(rows, stage="replication"):
        judged = replication.judge_blocks(bench)
    return Audit(
        command=request.command,
        findings=judged.findings,
        left_out=left_out,
        not_varied=list_unvaried({*base, *left_out}),
        metric=bench.asked_metric,
        unit=bench.metric.unit,
        typical=judged.typical,
        passes=min((visit.passes for visit in visits.values()), default=0),
        blocks=judged.blocks,
        runs=bench.runs,
        seed=request.seed,
        alpha=request.alpha,
        least=request.least,
        thorough=request.thorough,
        counted=counted,
        warnings=bench.warnings("replication"),
    )


class _Visit(msgspec.Struct, frozen=True):
    """Screening of one numeric kind of context."""

    screened: tuple[Screened, ...]
    picks: Picks
    spread: float | None
    passes: int

    @property
    def typical(self) -> tuple[Scalar, ...]:
        return tuple(self.screened[place].level for place in self.picks.typical)


class _Judged(msgspec.Struct, frozen=True):
    """Findings at one look at the replication, those that move the time first."""

    findings: tuple[AuditedContext, ...]
    typical: float
    blocks: int

    @property
    def undecided(self) -> bool:
        return any(finding.verdict == "not_resolved" for finding in self.findings)


class _Replication(msgspec.Struct, frozen=True):
    """What is compared in the replication, and by which metric.

    Attributes
    ----------
    rows : sequence of Row
        The settings, in the order of the record's treatments.
    waiting : set of str
        Kinds that are judged by elapsed time.
    """

    rows: Sequence[Row]
    comparisons: Sequence[_Comparison]
    among: Sequence[AuditCandidate]
    visits: Mapping[str, _Visit]
    waiting: AbstractSet[str]

    def judge_blocks(self, bench: Stages) -> _Judged:
        """Return the findings of all blocks so far, at the level that the looks at them leave."""
        request = bench.request
        logs = bench.logs("replication", bench.asked_metric)
        elapsed = bench.logs("replication", "wall_s") if self.waiting else logs
        alpha = bench.level("replication")
        by = {True: elapsed, False: logs}
        pairs = [
            LevelPair(
                comparison.name,
                comparison.level,
                self._compute_differences(comparison, by[comparison.name in self.waiting]),
            )
            for comparison in self.comparisons
        ]
        replicated = replicate(pairs, alpha=alpha, least=request.least)
        cpu = {
            (comparison.name, comparison.level): float(
                np.exp(self._compute_differences(comparison, logs).mean())
            )
            for comparison in self.comparisons
            if comparison.name in self.waiting
        }
        findings = []
        for candidate in self.among:
            replications = tuple(replication for name, replication in replicated if name == candidate.name)
            visit = self.visits.get(candidate.name)
            findings.append(
                AuditedContext(
                    context=candidate.name,
                    metric="wall_s" if candidate.name in self.waiting else bench.asked_metric,
                    verdict=verdict(replications, request.least),
                    typical=visit.typical if visit else (candidate.base,),
                    screened=visit.screened if visit else (),
                    replicated=replications,
                    spread=visit.spread if visit else None,
                    population=candidate.levels,
                    unseen=_compute_unseen(candidate, visit, blocks=logs.shape[1]),
                    cpu={level: ratio for (name, level), ratio in cpu.items() if name == candidate.name},
                )
            )
        effects = tuple(effect for name, effect in replicated if name == AS_STARTED)
        if effects:
            findings.append(
                AuditedContext(
                    context=AS_STARTED,
                    metric=bench.asked_metric,
                    verdict=verdict(effects, request.least),
                    typical=("typical",),
                    screened=(),
                    replicated=effects,
                    spread=None,
                    population=1,
                    unseen=0.0,
                )
            )
        typical = np.median([self._get_values(row, logs) for row in self.comparisons[0].typical])
        return _Judged(tuple(sorted(findings, key=_get_importance)), float(np.exp(typical)), logs.shape[1])

    def _get_values(self, row: Row, logs: Floats) -> Floats:
        values: Floats = logs[self.rows.index(row)]
        return values

    def _compute_differences(self, comparison: _Comparison, logs: Floats) -> Floats:
        typical: Floats = np.mean([self._get_values(row, logs) for row in comparison.typical], axis=0)
        return self._get_values(comparison.row, logs) - typical


def _compute_unseen(candidate: AuditCandidate, visit: _Visit | None, *, blocks: int) -> float:
    """Share of the levels, or of the layouts that address randomisation draws, that could differ unseen."""
    if visit is not None:
        return candidate.unseen(len(visit.screened))
    return unseen_share(blocks) if candidate.name == "aslr" else 0.0


class _Comparison(msgspec.Struct, frozen=True):
    """A setting, and the typical ones that it is compared with."""

    name: str
    level: Scalar
    row: Row
    typical: tuple[Row, ...]


def _choose_bearable(
    bench: Stages, among: Sequence[AuditCandidate]
) -> tuple[tuple[AuditCandidate, ...], Mapping[str, str]]:
    """Return the kinds in which the program still ends well, and what is said of the others.

    Tried are the largest level or each name: some programs refuse a long name of their own.

    Raises
    ------
    ProgramError
        A kind that was asked for by name, or all.
    """
    base = {candidate.name: candidate.base for candidate in among}
    tried = [
        (candidate.name, level)
        for candidate in among
        for level in (candidate.population[-1:] if candidate.numeric else candidate.population)
    ]
    rows = {(name, level): {**base, name: level} for name, level in tried}
    failing: dict[str, str] = {}
    for (name, level), problem in zip(rows, bench.failures(list(rows.values())), strict=True):
        if problem is not None:
            failing.setdefault(name, f"at {level} the program behaves differently: it {problem}")
    audit_candidates = tuple(candidate for candidate in among if candidate.name not in failing)
    if failing and (bench.request.only or not audit_candidates):
        name, problem = next(iter(failing.items()))
        raise ProgramError(f"{name} cannot be varied: {problem}", hint=f"leave {name} out")
    return audit_candidates, failing


def _list_rows(
    among: Sequence[AuditCandidate], base: Row, drawn: Mapping[str, Sequence[Scalar]], shell: Row | None
) -> list[Row]:
    """Return the settings of the screening: levels of one kind at a time, the others at their base.

    Names are visited as well, though not judged by it: launches are padded to the longest among them, and
    only the same set of variables makes a level the same place on the stack in both stages.
    """
    rows: list[Row] = [dict(base)]
    rows += [
        {**base, name: level} for name, levels in drawn.items() for level in levels if level != base[name]
    ]
    rows += [
        {**base, candidate.name: level}
        for candidate in among
        if not candidate.numeric
        for level in candidate.population
        if level != candidate.base
    ]
    if shell is not None and shell not in rows:
        rows.append(dict(shell))
    return rows


def _get_screen(
    bench: Stages, rows: list[Row], base: Row, drawn: Mapping[str, tuple[Scalar, ...]], passes: int
) -> Mapping[str, _Visit]:
    """Visit the settings of the screening, where there are levels of numeric kinds."""
    if not any(drawn.values()):
        return {}
    logs = bench.measure(rows, stage="screening", blocks=passes, discard=0, share=SHARE_IN_A_LIMIT)
    medians = relative(logs)
    visits = {}
    for name, levels in drawn.items():
        places = [rows.index({**base, name: level}) for level in levels]
        ratios = np.exp(medians[places] - np.median(medians[places])).tolist()
        screened = tuple(Screened(level, ratio) for level, ratio in zip(levels, ratios, strict=True))
        visits[name] = _Visit(
            screened, pick(ratios, bench.request.least), spread(logs[places]), logs.shape[1]
        )
    return visits


def _measure_again(
    among: Sequence[AuditCandidate], base: Row, visits: Mapping[str, _Visit], shell: Row | None
) -> tuple[list[Row], list[_Comparison]]:
    """Return the settings of the replication, and what is compared in it.

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
    if shell is not None:
        comparisons.append(_Comparison(AS_STARTED, AS_STARTED, shell, (usual,)))
    rows_again = [row for comparison in comparisons for row in (comparison.row, *comparison.typical)]
    # Some kinds put a variable into the environment that grows with the level. All launches are padded to the
    # longest, which therefore has to be there again, or every level lies elsewhere than in the screening.
    rows_again += [
        {**base, name: visit.screened[-1].level}
        for name, visit in visits.items()
        if name not in MOVE_THE_STACK
    ]
    rows = {tuple(row.values()): row for row in rows_again}
    return list(rows.values()), comparisons


def _get_importance(finding: AuditedContext) -> tuple[bool, float]:
    ratio = finding.extreme.ratio
    return finding.verdict != "moves", -max(ratio, 1 / ratio)


def _describe_intention(plan: Effort, among: Sequence[AuditCandidate], request: AuditRequest) -> str:
    from steelyard.core.units import format_duration

    levels = [
        f"{'at most ' if request.counts and candidate.name == COUNTED else ''}"
        f"{plan.levels[candidate.name]:,} of {candidate.levels:,} levels of {candidate.name}"
        if candidate.numeric
        else f"{candidate.name}"
        for candidate in among
    ]
    limit = request.limited and plan.seconds > request.max_time_s
    time = (
        f"at most {format_duration(request.max_time_s)}"
        if limit
        else f"about {format_duration(plan.seconds)}"
    )
    return f"audit: {', '.join(levels)}; {time}"
