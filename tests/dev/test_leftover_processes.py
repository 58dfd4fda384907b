"""The guard in conftest.py, seen from outside: pytest runs a small suite that misbehaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[2] / "conftest.py"

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


def suite(bodies: dict[str, str]) -> str:
    tests = [f"def test_{name}():\n    {body}\n" for name, body in bodies.items()]
    return "\n\n".join(["import subprocess", *tests])


def run_suite(directory: Path, tests: str, grace_s: float = 30.0) -> list[str]:
    conftest = CONFTEST.read_text()
    assert "END_GRACE_S = 30.0" in conftest
    (directory / "conftest.py").write_text(conftest.replace("END_GRACE_S = 30.0", f"END_GRACE_S = {grace_s}"))
    (directory / "test_small.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", ".", "."]
    ended = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return ended.stdout.splitlines()


def test_whoever_leaves_a_process_fails(tmp_path: Path) -> None:
    # As long as the real guard waits, lest a slow machine fail a good test, would only cost time here.
    lines = run_suite(tmp_path, suite(LEAVERS), grace_s=0.1)
    failed = {
        line.split("::")[1].split()[0]
        for line in lines
        if line.startswith("test_small.py") and " ERROR " in line
    }
    assert failed == {f"test_{name}" for name in LEAVERS}, lines
    assert sum("the test left behind: " in line for line in lines if line.startswith("E ")) == len(LEAVERS)


def test_nobody_else_fails_and_skips_are_told_with_their_reason(tmp_path: Path) -> None:
    lines = run_suite(tmp_path, suite(INNOCENTS))
    assert "1 × no sundial on this machine (test_small.py)" in lines
    assert "2 passed, 1 skipped" in lines[-1]


SHARING = """
import subprocess
import pytest

@pytest.fixture(autouse=True, scope="module")
def _no_process_is_left(no_process_left):
    with no_process_left():
        yield

@pytest.fixture(scope="module")
def shared(_no_process_is_left):
    child = subprocess.Popen(["sleep", "600"])
    yield child
    if {ended}:
        child.kill()
        child.wait()

def test_a(shared): pass
def test_b(shared): assert shared.poll() is None
"""


@pytest.mark.parametrize("ended", [True, False])
def test_a_folder_may_share_a_process_but_not_leave_it(tmp_path: Path, ended: bool) -> None:
    lines = run_suite(tmp_path, SHARING.format(ended=ended), grace_s=0.1)
    assert ("1 error" in lines[-1]) is not ended, lines
    assert "2 passed" in lines[-1], lines
    assert any("the test left behind: sleep" in line for line in lines) is not ended
