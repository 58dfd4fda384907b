"""Growth of both sides of a cross-function rule (seed 001, § 2.1): ``allreduce <= reduce + bcast`` by leading
terms, and from where the models break it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

import msgspec

from steelyard.errors import UsageError
from steelyard.growth import Growth, Rule
from steelyard.scaling.model import ScalingModel
from steelyard.scaling.question import SURE
from steelyard.stats.compare.judgement import Outcome

LARGEST_SCALE: Final = 2.0**40
STEPS: Final = 16
"""Scales looked at in each octave."""


class RuleAnswer(msgspec.Struct, frozen=True):
    """Whether the left side of a rule grows no faster than the right side.

    Attributes
    ----------
    verdict : Outcome
        By leading terms, for large scales.
    probability : float or None
        That the left side does not grow faster, half of what no lead accounts for included; ``None`` by the
        method of seed 001, which states none.
    breaks_at : float or None
        The smallest scale from the smallest measured on at which the fitted left side is larger; ``None``
        if it never is.
    measured : bool
        Whether that scale is within what was measured.
    """

    rule: str
    verdict: Outcome
    probability: float | None
    breaks_at: float | None
    measured: bool


def judge(rule: Rule, models: Mapping[str, ScalingModel], smallest: float, largest: float) -> RuleAnswer:
    """Judge the growth of both sides by models of one parameter that name every lead; ``smallest`` and
    ``largest`` bound what was measured.

    Raises
    ------
    UsageError
        The rule names a function that has no model.
    """
    refuse_unknown(rule, models)
    left, right = [models[name] for name in rule.left], [models[name] for name in rule.right]
    kept = _probability(left, right)
    verdict: Outcome = "holds" if kept >= SURE else "fails" if kept <= 1 - SURE else "not_resolved"
    broken = next(
        (x for x in _scales(smallest) if sum(m.at(x) for m in left) > sum(m.at(x) for m in right)), None
    )
    known = all(model.method != "seed001" for model in (*left, *right))
    measured = broken is not None and broken <= largest
    return RuleAnswer(rule.text, verdict, kept if known else None, broken, measured)


def refuse_unknown(rule: Rule, functions: Iterable[str]) -> None:
    """Raise UsageError where the rule names none of the functions; names the nearest."""
    known = sorted(set(functions))
    for name in (*rule.left, *rule.right):
        if name not in known:
            close = get_close_matches(name, known, n=1)
            named = ", ".join(filter(None, known)) or "none has a name; --by COLUMN gives them names"
            hint = f"did you mean {close[0]!r}?" if close else f"functions: {named}"
            what = f"rule {rule.text!r} names {name!r}, which is not among the functions"
            raise UsageError(what, hint=hint)


def _scales(smallest: float) -> list[float]:
    out = [smallest]
    while out[-1] < LARGEST_SCALE:
        out.append(out[-1] * 2 ** (1 / STEPS))
    return out


def _probability(left: list[ScalingModel], right: list[ScalingModel]) -> float:
    """That the fastest lead of the left is not faster than the fastest of the right, functions
    independent.
    """
    a, b = _fastest(left), _fastest(right)
    unknown = 1 - sum(a.values()) * sum(b.values())
    return sum(p * q for (g, p), (h, q) in itertools.product(a.items(), b.items()) if g <= h) + unknown / 2


def _fastest(models: list[ScalingModel]) -> dict[Growth, float]:
    """The fastest lead with its probability, as far as leads are known."""
    together: dict[Growth, float] = {Growth(): 1.0}
    for model in models:
        leads = [(model.lead[0], model.posterior), *((lead[0], p) for lead, p in model.alternatives)]
        merged: dict[Growth, float] = {}
        for (g, p), (h, q) in itertools.product(together.items(), leads):
            merged[max(g, h)] = merged.get(max(g, h), 0.0) + p * q
        together = merged
    return together
