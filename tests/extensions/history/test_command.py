"""``steelyard history`` as a process: text, JSON, collecting, and errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

# For scratch_repository.
sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from scratch_repository import Programs

from steelyard import Laboratory

SPEC = """\
name = "counting"
[program]
command = ["{source}/prog"]
[design]
blocks = 2
[metrics]
cost_s = { source = "stdout", pattern = "cost=(.*)", unit = "s" }
[analysis]
metric = "cost_s"
"""
COSTS = (1.01, 1.0, 1.02, 1.0, 1.41, 1.4, 1.42, 1.4)


@pytest.fixture
def measured(tmp_path):
    """Eight real records of a program that says itself what it costs, more from the fifth on."""
    (tmp_path / "it.toml").write_text(SPEC)
    program = tmp_path / "prog"
    for place, cost in enumerate(COSTS):
        program.write_text(f"#!/bin/sh\necho cost={cost}\n")
        program.chmod(0o755)
        Laboratory(tmp_path / "it.toml", record=tmp_path / "records" / f"{place}.lab").run()
    return tmp_path / "records"


def test_text_names_the_change_its_size_and_the_commits(steelyard_cli, measured):
    done = steelyard_cli("history", "records")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("counting: 8 records, 0 to 7 (in the order of time)\n")
    assert "✗ cost_s of counting: 40 % more (95 % CI " in done.stdout
    assert " from 4 on (p " in done.stdout
    assert "4 made it (" in done.stdout


def test_json_is_one_document_with_every_point(steelyard_cli, measured):
    document = json.loads(steelyard_cli("history", "records", "--json").stdout)
    assert (document["format"], document["version"], document["records"]) == ("steelyard/history", 2, 8)
    (series,) = document["series"]
    assert [point["commit"] for point in series["points"]] == [str(place) for place in range(8)]
    assert {point["n"] for point in series["points"]} == {2}
    (change,) = series["changes"]
    assert (change["first"], change["direction"]) == ("4", "worse")
    assert change["ci95"][0] < change["ratio"] < change["ci95"][1]


def test_collected_records_may_go_and_the_history_stays(steelyard_cli, measured, tmp_path):
    done = steelyard_cli("history", "records", "--collect", "history.sqlite")
    assert (done.returncode, done.stderr) == (0, "8 records added to history.sqlite\n")
    before = steelyard_cli("history", "records").stdout
    measured.rename(tmp_path / "gone")
    after = steelyard_cli("history", "history.sqlite")
    assert after.stdout == before


def test_a_directory_without_records_is_an_error_with_a_hint(steelyard_cli, tmp_path):
    (tmp_path / "empty").mkdir()
    done = steelyard_cli("history", "empty")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: empty contains no records\n\nhint: ")


def test_a_fact_that_machines_do_not_differ_by_is_refused_with_those_that_they_do(steelyard_cli):
    done = steelyard_cli("history", "x.lab", "--ignore", "hostname")
    assert done.returncode == 2
    assert "hint: one of: cpu_model, " in done.stderr


def test_a_regression_that_stands_exits_with_1_and_what_is_accepted_with_0(steelyard_cli, measured, tmp_path):
    done = steelyard_cli("history", "records", "--check", "--junit", "out.xml")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith(
        "\ncheck: fails: 1 suspected change for the worse that nothing undoes (cost_s of counting)\n"
    )
    assert '<failure type="fails" message="cost_s of counting: ' in (tmp_path / "out.xml").read_text()
    accepted = steelyard_cli("history", "records", "--check", "--since", "5")
    assert accepted.returncode == 0
    assert "\ncheck: holds: no lasting change for the worse from 5 on; a step of " in accepted.stdout
    assert steelyard_cli("history", "records").returncode == 0


def test_too_few_records_are_not_resolved_under_strict_alone(steelyard_cli, measured):
    few = [f"records/{place}.lab" for place in range(3)]
    lenient = steelyard_cli("history", *few, "--check")
    assert lenient.returncode == 0
    assert "check: not resolved (--strict makes this exit code 3): " in lenient.stdout
    assert steelyard_cli("history", *few, "--check", "--strict").returncode == 3


def test_a_damaged_record_does_not_hold_under_strict(steelyard_cli, measured):
    (measured / "7.lab" / "record.sqlite").write_bytes(b"damaged")
    names = [f"records/{place}.lab" for place in (0, 1, 2, 3)]
    assert steelyard_cli("history", *names, *names, "--check", "--strict").returncode == 3
    done = steelyard_cli("history", "records", "--check", "--strict", "--since", "5")
    assert done.returncode == 3
    assert "check: not resolved: records/7.lab is not a record: it does not begin as" in " ".join(
        done.stdout.split()
    )


@pytest.mark.parametrize(
    "option", [("--since", "3"), ("--strict",), ("--junit", "out.xml"), ("--confirm", "./prog")]
)
def test_what_only_a_check_uses_is_refused_without_it(steelyard_cli, option):
    done = steelyard_cli("history", "x.lab", *option)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {option[0]} needs --check\n")


def test_how_to_confirm_is_refused_without_what_is_run(steelyard_cli):
    done = steelyard_cli("history", "x.lab", "--check", "--build", "make")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --build needs --confirm\n")


def test_a_suspected_change_is_confirmed_side_by_side(steelyard_cli, tmp_path):
    programs = Programs(tmp_path / "repository")
    ids = programs.line(8, 4)
    spec = SPEC.replace("blocks = 2", "blocks = 3").split("[metrics]")[0]
    (tmp_path / "it.toml").write_text(f'{spec}[analysis]\nmetric = "rss_bytes"\n')
    for commit in ids:
        programs.git("checkout", "-q", commit)
        (tmp_path / "prog").write_text((programs.path / "prog.in").read_text())
        (tmp_path / "prog").chmod(0o755)
        Laboratory(tmp_path / "it.toml", record=tmp_path / "records" / f"{commit}.lab").run()
    programs.git("checkout", "-q", "main")
    command = ("history", "records", "--git", "--repo", "repository", "--check")
    assert "fails: 1 suspected change" in steelyard_cli(*command).stdout
    done = steelyard_cli(*command, "--confirm", "./prog", "--build", "sh build", "-o", "found")
    assert done.returncode == 1, done.stderr
    result = " ".join(done.stdout.split())
    assert "confirmed side by side: " in result
    assert f"{ids[4][:10]} made it" in result
    assert "check: fails: 1 change for the worse" in result
    assert "records: found" in done.stderr


def test_a_commit_that_the_history_does_not_have_is_refused(steelyard_cli, measured):
    done = steelyard_cli("history", "records", "--check", "--since", "v1")
    assert done.returncode == 2
    assert "error: --since v1: no record of this history by that name" in done.stderr


@pytest.mark.extensions("page")
def test_the_page_has_a_chart_with_the_change(steelyard_cli, measured, tmp_path):
    done = steelyard_cli("history", "records", "--html", "out.html")
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "out.html").read_text()
    assert 'id="r1-history-1"' in page
    assert "cost_s of counting: 40 % more" in page
