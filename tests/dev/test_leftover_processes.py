"""The guard in tests/conftest.py, seen from outside: pytest runs a small suite that misbehaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).parents[1] / "conftest.py"

LEAVERS = {
    "a_child_that_runs": "test_a_child_that_runs.child = subprocess.Popen(['sleep', '60'])",
    "a_child_nobody_waits_for": "test_a_child_nobody_waits_for.child = subprocess.Popen(['true'])",
    "an_orphan": "subprocess.run(['sh', '-c', 'sleep 60 &'], check=True)",
    "a_daemon_in_its_own_session": "subprocess.run(['setsid', '--fork', 'sleep', '60'], check=True)",
}
INNOCENTS = {
    "an_orphan_that_ends_by_itself": "subprocess.run(['sh', '-c', 'sleep 0.1 &'], check=True)",
    "a_child_waited_for": "subprocess.run(['true'], check=True)",
    "nothing": "import pytest; pytest.skip('no sundial on this machine')",
}


def run_suite(directory: Path, bodies: dict[str, str], grace_s: float = 30.0) -> list[str]:
    conftest = CONFTEST.read_text()
    assert "END_GRACE_S = 30.0" in conftest
    (directory / "conftest.py").write_text(conftest.replace("END_GRACE_S = 30.0", f"END_GRACE_S = {grace_s}"))
    tests = [f"def test_{name}():\n    {body}\n" for name, body in bodies.items()]
    (directory / "test_small.py").write_text("\n\n".join(["import subprocess", *tests]))
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", ".", "."]
    ended = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return ended.stdout.splitlines()


def test_whoever_leaves_a_process_fails(tmp_path: Path) -> None:
    # As long as the real guard waits, lest a slow machine fail a good test, would only cost time here.
    lines = run_suite(tmp_path, LEAVERS, grace_s=0.1)
    failed = {
        line.split("::")[1].split()[0]
        for line in lines
        if line.startswith("test_small.py") and " ERROR " in line
    }
    assert failed == {f"test_{name}" for name in LEAVERS}, lines
    assert sum("the test left behind: " in line for line in lines if line.startswith("E ")) == len(LEAVERS)


def test_nobody_else_fails_and_skips_are_told_with_their_reason(tmp_path: Path) -> None:
    lines = run_suite(tmp_path, INNOCENTS)
    assert "1 × no sundial on this machine (test_small.py)" in lines
    assert "2 passed, 1 skipped" in lines[-1]
