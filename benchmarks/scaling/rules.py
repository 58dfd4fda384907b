"""Rules between functions: how often ``left <= right`` holds or fails, by how both sides really grow.

Each experiment draws the growth of the right side, its points (5 to 10) and repetitions (3, 5, 10), and its
noise, of a kind and a size that differ from one to the next. Shares of growth at the smallest point are
log-uniform from 1 to 99 %, drawn for each side apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import drawn
import families
import gates
import numpy as np

from steelyard.api.claims import Outcome
from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import Growth, parse_rule
from steelyard.extensions.growth.rule_judging import judge_growth
from steelyard.extensions.growth.scaling import Question, Series, series_of

Function = Callable[[float], float]
RULES = {
    "a multiple of the other": ("l <= r", True),
    "equal growth": ("l <= r", True),
    "equal to a sum": ("l <= r + s", True),
    "slower": ("l <= r", True),
    "faster by a logarithm": ("l <= r", False),
    "faster": ("l <= r", False),
    "faster than a sum": ("l <= r + s", False),
}
"""Rules, and whether each is kept."""


@dataclass(frozen=True, slots=True)
class Row:
    """Shares of rules in per cent."""

    relation: str
    is_kept: bool
    holds: float
    fails: float

    @property
    def wrong(self) -> float:
        """Rules that are broken and hold, or are kept and fail."""
        return self.fails if self.is_kept else self.holds

    @property
    def wrong_of_stated(self) -> float:
        """… of those that are not open."""
        return 100 * self.wrong / max(self.holds + self.fails, 1e-9)


def row(rng: np.random.Generator, relation: str, count: int) -> Row:
    """A relation, ``count`` experiments."""
    text, is_kept = RULES[relation]
    counter = Counter(judged(experiment(rng, relation), text) for _ in range(count))
    return Row(relation, is_kept, 100 * counter["holds"] / count, 100 * counter["fails"] / count)


def judged(functions: dict[str, Series], text: str) -> Outcome:
    """The verdict on growth."""
    return judge_growth({}, parse_rule(text), "value", functions, Question(every_lead=True)).outcome


def experiment(rng: np.random.Generator, relation: str) -> dict[str, Series]:
    """Drawn functions that stand so to one another."""
    points = drawn.grid(rng)
    noise, kind = float(rng.choice(gates.SIZES)), str(rng.choice(gates.KINDS))
    repetitions = int(rng.choice((3, 5, 10)))
    series = {}
    for name, at in functions_of(rng, relation, points).items():
        means = np.array([at(float(x)) for x in points[:, 0]])
        values = gates.noisy(rng, means, noise, kind, repetitions)
        series[name] = series_of(name, ("p",), points.tolist(), values.tolist())
    return series


def functions_of(rng: np.random.Generator, relation: str, points: Floats) -> dict[str, Function]:
    """The left side, the right side, and what is added to that."""
    slow, fast = two_growths(rng)
    least, size = float(points.min()), float(np.exp(rng.uniform(-1, 0)))
    first, second = one_term(slow, families.share(rng), least), one_term(fast, families.share(rng), least)
    again = one_term(fast, families.share(rng), least)
    if relation == "a multiple of the other":
        sides: dict[str, Function] = {"l": lambda x: size * again(x), "r": again}
    elif relation == "equal growth":
        sides = {"l": lambda x: size * second(x), "r": again}
    elif relation == "equal to a sum":
        sides = {"l": lambda x: size * second(x), "r": again, "s": first}
    elif relation == "slower":
        sides = {"l": first, "r": second}
    elif relation == "faster by a logarithm":
        sides = {"l": one_term(slow * Growth.make(0, 1), families.share(rng), least), "r": first}
    else:
        sides = {"l": second, "r": first}
        if relation == "faster than a sum":
            result = min(two_growths(rng)[0], slow)
            sides["s"] = one_term(result, families.share(rng), least)
    return sides


def two_growths(rng: np.random.Generator) -> tuple[Growth, Growth]:
    """A slower and a faster one of the classes."""
    i, j = rng.choice(len(families.CLASSES), 2, replace=False)
    slow, fast = sorted((families.CLASSES[i], families.CLASSES[j]))
    return slow, fast


def one_term(growth: Growth, share: float, least: float) -> Function:
    """C + a f with this share of growth at the smallest point."""
    return lambda x: 1 - share + share * growth.at(x) / growth.at(least)
