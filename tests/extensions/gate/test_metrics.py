"""Names of metrics on the command line, with their margins and sides."""

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.metrics import choose_metrics
from steelyard.extensions.gate.options import read_margins, read_sides
from steelyard.extensions.gate.request import GateRequest

GO = {
    "time_s": ("s", "lower"),
    "bytes_per_op": ("B", "lower"),
    "allocs_per_op": ("", "lower"),
    "hits_op": ("", "neither"),
    "throughput": ("B/s", "higher"),
}


def choose(**options):
    request = GateRequest(base="main", head="HEAD", words=("./bench",), **options)
    return choose_metrics(request, "time_s", GO)


def test_the_time_of_the_harness_is_judged_unless_others_are_named():
    (metric,) = choose(margin=0.02)
    assert (metric.name, metric.margin, metric.is_count) == ("time_s", 0.02, False)


def test_short_names_stand_for_what_the_harness_reports():
    metrics = choose(metrics=("time", "allocs"), reported=("bytes",), margins={"allocs": 0.01})
    assert [metric.name for metric in metrics] == ["time_s", "allocs_per_op", "bytes_per_op"]
    assert [metric.margin for metric in metrics] == [0.03, 0.01, 0.0]
    assert [metric.is_reported for metric in metrics] == [False, False, True]


@pytest.mark.parametrize("name", ["hits/op", "hits_op"])
def test_a_metric_goes_by_the_name_that_the_harness_writes_and_by_that_in_the_answer(name):
    reported = {"time_s": ("s", "lower"), "hits_op": ("", "neither")}
    request = GateRequest(
        base="main", head="HEAD", words=("./bench",), metrics=(name,), better={name: "lower"}
    )
    (metric,) = choose_metrics(request, "time_s", reported)
    assert (metric.name, metric.better) == ("hits_op", "lower")


def test_a_margin_for_all_metrics_holds_for_counts_too():
    metrics = choose(
        metrics=("time", "allocs", "bytes"), margin=0.05, count_margin=0.05, margins={"allocs": 0.0}
    )
    assert [metric.margin for metric in metrics] == [0.05, 0.0, 0.05]


def test_a_rate_is_no_count():
    (metric,) = choose(metrics=("throughput",))
    assert (metric.is_count, metric.margin, metric.better) == (False, 0.03, "higher")


def test_a_name_that_nobody_knows_a_side_of_takes_one():
    (metric,) = choose(metrics=("hits_op",), better={"hits_op": "higher"})
    assert metric.better == "higher"
    (metric, _) = choose(metrics=("time",), reported=("hits_op",))
    assert metric.name == "time_s"


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"metrics": ("hits_op",)}, "hits_op: the harness does not say", "--better hits_op=lower"),
        ({"metrics": ("nosuch",)}, "no benchmark reports nosuch", "time_s, bytes_per_op"),
        (
            {"metrics": ("time",), "reported": ("time_s",)},
            "time_s is in --metric and in --report",
            "shows it",
        ),
        (
            {"margins": {"allocs": 0.0}},
            "--margin allocs_per_op=0.0: it is no metric of this gate",
            "--metric",
        ),
        ({"better": {"hits_op": "lower"}}, "--better hits_op=lower: it is no metric", "--metric hits_op"),
        ({"margins": {"time": 0.0}}, "--margin time_s=0: a measured value never repeats", "=3%"),
    ],
)
def test_mistakes_name_their_cure(options, message, hint):
    with pytest.raises(UsageError, match=message) as caught:
        choose(**options)
    assert hint in caught.value.hint


def test_margins_and_sides_are_read_by_name():
    assert read_margins(["2%", "allocs=0", "a=b=1%"]) == (0.02, {"allocs": 0.0, "a=b": 0.01})
    assert read_margins([]) == (None, {})
    assert read_sides(["hits=higher", "misses=lower"]) == {"hits": "higher", "misses": "lower"}


@pytest.mark.parametrize("text", ["x", "allocs=", "allocs=-1", "2", "100%", "nan", "=0.1", "0"])
def test_a_margin_that_is_no_fraction_is_refused(text):
    with pytest.raises(UsageError, match="--margin"):
        read_margins([text])


def test_two_margins_of_one_metric_are_refused():
    for texts in (["1%", "2%"], ["a=1%", "a=2%"]):
        with pytest.raises(UsageError, match="a second margin"):
            read_margins(texts)


@pytest.mark.parametrize("text", ["hits", "hits=", "hits=neither", "=lower", "hits=up"])
def test_a_side_is_lower_or_higher(text):
    with pytest.raises(UsageError, match="NAME=lower or NAME=higher"):
        read_sides([text])
