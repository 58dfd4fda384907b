"""Effects of the factors on the metrics beside the primary one: estimates and intervals, without verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from steelyard.analysis import Analysis
from steelyard.factorial import Layout
from steelyard.sample import Sample
from steelyard.stats.compare.contrast import Order
from steelyard.stats.effects.analysis import factorial
from steelyard.stats.effects.effect import Factorial
from steelyard.stats.effects.precision import asks_for_effects


def effects_beside(
    samples: Sequence[Sample], layout: Layout | None, declared: Sequence[Analysis], *, order: Order
) -> tuple[Factorial, ...]:
    """Effects on each metric that one of ``declared`` names; none where the design asks for comparisons."""
    return tuple(_without_verdicts(samples, layout, declared, order)) if layout is not None else ()


def _without_verdicts(
    samples: Sequence[Sample], layout: Layout, declared: Sequence[Analysis], order: Order
) -> Iterator[Factorial]:
    for each in declared:
        if not asks_for_effects(layout, each):
            continue
        for found in factorial(samples, layout, each, order=order):
            effects = tuple(
                replace(effect, p=None, p_flips=None, p_holm=None, resolved=None, ci_family=None)
                for effect in found.effects
            )
            if effects:
                yield replace(found, effects=effects, conditional=(), contrasts=())
