"""Which worker has which tests, seen from outside: pytest runs a small suite on two of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[2] / "conftest.py"

NOTING = """
import os, pytest
from pathlib import Path

@pytest.mark.parametrize("n", range(6))
def test_it(n):
    with Path("workers").open("a") as file:
        file.write(f"{Path(__file__).stem} {os.environ['PYTEST_XDIST_WORKER']}\\n")
"""


def test_a_file_has_one_worker_and_so_have_all_that_may_not_meet(tmp_path: Path) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    for place in ("tests/failures/test_a.py", "tests/extensions/clusters/test_b.py", "tests/store/test_c.py"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(NOTING)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "--rootdir", ".", "."]
    env = {**os.environ, "PYTEST_ADDOPTS": "--import-mode=importlib"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "18 passed" in done.stdout, done.stdout + done.stderr
    workers = defaultdict(set)
    for line in (tmp_path / "workers").read_text().splitlines():
        file, worker = line.split()
        workers[file].add(worker)
    assert workers["test_a"] == workers["test_b"]
    assert [len(workers[file]) for file in ("test_a", "test_c")] == [1, 1]
    assert workers["test_a"] != workers["test_c"]
