"""``Observed``: what judges may ask of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from steelyard.claims.evidence import Scope
from steelyard.core.analysis import Analysis
from steelyard.core.sample import Sample
from steelyard.core.series import Series
from steelyard.core.units import Scalar
from steelyard.results.analysis import Order
from steelyard.spec.experiment import Experiment


class Observed(msgspec.Struct, frozen=True):
    """An experiment and the way to its values.

    Attributes
    ----------
    declared : callable
        What the spec declares about a metric: estimand, uncertainties, failures, the familywise level.
    samples : callable
        The samples of a metric.
    list_compared : callable
        The samples of a metric that comparisons are made of: with runs that timed out, where that is
        declared.
    series : callable
        The series of a metric over parameters; over all that are numbers and vary where none are named.
    unknown_contexts : bool
        As of ``DesignFacts``.
    """

    experiment: Experiment
    declared: Callable[[str], Analysis]
    samples: Callable[[str], Sequence[Sample]]
    list_compared: Callable[[str], Sequence[Sample]]
    series: Callable[[str, Sequence[str]], Sequence[Series]]
    unknown_contexts: bool = False

    @property
    def order(self) -> Order:
        """Layout of the trials."""
        return "sequential" if self.experiment.design.in_rows else "randomized-blocks"

    @property
    def alpha(self) -> float:
        """The familywise level: that of the spec, or what is left of it to an extended record."""
        return self.declared(self.experiment.analysis.metric).alpha

    def metric(self, named: str | None) -> str:
        """Return the metric of a claim."""
        return named or self.experiment.analysis.metric

    def scope(self, *samples: Sample) -> Scope | None:
        """Return what all runs of these samples share; values of a computed machine have no context."""
        origins = {sample.provenance for sample in samples}
        if "one_process" in origins:
            return "process"
        contexts = set().union(*(sample.contexts for sample in samples))
        return None if self.unknown_contexts or "simulated" in origins or len(contexts) > 1 else "context"


def levels_of(sample: Sample) -> dict[str, Scalar]:
    """Levels of the factors, and labels."""
    return {**sample.treatment.levels, **sample.labels}


def has(levels: Mapping[str, Scalar], required: Mapping[str, Scalar]) -> bool:
    """Whether the levels agree with all that is wanted, as far as they are known."""
    return all(levels.get(name, level) == level for name, level in required.items())


def strata(
    samples: Iterable[Sample], names: Sequence[str], levels: Mapping[str, Scalar]
) -> list[tuple[dict[str, Scalar], list[Sample]]]:
    """Return the samples of each stratum, whose levels and identifying labels come first.

    They are in the order of the design.
    """
    chosen = [sample for sample in samples if has(levels_of(sample), levels)]
    identifying = identifying_labels(chosen)
    groups: dict[tuple[tuple[str, Scalar], ...], list[Sample]] = {}
    for sample in chosen:
        labels = {name: value for name, value in sample.labels.items() if name in identifying}
        free = {name: sample.treatment.levels[name] for name in names} | labels
        groups.setdefault(tuple(free.items()), []).append(sample)
    return [(dict(key), members) for key, members in groups.items()]


def identifying_labels(samples: Iterable[Sample]) -> set[str]:
    """Labels that tell the lines of a treatment apart.

    The others merely describe: a label that all lines share, and one that differs between treatments and is
    settled by the treatment and the rest of the labels, as the algorithm that a line names, must not keep two
    treatments from being compared.
    """
    every = list(samples)
    names = dict.fromkeys(name for sample in every for name in sample.labels)
    for name in list(names):
        rest = [text for text in names if text != name]
        values: dict[tuple[Scalar | None, ...], dict[object, set[Scalar | None]]] = {}
        for sample in every:
            line = tuple(sample.labels.get(text) for text in rest)
            treatments = values.setdefault(line, {}).setdefault(sample.treatment.id, set())
            treatments.add(sample.labels.get(name))
        settled = all(len(treatments) == 1 for line in values.values() for treatments in line.values())
        differs = any(len(set().union(*line.values())) > 1 for line in values.values())
        shared = len({sample.labels.get(name) for sample in every}) == 1
        if shared or (settled and differs):
            del names[name]
    return set(names)
