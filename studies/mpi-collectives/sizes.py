"""Part (h): growth and rank of each operation at each message size, a table for each machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.api.scaling import ScalingModel, Series

Ranked = Callable[[list[Series]], list[tuple[ScalingModel, str]]]


def tables(series: Sequence[Series], ranked: Ranked) -> str:
    """Operation by size; in each cell the rank, the growth where one is stated, the latency at most ranks.
    A barrier, which has no message, is left out.
    """
    series = [item for item in series if int(item.labels["bytes"])]
    sizes = sorted({int(item.labels["bytes"]) for item in series})
    head = f"| operation | {' | '.join(f'{size} B' for size in sizes)} |"
    parts = []
    for machine in dict.fromkeys(str(item.labels["machine"]) for item in series):
        lines = [f"### {machine} by size, simulated", "", head, "|---" * (1 + len(sizes)) + "|"]
        for name in dict.fromkeys(item.name for item in series):
            selection = [item for item in series if (item.name, item.labels["machine"]) == (name, machine)]
            selection.sort(key=lambda item: int(item.labels["bytes"]))
            cells = [_cell(item, *result) for item, result in zip(selection, ranked(selection), strict=True)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _cell(series: Series, model: ScalingModel, rank: str) -> str:
    last = series.points[-1]
    growth = f"{model.growth()}, " if not rank.startswith("?") else ""
    return f"{rank} {growth}{1e6 * last.values[0]:.4g} µs"
