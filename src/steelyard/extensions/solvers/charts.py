"""Cactus plot and scatter plots of solvers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from steelyard.extensions.solvers.results import SolverAnswer
from steelyard.extensions.solvers.scores import InstanceScores
from steelyard.extensions.solvers.text import score_columns
from steelyard.report.page.chart import ACCENT, MUTED, Chart, number, tooltip
from steelyard.report.page.marks import mark, point, series_scale
from steelyard.report.text.label import printable

if TYPE_CHECKING:
    from steelyard.extensions.solvers.runs import Campaign

_LEAST_S: Final = 1e-3
"""Shorter times are drawn here: a logarithm has no place for 0."""


def draw_charts(answer: SolverAnswer, campaign: Campaign) -> tuple[Chart, ...]:
    """Draw the cactus plot of all solvers, and a scatter plot of each against the baseline."""
    scores = {row.solver: InstanceScores(campaign, row.solver, answer.penalty) for row in answer.scores}
    pairs = (
        draw_pairs(comparison.solver, scores, answer, place)
        for place, comparison in enumerate(answer.comparisons, start=1)
    )
    return (draw_cactus(scores, answer), *pairs)


def draw_cactus(scores: dict[str, InstanceScores], answer: SolverAnswer) -> Chart:
    """Draw how many instances each solver solves within a time."""
    rows = [
        {"solver": printable(solver), "solved": count, "time": max(float(time), _LEAST_S)}
        for solver, of_solver in scores.items()
        for count, time in enumerate(of_solver.solved_times(), start=1)
    ]
    colour = {"color": series_scale("solver", [printable(solver) for solver in scores])}
    at = {"x": number("solved", "instances solved", scale={"zero": True}), "y": _time("time", "time (s)")}
    limit = [{"limit": answer.limit_s}]
    return Chart(
        name="solvers-cactus",
        title="Instances solved within a time",
        about="Instances in the order of their times, for each solver; farther right is better. The dashed"
        " line is the time limit.",
        spec={
            "height": 260,
            "layer": [
                mark("line", {**at, **colour}, rows="solved", strokeWidth=1.6),
                mark("rule", {"y": _time("limit", "time (s)")}, rows="limit", color=MUTED, strokeDash=[3, 3]),
            ],
        },
        data={"solved": rows, "limit": limit},
        columns=tuple(score_columns(answer)),
        empty="" if rows else "No instance was solved.",
    )


def draw_pairs(solver: str, scores: dict[str, InstanceScores], answer: SolverAnswer, place: int) -> Chart:
    """Draw the times of a solver against those of the baseline, a point an instance."""
    baseline, rival = scores[answer.baseline], scores[solver]
    shared = set(rival.instances)
    rows: list[dict[str, Any]] = []
    for instance in baseline.instances:
        if instance not in shared:
            continue
        x, y = baseline.time(instance), rival.time(instance)
        rows.append(
            {
                "instance": printable(instance),
                "base": _clip(x, answer.limit_s),
                "other": _clip(y, answer.limit_s),
                "base_says": _describe(x),
                "other_says": _describe(y),
            }
        )
    times = [value for row in rows for value in (row["base"], row["other"])]
    ends = [{"from": min(times), "to": max(times)}] if times else []
    at = {
        "x": _time("base", f"{printable(answer.baseline)} (s)"),
        "y": _time("other", f"{printable(solver)} (s)"),
    }
    hover = tooltip(instance="instance", base_says=answer.baseline, other_says=solver)
    line = {**at, "x": _time("from", at["x"]["title"]), "y": _time("from", at["y"]["title"])}
    diagonal = {**line, "x2": {"field": "to"}, "y2": {"field": "to"}}
    return Chart(
        name=f"solvers-pairs-{place}",
        title=f"{printable(solver)} against {printable(answer.baseline)}",
        about="A point an instance; below the dashed line the solver is faster. What was not solved is drawn"
        " at the time limit.",
        spec={
            "height": 300,
            "layer": [
                mark("rule", diagonal, rows="ends", color=MUTED, strokeDash=[3, 3]),
                point({**at, "tooltip": hover}, 30, rows="pairs", color=ACCENT, opacity=0.7),
            ],
        },
        data={"pairs": rows, "ends": ends},
        empty="" if rows else "No instance has runs of both.",
    )


def _time(field: str, title: str) -> dict[str, Any]:
    return number(field, title, scale={"type": "log"}, axis={"format": "~g", "tickCount": 6})


def _clip(time_s: float, limit_s: float) -> float:
    return max(time_s, _LEAST_S) if math.isfinite(time_s) else limit_s


def _describe(time_s: float) -> str:
    return f"{time_s:.3g} s" if math.isfinite(time_s) else "not solved"
