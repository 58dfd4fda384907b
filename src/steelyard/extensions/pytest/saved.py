"""Sessions that were kept: the means of their tests, by names that other tests do not change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from steelyard.core.errors import RecordError
from steelyard.core.sample import Sample
from steelyard.core.units import Scalar
from steelyard.extensions.pytest import reference
from steelyard.extensions.pytest.claims import ABSENT, METRIC, group_of, levels_of_tests
from steelyard.stats.compare.sessions import SessionMeans
from steelyard.store import Record

if TYPE_CHECKING:
    import pytest


class SavedSession(msgspec.Struct, frozen=True):
    """A session that was kept: means of its tests by their names, and the facts that came with it."""

    means: Mapping[str, SessionMeans]
    host: Mapping[str, Scalar]


def read_saved(directory: Path) -> SavedSession:
    """Read a saved session.

    Raises
    ------
    SteelyardError
        It is damaged, or not a session of the plugin.
    """
    with Record.open(directory) as record:
        record.refuse_edited()
        has_reference = any(metric.name == reference.METRIC for metric in record.metrics)
        references = record.samples(reference.METRIC) if has_reference else []
        beside = {sample.treatment.id: sample for sample in references}
        try:
            means = {
                _name(sample.treatment.levels): SessionMeans(
                    _compute_mean_log(sample), _compute_mean_log(beside.get(sample.treatment.id))
                )
                for sample in record.samples(METRIC)
                if len(sample)
            }
            (run, *_) = record.runs()
        except ValueError as error:
            raise RecordError(
                f"{directory} holds no session of the plugin: {error}", hint=f"rm -r {directory}"
            ) from None
        return SavedSession(means, run.host)


def _compute_mean_log(sample: Sample | None) -> float:
    """Mean logarithm of its values; NaN without any."""
    return fmean(map(math.log, sample.values)) if sample is not None and len(sample) else math.nan


def name_of(item: pytest.Item) -> str:
    """Return the name of a timed test in saved sessions."""
    (levels,) = levels_of_tests([item])
    return _name({"": group_of(item), **levels})


def file_of(name: str) -> str:
    """Return the file of a test by its name in saved sessions; that of a test in a group has both."""
    first, second, *_ = name.split("::")
    return first if first.endswith(".py") else second


def _name(levels: Mapping[str, Scalar]) -> str:
    """Return the name of a treatment, which other tests of its session do not change."""
    file, test, *rest = (level for level in levels.values() if level != ABSENT)
    return f"{file}::{test}" + (f"[{'-'.join(map(str, rest))}]" if rest else "")
