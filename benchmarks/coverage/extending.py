"""Equal programs called different, and true differences found, where blocks are added while nothing shows."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from steelyard.core.arrays import Floats
from steelyard.stats.sequential.looks import level_at

Rule = Callable[[Floats, int, int, int], npt.NDArray[np.bool_]]
"""Of differences, blocks at the first answer, blocks of an extension, and the number of the extension: which
experiments are called different after it."""

MOST = 5
"""Extensions."""


def as_if_nothing_had_happened(d: Floats, first: int, step: int, k: int) -> npt.NDArray[np.bool_]:
    """All blocks, at 5 % each time."""
    return p_values(d[:, : first + k * step]) <= 0.05


def spending(d: Floats, first: int, step: int, k: int) -> npt.NDArray[np.bool_]:
    """All blocks, at the level of the product."""
    return p_values(d[:, : first + k * step]) <= level_of(first, step, k)


def level_of(first: int, step: int, k: int) -> float:
    """The level after ``k`` extensions."""
    return level_at(0.05, tuple(first + i * step for i in range(k + 1)), first)


def mixture(d: Floats, first: int, step: int, k: int) -> npt.NDArray[np.bool_]:
    """Robbins' normal mixture at 5 % with its tightest place at the first answer, variance estimated."""
    n = first + k * step
    s = d[:, :n].std(axis=1, ddof=1)
    bound = s * np.sqrt((n + first) * math.log((n + first) / (first * 0.05**2)))
    return np.asarray(np.abs(d[:, :n].sum(axis=1)) >= bound)


def new_alone(d: Floats, first: int, step: int, k: int) -> npt.NDArray[np.bool_]:
    """The blocks of this extension, at 5 % each time."""
    return p_values(d[:, first + (k - 1) * step : first + k * step]) <= 0.05


def all_new(d: Floats, first: int, step: int, k: int) -> npt.NDArray[np.bool_]:
    """The blocks of all extensions, at 5 % each time."""
    return p_values(d[:, first : first + k * step]) <= 0.05


RULES: tuple[Rule, ...] = (as_if_nothing_had_happened, spending, mixture, new_alone, all_new)


def p_values(d: Floats) -> Floats:
    """Two-sided, of one-sample t tests."""
    n = d.shape[1]
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) * math.sqrt(n)
    return np.asarray(2 * stdtr(n - 1, -np.abs(t)), dtype=np.float64)


def called_different(
    rng: np.random.Generator,
    rule: Rule,
    *,
    first: int,
    step: int,
    difference: float,
    experiments: int,
    times: int = MOST,
) -> tuple[float, ...]:
    """Shares after the first answer and after each extension; ``difference`` in standard deviations."""
    d = rng.normal(difference, 1, (experiments, first + times * step))
    different = p_values(d[:, :first]) <= 0.05
    shares = [float(different.mean())]
    for k in range(1, times + 1):
        different = different | rule(d, first, step, k)
        shares.append(float(different.mean()))
    return tuple(shares)


def covered(
    rng: np.random.Generator, *, first: int, step: int, difference: float, experiments: int
) -> tuple[float, float]:
    """Shares of the 95 % interval, and of the interval at the level that is judged by, that hold the truth
    when nobody adds any more: something is resolved, or five extensions were made.
    """
    d = rng.normal(difference, 1, (experiments, first + MOST * step))
    ended = np.zeros(experiments, dtype=bool)
    held = np.zeros((2, experiments), dtype=bool)
    for k in range(MOST + 1):
        blocks = d[:, : first + k * step]
        truth = p_values(blocks - difference)
        level = level_of(first, step, k)
        held = np.where(ended, held, [truth > 0.05, truth > level])
        ended |= p_values(blocks) <= level
    plain, judged = held.mean(axis=1)
    return float(plain), float(judged)


def print_times(experiments: int, seed: int, times: int) -> None:
    """Print how often equal programs are called different after one, five and so many extensions."""
    print(f"{experiments} equal programs a row, seed {seed};")
    print(f"percent called different at the first answer, after one extension, after five, after {times}")
    for first, step in ((10, 5), (10, 10), (30, 10), (30, 30)):
        shares = called_different(
            np.random.default_rng(seed),
            spending,
            first=first,
            step=step,
            difference=0.0,
            experiments=experiments,
            times=times,
        )
        result = ", ".join(f"{100 * shares[k]:.2f}" for k in (0, 1, MOST, times))
        print(f"{first} + {step} each: {result}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Blocks added while nothing shows")
    parser.add_argument("--experiments", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--times", type=int, help="extend so often, and by the product's rule alone")
    options = parser.parse_args()
    if options.times:
        print_times(options.experiments, options.seed, options.times)
        return
    print(f"{options.experiments} experiments a row, seed {options.seed};")
    print("percent called different at the first answer, after one extension, after five")
    for rule in RULES:
        for first, step, difference in ((10, 10, 0), (30, 30, 0), (30, 100, 0), (30, 30, 0.5), (30, 10, 0.5)):
            shares = called_different(
                np.random.default_rng(options.seed),
                rule,
                first=first,
                step=step,
                difference=difference,
                experiments=options.experiments,
            )
            result = ", ".join(f"{100 * shares[k]:.1f}" for k in (0, 1, MOST))
            print(f"{rule.__name__:<28} {first} + {step} each, difference {difference} s: {result}")
    print("percent covered when nobody adds any more: by the 95 % interval, by the one that is judged by")
    for first, step, difference in ((10, 10, 0), (30, 30, 0), (30, 100, 0), (10, 10, 0.2), (30, 30, 0.2)):
        plain, judged = covered(
            np.random.default_rng(options.seed),
            first=first,
            step=step,
            difference=difference,
            experiments=options.experiments,
        )
        print(f"{first} + {step} each, difference {difference} s: {100 * plain:.1f}, {100 * judged:.1f}")


if __name__ == "__main__":
    main()
