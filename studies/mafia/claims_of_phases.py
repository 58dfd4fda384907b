"""Rules and claims on the phases of MAFIA: what grows, what repeats, what is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from declarations import Answer, Cause, Data, Judge
from rank_claims import Cell, Points, judge_ranks, modelled

from steelyard.api.scaling import Method, ScalingModel

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
LEAST: Final = 0.95
"""Of recall and precision: with less, a cluster was found in part."""


def _models(data: Data, points: Mapping[str, Points], kind: str, method: Method) -> dict[str, ScalingModel]:
    return {
        f"{name} {kind}": modelled(
            data, f"{name}-{kind}", points[name], Cell("match", EXPECTED[name], "k", SPACE), method
        )
        for name in NAMES
    }


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
    found = _lowest(data, "planted_found")
    return Answer(
        f"at least {found:.0f} of {CLUSTERS} in every run", "holds" if found == CLUSTERS else "fails"
    )


def found_whole(data: Data) -> Answer:
    """Whether no run found a cluster in part."""
    recall, precision = (_lowest(data, metric) for metric in ("recall", "precision"))
    text = f"recall at least {recall:.3f}, precision at least {precision:.4f}"
    whole = all_found(data).verdict == "holds" and min(recall, precision) >= LEAST
    return Answer(text, "holds" if whole else "fails")
