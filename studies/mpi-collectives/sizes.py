"""Part (h): growth and rank of each operation at each message size, a table for each machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.api.scaling import ScalingModel, Series

Ranked = Callable[[list[Series]], list[tuple[ScalingModel, str]]]


def tables(series: Sequence[Series], ranked: Ranked) -> str:
    """Operation by size; in each cell the rank, the growth where one is stated, the latency at most ranks.
    A barrier, which has no message, is left out.
    """
    series = [one for one in series if int(one.labels["bytes"])]
    sizes = sorted({int(one.labels["bytes"]) for one in series})
    head = f"| operation | {' | '.join(f'{size} B' for size in sizes)} |"
    shown = []
    for machine in dict.fromkeys(str(one.labels["machine"]) for one in series):
        lines = [f"### {machine} by size, simulated", "", head, "|---" * (1 + len(sizes)) + "|"]
        for name in dict.fromkeys(one.name for one in series):
            its = [one for one in series if (one.name, one.labels["machine"]) == (name, machine)]
            its.sort(key=lambda one: int(one.labels["bytes"]))
            cells = [_cell(one, *result) for one, result in zip(its, ranked(its), strict=True)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        shown.append("\n".join(lines))
    return "\n\n".join(shown)


def _cell(series: Series, model: ScalingModel, rank: str) -> str:
    last = series.points[-1]
    growth = f"{model.growth()}, " if not rank.startswith("?") else ""
    return f"{rank} {growth}{1e6 * last.values[0]:.4g} µs"
