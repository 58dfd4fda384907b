"""What every test gets: no process left behind, reproducible properties, a command line with its own home."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# No deadline and no health check of speed: on a shared machine both are coin tosses.
hypothesis.settings.register_profile(
    "developer", deadline=None, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "ci", hypothesis.settings.get_profile("developer"), derandomize=True, database=None
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "developer")

PR_SET_CHILD_SUBREAPER = 36
END_GRACE_S = 3.0
"""How long a process that is about to end may take; only a test that leaves something waits for it."""

_started: set[int] = set()
"""What this process started by ``subprocess`` and has to wait for; its other children are adopted orphans."""


FAST = {"answers", "claims", "design", "factorial", "growth", "report", "scaling", "spec", "stats"}
"""Rooms that start no process, whose tests are ``fast`` but for those that start one or simulate."""


ONE_AT_A_TIME = ("dev", "failures", "lab/audit", "lab/demo", "run/queue", "studies", "workloads")
"""Tests that take many processes or much of the machine: under ``-n 2 --dist loadgroup``, one worker has them
all, so that no two of them meet."""


def is_slow(item: pytest.Item) -> bool:
    """Whether a test may start a process (by a fixture, or since its module imports ``subprocess``), or
    simulates error rates.
    """
    fixtures = {*getattr(item, "fixturenames", ())}
    starts = hasattr(getattr(item, "module", None), "subprocess")
    return starts or not fixtures.isdisjoint({"steelyard_cli", "perfect_passes"})


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave other rooms alone where only fast tests are asked for: importing them takes longer."""
    room = collection_path.parent == Path(__file__).parent and collection_path.is_dir()
    return True if room and config.option.markexpr == "fast" and collection_path.name not in FAST else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what ``./dev test --fast`` runs, and what stays together where there are several workers."""
    here = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(here)
        room, *below = place.parts
        heavy = any(place.is_relative_to(each) for each in ONE_AT_A_TIME)
        # A module's tests share what its fixtures have measured.
        item.add_marker(pytest.mark.xdist_group("heavy" if heavy else str(place)))
        if (room in FAST or not below) and not is_slow(item):
            item.add_marker(pytest.mark.fast)


def pytest_configure() -> None:
    """Make orphans come to this process, where they are seen, instead of to init."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot become a subreaper")
    start = subprocess.Popen.__init__

    def start_and_remember(self, *arguments, **options) -> None:
        start(self, *arguments, **options)
        _started.add(self.pid)

    subprocess.Popen.__init__ = start_and_remember


class Process(NamedTuple):
    """A process at one moment; pid and start time together are never used twice."""

    pid: int
    start_ticks: int
    state: str
    parent: int
    name: str


def read_process(pid: int) -> Process | None:
    """The process, or None where it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in parentheses and may hold any character.
    head, _, rest = text.rpartition(")")
    fields = rest.split()
    return Process(pid, int(fields[19]), fields[0], int(fields[1]), head.partition("(")[2])


def descendants(pid: int) -> Iterator[Process]:
    """Every process below ``pid``, zombies included."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            pids = children.read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in map(int, pids):
            process = read_process(child)
            if process is not None:
                yield process
                yield from descendants(child)


def left_behind(before: set[tuple[int, int]]) -> list[Process]:
    """What was started since ``before`` and is not gone. Ended orphans are reaped, as init would do."""
    left = []
    for process in descendants(os.getpid()):
        if (process.pid, process.start_ticks) in before:
            continue
        if process.state == "Z" and process.parent == os.getpid() and process.pid not in _started:
            os.waitpid(process.pid, os.WNOHANG)
        else:
            left.append(process)
    return left


@pytest.fixture(autouse=True)
def _no_process_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a process or a zombie behind, and end what it left; and a fast one that starts
    any.
    """
    _started.clear()
    if request.node.get_closest_marker("fast"):
        yield
        if _started:
            pytest.fail(f"a test of ./dev test --fast started {len(_started)} processes")
        return
    before = {(process.pid, process.start_ticks) for process in descendants(os.getpid())}
    yield
    deadline = time.monotonic() + END_GRACE_S
    while (left := left_behind(before)) and time.monotonic() < deadline:
        time.sleep(0.01)
    if not left:
        return
    for process in left:
        if process.state != "Z":
            os.kill(process.pid, signal.SIGKILL)
    what = ", ".join(f"{process.name} (pid {process.pid}, state {process.state})" for process in left)
    pytest.fail(f"the test left behind: {what}")


class Cli(Protocol):
    """Runs ``steelyard ARGUMENTS`` as a process and returns its output and exit code."""

    def __call__(
        self,
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout_s: float = 50.0,
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def steelyard_env(tmp_path: Path) -> dict[str, str]:
    """The environment of ``steelyard_cli``: its own home, no colour, 100 columns, nothing of the caller's."""
    home = tmp_path / "home"
    home.mkdir()
    kept = ("PATH", "PYTHONPATH", "STEELYARD_RUNNER", "CI", "TMPDIR")
    kinds = ("CACHE", "CONFIG", "DATA", "STATE")
    directories = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in kinds}
    plain = {"HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    return {key: os.environ[key] for key in kept if key in os.environ} | directories | plain


@pytest.fixture
def steelyard_cli(tmp_path: Path, steelyard_env: dict[str, str]) -> Cli:
    """``steelyard_cli("run", "spec.toml")``: starts in ``tmp_path``; ``env`` adds to ``steelyard_env``."""

    def run(
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout_s: float = 50.0,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=cwd or tmp_path,
            env={**steelyard_env, **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )

    return run


class SmallDisk:
    """A file system of its own that can be filled up, and be turned read-only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self, *, leave_bytes: int = 0) -> None:
        """Until only so much is free."""
        with (self.path / "filler").open("wb") as filler:
            free = os.statvfs(self.path)
            filler.write(b"x" * max(0, free.f_bavail * free.f_frsize - leave_bytes))

    def free(self) -> None:
        """Give back what ``fill`` took."""
        (self.path / "filler").unlink()

    def mount(self, options: str) -> None:
        """Mount it anew with other options."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.path)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """2 MB of memory as a disk."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    yield SmallDisk(path)
    subprocess.run(["umount", "-l", str(path)], check=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what this machine could not test and why, and which earlier stages of ``./dev test`` failed."""
    native = json.loads(os.environ.get("STEELYARD_DEV_SUMMARY", "{}"))
    reasons: Counter[tuple[str, str]] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        path, _, reason = report.longrepr
        reasons[
            reason.removeprefix("Skipped: "), os.path.relpath(path, terminalreporter.config.rootpath)
        ] += 1
    lines = [f"{count} × {reason} ({path})" for (reason, path), count in sorted(reasons.items())]
    lines += native.get("not_run", [])
    if lines or native:
        terminalreporter.section("not tested here")
        terminalreporter.write_line("\n".join(lines) or "nothing: every test could run")
    if native.get("failed"):
        terminalreporter.section("failed before the Python tests")
        terminalreporter.write_line("\n".join(native["failed"]), red=True)
