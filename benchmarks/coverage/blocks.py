"""How often the default holds any false finding over a family, and what it finds of true ones: randomised
complete blocks, log-ratios of blocks, Holm; by ``compare`` itself.
"""

from __future__ import annotations

from array import array
from typing import Final

import numpy as np
from families import SHIFT, Disturbance, N, Noise, noise

from steelyard.core.analysis import Analysis, Family
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.stats.compare.comparison import compare

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

SIGNS: Final = np.random.default_rng(0).choice((-1.0, 1.0), (2000, N))
"""Patterns by which families are screened."""
SCREEN: Final = 6.0
"""Times the least level of Holm up to which the p of these patterns may be for the product to judge: what is
that far from rejecting, and has an error of a quarter of that, rejects nothing."""


def draw(name: str, treatments: int, rng: np.random.Generator, shift: float = 0.0) -> Floats:
    """Treatments by blocks; the order within each block is drawn, and what the machine does follows time."""
    kind, disturbance = NULLS[name]
    result, spread = noise(kind, treatments, rng)
    slots = treatments * N
    machine = np.zeros(slots)
    if disturbance == "drift":
        machine = np.linspace(0, DRIFT[name] * spread, slots)
    elif disturbance == "autoregressive":
        steps = rng.standard_normal(slots) * np.sqrt(0.75)
        machine[0] = steps[0] / np.sqrt(0.75)
        for slot in range(1, slots):
            machine[slot] = 0.5 * machine[slot - 1] + steps[slot]
        result = np.zeros_like(result)
    places = rng.permuted(np.tile(np.arange(treatments), (N, 1)), axis=1)
    time = np.arange(N)[:, None] * treatments + places
    values: Floats = result + machine[time.T] + 100 * spread
    values[0] += shift * spread
    return values


def family(values: Floats, over: Family) -> list[bool]:
    """Which comparisons are called different."""
    blocks, ones, none = array("q", range(1, N + 1)), array("q", [1] * N), array("q", [0] * N)
    samples = [
        Sample(
            Metric("wall_s", "s"), Treatment(place, f"t{place}", {"t": place}), array("d", row), blocks, ones,
            none, blocks,
        )
        for place, row in enumerate(values, 1)
    ]  # fmt: skip
    return [item.difference != "not_resolved" for item in compare(samples, Analysis(family=over))]


def near(differences: Floats, alpha: float = 0.05) -> bool:
    """Whether any of these comparisons, a row each, is near enough to being called different."""
    beyond = np.abs(differences @ SIGNS[:, : differences.shape[1]].T)
    p = (beyond >= np.abs(differences.sum(axis=1))[:, None]).mean(axis=1)
    return bool(p.min() <= SCREEN * alpha / len(p))


def apart(values: Floats, over: Family) -> Floats:
    """Log ratios of blocks, a row a comparison."""
    logs = np.log(values)
    if over == "baseline":
        return np.asarray(logs[1:] - logs[0])
    first, second = np.triu_indices(len(logs), 1)
    return np.asarray(logs[first] - logs[second])


def false_findings(name: str, treatments: int, families: int, seed: int, over: Family) -> int:
    """Families of equal treatments with any difference found."""
    rng = np.random.default_rng(seed)
    drawn = (draw(name, treatments, rng) for _ in range(families))
    return sum(near(apart(values, over)) and any(family(values, over)) for values in drawn)


def false_over_strata(strata: int, experiments: int, seed: int) -> int:
    """Experiments with any difference found among pairs of equal programs, one a stratum of 12 blocks."""
    rng = np.random.default_rng(seed)
    n, result = 12, 0
    ids, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    for _ in range(experiments):
        logs = rng.normal(0, 0.02, (strata, 2, n))
        if not near(logs[:, 0] - logs[:, 1]):
            continue
        samples = [
            Sample(
                Metric("wall_s", "s"),
                Treatment(2 * at + new + 1, f"{at},{new}", {"program": at, "new": new}),
                array("d", np.exp(logs[at, new])),
                ids,
                ones,
                none,
                ids,
            )
            for at in range(strata)
            for new in (0, 1)
        ]
        declared = Analysis(strata=("program",), baseline={"new": 0})
        result += any(item.difference != "not_resolved" for item in compare(samples, declared))
    return result


def power(name: str, treatments: int, families: int, seed: int, over: Family) -> float:
    """Percent found of the comparisons with the one treatment that is moved by 0.75 s, the first one."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(treatments) for j in range(i + 1, treatments)]
    # The first treatment is the baseline, so that every comparison with one is with the one that is moved.
    chosen = [i == 0 for i, _ in pairs] if over == "all-pairs" else [True] * (treatments - 1)
    result = 0.0
    for _ in range(families):
        different = family(draw(name, treatments, rng, SHIFT), over)
        result += float(np.mean([item for item, of_it in zip(different, chosen, strict=True) if of_it]))
    return 100 * result / families
