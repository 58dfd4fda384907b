"""``Presentation``: how one answer is shown within a width, decided once for its sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from steelyard.core.units import Scalar
from steelyard.report.answer.effect_words import leads
from steelyard.report.answer.words import names, shared_labels
from steelyard.report.text.factor_columns import varying
from steelyard.report.text.line import Span, Style

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import Comparison
    from steelyard.results.samples import Described

_SUMMARY: Final = 32
"""Columns of a terminal that runs, mean, s and CV take."""

Key = tuple[int, tuple[tuple[str, Scalar], ...]]


class Presentation:
    """How one answer is shown.

    Attributes
    ----------
    names : Mapping[str, str]
        Of treatments in sentences, by their labels.
    factors : tuple of str
        Those that vary.
    shared_labels : Mapping[str, Scalar]
        Labels that all rows have, which are told once.
    leads_with_effects : bool
        The findings are those of factors, and a row tells no comparison.
    is_row_by_row : bool
        Each treatment is in one comparison, so that no table of pairs is needed.
    room : int
        Columns for treatments beside their summary, which is narrow without comparisons.
    """

    def __init__(self, answer: Answer, width: int) -> None:
        self.answer = answer
        self.width = width
        self.names = names(sample.treatment.label for sample in answer.samples)
        self.factors = varying([sample.treatment for sample in answer.samples])
        self.shared_labels = shared_labels(answer)
        self.leads_with_effects = leads(answer)
        self.room = width - _SUMMARY if self.leads_with_effects else width // 2
        keys = [identify_row(comparison.treatment.id, comparison.labels) for comparison in answer.judged]
        self.is_row_by_row = answer.declared.family != "all-pairs" and len(set(keys)) == len(keys)
        tells = self.is_row_by_row and answer.protocol is None and not self.leads_with_effects
        self._by_row = dict(zip(keys, answer.judged, strict=True)) if tells else {}
        self._baselines = {
            identify_row(comparison.baseline.id, comparison.labels) for comparison in answer.judged
        }

    @property
    def tells_each(self) -> bool:
        """Whether the row of a treatment shows the comparison that it is in."""
        return bool(self._by_row)

    def find_comparisons(self, rows: Sequence[Described]) -> list[Comparison | None]:
        """Find the comparison of each row."""
        return [self._by_row.get(identify_row(row.treatment.id, row.labels)) for row in rows]

    def list_verdicts(
        self, rows: Sequence[Described], tell: Callable[[Comparison], tuple[str, Style]]
    ) -> list[Span]:
        """Tell the comparison of each row; of others, whether they are a baseline."""
        baselines = [identify_row(row.treatment.id, row.labels) in self._baselines for row in rows]
        return [
            Span(*tell(comparison)) if comparison else Span("baseline", "dim") if is_baseline else Span("")
            for comparison, is_baseline in zip(self.find_comparisons(rows), baselines, strict=True)
        ]


def identify_row(treatment: int, labels: Mapping[str, Scalar]) -> Key:
    """Return what tells one row from another."""
    return treatment, tuple(sorted(labels.items()))
