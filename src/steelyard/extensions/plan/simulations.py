"""Memory and time of simulations that have not run yet, from those of fewer ranks that have."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from pathlib import Path

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.extensions.plan.results import Simulation
from steelyard.spec.experiment import Experiment
from steelyard.spec.ranks import ranks_of
from steelyard.spec.tables.launch import SimulatedLaunch
from steelyard.spec.text.placeholders import format_level, names
from steelyard.store import Record
from steelyard.store.facts import FILE

_Group = tuple[tuple[str, Scalar], ...]


def simulations(
    experiment: Experiment, treatments: Sequence[Treatment], directory: Path
) -> tuple[Simulation, ...]:
    """Estimate each simulation that the record in ``directory`` does not hold; empty without a simulator.

    Both quantities go on as the power of the number of ranks that the two largest simulations of the same
    other levels show. Where only one has run they grow with the square, as of a program in which each rank
    keeps something of every other.
    """
    launch = experiment.launch
    if not isinstance(launch, SimulatedLaunch):
        return ()
    measured = _read_simulations(directory)
    by_group: dict[_Group, dict[int, tuple[float, float]]] = {}
    for treatment in treatments:
        if treatment.id in measured:
            by_ranks = by_group.setdefault(_group(launch.ranks, treatment), {})
            by_ranks[_compute_ranks(launch.ranks, treatment)] = measured[treatment.id]
    return tuple(
        _estimate(
            treatment.label,
            _compute_ranks(launch.ranks, treatment),
            by_group.get(_group(launch.ranks, treatment), {}),
        )
        for treatment in treatments
        if treatment.id not in measured
    )


def _estimate(label: str, ranks: int, measured: dict[int, tuple[float, float]]) -> Simulation:
    if not measured:
        return Simulation(label, ranks, None, None, ())
    basis = tuple(sorted(measured)[-2:])
    wall_s, memory_bytes = (
        _extrapolate(ranks, [(at, measured[at][place]) for at in basis]) for place in range(2)
    )
    return Simulation(label, ranks, wall_s, memory_bytes, basis)


def _extrapolate(ranks: int, measured: Sequence[tuple[int, float]]) -> float:
    """Return a power law through one or two points; it never falls with the number of ranks."""
    at, value = measured[-1]
    power = 2.0
    if len(measured) == 2 and min(measured[0][1], value) > 0:
        power = max(0.0, math.log(value / measured[0][1]) / math.log(at / measured[0][0]))
    return float(value * (ranks / at) ** power)


def _read_simulations(directory: Path) -> dict[int, tuple[float, float]]:
    """Treatment to the median of its elapsed time, and to the most memory that it took."""
    if not (directory / FILE).exists():
        return {}
    with Record.open(directory) as record:
        measured = {
            (sample.treatment.id, sample.metric.name): sample.values
            for sample in record.samples("wall_s", "rss_bytes")
        }
    return {
        id_: (statistics.median(values), max(measured[id_, "rss_bytes"]))
        for (id_, metric), values in measured.items()
        if metric == "wall_s" and len(values)
    }


def _compute_ranks(text: str, treatment: Treatment) -> int:
    values = {name: format_level(level) for name, level in treatment.levels.items()}
    return ranks_of(text, values)


def _group(text: str, treatment: Treatment) -> _Group:
    """Levels of a treatment but for the number of its ranks."""
    varied = names(text)
    return tuple((name, level) for name, level in treatment.levels.items() if name not in varied)
