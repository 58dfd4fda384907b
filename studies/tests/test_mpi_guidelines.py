"""The performance guidelines of MPI, on a small simulated machine: exact, whatever else runs here."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from reduced_specs import built

STUDY = Path(__file__).parents[2] / "studies" / "mpi-collectives"


def test_the_guidelines_of_a_simulated_machine_are_a_table_of_rules_by_size(tmp_path):
    built("smpi", "bin/collectives")
    done = subprocess.run(
        [
            sys.executable, STUDY / "guidelines.py", "--machine", "flat", "--ranks", "4",
            "--bytes", "8", "64", "--record", tmp_path / "it.lab",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    head, *rows = done.stdout.partition("\n\n")[0].splitlines()
    assert head.split() == ["rule", "8", "B", "64", "B"]
    cells = {row.split()[1] + " " + row.split()[3]: row.split()[-4::2] for row in rows}
    assert len(rows) == 20
    # Four ranks of a flat machine: recursive doubling of Allgather sends no more than Gather and Bcast.
    assert cells["allgather allgather_by_gather_and_bcast"] == ["✓", "✓"]
    assert cells["bcast bcast_by_allgatherv"] == ["✗", "✗"]
    assert "rules broken, 0 open" in done.stdout


def planned(modules, *words):
    args = modules.guidelines._parser().parse_args(words)
    (target,) = modules.guidelines._targets(args)
    return modules.guidelines.planned_experiment(target, args, args.repetitions, args.blocks)


def test_every_guideline_of_the_field_is_in_the_file_and_its_mock_up_is_measured():
    tables = tomllib.loads((STUDY / "guidelines.toml").read_text())
    rules = {claim["rule"] for claim in tables["claims"] if claim["over"] == "op"}
    mocked = {
        "allgather": ["gather_and_bcast", "alltoall", "allreduce", "allgatherv"],
        "allreduce": ["reduce_and_bcast", "reduce_scatter_block_and_allgather"],
        "alltoall": ["alltoallv"],
        "bcast": ["scatter_and_allgather", "allgatherv"],
        "gather": ["allgather", "reduce", "gatherv"],
        "reduce": ["allreduce", "reduce_scatter_block_and_gather"],
        "reduce_scatter_block": ["reduce_and_scatter", "allreduce", "reduce_scatter"],
        "scan": ["exscan_and_reduce_local"],
        "scatter": ["bcast", "scatterv"],
    }
    guidelines = {f"{op} <= {op}_by_{parts}" for op, every in mocked.items() for parts in every}
    assert rules == guidelines
    ops = tables["program"]["command"][4].split(",")
    assert {name for rule in rules for name in rule.split(" <= ")} == {*ops}
    over_ranks = tomllib.loads((STUDY / "monotony.toml").read_text())["claims"]
    over = [claim["over"] for claim in (*tables["claims"], *over_ranks)]
    assert {item: over.count(item) for item in over} == {"op": 20, "bytes": 12, "p": 12}


def test_rules_about_levels_that_are_not_measured_are_left_out(modules):
    result = planned(modules, "--machine", "torus", "--ranks", "16", "64", "--bytes", "8", "800")
    assert [claim.rule for claim in result.claims if claim.over != "op"] == ["16 <= 64"]
    assert result.design.blocks == 1
    only = planned(modules, "--only", "allreduce", "--bytes", "8", "64")
    assert [claim.rule.partition(" ")[0] for claim in only.claims] == ["allreduce", "allreduce"]
    ompi = planned(modules, "--machine", "torus", "--selector", "ompi")
    assert not [claim for claim in ompi.claims if "bcast_by_allgatherv" in claim.rule]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--machine", "torus", "--preload", "slow.so"], "SimGrid binds a program to its own MPI first"),
        (["--library", "mpich", "impi", "--record", "it.lab"], "--record is that of a single library"),
    ],
)
def test_what_cannot_be_checked_is_refused(modules, capsys, words, message):
    with pytest.raises(SystemExit) as ended:
        modules.guidelines.main(words)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def cell(modules, rule, size, outcome, ratio, of="mpich"):
    return modules.cells.Cell(of, rule, "", "2", str(size), outcome, ratio, "", "", "5")


def test_cells_are_kept_in_the_place_of_those_of_the_same_library(modules, tmp_path):
    file = tmp_path / "cells.csv"
    modules.cells.keep("mpich", [cell(modules, "a <= b", 8, "holds", "0.5")], file=file)
    modules.cells.keep("impi", [cell(modules, "a <= b", 8, "holds", "0.7", of="impi")], file=file)
    modules.cells.keep("mpich", [cell(modules, "a <= b", 8, "fails", "2.5")], file=file)
    assert [(item.of, item.ratio) for item in modules.cells.kept(file)] == [("impi", "0.7"), ("mpich", "2.5")]


def test_libraries_that_are_kept_at_the_same_time_lose_no_rows(modules, tmp_path):
    file = tmp_path / "cells.csv"
    libraries = [f"library {number}" for number in range(12)]
    with ThreadPoolExecutor(len(libraries)) as pool:
        list(
            pool.map(
                lambda library: modules.cells.keep(
                    library, [cell(modules, "a <= b", 8, "holds", "0.5", of=library)], file=file
                ),
                libraries,
            )
        )
    assert sorted(row.of for row in modules.cells.kept(file)) == sorted(libraries)


def test_a_table_of_a_library_has_the_worst_of_each_rule_and_size(modules):
    result = [
        cell(modules, "a <= b", 8, "holds", "0.5"),
        cell(modules, "a <= b", 64, "not_resolved", "1.04"),
        cell(modules, "a <= c", 8, "not_judged", ""),
        cell(modules, "a <= c", 64, "fails", "2.25"),
        cell(modules, "a <= c", 64, "holds", "0.9"),
        cell(modules, "8 <= 64", "", "fails", "9"),
    ]
    assert modules.cells.by_size("mpich", result).splitlines() == [
        "| rule | 8 B | 64 B |",
        "|---|---|---|",
        "| `a <= b` | ✓ 0.50 | ? 1.04 |",
        "| `a <= c` | – | ✗ 2.25 |",
    ]


def test_a_table_of_machines_counts_what_is_broken_and_names_the_worst(modules):
    result = [
        cell(modules, "a <= b", 8, "fails", "2.5", of="torus"),
        cell(modules, "a <= b", 64, "fails", "24.94", of="torus"),
        cell(modules, "a <= b", 8, "holds", "0.9", of="flat"),
        cell(modules, "a <= b", 8, "holds", "0.9", of="open"),
        cell(modules, "a <= b", 64, "not_judged", "", of="open"),
    ]
    ofs = ["flat", "torus", "open", "absent"]
    assert modules.cells.by_machine(result, ofs).splitlines()[-1] == (
        "| `a <= b` | ✓ 1 | 2/2: ✗ 24.9 (p = 2, 64 B) | ? 1/2 | ? 0/0 |"
    )


def test_repetitions_are_predicted_where_the_error_of_the_mean_meets_the_threshold(modules):
    draw = random.Random(1)
    values = [draw.gauss(1, 0.2) for _ in range(modules.rounds.PILOT)]
    end = modules.rounds.predict(values, "rse")
    # The error falls as 1/sqrt(n): 0.2/sqrt(64) is 2.5 %, and 80 is the first look beyond that.
    assert end == 80
    assert statistics.stdev(values[:end]) / end**0.5 / statistics.fmean(values[:end]) <= 0.025
    # Equal values are enough at once; three looks are needed to see that a summary stays.
    assert modules.rounds.predict([2.0] * 200, "rse") == 20
    assert (
        modules.rounds.predict([2.0] * 200, "cov_mean")
        == modules.rounds.predict([2.0] * 200, "cov_median")
        == 80
    )
    # One of a thousand moves no median.
    outlier = [1.0] * 10 + [1000.0] + [1.0] * 289
    assert modules.rounds.predict(outlier, "cov_median") == 80
    assert modules.rounds.predict(outlier, "rse") == modules.rounds.PILOT


def test_memory_that_grows_with_ranks_reaches_its_wall_where_the_formula_does(modules):
    rows = [
        modules.connections.Row(
            "mpich", op, metric, p, 1e6 + (5e5 * p if op == "process_after_alltoall" else 0)
        )
        for _, op, metric in modules.connections.ROWS
        for p in (2, 4, 8, 16, 32)
        for _ in range(3)
    ]
    table = modules.connections.tables(rows)
    before, after = (line for line in table.splitlines() if ", private |" in line)
    assert before.split(" | ")[3] == "✓ (1.00)"
    assert before.endswith("not within 16,384 times the range |")
    # (3 GB - 1 MB) / 0.5 MB.
    assert after.split(" | ")[3].startswith("✗")
    wall = float(after.split(" | ")[4].partition(" ")[0].replace(",", ""))
    assert wall == pytest.approx((modules.connections.LIMIT - 1e6) / 5e5, rel=0.005)


def test_every_conclusion_has_claims_and_each_is_judged(modules):
    result = list(modules.conclusions.verdicts())
    assert {name.partition(" ")[0] for name, _ in result} == {*modules.conclusions.SAID}
    by_name = {name: verdict.outcome for name, verdict in result}
    assert by_name["(d) Intel MPI's Barrier takes no longer than Open MPI's"] == "holds"
    assert by_name["(b) Intel MPI's Bcast grows faster than Open MPI's"] == "fails"
