"""Times of more ranks than CPUs decide no claim: they are the work of all ranks together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.observed import Observed
from steelyard.sample import Sample
from steelyard.series import Series


class _Asked(msgspec.Struct):
    """Values that a judge asked for, and whether times of oversubscribed ranks were among them."""

    observed: Observed
    crowded: bool = False

    def samples(self, metric: str) -> Sequence[Sample]:
        return self._seen(self.observed.samples(metric))

    def compared(self, metric: str) -> Sequence[Sample]:
        return self._seen(self.observed.compared(metric))

    def series(self, metric: str, parameters: Sequence[str]) -> Sequence[Series]:
        found = self.observed.series(metric, parameters)
        self.crowded |= any(one.crowded for one in found)
        return found

    def _seen(self, found: Sequence[Sample]) -> Sequence[Sample]:
        self.crowded |= any(sample.provenance == "crowded" for sample in found)
        return found


def judge_unless_crowded(judge: Callable[[Any, Observed], Draft], claim: object, observed: Observed) -> Draft:
    """Judge; nothing is decided where the judge asked for times of oversubscribed ranks."""
    asked = _Asked(observed)
    draft = judge(
        claim, replace(observed, samples=asked.samples, compared=asked.compared, series=asked.series)
    )
    if not asked.crowded:
        return draft
    return Draft(
        tested=tuple(replace(each, indicated=None, p=1.0) for each in draft.tested),
        settled=tuple(replace(each, outcome="not_resolved") for each in draft.settled),
    )
