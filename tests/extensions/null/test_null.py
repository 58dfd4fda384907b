"""The command against itself: real trials, few of them; benchmarks/null measures the rates themselves."""

from __future__ import annotations

import json
import signal

import click
import pytest

from steelyard.core.errors import InterruptedRunError, ProgramError, UsageError
from steelyard.extensions.null import null as null_room
from steelyard.extensions.null.null import make_itself, null
from steelyard.extensions.null.option import Null, read_null
from steelyard.extensions.null.results import NULL, NullResult, Tally
from steelyard.extensions.null.words import lines
from steelyard.lab.compare.compare import CompareRequest
from steelyard.report.text.line import plain
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson
from steelyard.store import Record


def comparing(command="/bin/true", **keys):
    return CompareRequest(commands=(command,), blocks=3, rel_halfwidth=None, **keys)


def ran(directory, request, comparisons=2, *, keep=True, watch=lambda *_: None):
    return null(
        "itself",
        request,
        make_itself(request),
        comparisons=comparisons,
        directory=directory,
        keep=keep,
        watch=watch,
    )


def test_each_comparison_is_a_record_of_its_own_both_ways_with_a_seed_of_its_own(tmp_path):
    result = ran(tmp_path / "null", comparing(seed=7))
    assert [(item.way, item.comparisons) for item in result.tallies] == [("blocks", 2), ("sequential", 2)]
    seeds = set()
    for number in (1, 2):
        for way, order in (("blocks", "randomized"), ("sequential", "sequential")):
            with Record.open(tmp_path / "null" / f"{number:06}" / f"{way}.lab") as record:
                assert record.experiment.design.order == order
                assert record.runs()[-1].state == "complete"
                assert [len(sample) for sample in record.samples("wall_s")] == [3, 3]
                seeds.add(record.experiment.design.seed)
    assert len(seeds) == 2


def test_the_same_seed_gives_the_same_orders(tmp_path):
    orders = []
    for name in ("one", "two"):
        ran(tmp_path / name, comparing(seed=3), comparisons=1)
        with Record.open(tmp_path / name / "000001" / "blocks.lab") as record:
            orders.append([outcome.block.order for outcome in record.outcomes()])
    assert orders[0] == orders[1]


def test_what_is_not_to_be_kept_leaves_nothing(tmp_path):
    ran(tmp_path / "null", comparing(), comparisons=1, keep=False)
    assert list(tmp_path.iterdir()) == []


def test_the_record_of_a_comparison_that_fails_stays_where_the_error_says(tmp_path):
    with pytest.raises(ProgramError) as error:
        ran(tmp_path / "null", comparing("/bin/ls /nowhere-at-all"), keep=False)
    (failed,) = (tmp_path / "null").glob("000001/*.lab/failed")
    assert str(failed) in str(error.value.hint)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_gives_what_there_is(tmp_path, number):
    def interrupt_later(done, *_):
        if done >= 2:
            signal.raise_signal(number)

    result = ran(tmp_path / "null", comparing(), comparisons=50, keep=False, watch=interrupt_later)
    assert result.interrupted
    assert sum(tally.comparisons for tally in result.tallies) == 2
    assert result.target == 50
    assert list(tmp_path.iterdir()) == []


def test_time_that_is_over_gives_what_there_is_and_one_comparison_both_ways_at_least(tmp_path):
    result = ran(tmp_path / "null", comparing(max_time_s=0.0), comparisons=50, keep=False)
    assert [tally.comparisons for tally in result.tallies] == [1, 1]
    assert (result.out_of_time, result.interrupted) == (True, False)
    assert "out of time; 50 comparisons were wanted" in plain(lines(result, 80))
    assert json.loads(NULL.text(result))["out_of_time"] is True


def test_an_interruption_before_the_first_comparison_is_only_an_interruption(tmp_path):
    with pytest.raises(InterruptedRunError):
        ran(tmp_path / "null", comparing(), watch=lambda *_: signal.raise_signal(signal.SIGINT))


def test_both_ways_take_turns_in_an_order_that_is_drawn(tmp_path, monkeypatch):
    order = []

    def stop_after_40(_experiment, record):
        order.append(record.stem)
        if len(order) == 40:
            raise InterruptedRunError("enough")

    monkeypatch.setattr(null_room, "_compare", stop_after_40)
    monkeypatch.setattr(null_room, "tally", lambda way, value: tallied(way, len(value), 0, None))
    ran(tmp_path / "null", comparing(), comparisons=21)
    pairs = [tuple(order[i : i + 2]) for i in range(0, 40, 2)]
    assert set(pairs) == {("blocks", "sequential"), ("sequential", "blocks")}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"commands": ("a", "b")}, "2 are given"),
        ({"commands": ("a {n}",), "parameters": {"n": ["1", "2"]}}, "without parameters"),
        ({"commands": ("a",), "names": ("one",)}, "without parameters or names"),
    ],
)
def test_a_null_is_of_one_command_alone(keys, message):
    with pytest.raises(UsageError, match=message):
        make_itself(CompareRequest(**keys))


def tallied(way, comparisons, different, largest):
    exact = clopper_pearson(different, comparisons)
    return Tally(way, comparisons, different, different / comparisons, exact, largest)


def result_of(different, comparisons, **keys):
    ours = tallied("blocks", comparisons, different, 2.0)
    result = tallied("sequential", comparisons, comparisons // 3, 3.0)
    inputs = {
        "kind": "itself",
        "command": "/bin/true",
        "blocks": 20,
        "seed": 1,
        "alpha": 0.05,
        "target": comparisons,
        "tallies": (ours, result),
        "interrupted": False,
    }
    return NullResult(**(inputs | keys))


@pytest.mark.parametrize(
    ("different", "words"),
    [(50, "as promised"), (90, "more often than promised"), (20, "less often than promised")],
)
def test_the_share_is_judged_by_its_exact_interval(different, words):
    text = " ".join(plain(lines(result_of(different, 1000), 80)).split())
    assert words in text
    assert f"{different} of 1000" in text


def test_a_null_of_layouts_says_what_it_does_not_vary_and_what_would():
    of_layouts = " ".join(plain(lines(result_of(50, 1000, kind="layout"), 80)).split())
    assert 'Link orders are not varied here: code = "random" in the [contexts]' in of_layouts
    assert "Link orders" not in plain(lines(result_of(50, 1000), 80))


def test_so_few_comparisons_that_nothing_can_be_told_keep_no_promise():
    text = " ".join(plain(lines(result_of(1, 5), 80)).split())
    assert "too few to tell whether that is what was promised (5 %)" in text
    assert ", as promised" not in text


def test_text_fits_80_columns_and_says_that_it_was_interrupted():
    text = plain(lines(result_of(1000, 10000, interrupted=True, target=20000, command="x" * 300), 80))
    assert max(map(len, text.splitlines())) <= 80
    assert "interrupted; 20000 comparisons were wanted" in text


def test_json_has_counts_shares_and_exact_intervals():
    document = json.loads(NULL.text(result_of(50, 1000)))
    assert (document["format"], document["version"], document["null"]) == ("steelyard/null", 2, "itself")
    ours, second = document["ways"]
    # R 4.2: binom.test(50, 1000)$conf.int
    assert ours["ci95"] == pytest.approx([0.03733540, 0.06539049], abs=1e-6)
    assert (ours["different"], ours["comparisons"], ours["share"]) == (50, 1000, 0.05)
    assert ours["largest_ratio"] == 2.0
    assert second["way"] == "sequential"


def test_the_command_line_takes_the_next_word_as_the_command(steelyard_cli):
    done = steelyard_cli("compare", "--null=2", "/bin/true", "-r", "2", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["command"], document["wanted"], document["blocks"]) == ("/bin/true", 2, 2)


@pytest.mark.parametrize(
    ("value", "kind", "comparisons"),
    [("itself", "itself", None), ("layout", "layout", None), ("7", "itself", 7), ("layout,50", "layout", 50)],
)
def test_a_null_has_a_kind_a_number_of_comparisons_or_both(value, kind, comparisons):
    assert read_null(value) == Null(kind, comparisons)


@pytest.mark.parametrize("value", ["", "0", "1000001", "layout,", ",5", "-3", "2.5", "stack", "²"])
def test_another_value_of_null_is_refused(value):
    with pytest.raises(click.BadParameter, match="comparisons"):
        read_null(value)


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        (("--min-runs", "6"), "hint: --runs 6 instead"),
        (("--max-runs", "7"), "hint: --runs 7 instead"),
        (("--strict",), "hint: leave --strict out; --json has the rates"),
        (("--margin", "0.1"), "hint: leave --margin out"),
        (("--until", "verdict"), "hint: leave --until out"),
    ],
)
def test_what_a_null_would_not_heed_is_refused_with_the_cure(steelyard_cli, option, hint):
    done = steelyard_cli("compare", "--null", *option, "/bin/true")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {option[0]} has no meaning with --null: ")
    assert done.stderr.rstrip().endswith(hint)


def test_the_time_that_a_null_may_take_ends_it(steelyard_cli):
    done = steelyard_cli("compare", "--null", "-r", "2", "--max-time", "1 ms", "true", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["out_of_time"], document["wanted"]) == (True, 100)
    assert [way["comparisons"] for way in document["ways"]] == [1, 1]


def test_ctrl_c_on_the_command_line_prints_what_there_is_and_exits_130(
    steelyard_started, tmp_path, eventually
):
    process = steelyard_started("compare", "--null=9999", "-r", "2", "true", "-o", "itself")
    eventually((tmp_path / "itself" / "000003").exists, process)
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate()
    assert (process.returncode, errors) == (130, "")
    assert "interrupted; 9999 comparisons were wanted" in text
    assert "randomised blocks" in text
