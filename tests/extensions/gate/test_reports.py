"""A gate over folders of reports: those of ReFrame's nights, and what is gone, new, failed or unclear."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

NIGHTS = Path(__file__).parents[3] / "examples" / "nightly" / "reports"


@pytest.fixture
def folders(tmp_path):
    """``folders(before, after)``: folders with the nights of these numbers."""

    def make(before, after) -> tuple[str, str]:
        for name, nights in (("before", before), ("after", after)):
            (tmp_path / name).mkdir()
            for night in nights:
                shutil.copy(NIGHTS / f"2026-11-{night:02}.json.gz", tmp_path / name)
        return str(tmp_path / "before"), str(tmp_path / "after")

    return make


def write_table(folder: Path, name: str, **values: str) -> None:
    folder.mkdir(exist_ok=True)
    benchmarks = [
        {"command": test, "times": [float(text)], "exit_codes": [0]}
        if text != "failed"
        else {"command": test, "times": [0.1], "exit_codes": [1]}
        for test, text in values.items()
    ]
    (folder / f"{name}.json").write_text(json.dumps({"results": benchmarks}))


def test_each_variable_of_each_test_has_a_row_and_all_are_one_family(folders, steelyard_cli):
    sides = folders((1, 2, 3, 4, 6, 7), range(13, 20))
    done = steelyard_cli("gate", "--reports", *sides)
    assert (done.returncode, done.stderr) == (1, "")
    rows = [line.split() for line in done.stdout.splitlines() if "Solver node=" in line and "×" in line]
    verdicts = {(row[2], row[3]): row[-1] for row in rows}
    assert len(verdicts) == 12
    assert {key for key, verdict in verdicts.items() if verdict == "worse"} == {
        ("node=nid03", "triad"),
        *((f"node=nid0{number}", "rate") for number in range(1, 5)),
    }
    assert len(json.loads(steelyard_cli("gate", "--reports", *sides, "--json").stdout)["verdicts"]) == 12
    assert "at most 0.05 (Holm)" in " ".join(done.stdout.split())


def test_runs_of_base_that_failed_leave_their_test_not_judged(folders, steelyard_cli):
    sides = folders(range(1, 8), range(13, 20))
    done = steelyard_cli("gate", "--reports", *sides, "--metric", "rate")
    text = " ".join(done.stdout.split())
    assert "Not judged, since runs failed or timed out" in text
    assert "file=base, benchmark=Solver node=nid02: 1 of 7 runs failed" in text
    allowed = steelyard_cli("gate", "--reports", *sides, "--metric", "rate", "--allow-failures", "1")
    assert "not judged" not in allowed.stdout


def test_a_failed_run_of_head_ends_with_5_though_nothing_is_worse(tmp_path, steelyard_cli):
    for night, time in enumerate((1.0, 1.01, 0.99, 1.0, 1.01, 0.99)):
        write_table(tmp_path / "a", str(night), fft=str(time), sort=str(2 * time))
        write_table(tmp_path / "b", str(night), fft=str(time), sort="failed" if night == 3 else str(2 * time))
    done = steelyard_cli("gate", "--reports", "a", "b", cwd=tmp_path)
    assert done.returncode == 5
    assert "1 run failed" in done.stdout
    assert "1 run failed" not in steelyard_cli("gate", "--reports", "b", "a", cwd=tmp_path).stdout


def test_a_test_that_is_gone_ends_with_6_and_one_that_is_new_is_named(tmp_path, steelyard_cli):
    for night, time in enumerate((1.0, 1.01, 0.99, 1.0, 1.01, 0.99)):
        write_table(tmp_path / "a", str(night), fft=str(time), sort=str(2 * time))
        write_table(tmp_path / "b", str(night), fft=str(time), scan=str(2 * time))
    done = steelyard_cli("gate", "--reports", "a", "b", cwd=tmp_path)
    assert done.returncode == 6
    assert "Only base has wall_s of sort." in done.stdout
    assert "Only head has wall_s of scan." in done.stdout


def test_documents_name_what_is_gone_or_failed_and_are_not_green(tmp_path, steelyard_cli):
    for night, time in enumerate((1.0, 1.01, 0.99, 1.0, 1.01, 0.99)):
        write_table(tmp_path / "a", str(night), fft=str(time), sort=str(2 * time))
        write_table(tmp_path / "b", str(night), fft=str(time), scan="failed")
    words = ("gate", "--reports", "a", "b", "--margin", "90%", "--markdown", "it.md", "--junit", "it.xml")
    done = steelyard_cli(*words, "--json", cwd=tmp_path)
    assert done.returncode == 6
    document = json.loads(done.stdout)
    assert [entry["verdict"] for entry in document["verdicts"]] == ["holds"]
    assert {entry["argument"]: entry["message"] for entry in document["errors"]} == {
        "wall_s of sort": "only base has it",
        "failed runs": "6 runs failed",
    }
    text = (tmp_path / "it.md").read_text()
    assert text.startswith("### ✗ Steelyard: 1 holds, 2 could not be judged")
    assert "only base has it" in text
    assert (tmp_path / "it.xml").read_text().count("<error") == 2


def test_a_report_that_cannot_be_read_leaves_no_green_file(tmp_path, steelyard_cli):
    write_table(tmp_path / "a", "1", fft="1")
    write_table(tmp_path / "b", "1", fft="1")
    (tmp_path / "b" / "2.json").write_text("{")
    (tmp_path / "it.md").write_text("### ✓ Steelyard: of an earlier run\n")
    done = steelyard_cli("gate", "--reports", "a", "b", "--markdown", "it.md", cwd=tmp_path)
    assert done.returncode == 2
    text = (tmp_path / "it.md").read_text()
    assert "2.json" in text
    assert "✓" not in text


def test_a_test_of_another_name_is_not_judged_against_the_only_one(tmp_path, steelyard_cli):
    for night in range(3):
        write_table(tmp_path / "a", str(night), fft="1.0")
        write_table(tmp_path / "b", str(night), sort="1.0")
    done = steelyard_cli("gate", "--reports", str(tmp_path / "a"), str(tmp_path / "b"))
    assert done.returncode == 2
    assert "share no variable of a test" in done.stderr
    assert "name reports of the same tests" in done.stderr


def test_a_single_report_of_each_side_decides_nothing(folders, steelyard_cli):
    done = steelyard_cli("gate", "--reports", *folders((1,), (13,)))
    assert done.returncode == 3
    assert "12 of 12 variables open" in done.stdout


def test_reports_on_which_no_verdict_rests_show_their_values(tmp_path, steelyard_cli):
    write_table(tmp_path / "a", "1", fft="1", sort="2.5")
    write_table(tmp_path / "b", "1", fft="1.25", sort="2")
    done = steelyard_cli("gate", "--reports", "a", "b", cwd=tmp_path)
    assert "1.000 → 1.250 s" in done.stdout
    assert "2.500 → 2.000 s" in done.stdout
    assert done.stdout.count("1 + 1") == 2
    assert "One report of a side decides nothing" in done.stdout


def test_a_percentage_is_judged_by_the_side_that_is_named(tmp_path, steelyard_cli):
    for side, value in (("a", 90.0), ("b", 80.0)):
        (tmp_path / side).mkdir()
        for night in range(6):
            (tmp_path / side / f"{night}.csv").write_text(f"test,fill level\nfft,{value + night / 10}\n")
    words = ("gate", "--reports", "a", "b", "--value", "fill level", "--by", "test", "--unit", "%")
    unnamed = steelyard_cli(*words, cwd=tmp_path)
    assert unnamed.returncode == 2
    assert "--better 'fill level'=lower" in unnamed.stderr
    for name in ("fill level", "fill_level"):
        done = steelyard_cli(*words, "--better", f"{name}=higher", cwd=tmp_path)
        assert done.stdout.startswith("✗ 1 of 1 variable worse")
    assert steelyard_cli(*words, "--better", "fill level=lower", cwd=tmp_path).returncode != 1


def test_a_name_of_two_lines_is_a_row_as_any_other(tmp_path, steelyard_cli):
    for night in range(6):
        write_table(tmp_path / "a", str(night), **{"fft\nof 8": f"1.0{night}"})
        write_table(tmp_path / "b", str(night), **{"fft\nof 8": f"2.0{night}"})
    done = steelyard_cli("gate", "--reports", str(tmp_path / "a"), str(tmp_path / "b"))
    assert done.returncode == 1, done.stderr
    row = next(line for line in done.stdout.splitlines() if "fft" in line)
    assert r"fft\nof 8" in row
    assert row.endswith("worse")


def test_equal_nights_pass_where_slow_runs_cannot_hide(folders, steelyard_cli, tmp_path):
    sides = folders(range(13, 19), range(19, 25))
    words = ("gate", "--reports", *sides, "--metric", "triad,rate", "--junit", str(tmp_path / "gate.xml"))
    done = steelyard_cli(*words, "--margin", "60%", "--strict")
    assert done.returncode == 0
    assert done.stdout.startswith("✓ none of 8 variables is worse by more than the margin\n")
    assert (tmp_path / "gate.xml").read_text().count("<testcase") == 8
    narrow = steelyard_cli(*words, "--margin", "20%")
    assert narrow.returncode == 3
    assert "8 variables would pass with" in " ".join(narrow.stdout.split())


def test_tables_are_reports_by_the_names_of_their_columns(tmp_path, steelyard_cli):
    for side, factor in (("a", 1.0), ("b", 1.3)):
        (tmp_path / side).mkdir()
        for night, time in enumerate((1.0, 1.01, 0.99, 1.0, 1.01, 0.99)):
            rows = f"fft,{factor * time}\nsort,TIMEOUT\n"
            (tmp_path / side / f"{night}.csv").write_text(f"test,time_s\n{rows}")
    words = ("gate", "--reports", "a", "b", "--value", "time_s", "--by", "test")
    done = steelyard_cli(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("✗ 1 of 1 variable worse, 0 open; 6 runs failed\n")
    assert "1.30" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--reports", "a"), "two folders are needed, got 1"),
        (("--reports", "a", "nowhere"), "nowhere does not exist"),
        (("--reports", "a", "empty"), "empty holds no report"),
        (("--reports", "a", "a"), "a is both sides"),
        (("--reports", "a", "b", "--", "go", "test"), "a command is about measuring"),
        (("--reports", "a", "b", "--qualify"), "--qualify is about measuring"),
        (("--reports", "a", "b", "--metric", "rate"), "--metric rate: no report has it"),
        (("--reports", "a", "b", "--margin", "rate=1%"), "--margin rate=…: no report has it"),
        (("--reports", "a", "b", "--better", "rate=higher"), "--better rate=…: no report has it"),
        (("--reports", "a", "b", "--harness", "go"), "--harness is about measuring"),
        (("--reports", "a", "b", "--max-time", "3"), "--max-time is about measuring"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, steelyard_cli, words, message):
    write_table(tmp_path / "a", "1", fft="1")
    write_table(tmp_path / "b", "1", fft="1")
    (tmp_path / "empty").mkdir()
    done = steelyard_cli("gate", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
