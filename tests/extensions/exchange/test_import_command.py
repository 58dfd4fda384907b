"""``steelyard import``, as a user types it; readers and records are tested beside it."""

from __future__ import annotations

import json
import random

import pytest


def hyperfine(*times):
    return json.dumps({"results": [{"command": "a", "mean": 1.0, "times": list(times)}]})


def test_a_file_becomes_a_record_beside_it_that_is_analysed_and_exported(steelyard_cli, tmp_path):
    (tmp_path / "it.json").write_text(hyperfine(*[1.0, 1.1] * 6))
    done = steelyard_cli("import", "it.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "it.lab: 12 trials of 1 treatment\nsteelyard analyze it.lab\n"
    assert steelyard_cli("analyze", "it.lab").returncode == 0
    assert steelyard_cli("status", "it.lab").returncode == 0
    exported = steelyard_cli("export", "it.lab", "--format", "hyperfine")
    assert json.loads(exported.stdout)["results"][0]["times"] == [1.0, 1.1] * 6


def test_files_are_compared_by_their_names_and_claims_are_judged(steelyard_cli, tmp_path):
    (tmp_path / "old.json").write_text(hyperfine(*[2.0, 2.01, 1.99] * 4))
    (tmp_path / "new.json").write_text(hyperfine(*[1.0, 1.01, 0.99] * 4))
    (tmp_path / "claims.toml").write_text('[[claims]]\nfaster = { file = "old" }\nthan = { file = "new" }\n')
    done = steelyard_cli("import", "old.json", "new.json", "-o", "it.lab", "--claims", "claims.toml")
    assert done.returncode == 0, done.stderr
    checked = steelyard_cli("check", "it.lab", "--sarif", "it.sarif", "--junit", "it.xml")
    assert checked.returncode == 1
    assert "24 runs of these two sessions, if nothing drifted" in " ".join(checked.stdout.split())
    (result,) = json.loads((tmp_path / "it.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("fails", "error")
    assert "<failure" in (tmp_path / "it.xml").read_text()


def test_files_of_one_name_are_launches_of_the_same(steelyard_cli, tmp_path):
    for i in range(4):
        (tmp_path / f"{i}.json").write_text(hyperfine(1.0 + 0.1 * i))
    done = steelyard_cli("import", "a=0.json", "a=1.json", "b=2.json", "b=3.json", "-o", "it.lab")
    assert done.stdout.startswith("it.lab: 4 trials of 2 treatments\n")


def test_a_table_needs_its_columns(steelyard_cli, tmp_path):
    (tmp_path / "it.csv").write_text("kind,time\na,1\nb,2\n")
    done = steelyard_cli("import", "it.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: it.csv: --value is missing: which column has the measurements?\n\n"
        "hint: --value COLUMN, one of: kind, time\n"
    )
    again = steelyard_cli("import", "it.csv", "--value", "time", "--by", "kind", "--unit", "ms")
    assert again.returncode == 0


def test_a_file_that_was_cut_off_leaves_no_record(steelyard_cli, tmp_path):
    (tmp_path / "it.json").write_text(hyperfine(1.0)[:-4])
    done = steelyard_cli("import", "it.json")
    assert done.returncode == 2
    assert done.stderr.startswith("error: it.json: the file is cut off")
    assert not (tmp_path / "it.lab").exists()


def test_running_what_another_tool_measured_is_refused(steelyard_cli, tmp_path):
    (tmp_path / "it.json").write_text(hyperfine(1.0, 1.1))
    steelyard_cli("import", "it.json")
    done = steelyard_cli("run", "it.lab")
    assert done.returncode == 2
    assert "was imported from another tool" in done.stderr


def test_claims_come_from_a_file_of_claims(steelyard_cli, tmp_path):
    (tmp_path / "it.json").write_text(hyperfine(1.0, 1.1))
    (tmp_path / "claims.toml").write_text("blocks = 3\n")
    done = steelyard_cli("import", "it.json", "--claims", "claims.toml")
    assert done.returncode == 2
    assert "expected [[claims]] alone, got blocks" in done.stderr


def test_a_file_that_is_named_twice_is_refused_whatever_it_is_called(steelyard_cli, tmp_path):
    (tmp_path / "it.json").write_text(hyperfine(1.0, 1.1, 1.0))
    done = steelyard_cli("import", "a=it.json", "b=./it.json", "-o", "it.lab")
    assert done.returncode == 2
    assert "it.json is named twice" in done.stderr
    assert not (tmp_path / "it.lab").exists()


@pytest.mark.extensions("outputs")
def test_files_of_runs_that_all_failed_before_a_value_are_refused_with_the_reason(steelyard_cli, tmp_path):
    file = tmp_path / "down.json"
    document = {"start": {"version": "iperf 3.12"}, "intervals": [], "end": {}, "error": "unable to connect"}
    file.write_text(json.dumps(document, indent=1))
    answer = steelyard_cli("import", file.name, "-o", "x.lab")
    assert answer.returncode == 2
    assert f"{file.name}: no value: the only run failed (unable to connect)" in answer.stderr
    assert not (tmp_path / "x.lab").exists()


def test_a_record_whose_runs_all_failed_says_so_and_counts_them_when_asked(steelyard_cli, tmp_path):
    file = tmp_path / "false.json"
    result = {"command": "false", "times": [0.1, 0.11, 0.12], "exit_codes": [1, 1, 1]}
    file.write_text(json.dumps({"results": [result]}))
    steelyard_cli("import", file.name, "-o", "x.lab")
    answer = steelyard_cli("analyze", "x.lab")
    assert answer.returncode == 2
    assert "x.lab: each of 3 runs failed" in answer.stderr
    assert "--failures count" in answer.stderr
    steelyard_cli("import", file.name, "--failures", "count", "-o", "y.lab")
    assert "110 ±" in steelyard_cli("analyze", "y.lab").stdout


SIDES = "arm,rate,energy\na,10,5\na,11,5.1\na,10.5,5.2\nb,12,4\nb,12.1,4.2\nb,12.2,4.1\n"
COLUMNS = ("--value", "rate", "--value", "energy", "--by", "arm", "--unit", "x/s")


def test_each_column_of_a_table_has_its_own_better_side(steelyard_cli, tmp_path):
    (tmp_path / "t.csv").write_text(SIDES)
    words = ("--better", "higher", "--better", "energy=lower", "-o", "t.lab")
    assert steelyard_cli("import", "t.csv", *COLUMNS, *words).returncode == 0
    answer = json.loads(steelyard_cli("analyze", "t.lab", "--json").stdout)
    speedups = {entry["metric"]: entry["speedup"]["value"] for entry in answer["comparisons"]}
    assert set(speedups) >= {"rate", "energy"}
    assert min(speedups.values()) > 1


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("share=lower", "--better share=lower: share is no --value"),
        ("energy", "--better energy: expected lower, higher or neither, or COLUMN=SIDE"),
    ],
)
def test_a_better_side_that_means_nothing_is_refused(steelyard_cli, tmp_path, word, message):
    (tmp_path / "t.csv").write_text(SIDES)
    done = steelyard_cli("import", "t.csv", *COLUMNS, "--better", word, "-o", "t.lab")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"error: {message}")


def test_a_test_that_only_the_first_file_has_is_named_by_check_too(steelyard_cli, tmp_path):
    rows = [f"{test},{1 + i / 100}\n" for test in ("x", "z") for i in range(6)]
    for name, count in (("old", 12), ("new", 6)):
        (tmp_path / f"{name}.csv").write_text("".join(["test,time_s\n", *rows[:count]]))
    files = (f"{name}={tmp_path / name}.csv" for name in ("old", "new"))
    record = str(tmp_path / "it.lab")
    columns = ("--value", "time_s", "--by", "test")
    imported = steelyard_cli("import", *files, *columns, "--each", "2%", "-o", record)
    for text in (imported.stdout, steelyard_cli("check", record).stdout):
        assert "Not judged, since only the first file has them: time_s of z" in " ".join(text.split())


def test_a_suite_with_failures_says_how_many_and_names_the_first_with_reasons(steelyard_cli, tmp_path):
    cases = "".join(
        f'<testcase classname="m" name="t{number}" time="0.{number + 10}">'
        + (f'<failure message="broken {number}">x</failure>' if number % 2 else "")
        + "</testcase>"
        for number in range(12)
    )
    (tmp_path / "suite.xml").write_text(f'<testsuites><testsuite name="s">{cases}</testsuite></testsuites>')
    done = steelyard_cli("import", "suite.xml", cwd=tmp_path)
    line = "- 6 of 12 runs failed: t1 (broken 1), t3 (broken 3), t5 (broken 5) and 3 more."
    assert line in done.stdout
    answer = steelyard_cli("analyze", "suite.lab", cwd=tmp_path)
    assert "1 of 1 runs failed: broken 1 (and 5 other reasons)" in " ".join(answer.stdout.split())


def test_variables_of_two_tables_without_tests_have_names_and_counts_that_read_well(steelyard_cli, tmp_path):
    draw = random.Random(3)
    for name, rate in (("new", 100), ("old", 120)):
        rows = "".join(
            f"{rate * draw.gauss(1, 0.01):.3f},{1000 * draw.gauss(1, 0.01) / rate:.3f}\n" for _ in range(20)
        )
        (tmp_path / f"{name}.csv").write_text(f"rate,ignored\n{rows}")
    words = ("old.csv", "new.csv", "--value", "rate", "--unit", "img/s", "--each", "2%", "-o", "r.lab")
    assert steelyard_cli("import", *words, cwd=tmp_path).returncode == 0
    text = " ".join(steelyard_cli("check", "r.lab", cwd=tmp_path).stdout.split())
    assert text.startswith("✗ rate: new not slower than old by 2 %")
    assert "400 of 400 run pairs" in text
