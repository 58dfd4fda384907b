"""``[launch]`` of simulated machines: placement, noise, and the seed of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Final

from steelyard.errors import UsageError
from steelyard.spec.experiment import Factor, LaunchMethod
from steelyard.spec.simulated import scatter_seed, seed_text, shares_of
from steelyard.spec.text.origin import Origin
from steelyard.spec.text.placeholders import names
from steelyard.units import Scalar

SIMULATED: Final = ("placement", "noise", "seed")


Levels = Mapping[str, Scalar]


def check_simulated(launching: LaunchMethod, factors: tuple[Factor, ...], origin: Origin) -> None:
    """Refuse what no treatment, or not every one, could be started with.

    Raises
    ------
    SpecError
    """
    noise = launching.noise
    judges: tuple[tuple[str, tuple[str, ...], Callable[[Levels], object]], ...] = (
        ("noise", (noise.links, noise.hosts), lambda levels: shares_of(launching, levels)),
        ("seed", (launching.seed,), lambda levels: seed_text(launching, levels)),
        ("placement", (launching.placement, launching.seed), lambda levels: scatter_seed(launching, levels)),
    )
    for key, texts, judge in judges:
        _check(key, texts, judge, factors, origin)
    default = LaunchMethod()
    if launching.seed != default.seed and (launching.noise, launching.placement) == (
        default.noise,
        default.placement,
    ):
        what = "has no effect: ranks are packed, and noise is 0"
        raise origin.error(
            ("launch", "seed"), what, 'write placement = "scattered" or noise = { hosts = 0.1 }'
        )


def _check(
    key: str,
    texts: tuple[str, ...],
    judge: Callable[[Levels], object],
    factors: tuple[Factor, ...],
    origin: Origin,
) -> None:
    """Judge every combination of the levels that the texts name."""
    known = {factor.name: factor.levels for factor in factors}
    try:
        asked = sorted(set().union(*map(names, texts)))
        if not set(asked) <= {*known, "trial"}:
            return  # Unknown names are told with all other placeholders.
        for levels in product(*(known.get(name, (0,)) for name in asked)):
            judge(dict(zip(asked, levels, strict=True)))
    except UsageError as error:
        raise origin.placed(("launch", key), error) from None
