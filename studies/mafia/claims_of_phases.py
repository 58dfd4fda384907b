"""Rules and claims on the phases of MAFIA: what grows, what repeats, what is found."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from declarations import Answer, Cause, Data, Judge
from parts import SIGNS
from rank_claims import Cell, Points, by_ours, judge_ranks, modelled

from steelyard.api.scaling import Method, ScalingModel, half_deviation, parse_growth, rank_growth

NAMES: Final = ("gen", "dedup", "pcount", "unjoin")
EXPECTED: Final = {"gen": "k^3 2^k", "dedup": "k^4 2^k", "pcount": "k 2^k", "unjoin": "k^3 2^k"}
"""Of Table 7; models of the sentences do not depend on it, their ranks do."""
SPACE: Final = tuple(
    f"2^({quarters / 4}*k)" if power == 0 else f"k^{power} 2^({quarters / 4}*k)"
    for quarters in range(1, 9)
    for power in range(5)
)
"""Ticks of the paper's ruler with factors to k⁴, which Table 7 has and the paper's default lacks."""
PHASES: Final = "values/phases.csv"
CODE: Final = "values/paper-code.csv"
RUN: Final = ".venv/bin/steelyard run studies/mafia/phases.toml"
RUN_CODE: Final = ".venv/bin/python studies/mafia/paper_code.py CHECKOUT/cppmafia"
CLUSTERS: Final = 3


class Form(NamedTuple):
    """A closed form of a count over k, and its leading term."""

    text: str
    at: Callable[[int], float]
    growth: str


FORMS: Final = {
    "gen": Form("3 C(k, 2) 2^(k−2)", lambda k: CLUSTERS * math.comb(k, 2) * 2 ** (k - 2), "k^2 2^k"),
    "unjoin": Form("3 (k 2^(k−1) − k)", lambda k: CLUSTERS * (k * 2 ** (k - 1) - k), "k 2^k"),
}
"""Merges and subsequences, of subsets of the dimensions of each planted cluster."""
NEAR: Final = 0.01
"""Distance of a count from its form at the largest k, as a fraction of the form."""
ROUNDING: Final = 1e-6
LEAST: Final = 0.95
"""Of recall and precision: with less, a cluster was found in part."""


def _models(data: Data, points: Mapping[str, Points], kind: str, method: Method) -> dict[str, ScalingModel]:
    return {
        f"{name} {kind}": modelled(
            data, f"{name}-{kind}", points[name], Cell("match", EXPECTED[name], "k", SPACE), method
        )
        for name in NAMES
    }


def follows(points: Mapping[float, float], form: Form) -> bool:
    """Whether counts approach a form: never farther from it at a larger k, and near it at the largest."""
    apart = [abs(points[k] / form.at(int(k)) - 1) for k in sorted(points)]
    return apart[-1] <= NEAR and all(
        later <= earlier + ROUNDING for earlier, later in itertools.pairwise(apart)
    )


def by_form(name: str, points: Points, cell: Cell, command: str) -> Judge:
    """Whether the closed form that exact counts follow has the published rank, on the published side.

    Without noise a posterior has nothing to weigh terms by, and arithmetic needs none. Where counts do not
    follow the form, the posterior decides.
    """
    form, k = FORMS[name], cell.parameter
    growth, expected = (parse_growth(text, k) for text in (form.growth, cell.expectation))
    by_arithmetic = rank_growth(growth, expected, half_deviation(expected))
    is_more = cell._replace(growth=form.growth).is_more

    def judge(data: Data) -> Answer:
        counts = points(data)
        if not follows(counts, form):
            return by_ours(f"{name}-count", points, cell, command)(data)
        last = max(counts)
        apart = counts[last] / form.at(int(last)) - 1
        side = "more" if is_more else "no more"
        text = f"{SIGNS[by_arithmetic]} O({form.growth}), {side} than expected: {form.text}"
        is_same = by_arithmetic == cell.printed and is_more == cell.is_more
        return Answer(f"{text}, {100 * apart:+.2g} % at k = {last:.0f}", "holds" if is_same else "fails")

    return judge


def with_our_program(code: Judge, ours: Mapping[str, Judge]) -> Judge:
    """The answer on the paper's code, with what another program gives written beside it."""

    def judge(data: Data) -> Answer:
        answer = code(data)
        beside = "; ".join(f"{name} {item(data).text}" for name, item in ours.items())
        return answer._replace(text=f"{answer.text}; our program: {beside}")

    return judge


def counts_fit_better(times: Mapping[str, Points], counts: Mapping[str, Points], data: Data) -> Answer:
    """Whether the least adjusted R² of counts is above that of times, by the paper's method."""
    of_times = min(model.r2 or 0.0 for model in _models(data, times, "time", "seed001").values())
    of_counts = min(model.r2 or 0.0 for model in _models(data, counts, "count", "seed001").values())
    text = f"least R̄² of counts {of_counts:.5f}, of times {of_times:.5f}"
    return Answer(text, "holds" if of_counts > of_times else "fails")


def counts_repeat(data: Data) -> Answer:
    """Whether runs differ in times and not in counts: in how many points of a phase and a k."""
    spreads: dict[str, int] = {}
    points = 0
    for metric in ("phase_operations", "phase_s"):
        by_point: dict[tuple[str, str], set[str]] = {}
        for row in data.table(PHASES):
            if row["phase"] in NAMES and row[metric]:
                by_point.setdefault((row["phase"], row["k"]), set()).add(row[metric])
        points = len(by_point)
        spreads[metric] = sum(len(values) > 1 for values in by_point.values())
    counts, times = spreads["phase_operations"], spreads["phase_s"]
    text = f"of {points} points runs differ in {counts} by counts, in {times} by times"
    return Answer(text, "holds" if counts == 0 < times else "fails")


def exponential(method: Method, *points: Mapping[str, Points]) -> Judge:
    """Whether the leading term of every model has a factor 2^k."""

    def judge(data: Data) -> Answer:
        kinds = zip(points, ("time", "count", "code"), strict=True)
        models: dict[str, ScalingModel] = {}
        for of_kind, kind in kinds:
            models |= _models(data, of_kind, kind, method)
        without = [name for name, model in models.items() if "2^" not in model.growth()]
        growths = "; ".join(f"{name}: {model.growth()}" for name, model in models.items())
        return Answer(growths, "fails" if without else "holds")

    return judge


def inside(method: Method, points: Mapping[str, Points]) -> Judge:
    """Whether all ranks are match or approximate; open where one is undecided."""

    def judge(data: Data) -> Answer:
        models = _models(data, points, "code", method)
        cause = Cause("too few runs", "a rank has no probability of .8", RUN_CODE)
        return judge_ranks(
            {f"{name}:": model for name, model in models.items()}, ("match", "approximate"), cause
        )

    return judge


def _lowest(data: Data, metric: str) -> float:
    return min(float(row[metric]) for row in data.table(PHASES) if row[metric])


def all_found(data: Data) -> Answer:
    """Whether every run found as many clusters as were planted."""
    lowest = _lowest(data, "planted_found")
    return Answer(
        f"at least {lowest:.0f} of {CLUSTERS} in every run", "holds" if lowest == CLUSTERS else "fails"
    )


def found_whole(data: Data) -> Answer:
    """Whether no run found a cluster in part."""
    recall, precision = (_lowest(data, metric) for metric in ("recall", "precision"))
    text = f"recall at least {recall:.3f}, precision at least {precision:.4f}"
    complete = all_found(data).verdict == "holds" and min(recall, precision) >= LEAST
    return Answer(text, "holds" if complete else "fails")
