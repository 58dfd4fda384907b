"""How often the default holds any false finding over a family, and what it finds of true ones: randomised
complete blocks, log-ratios of blocks, Holm; by ``compare`` itself.
"""

from __future__ import annotations

from array import array
from typing import Final

import numpy as np
from families import SHIFT, Disturbance, N, Noise, noise

from steelyard.analysis import Analysis, Family
from steelyard.arrays import Floats
from steelyard.sample import Sample, Treatment
from steelyard.stats.compare.comparison import compare
from steelyard.units import Metric

NULLS: Final[dict[str, tuple[Noise, Disturbance]]] = {
    "normal": ("normal", "none"),
    "lognormal, σ 0.5": ("lognormal 0.5", "none"),
    "lognormal, σ 1": ("lognormal 1", "none"),
    "bimodal 70/30, 6 s apart": ("bimodal", "none"),
    "5 % outliers, Exp(10 s)": ("outliers", "none"),
    "normal, s 1 and 4 in turns": ("unequal spread", "none"),
    "normal, AR(1) 0.5": ("normal", "autoregressive"),
    "normal, drift of 2 s": ("normal", "drift"),
    "normal, drift of 6 s": ("normal", "drift"),
}
"""Shapes whose treatments are equal in the ratio of geometric means, the declared estimand."""

DRIFT: Final = {"normal, drift of 2 s": 2.0, "normal, drift of 6 s": 6.0}


def draw(name: str, treatments: int, rng: np.random.Generator, shift: float = 0.0) -> Floats:
    """Treatments by blocks; the order within each block is drawn, and what the machine does follows time."""
    kind, disturbance = NULLS[name]
    own, spread = noise(kind, treatments, rng)
    slots = treatments * N
    machine = np.zeros(slots)
    if disturbance == "drift":
        machine = np.linspace(0, DRIFT[name] * spread, slots)
    elif disturbance == "autoregressive":
        steps = rng.standard_normal(slots) * np.sqrt(0.75)
        machine[0] = steps[0] / np.sqrt(0.75)
        for slot in range(1, slots):
            machine[slot] = 0.5 * machine[slot - 1] + steps[slot]
        own = np.zeros_like(own)
    places = rng.permuted(np.tile(np.arange(treatments), (N, 1)), axis=1)
    time = np.arange(N)[:, None] * treatments + places
    values: Floats = own + machine[time.T] + 100 * spread
    values[0] += shift * spread
    return values


def family(values: Floats, over: Family) -> list[bool]:
    """Which comparisons are called different."""
    blocks, one, none = array("q", range(1, N + 1)), array("q", [1] * N), array("q", [0] * N)
    samples = [
        Sample(
            Metric("wall_s", "s"), Treatment(place, f"t{place}", {"t": place}), array("d", row), blocks, one,
            none, blocks,
        )
        for place, row in enumerate(values, 1)
    ]  # fmt: skip
    return [each.difference != "not_resolved" for each in compare(samples, Analysis(family=over))]


def false_findings(name: str, treatments: int, families: int, seed: int, over: Family) -> int:
    """Families of equal treatments with any difference found."""
    rng = np.random.default_rng(seed)
    return sum(any(family(draw(name, treatments, rng), over)) for _ in range(families))


def power(name: str, treatments: int, families: int, seed: int, over: Family) -> float:
    """Percent found of the comparisons with the one treatment that is moved by 0.75 s, the first one."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(treatments) for j in range(i + 1, treatments)]
    # The first treatment is the baseline, so that every comparison with one is with the one that is moved.
    chosen = [i == 0 for i, _ in pairs] if over == "all-pairs" else [True] * (treatments - 1)
    found = 0.0
    for _ in range(families):
        different = family(draw(name, treatments, rng, SHIFT), over)
        found += float(np.mean([each for each, of_it in zip(different, chosen, strict=True) if of_it]))
    return 100 * found / families
