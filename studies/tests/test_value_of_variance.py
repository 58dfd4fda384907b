"""``studies/value-of-variance``: the whole of it at a small size, its figures from runs that are made up, and
the tables of its README from the files that lie beside it.
"""

from __future__ import annotations

import csv
import importlib
import json
import math
import sys

import pytest
from reduced_specs import ROOT, built, reduced

from steelyard.api import load

STUDY = ROOT / "studies" / "value-of-variance"
MODULES = ("study", "runs", "tables", "parts", "papers")


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import study as module  # type: ignore[import-not-found]

    yield module
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("part", ["simulated", "real", "execution", "designed", "direction"])
def test_every_spec_of_the_study_can_be_read(part):
    assert load(STUDY / f"{part}.toml").name == f"value-of-variance-{part}"


def test_the_published_table_says_what_the_statistics_say_and_not_what_the_text_says(study):
    result = study.table_1(study.published(STUDY / "published.csv"))
    # The paper: "the RSU … is about 0.5", and "problem instance 7 took 50% more time".
    assert "run 2: mean 88.1 s, s 45.2 s, s / mean 0.513, RSU (Eq. 3) 0.181; instance 7 took +123%" in result
    assert "run 5" in result


def test_a_speedup_of_a_run_has_the_spread_of_equation_10(study):
    import runs  # type: ignore[import-not-found]

    kla = runs.Run("am++", "kla", 100, 12, 4, 1, (4.0, 6.0, 8.0))
    delta = runs.Run("am++", "delta", 100, 12, 4, 1, (2.0, 3.0, 4.0))
    run = runs.Run("am++", "delta", 100, 12, 4, 2, (2.0, 3.0, 5.0))  # Whose KLA is missing.
    (result,) = runs.speedups([kla, delta, run])
    assert result.value == 2
    # Eq. 10 by hand: (1 / t_B) sqrt(s_A^2 + S^2 s_B^2), with s of 2 and 1.
    assert result.spread == pytest.approx(math.sqrt(2**2 + 2**2 * 1**2) / 3)


def test_figures_have_a_row_for_each_run_and_runs_can_be_read_again(study, tmp_path):
    runs = [
        study.Run(runtime, order, 100, 12, 4, run, (1.0 + run, 2.0, 3.0))
        for runtime in ("am++", "hpx-5")
        for order in ("kla", "delta")
        for run in (1, 2)
    ]
    study.write_figures(study.figure_rows(runs), tmp_path)
    with (tmp_path / "figures.csv").open() as file:
        result = list(csv.DictReader(file))
    assert sorted({row["figure"] for row in result}, key=int) == ["6", "7", "8", "9", "11", "12"]
    assert len(result) == 2 * (4 + 4 + 2)
    study.write_runs(runs, tmp_path / "runs.csv")
    assert study.read_runs(tmp_path / "runs.csv") == runs


def test_the_source_that_is_slowest_in_every_run_is_named(study):
    runs = [
        study.Run("am++", order, 100, 12, 4, run, (1.0, 2.0, 9.0, 3.0))
        for order in ("kla", "delta")
        for run in (1, 2)
    ]
    assert "| am++ | 100 | 12, 4 | 3 (2 of 2) | +350% | 3 (2 of 2) | +350% |" in study.slowest(runs)


def test_runs_of_other_sizes_stay_and_those_of_the_same_size_are_replaced(study, tmp_path):
    def run(scale, ranks, number, seconds):
        return study.Run("am++", "kla", 100, scale, ranks, number, (seconds, seconds))

    path = tmp_path / "runs.csv"
    small, large, again = run(11, 2, 1, 3.0), run(12, 4, 1, 5.0), run(12, 4, 2, 7.0)
    noisy = again._replace(links=0.3)
    study.write_runs([noisy], path)
    assert study.with_other_sizes([again._replace(links=0.0)], path) == [again._replace(links=0.0), noisy]
    path.unlink()
    assert study.with_other_sizes([large], path) == [large]
    study.write_runs([small, large], path)
    assert study.with_other_sizes([again], path) == [small, again]
    names = ["direction", "simulated-16-noisy", "simulated-16-quiet", "real-1", "simulated-2-noisy"]
    ordered = sorted(((name, None) for name in names), key=study.place)
    assert [name for name, _ in ordered] == [
        "simulated-16-quiet",
        "simulated-2-noisy",
        "simulated-16-noisy",
        "real-1",
        "direction",
    ]


def test_a_small_study_runs_from_its_specs_to_its_tables(study, tmp_path, monkeypatch, capsys):
    built("smpi", "bin/graph")
    sizes = ("[11, 2], [12, 4], [13, 8], [14, 16], [15, 32], [16, 64]", "[7, 4]")
    reduced(STUDY / "simulated.toml", tmp_path, sizes, ("blocks = 5", "blocks = 2"))
    levels = (("[0.2, 2, 20]", "[2, 20]"), ("[1, 10, 100, 1000]", "[1, 9]"))
    reduced(STUDY / "direction.toml", tmp_path, ('"--scale", "12"', '"--scale", "6"'), *levels)
    (tmp_path / "published.csv").write_text((STUDY / "published.csv").read_text())
    monkeypatch.setattr(study, "HERE", tmp_path)
    words = ["study.py", "simulated", "direction", "--links", "0", "--directory", str(tmp_path / "labs")]
    monkeypatch.setattr(sys, "argv", words)
    assert study.main() == 0
    first = capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", [*words, "--no-run"])
    assert study.main() == 0
    assert capsys.readouterr().out == first
    assert "| hpx-5 | 255 | 7, 4 | 2 |" in first

    labs = tmp_path / "labs"
    runs = study.read_runs(labs / "simulated-runs.csv")
    # Two runtimes, two algorithms, two weights, two runs, each from eight sources.
    assert len(runs) == 16
    assert {len(run.seconds) for run in runs} == {8}
    summary = json.loads((labs / "summary.json").read_text())
    assert set(summary) == {"simulated-4-quiet", "direction"}
    part = summary["simulated-4-quiet"]
    assert (part["blocks"], part["state"]) == (2, "complete")
    result = {
        (sample["metric"], *(sample["levels"][name] for name in ("runtime", "order", "weight"))): sample
        for sample in part["samples"]
    }
    for runtime in ("am++", "hpx-5"):
        for weight in (100, 255):
            kla, delta = (
                {metric: result[metric, runtime, order, weight] for metric in study.COUNTS}
                for order in ("kla", "delta")
            )
            # What both orders are: Δ = 1 has more epochs, and works on no vertex twice.
            assert delta["epochs"]["mean"] > 3 * kla["epochs"]["mean"]
            assert delta["items_useful"]["mean"] <= kla["items_useful"]["mean"]
            assert kla["epochs"]["n"] == 16
    assert (
        result["messages", "hpx-5", "kla", 255]["mean"] > 3 * result["messages", "am++", "kla", 255]["mean"]
    )
    shares = result["time_s", "hpx-5", "kla", 255]["instances"]
    assert shares["between"] + shares["runs"] + shares["rest"] == pytest.approx(1, abs=1e-4)
    assert len(shares["shares"]) == 8
    # One comparison for each runtime and weight, and one ratio of speedups for each weight.
    assert [comparison["instances"] for comparison in part["comparisons"]] == [8] * 4
    assert {item["verdict"] for item in part["comparisons"]} <= {"faster", "slower", "not_resolved"}
    assert [ratio["factor"] for ratio in part["ratios"]] == ["runtime"] * 2
    assert [claim["verdict"] in ("holds", "fails", "not_resolved") for claim in part["claims"]] == [True] * 3
    assert len(summary["direction"]["comparisons"]) == 4


def test_the_readme_has_the_tables_of_the_committed_files(study, text_of):
    readme = text_of(STUDY).splitlines()
    papers = importlib.import_module("papers")
    lines = "\n".join([*study.written(STUDY), papers.table()]).splitlines()
    rows = [line for line in readme if line.startswith("|") and line.count("|") > 5]
    assert rows
    assert set(rows) <= set(lines)


def test_the_figures_are_those_of_the_committed_runs(study):
    runs = study.read_runs(STUDY / "simulated-runs.csv")
    with (STUDY / "figures.csv").open() as file:
        result = list(csv.DictReader(file))
    assert [float(row["value"]) for row in result] == pytest.approx(
        [float(row["value"]) for row in study.figure_rows(runs)], rel=1e-4
    )
