"""Names that claims may use: metrics, levels of the factors, and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.counters import find_event
from steelyard.core.errors import SpecError
from steelyard.core.units import BUILTIN, Metric, Scalar, is_number
from steelyard.spec.cells import Cell
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.spec.levels import find_level
from steelyard.spec.tables.factors import Factor, Zip
from steelyard.spec.tables.metrics import UserMetric
from steelyard.spec.text.origin import Origin, Path, suggest


class ClaimNames(msgspec.Struct, frozen=True, dict=True):
    """Names that claims may use.

    Attributes
    ----------
    metrics : Mapping of str to Metric
        All that every trial, a counter or the program gives.
    labelled : frozenset of str
        Metrics whose values may carry labels, of which a spec knows nothing.
    treatments : sequence of Cell
    """

    factors: tuple[Factor, ...]
    zips: tuple[Zip, ...]
    analysis: Analysis
    metrics: Mapping[str, Metric]
    labelled: frozenset[str]
    treatments: Sequence[Cell]

    @cached_property
    def levels(self) -> Mapping[str, tuple[Scalar, ...]]:
        """Levels of each factor."""
        return {factor.name: factor.levels for factor in self.factors}


def metrics_known(counters: Sequence[str], metrics: Sequence[UserMetric]) -> dict[str, Metric]:
    """Every metric that a claim may name."""
    return {
        **BUILTIN,
        **{name: Metric(name, find_event(name)[0].unit, "counter") for name in counters},
        **{metric.name: Metric(metric.name, metric.unit, "user", metric.better) for metric in metrics},
    }


def check_metric(name: str | None, question: ClaimNames, origin: Origin, path: Path) -> str:
    """Return the metric that is meant.

    Raises
    ------
    SpecError
        Unknown metric; names the nearest.
    """
    if name is None:
        return question.analysis.metric
    if name not in question.metrics:
        raise origin.error(path, f"unknown metric {name}", suggest_metric(name, question.metrics))
    return name


def select(
    levels: Mapping[str, Scalar],
    question: ClaimNames,
    origin: Origin,
    path: Path,
    *,
    metric: str | None = None,
    empty: bool = False,
) -> Cell:
    """Return the levels as the factors have them.

    With ``metric``, labels of that metric may stand among them.

    Raises
    ------
    SpecError
        Nothing is named (unless ``empty``), or no factor or level is so called; names the nearest.
    """
    if not levels and not empty:
        raise origin.error(path, "names no level", 'write the levels of one treatment: { opt = "O3" }')
    cell: Cell = {}
    for name, level in levels.items():
        if name in question.levels:
            cell[name] = find_level(name, question.levels[name], level, origin, (*path, name))
        elif metric is not None and metric in question.labelled:
            cell[name] = level
        else:
            raise _make_factor_error(name, question, origin, (*path, name))
    return cell


def check_label(name: str, metric: str, question: ClaimNames, origin: Origin, path: Path) -> None:
    """Raise SpecError where this is neither a factor nor possibly a label of the metric."""
    if name not in question.levels and metric not in question.labelled:
        raise _make_factor_error(name, question, origin, path)


def check_parameter(name: str, metric: str, question: ClaimNames, origin: Origin, path: Path) -> None:
    """Raise SpecError where nothing can grow with it."""
    check_label(name, metric, question, origin, path)
    if name in question.levels and not all(map(is_number, question.levels[name])):
        text = f"levels of {name} are not numbers, so nothing grows with them"
        raise origin.error(path, text, "write numbers without quotes in [factors]")


def _make_factor_error(name: str, question: ClaimNames, origin: Origin, path: Path) -> SpecError:
    from steelyard.spec.hints.did_you_mean import suggest_factor

    hint = suggest_factor(name, question.levels) or suggest(name, question.levels, "factors")
    return origin.error(path, f"unknown factor {name}", hint)
