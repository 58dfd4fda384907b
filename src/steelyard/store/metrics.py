"""The metrics of an experiment that are not built in."""

from __future__ import annotations

from steelyard.counters import find_event
from steelyard.spec.experiment import Experiment, UserMetric
from steelyard.units import Metric


def metrics_of(experiment: Experiment) -> tuple[Metric, ...]:
    """Counters that are asked for, then what the program reports and what is derived."""
    counters = [Metric(name, find_event(name)[0].unit, "counter") for name in experiment.program.counters]
    return (*counters, *(_declared(metric) for metric in experiment.metrics))


def _declared(metric: UserMetric) -> Metric:
    return Metric(metric.name, metric.unit, "user" if metric.derive is None else "derived", metric.better)
