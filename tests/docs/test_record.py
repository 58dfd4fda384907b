"""The queries and programs of docs/record.md, as they stand there, on a record of Steelyard."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from documentation.markdown import code_blocks

PAGE = (Path(__file__).parents[2] / "docs" / "record.md").read_text()
SPEC = """
[program]
command = ["sh", "-c", "echo rate={rate}; test {trial} -ne 3"]

[factors]
opt = ["O2", "O3"]
rate = [7]

[metrics]
work = { derive = "rate * 2" }

[design]
blocks = 3
discard = 0
"""


@pytest.fixture
def record(steelyard_cli, tmp_path: Path) -> Path:
    """A directory with ``o2.lab``: two treatments, a metric of its own, one failed trial."""
    (tmp_path / "o2.toml").write_text(SPEC.replace("echo rate", "echo {opt} rate"))
    done = steelyard_cli("run", "o2.toml")
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_every_query_gives_rows(record: Path):
    queries = [code.text for code in code_blocks(PAGE) if code.language == "sql"]
    connection = sqlite3.connect(record / "o2.lab" / "record.sqlite")
    means, levels, reported, failed = (connection.execute(query).fetchall() for query in queries)
    connection.close()
    assert [(label, n) for label, n, *_ in means] == [("O2", 3), ("O3", 3)]
    assert sorted(opt for opt, *_ in levels) == ["O2"] * 3 + ["O3"] * 3
    assert {(name, labels, i, v) for _, name, _, labels, i, v in reported} == {("work", "{}", 0, 14.0)}
    assert [(trial, status) for trial, _, status, _ in failed] == [(3, "failed")]


@pytest.mark.parametrize("number", [0, 1], ids=["samples", "pandas"])
def test_every_program_runs(record: Path, number: int):
    text = [code.text for code in code_blocks(PAGE) if code.language == "python"][number]
    if "import pandas" in text:
        pytest.importorskip("pandas", reason="pandas is not installed")
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=record, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
