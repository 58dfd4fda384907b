"""``steelyard import`` of tables by the roles of their columns, as a user types it."""

from __future__ import annotations

import json

import pytest

ARMS = [("old", 1.0), ("new", 1.5)]


def spread(place: int) -> float:
    """A number about 1 that differs from run to run."""
    return 1 + ((place * 37) % 11 - 5) / 500


@pytest.mark.extensions("exchange")
def test_a_run_that_failed_by_its_status_leaves_no_verdict(steelyard_cli, tmp_path):
    rows = [
        f"{arm},{mean * spread(i):.4f},{'FAILED' if arm == 'new' and i % 2 else 'COMPLETED'}"
        for arm, mean in ARMS
        for i in range(12)
    ]
    (tmp_path / "runs.csv").write_text("\n".join(["arm,time[s],State", *rows, ""]))
    imported = steelyard_cli("import", "runs.csv", "--value", "time", "--by", "arm", cwd=tmp_path)
    assert imported.returncode == 0, imported.stderr
    answer = json.loads(steelyard_cli("analyze", "runs.lab", "--json", cwd=tmp_path).stdout)
    (comparison,) = answer["comparisons"]
    assert comparison["verdict"] == "not_resolved"
    assert {"failures_unequal"} <= set(comparison["flags"])
    ignored = steelyard_cli(
        "import",
        "runs.csv",
        "--value",
        "time",
        "--by",
        "arm",
        "--failures",
        "ignore",
        "-o",
        "i.lab",
        cwd=tmp_path,
    )
    assert ignored.returncode == 0
    answer = json.loads(steelyard_cli("analyze", "i.lab", "--json", cwd=tmp_path).stdout)
    assert answer["comparisons"][0]["verdict"] == "slower"


@pytest.mark.extensions("exchange")
def test_solvers_of_a_table_are_compared_instance_by_instance(steelyard_cli, tmp_path):
    rows = [
        f"{tool},p{place},{seed},{factor * 3.0**place * spread(place + seed):.5f}"
        for tool, factor in (("x", 1.0), ("y", 1.2))
        for place in range(12)
        for seed in (1, 2)
    ]
    (tmp_path / "runs.csv").write_text("\n".join(["tool,problem,seed,time[s]", *rows, ""]))
    roles = ("--value", "time", "--by", "tool", "--instance", "problem", "--seed", "seed")
    imported = steelyard_cli("import", "runs.csv", *roles, cwd=tmp_path)
    assert imported.returncode == 0, imported.stderr
    answer = json.loads(steelyard_cli("analyze", "runs.lab", "--json", cwd=tmp_path).stdout)
    (comparison,) = answer["comparisons"]
    assert comparison["verdict"] == "slower"
    assert comparison["instances"] == 12
    scores = json.loads(steelyard_cli("solvers", "runs.lab", "--limit", "1 h", "--json", cwd=tmp_path).stdout)
    assert [row["instances"] for row in scores["solvers"]] == [12, 12]


@pytest.mark.extensions("exchange")
def test_a_node_that_tells_the_sides_apart_is_named_by_import_and_by_the_answer(steelyard_cli, tmp_path):
    rows = [f"{arm},{arm[0]}1,{mean * spread(i):.4f}" for arm, mean in ARMS for i in range(8)]
    (tmp_path / "runs.csv").write_text("\n".join(["arm,node,time[s]", *rows, ""]))
    imported = steelyard_cli("import", "runs.csv", "--value", "time", "--by", "arm", cwd=tmp_path)
    assert "node tells the sides apart: old has o1 and new has n1." in imported.stdout
    answer = steelyard_cli("analyze", "runs.lab", "--details", cwd=tmp_path).stdout
    assert "node tells the sides apart" in " ".join(answer.split())


@pytest.mark.extensions("exchange")
@pytest.mark.parametrize("path", ["results/*/times/*", "results/*/times"])
def test_json_of_ones_own_is_compared_by_a_path(steelyard_cli, tmp_path, path):
    tree = {"results": {arm: {"times": [mean * spread(i) for i in range(9)]} for arm, mean in ARMS}}
    (tmp_path / "runs.json").write_text(json.dumps(tree))
    imported = steelyard_cli(
        "import", "runs.json", "--value", path, "--by", "results", "--unit", "s", cwd=tmp_path
    )
    assert imported.returncode == 0, imported.stderr
    assert "18 trials of 2 treatments" in imported.stdout
    assert steelyard_cli("analyze", "runs.lab", cwd=tmp_path).stdout.startswith("new is 1.5")
