"""Contexts: the k-th draw of the nuisance settings.

Each setting is drawn without replacement: the population is put in random order, and the k-th context takes
the k-th; when it is used up, it is put in a new order. Settings are drawn independently of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from steelyard.core.units import Scalar
from steelyard.design.plan import Context
from steelyard.design.randomness import generator, permutation
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.experiment import Contexts, Range

Place = tuple[tuple[str, Scalar], ...]
"""What of the settings of a context makes a difference."""


def draw_context(contexts: Contexts, seed: int, number: int) -> Context:
    """Return the context with this id (from 1).

    It depends on nothing but the arguments and, for ``"random"``, the machine.
    """
    return Context(
        number, {name: _draw(name, setting, seed, number) for name, setting in contexts.settings.items()}
    )


def different(contexts: Iterable[Context]) -> int:
    """Return the number of them that differ for a program.

    It is 0 where all are the same, since then nothing is drawn.
    """
    places = {_place(context) for context in contexts}
    return len(places) if len(places) > 1 else 0


def drawn_before(contexts: Iterable[Context]) -> dict[int, int]:
    """Return the id of each context that repeats an earlier one for a program, to the id of that.

    Once all settings have been drawn, they come again.
    """
    first: dict[Place, int] = {}
    again = {}
    for id_, context in sorted({context.id: context for context in contexts}.items()):
        if (earlier := first.setdefault(_place(context), id_)) != id_:
            again[id_] = earlier
    return again


def _place(context: Context) -> Place:
    return tuple((name, INTERVENTIONS[name].place(level)) for name, level in sorted(context.settings.items()))


def _draw(name: str, setting: Scalar | tuple[Scalar, ...] | Range, seed: int, number: int) -> Scalar:
    if setting == "random":
        intervention = INTERVENTIONS[name]
        level = _draw_without_replacement(name, tuple(intervention.population()), seed, number)
        return intervention.refine(level, generator(seed, "refine", name, number).random())
    if isinstance(setting, tuple):
        return _draw_without_replacement(name, setting, seed, number)
    if isinstance(setting, Range):
        level = _draw_without_replacement(name, range(*setting.range, setting.step), seed, number)
        return INTERVENTIONS[name].check(level)
    return setting


def _draw_without_replacement(name: str, population: Sequence[Scalar], seed: int, number: int) -> Scalar:
    cycle, place = divmod(number - 1, len(population))
    return _get_cycle(name, population, seed, cycle)[place]


@lru_cache(maxsize=64)
def _get_cycle(name: str, population: Sequence[Scalar], seed: int, cycle: int) -> list[Scalar]:
    return permutation(population, generator(seed, "context", name, cycle))
