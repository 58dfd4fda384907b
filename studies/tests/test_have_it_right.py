"""The study runs whole at its smallest size, and its published statements are data."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.api.design import INTERVENTIONS

STUDY = Path(__file__).parents[2] / "studies" / "have-it-right"
PARTS = {
    "counters (Figure 1)",
    "software counters (Figure 2)",
    "environment (Figure 3)",
    "optimisation (Figures 4 and 5)",
    "optimisation in the default context (Figure 4)",
    "validation by intervention (section 2.2)",
    "lacking",
}
OF_LIBQUANTUM = {"libquantum (Figures 4 and 5)", "libquantum in the default context (Figure 4)"}
"""There where libquantum.sh has fetched it; left out of the smallest size."""


def test_the_whole_study_runs_small_and_goes_on_from_its_records(steelyard_env, tmp_path):
    if lacking := [
        name for name in ("cc", "perl", "mawk", "sqlite3", "valgrind") if shutil.which(name) is None
    ]:
        pytest.skip(f"not found: {', '.join(lacking)}")
    if INTERVENTIONS["aslr"].missing("off"):
        pytest.skip("address randomisation cannot be switched off here")
    command = [sys.executable, STUDY / "study.py", "--small", "--directory", tmp_path / "labs"]
    summaries = []
    for name in ("first.json", "second.json"):
        done = subprocess.run(
            [*command, "--summary", tmp_path / name],
            capture_output=True,
            text=True,
            check=False,
            env=steelyard_env,
        )
        assert done.returncode == 0, done.stderr
        summaries.append(json.loads((tmp_path / name).read_text()))
    first, second = summaries
    assert set(first) == PARTS
    # What is finished is not measured again.
    assert first == second
    assert set(first["environment (Figure 3)"]) == {"perl", "mawk", "sqlite3", "stack split", "set conflict"}
    pairs = {f"{name} O{a}-O{b}" for name in ("events", "nbody") for a in range(4) for b in range(a + 1, 4)}
    assert set(first["optimisation (Figures 4 and 5)"]) == pairs
    # Without hardware counters the study runs all the same, and says what it lacks.
    assert set(first["lacking"]) in ({"Figure 4"}, {"Figure 1", "Figure 2", "Figure 4"})
    assert all(f"{figure} lacks something here: " in done.stdout for figure in first["lacking"])
    counted = first["validation by intervention (section 2.2)"]["the way down the heap costs"]
    (moves,) = (prediction for prediction in counted["predictions"] if prediction["metric"] == "probe_sites")
    assert moves["factor"] > 1.2
    # Counts of instructions, which no load of the machine moves.
    sites = first["software counters (Figure 2)"]
    assert 0 < sites["-DSTEELYARD_SITES=7"]["added_percent"] < 60
    assert "Figure 3: change of the run time of perlbench" in done.stdout


def test_the_published_statements_and_our_summary_are_committed_as_data():
    with (STUDY / "published.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["id"] for row in rows}) == len(rows) == 10
    by_id = {row["id"]: row for row in rows}
    assert (by_id["perlbench-environment"]["low"], by_id["perlbench-environment"]["high"]) == ("-1", "5")
    assert by_id["libquantum-default"]["high"] == "12.5"
    summary = json.loads((STUDY / "summary.json").read_text())
    assert set(summary) - OF_LIBQUANTUM == PARTS


def test_without_the_source_of_libquantum_its_build_says_what_makes_it(tmp_path):
    build = STUDY / "build-libquantum.sh"
    done = subprocess.run(
        ["sh", build, "O2", tmp_path / "missing", tmp_path, "libquantum.c"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.endswith("studies/have-it-right/libquantum.sh makes it\n")


def test_every_context_of_the_other_machines_is_committed_as_data():
    for machine in ("xeon", "quiet"):
        summary = json.loads((STUDY / f"summary-{machine}.json").read_text())
        assert len(summary["libquantum (Figures 4 and 5)"]["libquantum O2-O3"]["each"]) == 21


def test_without_the_sources_of_upstreams_their_build_says_what_makes_them(tmp_path):
    build = STUDY / "build-upstream.sh"
    done = subprocess.run(
        ["bash", build, "bzip2", "O2", "0", "0", "0", "0", tmp_path / "missing", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.endswith("studies/have-it-right/upstreams.sh makes them\n")
