"""What the command line asks for beside the spec: a protocol, a baseline."""

from __future__ import annotations

import pytest

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.sample import Treatment
from steelyard.extensions.protocol_2014.results import NAME, Rules
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.chosen_analysis import choose_analysis

pytestmark = pytest.mark.extensions("protocol_2014")

TREATMENTS = [
    Treatment(i, f"{opt}, {n}", {"opt": opt, "n": n})
    for i, (opt, n) in enumerate([("O2", 1), ("O2", 2), ("O3", 1), ("O3", 2)], 1)
]


def test_a_spec_may_declare_the_protocol_with_its_rules():
    declared = Analysis(protocol=NAME, alpha=0.01, alternative="faster", ks_policy="veto")
    assert Rules.make(declared) == Rules(0.01, "faster", "veto")


def test_asked_for_it_compares_all_pairs_unless_a_baseline_is_declared():
    free = choose_analysis(Analysis(alpha=0.01), TREATMENTS, NAME, None)
    assert (free.family, Rules.make(free)) == ("all-pairs", Rules(0.01))
    bound = choose_analysis(Analysis(baseline={"opt": "O2"}), TREATMENTS, NAME, None)
    assert (bound.family, bound.baseline) == ("baseline", {"opt": "O2"})


def test_rules_that_the_spec_declares_stay_and_default_takes_them_away():
    declared = Analysis(protocol=NAME, alternative="faster")
    assert choose_analysis(declared, TREATMENTS, NAME, None) == declared
    assert choose_analysis(declared, TREATMENTS, None, None) == declared
    assert choose_analysis(declared, TREATMENTS, "default", None).protocol == "default"


@pytest.mark.parametrize(
    ("against", "strata", "baseline", "left"),
    [
        ("opt=O3", (), {"opt": "O3"}, ("n",)),
        ("n=2", ("opt", "n"), {"n": 2}, ("opt",)),
        ("opt=O2,n=1", (), {"opt": "O2", "n": 1}, ()),
        ("O3, 2", (), {"opt": "O3", "n": 2}, ()),
    ],
)
def test_a_baseline_is_named_by_levels_or_by_a_label(against, strata, baseline, left):
    analysis = choose_analysis(Analysis(family="all-pairs", strata=strata), TREATMENTS, None, against)
    assert (analysis.family, analysis.baseline, analysis.strata) == ("baseline", baseline, left)


@pytest.mark.parametrize(
    ("against", "message", "hint"),
    [
        ("opt=O9", "opt has no such level", "one of: opt=O2, opt=O3"),
        ({"opt": "O9"}, "'opt=O9': opt has no such level", "one of: opt=O2, opt=O3"),
        ("size=1", "neither a treatment nor a level", "factors: opt, n"),
        ("old", "neither a treatment nor a level", "O2, 1"),
    ],
)
def test_a_baseline_that_does_not_exist_is_answered_with_those_that_do(against, message, hint):
    with pytest.raises(UsageError, match=message) as caught:
        choose_analysis(Analysis(), TREATMENTS, None, against)
    assert hint in (caught.value.hint or "")


def test_an_unknown_protocol_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown protocol 'nogueira'") as caught:
        choose_analysis(Analysis(), TREATMENTS, "nogueira", None)
    assert caught.value.hint == f"one of: default, {NAME}"


def test_a_record_is_analysed_by_the_protocol_and_says_that_pairs_are_given_up(run_in):
    record = run_in(program={"commands": {name: ["/bin/true"] for name in "abc"}})
    assert analyze(record).protocol is None
    result = analyze(record, protocol=NAME)
    assert len(result.protocol.pairs) == len(result.judged) == 3
    assert "pairing_given_up" in {notice.kind for notice in result.warnings}
    against = analyze(record, protocol=NAME, against="c")
    assert [pair.treatment.label for pair in against.protocol.pairs] == ["a", "b"]
