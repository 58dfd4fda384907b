"""Optimal split of effort between contexts and runs within them, from the components of a pilot."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from steelyard.results.contexts import Components

FEWEST_CONTEXTS: Final = 5
"""Below, t with so few degrees of freedom makes intervals that say nothing."""
MOST_RUNS: Final = 1000
"""In one context: where contexts differ in nothing, more runs of the same would be best without end."""


class Allocation(msgspec.Struct, frozen=True):
    """The cheapest split that reaches a standard uncertainty of the log ratio.

    Attributes
    ----------
    runs : int
        Of each treatment in one context.
    contexts : int
        At least five.
    cost : float
        Of all of it, in the unit of the costs given.
    """

    runs: int
    contexts: int
    cost: float


def allocate(
    interaction: float, noise: float, target: float, *, context_cost: float, run_cost: float
) -> Allocation:
    """Return the number of runs of each treatment in a context, and the number of contexts.

    Runs: n = (noise / interaction) sqrt(context_cost / run_cost). Contexts: C = ceil((interaction^2 + 2
    noise^2 / n) / target^2).

    Parameters
    ----------
    interaction, noise : float
        Standard deviations of what a context does to the difference, and of a single run.
    target : float
        Standard uncertainty of the mean difference to reach.
    context_cost, run_cost : float
        Of setting a context up, and of one run of both treatments in it.
    """
    if target <= 0 or run_cost <= 0 or context_cost < 0:
        raise ValueError("a target and the cost of a run must be above 0, that of a context not below")
    best = noise * math.sqrt(context_cost / run_cost)
    ideal = best / interaction if best < MOST_RUNS * interaction else MOST_RUNS
    runs = max(1, round(ideal))
    variance = interaction**2 + 2 * noise**2 / runs
    # A variance that is a whole multiple of the target's must not gain a context by rounding.
    contexts = max(FEWEST_CONTEXTS, math.ceil(variance / target**2 * (1 - 1e-12)))
    return Allocation(runs, contexts, contexts * (context_cost + runs * run_cost))


def allocate_like(pilot: Components, target: float, *, context_cost: float, run_cost: float) -> Allocation:
    """Return the same from the components of the differences of a pilot, whose visits hold two runs."""
    return allocate(
        pilot.between, pilot.within / math.sqrt(2), target, context_cost=context_cost, run_cost=run_cost
    )
