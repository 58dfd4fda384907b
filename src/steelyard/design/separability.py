"""Separability: what this design cannot tell apart, in words, before anything is run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from steelyard.core.factorial.confounding import confounding, join_names
from steelyard.core.units import Scalar
from steelyard.interventions.node import Node
from steelyard.spec.cells import Cell
from steelyard.spec.experiment import Experiment, Factor
from steelyard.spec.layout import laid_out, layout_of, named_axes
from steelyard.spec.text.toml import toml_value

_LISTED = 3
"""Combinations named before the rest is only counted."""


def separability(experiment: Experiment) -> list[str]:
    """One sentence for each thing that cannot be separated.

    There are none for a full factorial in randomised blocks.
    """
    rows = list(laid_out(experiment)) if experiment.design.exclude else []
    return [
        *_list_constant(experiment.factors),
        *_link(experiment),
        *_explain_broken(experiment, rows),
        *confounding(layout_of(experiment)),
        *_compare_ends(experiment),
        *_describe_contexts(experiment),
        *_describe_plots(experiment),
        *_describe_order(experiment),
    ]


def _list_constant(factors: Sequence[Factor]) -> Iterator[str]:
    for factor in factors:
        if len(factor.levels) == 1:
            yield f"{factor.name} has one level ({toml_value(factor.levels[0])}): its effect cannot be seen"


def _link(experiment: Experiment) -> Iterator[str]:
    for link in experiment.zips:
        yield f"{join_names(link.names)} change together ({link.name}): their effects cannot be separated"


def _explain_broken(experiment: Experiment, cells: Sequence[Cell]) -> Iterator[str]:
    """Effects of exclusions: main effects that hang together, and interactions that lack combinations."""
    if not cells:
        return
    linked = {name: link.name for link in experiment.zips for name in link.names}
    excluded = {frozenset(levels) for levels in experiment.design.exclude}
    names = [factor.name for factor in experiment.factors if len({cell[factor.name] for cell in cells}) > 1]
    for first, second in itertools.combinations(names, 2):
        if first in linked and linked[first] == linked.get(second):
            continue
        groups = _get_groups({(cell[first], cell[second]) for cell in cells})
        if len(groups) > 1:
            parts = " / ".join(
                f"{first} {_list(levels)} only with {second} {_list(right)}" for levels, right in groups
            )
            yield f"{first} cannot be separated from {second}: {parts}"
    for together in sorted(excluded, key=lambda pair: (len(pair), sorted(pair))):
        ordered = [factor.name for factor in experiment.factors if factor.name in together]
        if len(ordered) < 2:
            continue
        run = {tuple(cell[name] for name in ordered) for cell in cells}
        every = set(itertools.product(*(dict.fromkeys(cell[name] for cell in cells) for name in ordered)))
        missing = len(every - run)
        if missing:
            yield (
                f"{missing} of {len(every)} combinations of {join_names(ordered)} are not run:"
                f" their interaction can be judged on the others only"
            )


def _compare_ends(experiment: Experiment) -> Iterator[str]:
    """Levels that a kind with two of them leaves out."""
    for every, axis in zip(
        named_axes(experiment.factors, experiment.zips), layout_of(experiment).axes, strict=True
    ):
        if len(axis.steps) < len(every.steps):
            low, high = (" ".join(map(toml_value, step.values())) for step in axis.steps)
            yield f"{axis.name} is run at {low} and {high} only, of its {len(every.steps)} levels"


def _get_groups(pairs: set[tuple[Scalar, Scalar]]) -> list[tuple[list[Scalar], list[Scalar]]]:
    """Levels of two factors that treatments connect: effects can be separated within a group, not across."""
    groups: list[tuple[list[Scalar], list[Scalar]]] = []
    for one_side, right in sorted(pairs, key=lambda pair: (repr(pair[0]), repr(pair[1]))):
        joined = [group for group in groups if one_side in group[0] or right in group[1]]
        lefts = list(dict.fromkeys([*(level for group in joined for level in group[0]), one_side]))
        rights = list(dict.fromkeys([*(level for group in joined for level in group[1]), right]))
        groups = [*(group for group in groups if group not in joined), (lefts, rights)]
    return groups


def _describe_contexts(experiment: Experiment) -> Iterator[str]:
    if experiment.contexts is None:
        yield "all blocks have one context: whether the answer holds in others is not seen ([contexts])"
        return
    drawn = experiment.contexts.drawn
    if Node.name in drawn:
        return  # Machines are the units, and come again.
    if not drawn:
        yield "no setting of the contexts is drawn, so all blocks have one context"
    elif experiment.contexts.passes == 1:
        yield (
            f"each context ({join_names(drawn)}) is visited once:"
            " the effect of a context cannot be separated from noise (set passes = 3)"
        )
    if len(drawn) > 1:
        yield f"{join_names(drawn)} are drawn together: their effects cannot be separated"


def _describe_plots(experiment: Experiment) -> Iterator[str]:
    if experiment.hard:
        are = "is" if len(experiment.hard) == 1 else "are"
        yield (
            f"{join_names(experiment.hard)} {are} hard to change: within a block, what setting up a level"
            " once"
            " does cannot be separated from the level; blocks are the units, replicates within them are not"
        )


def _describe_order(experiment: Experiment) -> Iterator[str]:
    program = experiment.program
    if program.between_treatments:
        yield (
            "each treatment has a start of the machine of its own (between_treatments):"
            " effects of starts and treatments cannot be separated"
        )
    if experiment.design.in_rows:
        yield (
            "one treatment runs after the other: changes over time (load, temperature, caches)"
            ' cannot be separated from effects of treatments (set order = "randomized")'
        )


def _list(levels: Sequence[Scalar]) -> str:
    named = ", ".join(toml_value(level) for level in levels[:_LISTED])
    rest = len(levels) - _LISTED
    return f"{named} and {rest} more" if rest > 0 else named
