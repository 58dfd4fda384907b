"""Solvers of a record that Steelyard ran: every run is counted, under the limit of the programs."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from steelyard import Laboratory
from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.recording import KeptBlock, LabelledValue, write_values
from steelyard.extensions.page.report import report
from steelyard.extensions.solvers.judging import answer
from steelyard.extensions.solvers.page import section
from steelyard.extensions.solvers.records import read_campaign, read_part
from steelyard.extensions.solvers.table import Roles
from steelyard.lab.run.run import run
from steelyard.spec import Experiment, experiment
from steelyard.store import Record

SOLVE = """#!/bin/sh
case $1-$2 in
slow-p8) exec sleep 9;;
slow-p7) exit 3;;
esac
"""
"""A solver that never solves its eighth problem, and fails on its seventh."""
PROBLEMS = [f"p{number}" for number in range(1, 9)]


def make(directory: Path, **keys: Any) -> Experiment:
    program = directory / "solve"
    program.write_text(SOLVE)
    program.chmod(0o755)
    inputs: dict[str, Any] = {
        "name": "study",
        "source": str(directory),
        "program": {"command": ["./solve", "{tool}", "{problem}"], "timeout": "0.5 s"},
        "factors": {"tool": ["slow", "fast"], "problem": PROBLEMS},
        "design": {"blocks": 2, "discard": 0},
        "analysis": {
            "estimand": "median_ratio",
            "failures": "as-limit",
            "instances": "problem",
            "baseline": {"tool": "fast"},
        },
    }
    return experiment(**inputs | keys)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of real programs, one of which times out and one of which fails."""
    directory = tmp_path_factory.mktemp("study")
    run(make(directory), directory / "study.lab")
    return directory / "study.lab"


def test_every_run_of_a_study_is_counted_by_its_outcome(study):
    with Record.open(study) as record:
        campaign = read_campaign(record, Roles())
    assert (campaign.limit_s, campaign.origin) == (0.5, "that of the programs")
    assert len(campaign.runs) == 32
    slow = {(row.instance, row.outcome) for row in campaign.runs if row.solver == "slow"}
    assert {("p7", "failed"), ("p8", "timeout")} <= slow
    scores = {row.solver: row for row in answer(campaign).scores}
    assert scores["slow"].timeouts >= 2
    assert scores["slow"].failures == 2
    assert scores["slow"].solved <= 6
    assert scores["slow"].par_s > scores["fast"].par_s


def test_the_command_takes_a_record(steelyard_cli, study):
    process = steelyard_cli("solvers", str(study), "--against", "fast", "--json")
    assert process.returncode == 0, process.stderr
    document = json.loads(process.stdout)
    assert (document["baseline"], document["limit_s"]) == ("fast", 0.5)
    assert [entry["runs"] for entry in document["solvers"]] == [16, 16]


def test_the_page_shows_scores_cactus_and_scatter_where_no_time_can_be_compared(study):
    with Record.open(study) as record:
        part = read_part(record, "wall_s")
    assert part is not None
    assert part.answer.baseline == "fast"
    drawn = section(part)
    assert [chart.name for chart in drawn.charts] == ["solvers-cactus", "solvers-pairs-1"]
    assert drawn.sentences[0].startswith("slow against fast: ")
    page = Laboratory(study).report().html()
    assert "Instances solved within a time" in page
    assert "no comparison of times counts those" in page


def test_nothing_is_scored_of_a_record_that_was_edited(steelyard_cli, study, tmp_path):
    edited = tmp_path / "edited.lab"
    shutil.copytree(study, edited)
    with contextlib.closing(sqlite3.connect(edited / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE trial SET wall_ns = wall_ns * 8 / 10 WHERE block = 2")
    done = steelyard_cli("solvers", str(edited))
    assert done.returncode != 0
    assert "edited.lab was edited" in done.stderr
    with Record.open(study) as intact, Record.open(edited) as record:
        assert "solvers" in report(intact).contents[0].parts
        assert report(record).contents[0].parts == {}


def test_a_limit_beyond_that_of_the_programs_is_unknown(study):
    with Record.open(study) as record:
        with pytest.raises(UsageError, match=r"ended after 0\.5 s, so that a limit of 60 s is unknown"):
            read_campaign(record, Roles(), 60.0)
        short = read_campaign(record, Roles(), 1e-6)
    assert {row.outcome for row in short.runs} <= {"timeout", "failed"}


@pytest.mark.parametrize(
    ("roles", "problem"),
    [
        (Roles(instance="size"), "has no factor 'size'"),
        (Roles(solver="size"), "has no factor 'size'"),
        (Roles(time="rss_bytes"), "rss_bytes is no time of this record"),
    ],
)
def test_a_role_that_the_record_has_not_is_refused(study, roles, problem):
    with Record.open(study) as record, pytest.raises(UsageError, match=problem):
        read_campaign(record, roles)


def test_a_record_without_instances_says_how_to_name_them(tmp_path):
    spec = make(tmp_path, analysis={}, design={"blocks": 1, "discard": 0})
    cells = [{"tool": tool, "problem": problem} for tool in ("slow", "fast") for problem in PROBLEMS]
    trials = [(cell, [LabelledValue("wall_s", 0.25)]) for cell in cells]
    write_values(tmp_path / "kept.lab", spec, [KeptBlock(trials)], "values")
    with Record.open(tmp_path / "kept.lab") as record:
        assert read_part(record, "wall_s") is None
        with pytest.raises(UsageError, match="declares no instances") as caught:
            read_campaign(record, Roles())
        assert caught.value.hint == "--instance tool or --instance problem"
        campaign = read_campaign(record, Roles(instance="problem"))
    assert {row.time_s for row in campaign.runs} == {0.25}


@pytest.mark.parametrize("option", [("--seed", "seed"), ("--solved", "ok"), ("--unit", "ms")])
def test_options_of_tables_are_refused_for_records(steelyard_cli, study, option):
    process = steelyard_cli("solvers", str(study), *option)
    assert process.returncode == 2
    assert f"{option[0]} is an option of tables" in process.stderr
