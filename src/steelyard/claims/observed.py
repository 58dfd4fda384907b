"""``Observed``: what judges may ask of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from steelyard.analysis import Analysis
from steelyard.answers.analysis import Order
from steelyard.sample import Sample
from steelyard.series import Series
from steelyard.spec.experiment import Experiment
from steelyard.units import Scalar


class Observed(msgspec.Struct, frozen=True):
    """An experiment and the way to its values.

    Attributes
    ----------
    declared : callable
        What the spec declares about a metric: estimand, uncertainties, failures, the familywise level.
    samples : callable
        The samples of a metric.
    compared : callable
        The samples of a metric that comparisons are made of: with runs that timed out, where that is
        declared.
    series : callable
        The series of a metric over parameters; over all that are numbers and vary where none are named.
    """

    experiment: Experiment
    declared: Callable[[str], Analysis]
    samples: Callable[[str], Sequence[Sample]]
    compared: Callable[[str], Sequence[Sample]]
    series: Callable[[str, Sequence[str]], Sequence[Series]]

    @property
    def order(self) -> Order:
        """Layout of the trials."""
        return "sequential" if self.experiment.design.in_rows else "randomized-blocks"

    @property
    def alpha(self) -> float:
        """The familywise level: that of the spec, or what is left of it to an extended record."""
        return self.declared(self.experiment.analysis.metric).alpha

    def metric(self, named: str | None) -> str:
        """The metric of a claim."""
        return named or self.experiment.analysis.metric


def levels_of(sample: Sample) -> dict[str, Scalar]:
    """Levels of the factors, and labels."""
    return {**sample.treatment.levels, **sample.labels}


def has(levels: Mapping[str, Scalar], wanted: Mapping[str, Scalar]) -> bool:
    """Whether the levels agree with all that is wanted, as far as they are known."""
    return all(levels.get(name, level) == level for name, level in wanted.items())


def strata(
    samples: Iterable[Sample], names: Sequence[str], where: Mapping[str, Scalar]
) -> list[tuple[dict[str, Scalar], list[Sample]]]:
    """The samples of each stratum, whose levels and labels come first; in the order of the design."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Sample]] = {}
    for sample in samples:
        if has(levels_of(sample), where):
            free = {name: sample.treatment.levels[name] for name in names} | dict(sample.labels)
            groups.setdefault(tuple(free.items()), []).append(sample)
    return [(dict(key), members) for key, members in groups.items()]
