"""Claims that asked for times of more ranks than CPUs decide nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.judging import judge_unless_crowded
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Instance


@pytest.mark.parametrize(("crowded", "decided"), [(False, True), (True, False)])
@pytest.mark.parametrize("way", ["samples", "list_compared", "series"])
def test_what_a_judge_finds_counts_only_without_a_crowd(way, crowded, decided):
    values = [SimpleNamespace(provenance="crowded" if crowded else "measured", crowded=crowded)]
    observed = Observed(
        experiment=SimpleNamespace(),
        declared=lambda metric: None,
        samples=lambda metric: values,
        list_compared=lambda metric: values,
        series=lambda metric, parameters: values,
    )
    draft = Draft(
        tested=(Undecided({}, "fails", 0.001, lambda level: None),),
        settled=(Instance({}, "holds", None),),
    )

    def judge(claim, given):
        getattr(given, way)(*(("t", ()) if way == "series" else ("t",)))
        return draft

    result = judge_unless_crowded(judge, None, observed)
    assert (result.tested[0].indicated, result.tested[0].p) == (("fails", 0.001) if decided else (None, 1.0))
    assert result.settled[0].outcome == ("holds" if decided else "not_judged")
