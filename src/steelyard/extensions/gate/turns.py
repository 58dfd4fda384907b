"""``TurnTally``: values of a gate in the order of time, and whether they depend on the side before."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from steelyard.core.sample import COLUMNS, Sample
from steelyard.core.units import Scalar
from steelyard.report.answer.sentences import format_notice
from steelyard.report.answer.words import names
from steelyard.results.notice import Notice
from steelyard.run.measure.extract.harness import LABEL
from steelyard.stats.compare.carry_over import CarryOver, carry_over


class TurnTally:
    """Samples of all records of a gate; those of one benchmark follow each other."""

    def __init__(self) -> None:
        self._samples: dict[tuple[int, str, tuple[tuple[str, Scalar], ...], int], Sample] = {}
        self._ends: dict[int, tuple[int, int]] = {}

    def add(self, program: int, samples: Sequence[Sample]) -> None:
        """Add those of the next record of a program: its first trial follows none that is known."""
        trial, block = self._ends.get(program, (0, 0))
        for sample in samples:
            labels = tuple(sample.labels.items())
            key = (program, sample.metric.name, labels, sample.treatment.id)
            moved = replace(sample, trials=_move(sample.trials, trial), blocks=_move(sample.blocks, block))
            self._samples[key] = _join(self._samples[key], moved) if key in self._samples else moved
        last = max((moved for s in samples for moved in s.trials), default=0)
        latest = max((moved for s in samples for moved in s.blocks), default=0)
        self._ends[program] = (trial + last + 1, block + latest)

    def list_notes(self, make_title: Callable[[int, str], str]) -> list[str]:
        """Sentence on the benchmark that depends most surely on the side before, if any does.

        Parameters
        ----------
        make_title : callable
            Title of a benchmark, from the place of its program and its name there.
        """
        samples = [
            replace(sample, labels={"program": program, "metric": metric, **sample.labels})
            for (program, metric, _, _), sample in self._samples.items()
        ]
        result = carry_over(samples)
        if result is None:
            return []
        title = make_title(int(result.labels["program"]), str(result.labels.get(LABEL, "")))
        return [f"{title}: {_format(result)}"]


def _format(result: CarryOver) -> str:
    labels = (result.treatment.label, result.predecessor.label)
    return format_notice(Notice("carry_over", labels, result.fields), names(labels))


def _move(column: array[int], by: int) -> array[int]:
    return array("q", [number + by for number in column])


def _join(sample: Sample, second: Sample) -> Sample:
    columns = {column: getattr(sample, column) + getattr(second, column) for column in COLUMNS}
    return replace(sample, **columns)
