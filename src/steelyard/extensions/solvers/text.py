"""Solvers as text: the verdicts, the scores, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from steelyard.extensions.solvers.results import SolverAnswer, SolverComparison, SolverScore
from steelyard.report.text.digits import bounds, probability, ratio
from steelyard.report.text.label import join_names, plural, printable
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.results.interval import Interval

MOST_NAMED: Final = 4
"""Reasons of failures that a sentence names."""
_STYLES: dict[str, Style] = {"better": "good", "worse": "bad"}


def lines(answer: SolverAnswer, width: int = 80) -> list[Line]:
    """Line by line."""
    output: list[Line] = []
    for comparison in answer.comparisons:
        style = _STYLES.get(comparison.verdict, "open")
        output += render_paragraph(claim(comparison, answer), width, style=style, rest="  ")
        output += render_paragraph(f"({evidence(comparison, answer)})", width, first="  ", rest="   ")
    if not answer.comparisons:
        output.append((Span(headline(answer), "heading"),))
    output += [(), *table(score_columns(answer), width), ()]
    for text in notes(answer):
        output += render_paragraph(text, width, first="- ", rest="  ")
    return output


def headline(answer: SolverAnswer) -> str:
    """Return the answer about one solver alone."""
    (only,) = answer.scores
    solved = f"{printable(only.solver)} solved {only.solved} of {plural(only.instances, 'instance')}"
    return f"{solved}; PAR{answer.penalty} {only.par_s:.4g} s"


def score_columns(answer: SolverAnswer) -> list[Column]:
    """Return the table of scores, a row a solver, the lowest PAR first."""
    rows = sorted(answer.scores, key=lambda row: row.par_s)
    return [
        Column.words("solver", (printable(row.solver) for row in rows), is_name=True),
        Column.numbers("solved", (f"{row.solved} of {row.instances}" for row in rows)),
        Column.numbers("95 % CI", (_shares(row.solved_ci95) for row in rows), give_way=2),
        Column.numbers("timeouts", (str(row.timeouts) for row in rows)),
        Column.numbers("failed", (str(row.failures - row.wrong) for row in rows)),
        *(
            [Column.numbers("wrong", (str(row.wrong) for row in rows))]
            if any(row.wrong for row in rows)
            else []
        ),
        Column.numbers(f"PAR{answer.penalty} s", (f"{row.par_s:.4g}" for row in rows)),
        Column.numbers("median s", (_time(row.median_s, answer) for row in rows)),
        Column.numbers("95 % CI of it", (_median_bounds(row, answer) for row in rows), give_way=1),
    ]


def claim(comparison: SolverComparison, answer: SolverAnswer) -> str:
    """Return the verdict on a solver, without its evidence."""
    pair = f"{printable(comparison.solver)} against {printable(answer.baseline)}"
    penalty = f"PAR{answer.penalty}"
    match comparison.verdict:
        case "better" | "worse":
            factor = comparison.ratio if comparison.verdict == "better" else 1 / comparison.ratio
            interval = _invert(comparison.ci95) if comparison.verdict == "worse" else comparison.ci95
            word = "lower" if comparison.verdict == "better" else "higher"
            return f"{pair}: {comparison.verdict}, its {penalty} is {ratio(factor, interval)} × {word}"
        case "not_resolved":
            return f"{pair}: not resolved"
        case _:
            return f"{pair}: not judged, since {comparison.reason}"


def evidence(comparison: SolverComparison, answer: SolverAnswer) -> str:
    """Return the evidence of a verdict: scores, interval, p, instances."""
    pars = {row.solver: row.par_s for row in answer.scores}
    parts = [f"PAR{answer.penalty} {pars[comparison.solver]:.4g} s against {pars[answer.baseline]:.4g} s"]
    if comparison.ci95 is not None:
        worse = comparison.verdict == "worse"
        interval = _invert(comparison.ci95) if worse else comparison.ci95
        value = 1 / comparison.ratio if worse else comparison.ratio
        if interval is not None:
            parts.append(f"95 % CI of the ratio {bounds(value, interval)}")
    if comparison.p_holm is not None:
        count = len([row for row in answer.comparisons if row.p is not None])
        among = f" among {count} comparisons" if count > 1 else ""
        parts.append(f"p = {probability(comparison.p_holm)}{among}")
    parts.append(plural(comparison.instances, "instance"))
    parts.append(f"solved by it alone: {comparison.alone}, by the other alone: {comparison.baseline_alone}")
    return "; ".join(parts)


def notes(answer: SolverAnswer) -> Iterator[str]:
    """Yield sentences about what the scores and verdicts rest on."""
    yield (
        f"Time limit {answer.limit_s:g} s, {answer.limit_origin}. A run that was not solved counts as"
        f" {answer.penalty} limits."
    )
    if any(row.runs > row.instances for row in answer.scores):
        yield (
            "Runs of one instance are one unit: their mean counts, and an instance is solved where more than"
            " half of them are."
        )
    for row in answer.scores:
        name = printable(row.solver)
        if row.wrong:
            rest = "which counts" if row.wrong == 1 else "which count"
            yield f"{name} gave {plural(row.wrong, 'wrong answer')}, {rest} as not solved."
        if row.reasons:
            reasons = [f"{count} × {printable(reason)}" for reason, count in row.reasons.items()]
            yield f"{name} failed: {join_names(reasons, MOST_NAMED)}."
        if row.missing:
            yield f"{name} has no run of {plural(row.missing, 'instance')}."
        if row.missing_runs:
            yield (
                f"{name} lacks {plural(row.missing_runs, 'run')}: some instances have fewer than others."
                " A run that did not end needs a row with its status."
            )
    if any(
        row.verdict in ("better", "worse", "not_resolved") and row.ci95 is None for row in answer.comparisons
    ):
        yield "Fewer than 30 instances bound no ratio of means: whether is judged, by how much is not."
    yield "The verdicts are about instances like these, under this limit."


def _shares(interval: Interval) -> str:
    return f"{100 * interval.low:.0f} to {100 * interval.high:.0f} %"


def _time(time_s: float | None, answer: SolverAnswer) -> str:
    return f"{time_s:.3g}" if time_s is not None else f">{answer.limit_s:g}"


def _median_bounds(row: SolverScore, answer: SolverAnswer) -> str:
    if row.median_ci95 is None:
        return "–"
    low, high = row.median_ci95
    return f"{_time(low, answer)} to {_time(high, answer)}"


def _invert(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(1 / interval.high, 1 / interval.low)
