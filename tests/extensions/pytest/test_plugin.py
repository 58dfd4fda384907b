"""The plugin in sessions of its own, on a clock that the functions under test move: no time is measured."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys

import pytest

from steelyard.extensions.pytest.plugin import parse_milliseconds
from steelyard.lab.answer.analyze import analyze

TWO = """\
import pytest


def test_quick(steelyard, work):
    assert steelyard(work(1_000_000)) == 1_000_000


{marker}
def test_slow(steelyard, work):
    steelyard(work(2_000_000))
"""


def test_a_session_has_one_record_with_a_value_for_each_test_and_block(sessions):
    sessions.write(TWO.format(marker=""))
    done = sessions.run("--steelyard-blocks", "12", found=True)
    assert done.returncode == 0, done.stdout
    assert "test_it.py::test_quick" in done.stdout
    with sessions.record() as record:
        quick, slow = record.samples("time_s")
        orders = [outcome.block.order for outcome in record.outcomes()]
        answer = analyze(record)
    assert (len(quick), len(slow)) == (12, 12)
    assert quick.treatment.levels["test"] == "test_quick"
    assert all(0.00098 < value < 0.00102 for value in quick.values)
    assert {"".join(map(str, order)) for order in orders} == {"12", "21"}
    comparison, *_ = answer.comparisons
    assert (comparison.verdict, comparison.blocks) == ("slower", 12)
    assert "one_process" in comparison.flags


@pytest.mark.parametrize(
    ("marker", "fails", "words"),
    [
        ('@pytest.mark.faster_than("test_quick")', True, "faster than test_quick"),
        ('@pytest.mark.equivalent("test_quick", within=0.1)', True, "equivalent to test_quick within 10 %"),
        ('@pytest.mark.within("1 ms")', True, "at most 1.00 ms"),
        ('@pytest.mark.within("3 ms")', False, "at most 3.00 ms"),
    ],
)
def test_a_claim_that_fails_fails_its_test_in_words_with_the_evidence(sessions, marker, fails, words):
    sessions.write(TWO.format(marker=marker))
    done = sessions.run()
    assert done.returncode == int(fails), done.stdout
    result = " ".join(done.stdout.split())
    assert words in result
    assert ("fails;" if fails else "holds;") in result
    assert ("1 failed, 1 passed" in result) == fails


def test_the_last_lines_name_all_claims_that_failed(sessions):
    markers = '@pytest.mark.within("1 ms")\n@pytest.mark.faster_than("test_quick")'
    sessions.write(TWO.format(marker=markers))
    done = sessions.run("-vvv")
    end = done.stdout.partition("short test summary info")[2]
    assert "FAILED test_it.py::test_slow - " in end
    evidence = done.stdout.partition("FAILURES")[2].partition(" steelyard ")[0]
    for words in ("at most 1.00 ms", "faster than test_quick"):
        assert words in end
        assert words in evidence


def test_a_claim_about_a_faster_test_holds(sessions):
    sessions.write(
        TWO.format(marker="").replace(
            "def test_quick", '@pytest.mark.faster_than("test_slow", by=1.5)\ndef test_quick'
        )
    )
    done = sessions.run()
    assert done.returncode == 0, done.stdout
    assert "holds" in done.stdout


def test_growth_over_a_parameter_is_judged(sessions):
    sessions.write(
        """\
import pytest


@pytest.mark.scales(at_most="n log n")
@pytest.mark.scales("n")
@pytest.mark.parametrize("n", [10, 20, 40, 80, 160])
def test_linear(steelyard, work, n):
    steelyard(work(10_000 * n))


def test_without_parameters(steelyard, work):
    steelyard(work(1_000_000))


@pytest.mark.scales(at_most="n", parameter="n")
@pytest.mark.parametrize("n", [10, 20, 40, 80, 160])
def test_square(steelyard, work, n):
    steelyard(work(1_000 * n * n))
"""
    )
    done = sessions.run("--steelyard-blocks", "10")
    result = " ".join(done.stdout.split())
    assert done.returncode == 1, done.stdout
    assert "1 failed, 10 passed" in result
    assert "test_square" in result.partition("short test summary")[2]


def test_growth_over_four_sizes_is_listed_and_fails_no_test(sessions):
    sessions.write(
        """\
import pytest


@pytest.mark.scales(at_most="1")
@pytest.mark.parametrize("n", [10, 40, 160, 640])
def test_square(steelyard, work, n):
    steelyard(work(100 * n * n))
"""
    )
    done = sessions.run("--steelyard-blocks", "10")
    assert done.returncode == 0, done.stdout
    assert "not resolved" in " ".join(done.stdout.split())


def test_a_test_that_fails_by_itself_does_not_keep_others_from_being_timed(sessions):
    sessions.write(
        TWO.format(marker="")
        + "\n\ndef test_wrong(steelyard, work):\n    steelyard(work(1000))\n    assert 0\n"
    )
    done = sessions.run()
    assert "1 failed, 2 passed" in done.stdout
    with sessions.record() as record:
        assert len(record.treatments) == 2


def test_fixtures_are_set_up_for_every_pass_and_those_of_the_file_once(sessions):
    sessions.write(
        """\
import pytest

made = {"file": 0, "test": 0, "torn": 0}


@pytest.fixture(scope="module")
def of_file():
    made["file"] += 1
    yield
    made["torn"] += 1


@pytest.fixture
def of_test():
    made["test"] += 1


def test_first(steelyard, work, of_file, of_test):
    steelyard(work(1_000_000))


def test_second(steelyard, work, of_file, of_test):
    steelyard(work(1_000_000))


def test_plain(of_file):
    assert made == {"file": 1, "test": 2 * 6, "torn": 0}
"""
    )
    sessions.write(
        "import test_it\n\n\ndef test_after():\n    assert test_it.made['torn'] == 1\n", "test_later.py"
    )
    done = sessions.run("--steelyard-blocks", "5")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("text", ["nan", "inf", "-5", "0", "1e300", "much"])
def test_a_time_of_one_value_is_a_time(text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"{text!r} is not a time above 0"):
        parse_milliseconds(text)
    assert parse_milliseconds("0.1") == 0.1


@pytest.mark.parametrize("blocks", ["1", "100001"])
def test_a_number_of_blocks_that_no_session_ends_with_is_refused(sessions, blocks):
    sessions.write(TWO.format(marker=""))
    done = sessions.run("--steelyard-blocks", blocks)
    assert done.returncode == 4
    assert f"{blocks}: at least 2, since one value has no spread, and at most 100,000" in done.stderr


def test_a_single_test_has_its_fixtures_torn_down_between_passes(sessions):
    sessions.write(
        """\
import pytest

alive = 0


@pytest.fixture
def resource():
    global alive
    alive += 1
    assert alive == 1
    yield
    alive -= 1


def test_it(steelyard, work, resource):
    steelyard(work(1_000_000))
"""
    )
    done = sessions.run("--steelyard-blocks", "3")
    assert done.returncode == 0, done.stdout


def test_skipped_tests_stay_skipped(sessions):
    sessions.write("import pytest\n\n\ndef test_it(steelyard):\n    pytest.skip('not here')\n")
    assert "1 skipped" in sessions.run().stdout


def test_measuring_twice_in_a_test_is_an_error_in_words(sessions):
    sessions.write(
        "def test_it(steelyard, work):\n    steelyard(work(1_000_000))\n    steelyard(work(1_000_000))\n"
    )
    done = sessions.run()
    assert done.returncode == 1
    assert "a test measures one function" in done.stdout


def test_a_claim_about_a_test_of_another_file_is_an_error_in_words(sessions):
    sessions.write(TWO.format(marker='@pytest.mark.faster_than("test_other")'))
    done = sessions.run()
    assert done.returncode != 0
    assert "'test_other' is not a timed test that takes turns with it" in done.stdout + done.stderr
    assert "there are: test_quick" in done.stdout + done.stderr


WRONG = [
    'faster_than("test_right", by="often")',
    'faster_than("test_right", by=float("nan"))',
    "faster_than([1])",
    "faster_than()",
    'faster_than("test_other")',
    'equivalent("test_right", within=-1)',
    'within("5 parsecs")',
    'within("5 ms", by=2)',
    "within(None)",
    'scales("n ^^ 2")',
    "scales(5)",
    "turns",
    "turns(5)",
]


def test_markers_that_cannot_be_understood_fail_their_own_tests_only(sessions):
    test = "@pytest.mark.{}\ndef test_{}(steelyard, work):\n    steelyard(work(1_000_000))\n\n\n"
    wrong = "".join(test.format(marker, number) for number, marker in enumerate(WRONG))
    sessions.write("import pytest\n\n\n" + test.format('within("3 ms")', "right") + wrong)
    done = sessions.run("--steelyard-blocks", "3")
    assert done.returncode == 1
    assert "INTERNALERROR" not in done.stdout + done.stderr
    result = " ".join(done.stdout.split())
    assert f"{len(WRONG)} failed, 1 passed" in result
    assert "at most 3.00 ms at test = test_right: holds;" in result
    assert "tests.lab" not in result
    assert "claims[" not in result
    for number in range(len(WRONG)):
        assert f"- test_it.py::test_{number}: " in result


UNTIMED = """\
import pytest


@pytest.mark.within("1 ns")
def test_without_the_fixture():
    pass


@pytest.mark.within("1 ns")
def test_that_times_nothing(steelyard):
    pass


def test_timed(steelyard, work):
    steelyard(work(1_000_000))
"""


def test_a_claim_of_a_test_that_times_nothing_is_named_and_fails_strict_sessions(sessions):
    sessions.write(UNTIMED)
    done = sessions.run("--steelyard-blocks", "3")
    assert done.returncode == 0, done.stdout
    for name in ("test_without_the_fixture", "test_that_times_nothing"):
        assert f"test_it.py::{name}: not judged: it makes a claim about its time" in done.stdout
    done = sessions.run("--steelyard-blocks", "3", "--steelyard-strict")
    assert done.returncode == 1
    assert "2 failed, 1 passed" in done.stdout


def test_claims_of_a_session_that_times_nothing_fail_where_it_is_strict(sessions):
    sessions.write(TWO.format(marker='@pytest.mark.within("1 ns")'))
    done = sessions.run("--steelyard-off", "--steelyard-strict")
    assert done.returncode == 1
    assert "claims of 1 of them were not judged" in done.stdout
    assert (
        "FAILED steelyard - claims that were not judged, since their tests were not timed: 1" in done.stdout
    )
    sessions.write(TWO.format(marker=""))
    assert sessions.run("--steelyard-off", "--steelyard-strict").returncode == 0


def test_a_session_whose_claim_failed_is_not_kept(sessions):
    sessions.write(TWO.format(marker='@pytest.mark.faster_than("test_quick")'))
    done = sessions.run("--steelyard-save", "main", "--steelyard-blocks", "5")
    assert done.returncode == 1
    assert "not kept as main, since it fails by a claim: test_it.py::test_slow" in done.stdout
    assert not (sessions.directory / ".steelyard/main").exists()
    with sessions.record() as record:
        assert len(record.samples("time_s")) == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--steelyard-least-ms", "nan"),
        ("--steelyard-least-ms", "inf"),
        ("--steelyard-least-ms", "-1"),
        ("--steelyard-least-ms", "0"),
        ("--steelyard-least-ms", "soon"),
        ("--steelyard-blocks", "1"),
        ("--steelyard-blocks", "nan"),
        ("--steelyard-blocks", "-3"),
    ],
)
def test_numbers_that_are_none_are_refused(sessions, options):
    sessions.write(TWO.format(marker=""))
    done = sessions.run("=".join(options))
    assert done.returncode == 4
    assert re.search(rf"argument {options[0]}: '?{re.escape(options[1])}'?", done.stderr)


@pytest.mark.parametrize("fixture", ["steelyard", "benchmark"])
def test_an_async_function_is_refused_with_the_cure(sessions, fixture):
    (sessions.directory / "conftest.py").write_text("")
    sessions.write(f"async def wait():\n    pass\n\n\ndef test_it({fixture}):\n    {fixture}(wait)\n")
    done = sessions.run("--steelyard-as-benchmark", "-W", "error")
    assert done.returncode == 1
    assert "wait is async: calling it starts nothing" in done.stdout
    assert "lambda: asyncio.run(wait(...))" in done.stdout


def test_a_session_that_cannot_be_recorded_loses_no_result(sessions):
    sessions.write(TWO.format(marker=""))
    (sessions.directory / ".steelyard").write_text("a file in the way")
    done = sessions.run("--steelyard-blocks", "3")
    assert done.returncode == 0, done.stdout
    assert "the session cannot be recorded: " in done.stdout
    assert "2 passed" in done.stdout
    done = sessions.run("--steelyard-blocks", "3", "--steelyard-save", "main")
    assert done.returncode == 1
    assert "FAILED steelyard - the session cannot be recorded: " in done.stdout
    assert "1 failed, 2 passed" in done.stdout
    assert "INTERNALERROR" not in done.stdout


TURNS = """\
import pytest

made = []


@pytest.fixture(scope="module")
def of_file():
    made.append("up")
    yield made
    made.append("down")


def test_before(of_file):
    assert made == ["up"]


@pytest.mark.turns("both")
{marker}
def test_work(steelyard, work, of_file):
    steelyard(work({ns}))


def test_after(of_file):
    assert made[-1] == "up"
    assert made.count("up") == made.count("down") + 1
"""


def test_tests_of_a_group_take_turns_across_files_and_claims_reach_the_other_file(sessions):
    sessions.write(TURNS.format(marker="", ns=1_000_000), "test_one.py")
    claim = '@pytest.mark.faster_than("test_one.py::test_work")'
    sessions.write(TURNS.format(marker=claim, ns=2_000_000), "test_two.py")
    done = sessions.run("--steelyard-blocks", "6")
    assert done.returncode == 1, done.stdout
    assert "test_two.py::test_work faster than test_one.py::test_work" in " ".join(done.stdout.split())
    assert "5 passed" in done.stdout
    with sessions.record() as record:
        orders = [outcome.block.order for outcome in record.outcomes()]
        names = [treatment.levels["test"] for treatment in record.treatments]
    assert names == ["test_one.py::test_work", "test_two.py::test_work"]
    assert len(orders) == 6
    assert {"".join(map(str, order)) for order in orders} == {"12", "21"}


def test_fixtures_of_files_that_take_turns_are_torn_down_as_often_as_they_are_set_up(sessions):
    for name in ("test_one.py", "test_two.py"):
        sessions.write(TURNS.format(marker="", ns=1_000_000), name)
    sessions.write(
        "import test_one, test_two\n\n\ndef test_all_are_torn_down():\n"
        "    for file in (test_one, test_two):\n"
        "        assert file.made.count('up') == file.made.count('down') > 1\n",
        "test_zlast.py",
    )
    done = sessions.run("--steelyard-blocks", "3")
    assert done.returncode == 0, done.stdout


def test_classes_in_a_file_that_takes_turns_do_not_keep_each_other_from_it(sessions):
    sessions.write(
        "class TestA:\n    def test_it(self, steelyard, work):\n        steelyard(work(1_000_000))\n\n\n"
        "def test_plain():\n    pass\n\n\n"
        "class TestB:\n    def test_plain(self):\n        pass\n\n"
        "    def test_it(self, steelyard, work):\n        steelyard(work(2_000_000))\n"
    )
    done = sessions.run("--steelyard-blocks", "4")
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


def test_under_xdist_nothing_is_timed_and_it_says_so(sessions):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    sessions.write(TWO.format(marker='@pytest.mark.within("1 ns")'))
    done = sessions.run("-n", "1", found=True)
    assert done.returncode == 0, done.stdout
    assert "not timed, under pytest-xdist (-n 0 times them)" in done.stdout
    assert not (sessions.directory / ".steelyard").exists()


def test_with_timing_off_functions_are_called_once(sessions):
    sessions.write(
        "def test_it(steelyard):\n    calls = []\n    steelyard(calls.append, 1)\n    assert calls == [1]\n"
    )
    done = sessions.run("--steelyard-off")
    assert done.returncode == 0, done.stdout
    assert "1 test ran once and was not timed, as --steelyard-off asks" in done.stdout


def test_sessions_are_kept_one_after_the_other(sessions):
    sessions.write(TWO.format(marker=""))
    for _ in range(3):
        assert sessions.run("--steelyard-save", "main", "--steelyard-blocks", "5").returncode == 0
    names = sorted(path.name for path in (sessions.directory / ".steelyard" / "main").glob("*.lab"))
    assert names == ["0001.lab", "0002.lab", "0003.lab"]


@pytest.mark.parametrize("chosen", [("-k", "quick"), ("--deselect", "test_it.py::test_slow"), ("--lf",)])
def test_tests_that_are_chosen_run_without_the_others_of_their_file(sessions, chosen):
    sessions.write(TWO.format(marker="").replace("== 1_000_000", "== 1"))
    if chosen == ("--lf",):
        assert sessions.run("-p", "cacheprovider").returncode == 1
        chosen = ("--lf", "-p", "cacheprovider")
    done = sessions.run(*chosen)
    assert "1 failed" in done.stdout, done.stdout
    assert "test_slow" not in done.stdout


OF_PYTEST_BENCHMARK = """\
def test_call(benchmark):
    assert benchmark(sum, [1, 2]) == 3


def test_pedantic(benchmark):
    benchmark.extra_info["n"] = 2
    assert benchmark.pedantic(sum, args=([1, 2],), rounds=3, iterations=2, warmup_rounds=1) == 3


def test_setup(benchmark):
    made = []

    def setup():
        made.append(1)
        return ([1, 2],), {}

    assert benchmark.pedantic(sum, setup=setup, rounds=2) == 3
    assert made


def test_stats(benchmark):
    assert benchmark.stats is None
    benchmark(sum, [1, 2])
    assert 0 < benchmark.stats["min"] <= benchmark.stats.stats.mean <= benchmark.stats["max"] < 1
    assert benchmark.stats["rounds"] <= 3
"""


def test_tests_that_were_written_for_pytest_benchmark_run_unchanged(sessions):
    sessions.write(OF_PYTEST_BENCHMARK)
    (sessions.directory / "conftest.py").write_text("")
    done = sessions.run("--steelyard-as-benchmark", "--steelyard-blocks", "3", "--steelyard-least-ms", "0.05")
    assert done.returncode == 0, done.stdout
    with sessions.record() as record:
        assert [len(sample) for sample in record.samples("time_s")] == [3, 3, 3, 3]


def test_both_plugins_at_once_are_refused_with_the_cure(sessions):
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    sessions.write(OF_PYTEST_BENCHMARK)
    command = [sys.executable, "-m", "pytest", "-q", "--steelyard-as-benchmark"]
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        command, cwd=sessions.directory, env=env, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 4
    assert "add -p no:benchmark" in done.stdout + done.stderr


def test_a_session_without_timed_tests_says_nothing(sessions):
    sessions.write("def test_it():\n    pass\n")
    assert "= steelyard =" not in sessions.run().stdout
