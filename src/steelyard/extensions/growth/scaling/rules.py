"""Growth of both sides of a cross-function rule (Shudler et al. 2019, § 2.1).

``allreduce <= reduce + bcast`` is judged by leading terms, and from where the models break it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth, GrowthRule
from steelyard.extensions.growth.scaling.doubts import KEPT
from steelyard.extensions.growth.scaling.model import ScalingModel
from steelyard.extensions.growth.scaling.question import SURE
from steelyard.stats.compare.judgement import Outcome

LARGEST_SCALE: Final = 2.0**40
STEPS: Final = 16
"""Scales looked at in each octave."""
STEADY: Final = 0.95
"""Of a steady ratio, whose bound of 95 % leaves no room for a logarithm that counts."""
LOGARITHM: Final = Growth.make(0, 1)
COARSE: Final = 4
"""Largest denominator of a power that is compared: those of the grid between stand for what is near them."""


class RuleAnswer(msgspec.Struct, frozen=True):
    """Whether the left side of a rule grows no faster than the right side.

    Attributes
    ----------
    verdict : Outcome
        By leading terms, for large scales.
    probability : float or None
        That the left side does not grow faster, half of what no lead accounts for included, after even odds;
        ``None`` by the method of Shudler et al. 2019, which states none.
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


def judge(
    rule: GrowthRule,
    models: Mapping[str, ScalingModel],
    smallest: float,
    largest: float,
    *,
    steady: bool = False,
    alike: bool = False,
) -> RuleAnswer:
    """Judge the growth of both sides by models of one parameter that name every lead.

    ``smallest`` and ``largest`` bound what was measured; ``steady``: both sides grow there in one ratio;
    ``alike``: up to a constant, so that no rule is broken.

    Raises
    ------
    UsageError
        The rule names a function that has no model.
    """
    refuse_unknown(rule, models)
    scaling_models, right = [models[name] for name in rule.left_side], [models[name] for name in rule.right]
    probability = STEADY if steady else _probability(scaling_models, right)
    if alike and probability <= 1 - SURE:
        probability = KEPT * probability + 1 - KEPT
    verdict: Outcome = (
        "holds" if probability >= SURE else "fails" if probability <= 1 - SURE else "not_resolved"
    )
    broken = next(
        (
            x
            for x in _compute_scales(smallest)
            if sum(m.at(x) for m in scaling_models) > sum(m.at(x) for m in right)
        ),
        None,
    )
    is_known = all(model.method != "seed001" for model in (*scaling_models, *right))
    measured = broken is not None and broken <= largest
    return RuleAnswer(rule.text, verdict, probability if is_known else None, broken, measured)


def refuse_unknown(rule: GrowthRule, functions: Iterable[str]) -> None:
    """Raise UsageError where the rule names none of the functions; names the nearest."""
    texts = sorted(set(functions))
    for name in (*rule.left_side, *rule.right):
        if name not in texts:
            close = get_close_matches(name, texts, n=1)
            named = ", ".join(filter(None, texts)) or "none has a name; --by COLUMN gives them names"
            hint = f"did you mean {close[0]!r}?" if close else f"functions: {named}"
            text = f"rule {rule.text!r} names {name!r}, which is not among the functions"
            raise UsageError(text, hint=hint)


def _compute_scales(smallest: float) -> list[float]:
    out = [smallest]
    while out[-1] < LARGEST_SCALE:
        out.append(out[-1] * 2 ** (1 / STEPS))
    return out


def _probability(models: list[ScalingModel], right: list[ScalingModel]) -> float:
    """Return the probability that the left side does not grow faster, functions independent.

    A prior over leads holds equal growth for as good as impossible: a hundred leads share it. So "no faster"
    and "faster" have even odds before the data, and each is as likely as its best pair of leads makes the
    data. Faster is by a logarithm or more: a power of a twelfth beside an equal one is told apart by no data,
    and one is always possible.
    """
    left_leads, right_leads = _weigh_sum(models), _weigh_sum(right)
    obeying = _weigh_best_pair(left_leads, right_leads, lambda g, h: g <= h)
    broken = _weigh_best_pair(left_leads, right_leads, lambda g, h: g >= h * LOGARITHM)
    accounted = math.prod(_count_known(model) for model in (*models, *right))
    return accounted * obeying / (obeying + broken) + (1 - accounted) / 2 if obeying + broken else 0.5


def _weigh_best_pair(
    left_leads: Mapping[Growth, float],
    right_leads: Mapping[Growth, float],
    stands: Callable[[Growth, Growth], bool],
) -> float:
    pairs = itertools.product(left_leads.items(), right_leads.items())
    return max((p * q for (g, p), (h, q) in pairs if stands(g, h)), default=0.0)


def _count_known(model: ScalingModel) -> float:
    return model.posterior + sum(p for _, p in model.alternatives)


def _weigh_sum(models: list[ScalingModel]) -> dict[Growth, float]:
    """Return the fastest lead of a sum, and how likely the data are with the best leads of its functions."""
    together: dict[Growth, float] = {}
    for model in models:
        likelihoods = _weigh_leads(model)
        if not together:
            together = likelihoods
            continue
        merged: dict[Growth, float] = {}
        for (g, p), (h, q) in itertools.product(together.items(), likelihoods.items()):
            merged[max(g, h)] = max(merged.get(max(g, h), 0.0), p * q)
        together = merged
    return together


def _weigh_leads(model: ScalingModel) -> dict[Growth, float]:
    """Weigh the data given each lead, up to a factor: its posterior over its prior."""
    leads = [(model.lead, model.posterior), *model.alternatives]
    coarse = [(lead, p) for lead, p in leads if lead[0].power.denominator <= COARSE]
    return {lead[0]: p / model.priors.get(lead, 1.0) for lead, p in coarse or leads}
