"""How often a family of comparisons holds a false finding, and what share of true ones it finds: the protocol
of Nogueira and Matias beside Welch, Mann-Whitney and Brunner-Munzel, each with Holm over all pairs.

``python benchmarks/coverage/families.py [--families N] [--treatments K] [--seed S]`` prints both tables of
docs/statistics.md, "The protocol"; the tests run a part of them.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.extensions.protocol_2014.family import protocol
from steelyard.extensions.protocol_2014.results import ProtocolPair, Rules
from steelyard.stats.hypothesis.brunner_munzel import relabel, superiority
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.hypothesis.mann_whitney import rank_sum
from steelyard.stats.hypothesis.t_tests import Moments, welch

Noise = Literal[
    "normal",
    "lognormal 0.5",
    "lognormal 1",
    "bimodal",
    "outliers",
    "unequal spread",
    "equal means, mixed shapes",
]
Disturbance = Literal["none", "autoregressive", "drift"]
Procedure = Literal["protocol", "protocol, veto", "Welch", "Mann-Whitney", "Brunner-Munzel"]
PROCEDURES: tuple[Procedure, ...] = ("protocol", "protocol, veto", "Welch", "Mann-Whitney", "Brunner-Munzel")
N = 30
ALPHA = 0.05
SHIFT = 0.75
"""Of one treatment, in standard deviations of the noise, where power is asked for."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Where values come from; ``sequential`` runs one treatment after the other.

    Attributes
    ----------
    means_only : bool
        Equal in their means and in nothing else, so that rank tests are right to find something.
    """

    name: str
    noise: Noise = "normal"
    disturbance: Disturbance = "none"
    sequential: bool = False
    means_only: bool = False


SCENARIOS = (
    Scenario("normal"),
    Scenario("lognormal 0.5", "lognormal 0.5"),
    Scenario("lognormal 1", "lognormal 1"),
    Scenario("bimodal 70/30, 6 sd apart", "bimodal"),
    Scenario("5 % outliers, Exp(10 sd)", "outliers"),
    Scenario("normal, sd 1 and 4 in turns", "unequal spread"),
    Scenario("equal means, normal and lognormal 1", "equal means, mixed shapes", means_only=True),
    Scenario("AR(1) 0.5, random order", disturbance="autoregressive"),
    Scenario("AR(1) 0.5, one after the other", disturbance="autoregressive", sequential=True),
    Scenario("drift of 2 sd, random order", disturbance="drift"),
    Scenario("drift of 2 sd, one after the other", disturbance="drift", sequential=True),
)


def draw(scenario: Scenario, treatments: int, rng: np.random.Generator, shift: float = 0.0) -> Floats:
    """Treatments by launches, each in the order of time; the first treatment is moved by ``shift`` of its
    standard deviations.
    """
    result, spread = noise(scenario.noise, treatments, rng)
    slots = treatments * N
    disturbance = np.zeros(slots)
    if scenario.disturbance == "drift":
        disturbance = np.linspace(0, 2 * spread, slots)
    elif scenario.disturbance == "autoregressive":
        # Innovations of this size keep the standard deviation at 1.
        steps = rng.standard_normal(slots) * np.sqrt(1 - 0.25)
        steps[0] /= np.sqrt(1 - 0.25)
        for slot in range(slots):
            disturbance[slot] = steps[slot] + (0.5 * disturbance[slot - 1] if slot else 0.0)
        result = np.zeros_like(result)
    slot_order = np.arange(slots) if scenario.sequential else rng.permutation(slots)
    values = result + disturbance[np.sort(slot_order.reshape(treatments, N), axis=1)]
    values[0] += shift * spread
    return values + 100 * spread


def noise(kind: Noise, treatments: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """Noise with the standard deviation of the first treatment."""
    z = rng.standard_normal((treatments, N))
    odd = np.arange(treatments)[:, None] % 2 == 1
    lognormal_sd = float(np.sqrt((np.e - 1) * np.e))
    far = rng.random(z.shape)
    noises: dict[Noise, tuple[Floats, float]] = {
        "normal": (z, 1.0),
        "lognormal 0.5": (np.exp(z / 2), float(np.sqrt((np.exp(0.25) - 1) * np.exp(0.25)))),
        "lognormal 1": (np.exp(z), lognormal_sd),
        "bimodal": (z + 6 * (far < 0.3), float(np.sqrt(1 + 36 * 0.3 * 0.7))),
        "outliers": (z + (far < 0.05) * rng.exponential(10, z.shape), float(np.sqrt(1 + 10 - 0.25))),
        "unequal spread": (z * np.where(odd, 4.0, 1.0), 1.0),
        "equal means, mixed shapes": (
            np.where(odd, np.exp(z), np.exp(0.5) + lognormal_sd * z),
            lognormal_sd,
        ),
    }
    return noises[kind]


def decide(values: Floats) -> Mapping[Procedure, npt.NDArray[np.bool_]]:
    """Which of all pairs each procedure calls different, in the order of ``combinations``."""
    samples = [_sample(row, place) for place, row in enumerate(values, 1)]
    declared = Analysis(metric="value", family="all-pairs", alpha=ALPHA)
    result = protocol(samples, declared, Rules(ALPHA)).pairs
    pairs = list(combinations(range(len(values)), 2))
    moments = [Moments.make(row) for row in values]
    p: dict[Procedure, list[float]] = {
        "protocol, veto": [_vetoed(pair) for pair in result],
        "Welch": [_p(welch(moments[i], moments[j])) for i, j in pairs],
        "Mann-Whitney": [_p(rank_sum(values[i], values[j])) for i, j in pairs],
        "Brunner-Munzel": [brunner_munzel_p(values[i], values[j]) for i, j in pairs],
    }
    rejected = {name: _rejected(item) for name, item in p.items()}
    return {"protocol": np.array([pair.after for pair in result]), **rejected}


def brunner_munzel_p(first: Floats, second: Floats) -> float:
    """By permutation where nothing overlaps, as ``stats.typical`` has it."""
    tested = (result := superiority(first, second)) and result.test()
    permuted = None if tested else relabel(first, second)
    return tested.p if tested else permuted.p if permuted else 1.0


def _vetoed(pair: ProtocolPair) -> float:
    return 1.0 if "shape_differs" in pair.flags or pair.p is None else pair.p


def _p(test: object) -> float:
    tested = test.test() if hasattr(test, "test") else test
    return float(getattr(tested, "p", 1.0))


def _rejected(p: Sequence[float]) -> npt.NDArray[np.bool_]:
    return np.array([item.rejected for item in holm(p, ALPHA)])


def _sample(values: Floats, treatment: int) -> Sample:
    count = values.size
    places, ones = array("q", range(1, count + 1)), array("q", [1] * count)
    return Sample(
        Metric("value", ""), Treatment(treatment, f"t{treatment}", {"t": treatment}), array("d", values),
        places, ones, array("q", [0] * count), places,
    )  # fmt: skip


def false_findings(scenario: Scenario, families: int, treatments: int, seed: int) -> Mapping[Procedure, int]:
    """Families of equal treatments in which a procedure finds any difference."""
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(PROCEDURES, 0)
    for _ in range(families):
        for name, result in decide(draw(scenario, treatments, rng)).items():
            counts[name] += bool(result.any())
    return counts


def true_findings(scenario: Scenario, families: int, treatments: int, seed: int) -> Mapping[Procedure, float]:
    """Mean share found of the pairs that the first treatment is in, which alone is moved."""
    rng = np.random.default_rng(seed)
    moved = np.array([i == 0 for i, _ in combinations(range(treatments), 2)])
    shares = dict.fromkeys(PROCEDURES, 0.0)
    for _ in range(families):
        for name, result in decide(draw(scenario, treatments, rng, SHIFT)).items():
            shares[name] += float(result[moved].mean()) / families
    return shares


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--families", type=int, default=1000)
    parser.add_argument("--treatments", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    count, k = options.families, options.treatments
    head = f"{'':<38}" + "".join(f"{name:>16}" for name in PROCEDURES)
    print(f"% of {count} families of {k} equal treatments, n = {N}, with any false finding\n{head}")
    for scenario in SCENARIOS:
        result = false_findings(scenario, count, k, options.seed)
        cells = "".join(f"{100 * result[name] / count:16.1f}" for name in PROCEDURES)
        print(f"{scenario.name:<38}{cells}", flush=True)
    print(f"\n% found of the pairs with the one treatment that is moved by {SHIFT} sd\n{head}")
    for scenario in SCENARIOS:
        if not (scenario.means_only or scenario.sequential):
            shares = true_findings(scenario, count, k, options.seed)
            print(
                f"{scenario.name:<38}" + "".join(f"{100 * shares[name]:16.1f}" for name in PROCEDURES),
                flush=True,
            )


if __name__ == "__main__":
    main()
