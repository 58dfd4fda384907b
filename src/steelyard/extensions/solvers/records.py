"""Runs of solvers from a record: instances are those that it declares, solvers its other levels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.trials import trials
from steelyard.extensions.solvers.judging import answer
from steelyard.extensions.solvers.results import SolverAnswer
from steelyard.extensions.solvers.runs import Campaign, Outcome, SolverRun, make_campaign
from steelyard.extensions.solvers.table import Roles
from steelyard.store import Reading

_OUTCOMES: Final[Mapping[str, Outcome]] = {"ok": "solved", "timed_out": "timeout"}
"""By the status of a trial; any other is a run that failed."""


class SolverPart(msgspec.Struct, frozen=True):
    """What the page shows of a record of solvers."""

    answer: SolverAnswer
    campaign: Campaign


def read_campaign(record: Reading, roles: Roles, limit_s: float | None = None) -> Campaign:
    """Read every run of a record; warm-up runs are none.

    Parameters
    ----------
    roles : Roles
        Factors of the instance and of the solver, where they are not the declared instances and all other
        factors that vary; the metric that is the time, where it is not the primary one.
    limit_s : float, optional
        By default the time limit of the programs.

    Raises
    ------
    UsageError
        The record has no such factor or metric, declares no instances, or ended runs before that limit.
    RecordError
        It was edited or shortened.
    """
    record.refuse_edited()
    place, experiment = str(record.directory), record.experiment
    instance = _find_instances(record, roles)
    metric = roles.time or experiment.analysis.metric
    names = {item.name: item.unit for item in record.metrics if not any(record.labels_of(item.name))}
    if names.get(metric) != "s":
        times = ", ".join(name for name, unit in names.items() if unit == "s")
        raise UsageError(f"{place}: {metric} is no time of this record", hint=f"--time, one of: {times}")
    timeout_s = experiment.program.timeout_s
    if limit_s is not None and timeout_s is not None and limit_s > timeout_s:
        raise UsageError(
            f"{place}: runs were ended after {timeout_s:g} s, so that a limit of {limit_s:g} s is unknown",
            hint=f"--limit {timeout_s:g}, or less",
        )
    solvers = _name_solvers(record, instance, roles)
    runs = tuple(_read_runs(record, instance, metric, solvers))
    if limit_s is None and timeout_s is not None:
        return replace(make_campaign(runs, timeout_s, place), origin="that of the programs")
    return make_campaign(runs, limit_s, place)


def read_part(record: Reading, _metric: str) -> SolverPart | None:
    """Score the solvers of a record whose failures are outcomes; ``None`` for any other."""
    experiment = record.experiment
    if not experiment.keeps_failures or experiment.analysis.instances is None:
        return None
    campaign = read_campaign(record, Roles())
    baseline = next(iter(campaign.solvers), None)
    if experiment.analysis.baseline is not None:
        names = _name_solvers(record, experiment.analysis.instances, Roles())
        chosen = experiment.analysis.baseline.items()
        baseline = next(
            (names[item.id] for item in record.treatments if chosen <= item.levels.items()), baseline
        )
    return SolverPart(answer(campaign, against=baseline), campaign)


def _find_instances(record: Reading, roles: Roles) -> str:
    """Return the factor whose levels are the instances."""
    name = roles.instance or record.experiment.analysis.instances
    factors = [factor.name for factor in record.experiment.factors]
    options = " or ".join(f"--instance {factor}" for factor in factors) or "instances under [analysis]"
    if name is None:
        raise UsageError(f"{record.directory} declares no instances", hint=options)
    if name not in factors:
        raise UsageError(f"{record.directory} has no factor {name!r}", hint=options)
    return name


def _name_solvers(record: Reading, instance: str, roles: Roles) -> dict[int, str]:
    """Return the solver of each treatment, by the levels of one factor or of all that vary."""
    levels: dict[str, set[Scalar]] = {}
    for treatment in record.treatments:
        for name, level in treatment.levels.items():
            levels.setdefault(name, set()).add(level)
    if roles.solver is not None and roles.solver not in levels:
        raise UsageError(
            f"{record.directory} has no factor {roles.solver!r}",
            hint=f"--solver, one of: {', '.join(name for name in levels if name != instance)}",
        )
    factors = [name for name in levels if name != instance and len(levels[name]) > 1]
    chosen = [roles.solver] if roles.solver is not None else factors
    return {
        treatment.id: ", ".join(str(treatment.levels[name]) for name in chosen) or record.experiment.name
        for treatment in record.treatments
    }


def _read_runs(
    record: Reading, instance: str, metric: str, solvers: Mapping[int, str]
) -> Iterator[SolverRun]:
    instances = {item.id: str(item.levels[instance]) for item in record.treatments}
    table = trials(record)
    at = {column.name: place for place, column in enumerate(table.columns)}
    time_at = at[metric] if metric in at else at[f"metric.{metric}"]
    rows = [row for row in table.rows if row[at["block_state"]] != "discarded"]
    complete = [row for row in rows if row[at["block_state"]] == "complete"]
    # A block that did not end has runs of some instances only, unless it is the only one.
    for row in complete or rows:
        treatment, time_s = row[at["treatment"]], row[time_at]
        outcome = _OUTCOMES.get(str(row[at["status"]]), "failed")
        if not isinstance(treatment, int):
            raise TypeError("the table of trials numbers treatments")
        if outcome == "solved" and not isinstance(time_s, float | int):
            raise UsageError(
                f"{record.directory}: trial {row[at['trial']]} ended well and has no {metric}",
                hint="--time METRIC, one that every run has",
            )
        yield SolverRun(
            solvers[treatment],
            instances[treatment],
            outcome,
            float(time_s) if outcome == "solved" and isinstance(time_s, float | int) else math.inf,
            f"trial {row[at['trial']]}",
            reason="" if outcome == "solved" else str(row[at["reason"]] or ""),
        )
