"""Experiments with several factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from answers.made import PROTOCOL, make, noisy
from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Axis, Generator, Layout
from steelyard.core.factorial.layout import Kind
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.stats.answer import answer


def crossed(
    kind: Kind,
    name: str,
    at: Callable[[Levels], float],
    *,
    generators: tuple[Generator, ...] = (),
    blocks: int = 30,
    declared: Analysis | None = None,
    beside: Mapping[str, Callable[[Levels], float]] | None = None,
    **levels: Any,
) -> Answer:
    """An experiment with several factors; ``at`` gives the mean of a treatment with these levels, and each of
    ``beside`` that of a further metric.
    """
    axes = tuple(Axis(factor, tuple({factor: level} for level in item)) for factor, item in levels.items())
    layout = Layout(kind, axes, generators)
    samples = [
        make(
            noisy(300 + t, blocks, at=1e-3 * at(cell), spread=0.01),
            t,
            ", ".join(f"{factor}={level}" for factor, level in cell.items()),
            levels=cell,
        )
        for t, cell in enumerate(layout.cells(), 1)
    ]
    samples += [
        make(
            noisy(700 + t, blocks, at=mean(cell), spread=0.002),
            t,
            ", ".join(f"{factor}={level}" for factor, level in cell.items()),
            levels=cell,
            metric=metric,
        )
        for metric, mean in (beside or {}).items()
        for t, cell in enumerate(layout.cells(), 1)
    ]
    facts = DesignFacts("randomized-blocks", blocks, seed=1)
    return answer(name, samples, facts, declared or Analysis(), layout=layout)


Levels = Mapping[str, Any]
SWITCHES: dict[str, Any] = {name: [0, 1] for name in ("huge_pages", "prefetch", "nice", "affinity", "aslr")}


def solver(cell: Levels) -> float:
    quick = 0.8 if cell["opt"] == "O3" else 1.0
    bound = 0.93 if cell["affinity"] == "compact" and cell["opt"] == "O3" else 1.0
    return quick * bound * {1: 1.0, 2: 0.6, 4: 0.4}[cell["threads"]]


SOLVER: dict[str, Any] = {"opt": ["O2", "O3"], "affinity": ["scatter", "compact"], "threads": [1, 2]}


def two_levels_of_three_factors() -> Answer:
    return crossed("two-level", "three factors", solver, **SOLVER)


def three_levels_and_a_contrast() -> Answer:
    declared = Analysis(contrasts={"bend of threads": {"threads": (1, -2, 1)}})
    return crossed("full", "three levels", solver, declared=declared, **{**SOLVER, "threads": [1, 2, 4]})


def half_a_fraction() -> Answer:
    return crossed("fraction", "half", solver, generators=(Generator(2, 0b011),), **SOLVER)


def a_screening() -> Answer:
    return crossed(
        "plackett-burman",
        "screening",
        lambda cell: 1 + 0.2 * cell["huge_pages"] - 0.1 * cell["prefetch"],
        **SWITCHES,
    )


def factors_in_one_block() -> Answer:
    return crossed("two-level", "one block", solver, blocks=1, **SOLVER)


def metrics_beside_effects() -> Answer:
    def memory(cell: Levels) -> float:
        return 2e6 * (1.5 if cell["threads"] == 2 else 1.0) * (1.02 if cell["opt"] == "O3" else 1.0)

    beside = {"user_s": lambda cell: 9e-4 * solver(cell) * cell["threads"], "rss_bytes": memory}
    return crossed("two-level", "several metrics", solver, beside=beside, **SOLVER)


def factors_with_the_same_levels_by_the_protocol() -> Answer:
    """Of which a bare level says nothing, and whose labels are too long for a line."""
    return crossed(
        "full",
        "same levels",
        lambda cell: 1.0 + 0.3 * (cell["links_share"] + cell["hosts_share"]) / cell["ranks"],
        declared=Analysis(family="all-pairs", strata=("ranks",), protocol=PROTOCOL),
        ranks=[2, 8],
        links_share=[0, 2],
        hosts_share=[0, 2],
    )
