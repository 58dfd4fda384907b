"""``steelyard solvers``, as a user types it."""

from __future__ import annotations

import json

TABLE = "instance,solver,seed,status,time_s\n" + "".join(
    f"i{place},{solver},{seed},{'ok' if place * factor < 60 else 'timeout'},{min(place * factor, 60)}\n"
    for solver, factor in (("fast", 1), ("slow", 3))
    for place in range(1, 41)
    for seed in (1, 2)
)


def test_the_first_line_is_the_verdict_and_no_run_is_left_out(steelyard_cli, tmp_path):
    (tmp_path / "runs.csv").write_text(TABLE)
    process = steelyard_cli("solvers", "runs.csv", "--figures", "figures", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("slow against fast: worse, its PAR2 is ")
    assert "19 of 40" in process.stdout
    names = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert names == ["solvers-cactus.svg", "solvers-pairs-1.svg"]
    svg = (tmp_path / "figures" / "solvers-cactus.svg").read_text()
    assert "instances solved" in svg
    assert "fast" in svg


def test_the_document_counts_timeouts_by_solver(steelyard_cli, tmp_path):
    (tmp_path / "runs.csv").write_text(TABLE)
    document = json.loads(steelyard_cli("solvers", "runs.csv", "--par", "10", "--json", cwd=tmp_path).stdout)
    assert (document["format"], document["version"], document["par"]) == ("steelyard/solvers", 1, 10)
    assert [item["timeouts"] for item in document["solvers"]] == [0, 42]
    assert [solver["solved"] for solver in document["solvers"]] == [40, 19]


def test_one_solver_alone_is_scored(steelyard_cli, tmp_path):
    (tmp_path / "runs.csv").write_text("".join(TABLE.splitlines(keepends=True)[:81]))
    process = steelyard_cli("solvers", "runs.csv", "--limit", "1min", cwd=tmp_path)
    assert process.stdout.startswith("fast solved 40 of 40 instances; PAR2 20.5 s")


def test_names_of_solvers_cannot_write_to_the_terminal(steelyard_cli, tmp_path):
    (tmp_path / "runs.csv").write_text(TABLE.replace(",slow,", ",\x1b]0;x\x07slow,"))
    process = steelyard_cli("solvers", "runs.csv", cwd=tmp_path)
    assert process.returncode == 0
    assert "\x1b" not in process.stdout
