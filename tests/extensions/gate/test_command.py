"""``steelyard gate`` as a process."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from xml.etree import ElementTree as ET

import pytest

# For scratch_repository.
from scratch_repository import Suites

from steelyard.core.errors import InterruptedRunError
from steelyard.extensions.gate import command as cli

HARNESS = ("--seed", "1", "--repo", "repository", "--harness", "google-benchmark", "--", "./bench")


@pytest.fixture
def suites(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Suites(tmp_path / "repository")


@pytest.fixture
def slower(suites):
    """Ids of two commits of which the second is slower in one of three, and lacks another."""
    return suites.suite(sort=100, find=100, old=5), suites.suite(sort=120, find=100)


def test_the_first_line_says_all_and_the_exit_code_is_1(steelyard_cli, slower):
    done = steelyard_cli("gate", slower[0], "-o", "found", *HARNESS)
    assert re.match(r"✗ 1 of 3 slower, by 20 %; 1 gone; 1 within 3 %\n", done.stdout)
    assert re.search(
        r"✗  sort +[\d.]+ ns +[\d.]+ ns +\+(19|20)\.\d % +\+\d+\.\d to \+\d+\.\d +slower", done.stdout
    )
    assert "This machine is not qualified" in done.stdout
    in_ascii = steelyard_cli("gate", slower[0], "-o", "found", *HARNESS, env={"PYTHONIOENCODING": "ascii"})
    assert 'wrong "slower" or "faster"' in " ".join(in_ascii.stdout.split())
    assert "?" not in in_ascii.stdout
    assert done.stdout.endswith("\nrecords: found\n")
    assert done.returncode == 1


def test_shards_are_joined_to_one_verdict_and_one_exit_code(steelyard_cli, slower, tmp_path):
    for number in (1, 2, 3):
        done = steelyard_cli(
            "gate", *slower, "-o", f"gate-{number}", "--json", "--shard", f"{number}/3", *HARNESS
        )
        (tmp_path / f"{number}.json").write_text(done.stdout)
    files = [word for number in (1, 2, 3) for word in ("--merge", f"{number}.json")]
    done = steelyard_cli("gate", *files, "--junit", "j.xml")
    assert re.match(r"✗ 1 of 3 slower, by 20 %; 1 gone; 1 within 3 %\n", done.stdout)
    assert done.returncode == 1
    assert ET.parse(tmp_path / "j.xml").getroot()[0].get("tests") == "3"  # noqa: S314 -- ours
    done = steelyard_cli("gate", *files[:-2])
    assert "shard 3/3 is missing: its benchmarks were not judged" in done.stderr
    assert done.returncode == 2
    done = steelyard_cli("gate", "main", *files)
    assert "--merge measures nothing" in done.stderr


def test_documents_for_build_servers_say_the_same(steelyard_cli, slower, tmp_path):
    outputs = ("--junit", "j.xml", "--sarif", "s.json", "--markdown", "m.md", "--page", "p.html", "--github")
    done = steelyard_cli("gate", *slower, "-o", "found", "--json", *outputs, *HARNESS)
    document = json.loads(done.stdout)
    assert document["format"] == "steelyard/gate"
    verdicts = {benchmark["name"]: benchmark["verdict"] for benchmark in document["benchmarks"]}
    assert verdicts == {"sort": "slower", "find": "equivalent", "old": "gone"}
    suite = ET.parse(tmp_path / "j.xml").getroot()[0]  # noqa: S314 -- ours
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    results = json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("slower", "error"),
        ("gone", "error"),
    ]
    assert (tmp_path / "m.md").read_text().startswith("### ✗ 1 of 3 slower, by 20 %; 1 gone; 1 within 3 %\n")
    assert "<title>1 of 3 slower, by 20 %; 1 gone; 1 within 3 %</title>" in (tmp_path / "p.html").read_text()
    assert "::error title=sort slower::sort%3A slower" in done.stderr.replace("sort: ", "sort%3A ")
    assert "::error title=old gone::old: gone, head does not report it\n" in done.stderr


def test_a_gate_that_can_judge_nothing_writes_that_into_every_document(steelyard_cli, suites, tmp_path):
    base, head = suites.suite(sort=100), suites.suite(sort=100, bench="#!/bin/sh\n")
    (tmp_path / "j.xml").write_text("an earlier run, all green")
    outputs = ("--junit", "j.xml", "--sarif", "s.json", "--markdown", "m.md", "--page", "p.html", "--github")
    done = steelyard_cli("gate", base, head, "-o", "found", *outputs, *HARNESS)
    assert done.returncode == 7
    assert "error: head" in done.stderr
    assert "printed nothing: no benchmark ran" in done.stderr
    assert "::error title=the change could not be judged::head" in done.stderr
    assert ET.parse(tmp_path / "j.xml").getroot()[0].get("errors") == "1"  # noqa: S314 -- ours
    assert json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"][0]["ruleId"] == "broken"
    assert "could not judge this change" in (tmp_path / "m.md").read_text()
    assert "printed nothing" in (tmp_path / "p.html").read_text()


def test_two_directories_are_two_sides_in_the_order_of_their_options(steelyard_cli, suites, tmp_path):
    for name, steps in (("old", 100), ("new", 150)):
        suites.suite(sort=steps)
        shutil.copytree(tmp_path / "repository", tmp_path / name)
    outcomes = []
    for base, head in (("old", "new"), ("new", "old")):
        sides = ("--base-dir", base, "--head-dir", head)
        done = steelyard_cli("gate", *sides, "-o", f"{base}-{head}", "--json", *HARNESS)
        (benchmark,) = json.loads(done.stdout)["benchmarks"]
        outcomes.append((done.returncode, benchmark["verdict"], round(benchmark["change"], 1)))
    assert outcomes == [(1, "slower", 0.5), (0, "faster", -0.3)]


@pytest.mark.parametrize("mode", [(), ("--qualify", "--sessions", "2")])
def test_records_without_a_name_go_to_the_state_directory(steelyard_cli, suites, mode):
    base = suites.suite(sort=100)
    suites.commit()
    done = steelyard_cli("gate", *mode, base, *HARNESS)
    assert done.returncode == 0, done.stderr
    assert re.search(r"records: .+/steelyard/gate/\d{8}-\d{6}-[0-9a-f]{4}\n$", done.stdout)


def test_a_machine_is_qualified_once_and_every_answer_says_so(steelyard_cli, suites):
    base = suites.suite(sort=100)
    head = suites.commit()
    done = steelyard_cli("gate", "--qualify", "--sessions", "2", "HEAD", "-o", "q", *HARNESS)
    assert done.returncode == 0, done.stderr
    assert "0 of 2 sessions red on equal programs" in done.stdout.replace("\n", " ")
    result = json.loads(steelyard_cli("gate", base, head, "-o", "found", "--json", *HARNESS).stdout)
    assert result["qualification"]["verdicts"] == 2
    assert result["benchmarks"][0]["verdict"] == "equivalent"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("HEAD~1",), "is not in a git repository\n\nhint: cd to one, or name it: --repo DIR"),
        (("HEAD", *HARNESS), "error: base and head are the same commit, "),
        (("a", "b", "c", *HARNESS), "error: 3 revisions: one or two are needed"),
        (("nosuch", *HARNESS), "error: 'nosuch' names no commit in "),
        (("--base-dir", ".", *HARNESS), "error: one directory of two\n\nhint: --base-dir OLD --head-dir NEW"),
        (("HEAD", "--base-dir", ".", *HARNESS), "error: revisions (HEAD) and directories"),
        (("HEAD", "--time", *HARNESS), "error: --time and --harness google-benchmark"),
        (("HEAD", "--margin", "3", *HARNESS), "error: "),
    ],
)
def test_mistakes_are_told_with_a_cure(steelyard_cli, slower, words, error):
    done = steelyard_cli("gate", *words)
    assert error in done.stderr
    assert done.stderr.startswith("error: ")
    assert "hint:" in done.stderr or "--margin" in done.stderr
    assert done.returncode == 2


def test_a_plain_program_is_timed_from_outside(steelyard_cli, slower):
    command = (
        "--seed",
        "1",
        "--repo",
        "repository",
        "--time",
        "--metric",
        "rss_bytes",
        "--margin",
        "50%",
        "--",
        "true",
    )
    done = steelyard_cli("gate", slower[0], "-o", "found", "--json", *command)
    result = json.loads(done.stdout)
    assert [(benchmark["name"], benchmark["verdict"]) for benchmark in result["benchmarks"]] == [
        ("true", "equivalent")
    ]
    assert (result["metrics"][0]["name"], result["harness"]) == ("rss_bytes", "time")


def test_a_qualification_is_not_taken_for_a_gate_by_what_reads_files(steelyard_cli, suites, tmp_path):
    suites.suite(sort=100)
    done = steelyard_cli("gate", "--qualify", "HEAD", "--junit", "gate.xml", *HARNESS)
    assert (done.returncode, "--junit and --qualify" in done.stderr) == (2, True)


def test_an_interrupted_gate_leaves_no_file_of_an_earlier_one(suites, tmp_path, monkeypatch):
    suites.suite(sort=100)

    def interrupt(*_, **__):
        raise InterruptedRunError("interrupted", hint="the same command goes on")

    monkeypatch.setattr(cli, "_run_gate", interrupt)
    file = tmp_path / "gate.xml"
    file.write_text("<testsuites/>")
    with pytest.raises(InterruptedRunError):
        cli.command.main(["HEAD", "--junit", str(file), "--", "./bench"], standalone_mode=False)
    (case,) = ET.fromstring(file.read_text()).iter("testcase")  # noqa: S314 -- ours
    assert case.find("error") is not None


def test_a_failed_build_is_announced_and_its_trees_go_by_the_command_that_is_said(
    steelyard_cli, suites, tmp_path
):
    base, head = suites.suite(sort=100), suites.suite(sort=120)
    build = ("--build", "echo no such header; exit 2")
    done = steelyard_cli("gate", base, head, "-o", "kept", *build, *HARNESS)
    assert done.returncode == 5
    log = f"{tmp_path}/kept/trees/base/{base[:12]}.log"
    text = " ".join(done.stderr.split())
    assert f"building base by echo no such header; exit 2; it prints into {log} " in text
    command = re.search(r"to remove the trees: (.*)\n", done.stderr)
    assert command is not None
    assert "kept/trees" in suites.git("worktree", "list")
    subprocess.run(command[1], shell=True, check=True, cwd=tmp_path)  # noqa: S602 -- as a user would
    assert "kept/trees" not in suites.git("worktree", "list")
    assert not (tmp_path / "kept").exists()


def test_the_directory_of_a_gate_in_the_repository_is_not_listed_by_git(steelyard_cli, slower, suites):
    done = steelyard_cli("gate", slower[0], "-o", "repository/kept", *HARNESS)
    assert done.returncode == 1, done.stderr
    assert "Uncommitted changes" not in done.stdout
    assert suites.git("status", "--porcelain").strip() == ""


def test_a_head_that_fails_in_all_runs_is_told_without_keys_of_a_spec(steelyard_cli, suites):
    fails = suites.BENCH.format(runs=suites.runs).replace("awk", '[ "$runs" -lt 2 ] || exit 9\nawk', 1)
    base, head = suites.suite(sort=100), suites.suite(sort=100, bench=fails)
    done = steelyard_cli("gate", base, head, "-o", "kept", "--max-time", "20s", *HARNESS)
    assert done.returncode == 5
    assert "3 trials in a row failed; the last one: ended with exit code 9" in done.stderr
    assert "verify" not in done.stderr
    assert "--ignore-failure" not in done.stderr
    assert "to remove the trees: git -C " in done.stderr


def test_where_no_benchmark_is_found_the_trees_of_the_hint_are_there(steelyard_cli, suites, tmp_path):
    base, head = suites.suite(sort=100), suites.suite(sort=100, bench="#!/bin/sh\n")
    done = steelyard_cli("gate", base, head, "-o", "kept", *HARNESS)
    assert done.returncode == 7
    assert (tmp_path / "kept" / "trees" / "head" / head[:12] / "bench").exists()
    assert "to remove the trees: git -C " in done.stderr
