from __future__ import annotations

import re

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import dumps, experiment, loads
from steelyard.spec.experiment import Analysis

HEAD = """
[program]
command = ["p", "{opt}", "{n}"]
counters = ["cycles"]
[factors]
opt = ["O2", "O3"]
n = [1, 2]
[metrics]
rate = { pattern = "(a)" }
"""


def test_an_analysis_has_defaults(read):
    assert read("").analysis == Analysis(
        metric="wall_s",
        estimand="geomean_ratio",
        family="baseline",
        strata=(),
        baseline=None,
        alpha=0.05,
        margin=None,
    )


def test_everything_of_an_analysis_is_read(read):
    text = (
        HEAD
        + """
    [analysis]
    metric = "rate"
    estimand = "ratio_of_means"
    interval = "fieller"
    uncertainty = "sample"
    failures = "ignore"
    family = "baseline"
    strata = ["n"]
    baseline = { opt = "O2" }
    alpha = 0.01
    margin = 0.02
    """
    )
    assert read(text).analysis == Analysis(
        metric="rate",
        estimand="ratio_of_means",
        interval="fieller",
        uncertainty="sample",
        failures="ignore",
        family="baseline",
        strata=("n",),
        baseline={"opt": "O2"},
        alpha=0.01,
        margin=0.02,
    )


def test_with_a_baseline_and_no_strata_every_other_factor_is_a_stratum(read):
    assert read(HEAD + '[analysis]\nbaseline = { opt = "O2" }').analysis.strata == ("n",)
    assert read(HEAD + '[analysis]\nbaseline = { opt = "O2", n = 1 }').analysis.strata == ()


def test_strata_can_be_said_to_be_none(read):
    analysis = read(HEAD + '[analysis]\nstrata = []\nbaseline = { opt = "O2", n = 2 }').analysis
    assert (analysis.strata, analysis.baseline) == ((), {"opt": "O2", "n": 2})


def test_a_baseline_is_kept_as_the_factor_has_it(read):
    level = read(HEAD + "[analysis]\nbaseline = { n = 1.0 }").analysis.baseline["n"]
    assert type(level) is int


@pytest.mark.parametrize("metric", ["wall_s", "rss_bytes", "cycles", "rate"])
def test_every_metric_of_a_trial_can_be_the_primary_one(read, metric):
    assert read(HEAD + f'[analysis]\nmetric = "{metric}"').analysis.metric == metric


def test_a_stratum_that_has_no_baseline_is_named(refused):
    text = """
    [program]
    command = ["p", "{opt}", "{n}"]
    [factors]
    opt = ["O1", "O2", "O3"]
    n = [1, 2]
    [design]
    exclude = [{ opt = "O1", n = 2 }]
    [analysis]
    baseline = { opt = "O1" }
    """
    message, hint = refused(text)
    assert message == (
        'analysis.baseline: no treatment in the stratum { n = 2 } has { opt = "O1" }:'
        " nothing there can be compared"
    )
    assert hint == "choose another baseline, or remove an exclusion"


def test_a_stratum_of_one_treatment_needs_no_baseline(read):
    text = """
    [program]
    command = ["p", "{opt}", "{n}"]
    [factors]
    opt = ["O1", "O2"]
    n = [1, 2]
    [design]
    exclude = [{ opt = "O1", n = 2 }]
    [analysis]
    baseline = { opt = "O1" }
    """
    assert read(text).analysis.strata == ("n",)


def test_linked_factors_are_strata_together(read):
    text = """
    [program]
    command = ["p", "{opt}", "{a}", "{b}"]
    [factors]
    opt = ["O1", "O2"]
    w = { zip = ["a", "b"], levels = [[1, 10], [2, 20]] }
    [analysis]
    baseline = { opt = "O1" }
    """
    assert read(text).analysis.strata == ("a", "b")


def test_a_factor_that_is_linked_to_the_baseline_is_no_stratum():
    spec_ = experiment(
        program={"command": ["true", "{nodes}", "{scale}", "{n}"]},
        factors={"weak": {"zip": ["nodes", "scale"], "levels": [[1, 14], [2, 15]]}, "n": [1, 2]},
        analysis={"baseline": {"nodes": 1}},
    )
    assert spec_.analysis.strata == ("n",)


@pytest.mark.extensions("protocol_2014")
def test_a_protocol_compares_all_pairs_unless_a_baseline_or_a_family_is_named(read):
    named = 'protocol = "nogueira-matias-2014"\n'
    assert read(HEAD + "[analysis]\n" + named).analysis.family == "all-pairs"
    assert read(HEAD + "[analysis]\n" + named + 'baseline = { opt = "O2" }').analysis.family == "baseline"
    assert read(HEAD + "[analysis]\n" + named + 'family = "baseline"').analysis.family == "baseline"
    assert read(HEAD + '[analysis]\nprotocol = "default"').analysis.family == "baseline"


@pytest.mark.extensions("protocol_2014")
def test_a_direction_and_a_policy_are_the_protocols(read):
    text = HEAD + '[analysis]\nprotocol = "nogueira-matias-2014"\nbaseline = { opt = "O2" }\n'
    analysis = read(text + 'alternative = "faster"\nks_policy = "veto"').analysis
    assert (analysis.alternative, analysis.ks_policy) == ("faster", "veto")


AS_LIMIT = """
[program]
command = ["x"]
timeout = "2 s"
[metrics]
rate = { pattern = "(.)" }
[analysis]
failures = "as-limit"
"""


def test_runs_that_time_out_can_count_as_the_limit_in_a_median_of_elapsed_times(read):
    assert read(AS_LIMIT + 'estimand = "median_ratio"').analysis.failures == "as-limit"


@pytest.mark.parametrize(
    ("more", "message", "hint"),
    [
        ("", "analysis.failures: a geomean_ratio cannot be known from lower bounds", "median_ratio"),
        (
            'estimand = "median_ratio"\nmetric = "rate"',
            "analysis.failures: as-limit needs the value of rate at which runs are ended",
            "limit = 60 under [metrics.rate]",
        ),
        (
            'estimand = "median_ratio"\nmetric = "cpu_s"',
            "analysis.failures: what cpu_s would have been is not known",
            "wall_s",
        ),
    ],
)
def test_a_limit_says_nothing_of_other_estimands_and_metrics(read, more, message, hint):
    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        read(AS_LIMIT + more)
    assert hint in caught.value.hint


def test_a_reported_time_has_a_limit_of_its_own_and_a_rate_has_none(read):
    text = AS_LIMIT.replace('"(.)" }', '"(.)", limit = 9.5 }').replace('timeout = "2 s"\n', "")
    keys = 'estimand = "median_ratio"\nmetric = "rate"'
    experiment = read(text + keys)
    assert experiment.limit == 9.5
    assert loads(dumps(experiment), source=experiment.source, name=experiment.name) == experiment
    with pytest.raises(SpecError, match="less rate is not better"):
        read(text.replace("limit =", 'better = "higher", limit =') + keys)


def test_speedups_compare_across_a_factor_that_the_baseline_leaves_free(read):
    result = read(HEAD + '[analysis]\nbaseline = { opt = "O2" }\nratio_across = "n"')
    assert result.analysis.ratio_across == "n"
    assert loads(dumps(result), source=result.source, name=result.name) == result


def test_instances_are_no_stratum(read):
    result = read(HEAD + '[analysis]\nbaseline = { opt = "O2" }\ninstances = "n"')
    assert (result.analysis.instances, result.analysis.strata) == ("n", ())
    assert loads(dumps(result), source=result.source, name=result.name) == result
    assert read(HEAD + '[analysis]\ninstances = "a_label"').analysis.instances == "a_label"
