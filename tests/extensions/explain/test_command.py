"""``steelyard explain``, as a user types it."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing

import pytest

PROFILER = """\
import subprocess, sys
file, *command = sys.argv[1:]
done = subprocess.run(command)
slow = 60 if "new" in command[-1] else 40
open(file, "w").write(f"main;parse (p.c:3) {slow}\\nmain;hash (h.c:8) 50\\nmain 10\\n")
sys.exit(done.returncode)
"""


def check_sum(document):
    named = [entry["value"] for entry in document["contributions"]]
    pool = document["pool"]["value"] if document["pool"] else 0.0
    waiting = document["waiting"]["value"] if document["waiting"] else 0.0
    assert sum(named) + pool + waiting + document["remainder"]["value"] == pytest.approx(
        document["change"], abs=1e-9
    )


@pytest.mark.extensions("page")
def test_a_real_difference_is_measured_kept_and_explained_again_from_the_record(
    perf, compiled, steelyard_cli, tmp_path
):
    old, new = compiled("old"), compiled("new", times=3)
    files = ("--collapsed", "x.txt", "--speedscope", "x.json")
    done = steelyard_cli("explain", "-m", "12", "-o", "x.lab", "--json", *files, str(old), str(new))
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["format"], document["version"], document["blocks"]) == ("steelyard/explanation", 1, 12)
    names = {entry["name"]: entry for entry in document["contributions"]}
    assert names["parse"]["file"].endswith("program.c")
    check_sum(document)
    # Far from any factor between units: no time of this machine is compared.
    assert -1 < document["sampler"]["old"] < 100
    assert "main" in (tmp_path / "x.txt").read_text()
    assert len(json.loads((tmp_path / "x.json").read_text())["profiles"]) == 2
    assert not (tmp_path / "x.lab-sampled").exists()
    again = steelyard_cli("explain", "x.lab", "--json", "--html", "x.html")
    assert json.loads(again.stdout) == document
    assert "Call chains of the new program" in (tmp_path / "x.html").read_text()


def test_another_profiler_explains_by_its_collapsed_stacks(steelyard_cli, tmp_path):
    (tmp_path / "profiler.py").write_text(PROFILER)
    profiler = f"{sys.executable} profiler.py {{profile}} {{command}}"
    command = ("explain", "-m", "12", "-o", "x.lab", "--json", "--profile-command", profiler)
    done = steelyard_cli(*command, "echo old", "echo new")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    entries = {entry["name"]: entry for entry in document["contributions"]}
    # 60 against 40 of 110 samples, in every block: shown whatever the machine does.
    assert entries["parse"]["named"]
    assert not entries["hash"]["named"]
    assert entries["parse"]["new_s"] == pytest.approx(1.5 * entries["parse"]["old_s"])
    assert entries["hash"]["value"] == pytest.approx(0, abs=1e-12)
    check_sum(document)


def test_too_few_blocks_are_an_error_of_explain_and_no_error_of_the_page(steelyard_cli, tmp_path):
    (tmp_path / "profiler.py").write_text(PROFILER)
    profiler = f"{sys.executable} profiler.py {{profile}} {{command}}"
    command = ("explain", "-m", "12", "-o", "x.lab", "--profile-command", profiler, "--max-time", "1 ms")
    done = steelyard_cli(*command, "echo old", "echo new")
    assert done.returncode == 5
    assert "too few to name functions" in done.stderr
    assert "hint: -m 12 or more, or a longer --max-time" in done.stderr
    report = steelyard_cli("report", "x.lab", "-o", "x.html")
    assert report.returncode == 0, report.stderr
    assert "Call chains" not in (tmp_path / "x.html").read_text()


def test_a_record_that_was_edited_is_not_explained(steelyard_cli, tmp_path):
    (tmp_path / "profiler.py").write_text(PROFILER)
    profiler = f"{sys.executable} profiler.py {{profile}} {{command}}"
    command = ("explain", "-m", "12", "-o", "x.lab", "--profile-command", profiler)
    assert steelyard_cli(*command, "echo old", "echo new").returncode == 0
    with closing(sqlite3.connect(tmp_path / "x.lab" / "record.sqlite")) as database, database:
        database.execute("update trial set user_us = user_us + 1000 where rowid % 2")
    done = steelyard_cli("explain", "x.lab")
    assert done.returncode != 0
    assert "x.lab was edited" in done.stderr
    assert "steelyard verify x.lab" in done.stderr


def test_a_program_that_fails_is_no_explanation(perf, steelyard_cli):
    done = steelyard_cli("explain", "-m", "12", "-o", "x.lab", "true", "false")
    assert done.returncode == 5
    assert "exit code 1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "explain takes two programs, got 0"),
        (("true", "true", "x"), "explain takes two programs, got 3"),
        (("./prog",), "prog is no record, and a program alone has no difference"),
        (("--rate", "99", "--profile-command", "p {profile} {command}", "true", "true"), "--rate is of perf"),
    ],
)
def test_mistakes_are_errors_with_a_cure(steelyard_cli, arguments, message):
    done = steelyard_cli("explain", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "hint: " in done.stderr


def test_a_record_of_other_runs_says_how_to_explain_its_programs(steelyard_cli):
    process = steelyard_cli("compare", "-o", "c.lab", "-r", "3", "true", "true a")
    assert process.returncode == 0, process.stderr
    done = steelyard_cli("explain", "c.lab")
    assert done.returncode != 0
    assert "c.lab has no profiles" in done.stderr
    assert "hint: steelyard explain true 'true a'" in done.stderr


def test_too_few_blocks_are_refused_with_the_reason(steelyard_cli):
    done = steelyard_cli("explain", "-m", "10", "true", "false")
    assert done.returncode == 2
    assert "error: --min-runs 10: with fewer than 12 blocks, intervals of functions miss" in done.stderr
    assert "hint: leave --min-runs out, or give 12 or more" in done.stderr
