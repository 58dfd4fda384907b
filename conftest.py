"""What every test gets: no process left behind, reproducible properties, a command line with its own home."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from multiprocessing.process import BaseProcess

# No deadline and no health check of speed: on a shared machine both are coin tosses.
hypothesis.settings.register_profile(
    "developer", deadline=None, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "ci", hypothesis.settings.get_profile("developer"), derandomize=True, database=None
)
# The levels of ./dev test below "all".
hypothesis.settings.register_profile("brief", hypothesis.settings.get_profile("ci"), max_examples=30)
# ./dev test --fast: a fifth of the examples, others each time.
hypothesis.settings.register_profile("fast", hypothesis.settings.get_profile("developer"), max_examples=20)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "developer")

PR_SET_CHILD_SUBREAPER = 36
PATIENCE_S = 120.0
"""For what must happen soon, however loaded the machine is; a test that reaches it has failed."""
END_GRACE_S = 30.0
"""How long a process that is about to end may take; only a test that leaves something waits for it."""

_started: set[int] = set()
"""What a test started by ``subprocess`` and has to wait for; its other children are adopted orphans."""

_waited_for: set[int] = set()
"""What any test or fixture started so: ``subprocess`` waits for that, whenever it ends."""


ROOT = Path(__file__).parent

EXTENSIONS = ROOT / "src" / "steelyard" / "extensions"

ALONE = "STEELYARD_TEST_ALONE" in os.environ
"""Whether this tree is a copy of ``./dev test alone``, which lacks extensions on purpose."""

COMMANDS_OF_OTHERS = os.environ.get("STEELYARD_TEST_ALONE", "").split(",")
"""Commands of extensions that the copy lacks."""

MARKED = re.compile(r"^pytestmark = pytest\.mark\.extensions\(([^)]*)\)", re.MULTILINE)
"""The extensions that all tests of a file need beside the core, or beside that whose folder it is in."""

TESTS = ROOT / "tests"
"""Tests of the laboratory; the other houses have theirs in folders of their own."""

STARTING = {
    "browser", "cli", "dev", "docs", "extensions", "failures", "lab", "platforms", "recipes", "run",
    "store",
}  # fmt: skip
"""Rooms whose tests start processes. Those of all others are ``fast``, but for those that start one all the
same or simulate. ``tests/dev/test_fast.py`` looks for each name of these lists.
"""


QUICK = ("extensions/growth/algebra", "extensions/growth/scaling", "extensions/exchange/importers")
"""Folders within these rooms whose tests start none."""

ONE_AT_A_TIME = ("tests/failures", "tests/run/launch/launcher", "tests/extensions/clusters")
"""Tests that change settings of the machine or look at what others leave on it: of the workers of
``./dev test`` one has them all, so that no two of them meet.
"""

LONGEST = (
    *ONE_AT_A_TIME,
    "workloads",
    "studies",
    *(f"tests/{room}" for room in ("stats/compare", "lab", "extensions", "docs", "cli", "browser", "run")),
)
"""What the workers begin with, so that none is left with a long file when the others have ended."""


def is_fast(item: pytest.Item) -> bool:
    """Whether a test is of a room that starts no process, starts none itself (by a fixture, or since its
    module imports ``subprocess``, or asks git for ``list_files``), and does not simulate.
    """
    if not item.path.is_relative_to(TESTS):
        return False
    place = item.path.relative_to(TESTS)
    is_slow = place.parts[0] in STARTING and not any(place.is_relative_to(folder) for folder in QUICK)
    fixtures = {*getattr(item, "fixturenames", ())}
    starters = {"subprocess", "list_files"} & vars(getattr(item, "module", None) or object).keys()
    starts = bool(starters) or "steelyard_cli" in fixtures
    return not is_slow and not starts and item.get_closest_marker("simulates") is None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for garbage after the collection only, and never among its modules and tests, which stay: each
    look at them takes some 0.2 s, and a test whose witness asks for one in each of 50 examples took 9 s.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave other rooms alone where only fast tests are asked for: importing them takes longer. In a copy of
    ``./dev test alone``, leave files alone whose mark names an extension that it lacks: they do not import.
    """
    if collection_path.suffix == ".py":
        named = MARKED.search(collection_path.read_text(encoding="utf-8")) if ALONE else None
        return True if named and missing_extensions(re.findall(r"\w+", named[1])) else None
    room = collection_path.parent == TESTS and collection_path.is_dir()
    return True if room and config.option.markexpr == "fast" and collection_path.name in STARTING else None


def missing_extensions(names: Iterable[str]) -> list[str]:
    """Those of these extensions that are not in this tree."""
    return [name for name in names if not (EXTENSIONS / name).is_dir()]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose mark names an extension that is not there; in a copy without it, skip the test."""
    names = [name for mark in item.iter_markers("extensions") for name in mark.args]
    if missing := missing_extensions(names):
        (pytest.skip if ALONE else pytest.fail)(f"needs the extension {', '.join(missing)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what ``./dev test --fast`` runs; where there are several workers, put what takes longest first."""
    for item in items:
        if "perfect_passes" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.simulates)
        if is_fast(item):
            item.add_marker(pytest.mark.fast)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _turn(item.path.relative_to(ROOT)))


def _turn(place: Path) -> int:
    return next((turn for turn, file in enumerate(LONGEST) if place.is_relative_to(file)), len(LONGEST))


def together(place: Path) -> str:
    """Name of the tests that one worker has with those of a file."""
    return "one at a time" if any(map(place.is_relative_to, ONE_AT_A_TIME)) else str(place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the tests of a file to one worker: they share what its fixtures have made.

    Not by ``xdist_group``: pytest-xdist 3.8 writes it where pytest 9.2 does not look, and so deals out each
    test alone (docs/decisions/house/187-what-ci-found.md).
    """
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(Path(nodeid.partition("::")[0]))

    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_configure() -> None:
    """Make orphans come to this process, where they are seen, instead of to init; and let Ctrl-C reach what
    tests start, also where a shell has started pytest in the background and so had it ignore that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot become a subreaper")
    start = subprocess.Popen.__init__

    def start_and_remember(self, *arguments, **options) -> None:
        start(self, *arguments, **options)
        _started.add(self.pid)
        _waited_for.add(self.pid)

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


def reaped(process: Process, waited_for: set[int]) -> bool:
    """Whether it is an adopted orphan that has ended, which is then waited for, as init would do; what is in
    ``waited_for`` somebody else waits for.
    """
    ended = process.state == "Z" and process.parent == os.getpid() and process.pid not in waited_for
    if ended:
        os.waitpid(process.pid, os.WNOHANG)
    return ended


def left_behind(before: set[tuple[int, int]]) -> list[Process]:
    """What was started since ``before`` and is not gone. Ended orphans are reaped, as init would do."""
    leftovers = []
    for process in descendants(os.getpid()):
        if (process.pid, process.start_ticks) in before:
            continue
        if not reaped(process, _started):
            leftovers.append(process)
    return leftovers


def reap_orphans() -> None:
    """Wait for adopted orphans that ended when the test that left them was over, as init would."""
    for process in descendants(os.getpid()):
        reaped(process, _waited_for)


@contextmanager
def leaving_no_process() -> Iterator[None]:
    """Fail where a process or a zombie is left behind that was started within, and end what is left."""
    _started.clear()
    reap_orphans()
    before = {(process.pid, process.start_ticks) for process in descendants(os.getpid())}
    yield
    deadline = time.monotonic() + END_GRACE_S
    while (leftovers := left_behind(before)) and time.monotonic() < deadline:
        time.sleep(0.01)
    if not leftovers:
        return
    for process in leftovers:
        if process.state != "Z":
            os.kill(process.pid, signal.SIGKILL)
    names = ", ".join(f"{process.name} (pid {process.pid}, state {process.state})" for process in leftovers)
    pytest.fail(f"the test left behind: {names}")


@pytest.fixture(scope="session")
def no_process_left() -> Callable[[], AbstractContextManager[None]]:
    """``leaving_no_process``, for a folder whose tests share processes."""
    return leaving_no_process


@pytest.fixture(autouse=True)
def _no_process_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a process or a zombie behind, and end what it left; and a fast one that starts
    any.
    """
    if not request.node.get_closest_marker("fast"):
        with leaving_no_process():
            yield
        return
    _started.clear()
    yield
    if _started:
        pytest.fail(f"a test of ./dev test --fast started {len(_started)} processes")


class Eventually(Protocol):
    """Waits until a condition holds; fails at once where ``process``, without which it never will, has
    ended.
    """

    def __call__(
        self, holds: Callable[[], object], process: subprocess.Popen[Any] | BaseProcess | None = None
    ) -> None: ...


def await_(holds: Callable[[], object], process: subprocess.Popen[Any] | BaseProcess | None = None) -> None:
    """As ``Eventually`` says."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if isinstance(process, subprocess.Popen):
            assert process.poll() is None, process.communicate()
        elif process is not None:
            assert process.exitcode is None, f"{process.name} ended with {process.exitcode}"
        assert time.monotonic() < deadline, f"it did not come to pass within {PATIENCE_S:g} s"
        time.sleep(0.005)


@pytest.fixture(scope="session")
def eventually() -> Eventually:
    """``eventually(condition)``."""
    return await_


@pytest.fixture
def meanwhile() -> Callable[..., AbstractContextManager[None]]:
    """``with meanwhile(condition, act): …`` calls ``act`` from a thread beside, as soon as the condition
    holds.
    """

    @contextmanager
    def beside(holds: Callable[[], object], act: Callable[[], object]) -> Iterator[None]:
        def wait_and_act() -> None:
            await_(holds)
            act()

        thread = Thread(target=wait_and_act)
        thread.start()
        try:
            yield
        finally:
            thread.join()

    return beside


class Cli(Protocol):
    """Runs ``steelyard ARGUMENTS`` as a process and returns its output and exit code."""

    def __call__(
        self,
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def steelyard_env(tmp_path: Path) -> dict[str, str]:
    """The environment of ``steelyard_cli``: its own home, no colour, 100 columns, nothing of the caller's."""
    home = tmp_path / "home"
    home.mkdir()
    inherited = ("PATH", "PYTHONPATH", "STEELYARD_RUNNER", "CI", "TMPDIR")
    kinds = ("CACHE", "CONFIG", "DATA", "STATE")
    directories = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in kinds}
    plain = {"HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    return {key: os.environ[key] for key in inherited if key in os.environ} | directories | plain


CLONE_NEWNS = 0x20000
MS_REC, MS_PRIVATE = 0x4000, 0x40000


@pytest.fixture(scope="session", autouse=True)
def own_mounts() -> bool:
    """Whether this process has a mount namespace of its own from now on: nobody else's mounts come to be seen
    in it, and its own go when it ends. Without the right to that, nothing can be mounted either.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.unshare(CLONE_NEWNS) == 0 and libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0


class CliServer:
    """``scripts/cli_server.py``: forks a command in a hundredth of the time that Python takes to load one."""

    def __init__(self, *before: str, patience_s: float | None = None) -> None:
        """Start it, behind the words of a command where there are some."""
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [*before, sys.executable, str(ROOT / "scripts" / "cli_server.py"), str(theirs.fileno())]
            env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "LANG": "C.UTF-8"}
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=env)
        self._connection.settimeout(patience_s)
        self._free = Lock()

    def run(
        self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        request = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": dict(env)}).encode()
        with TemporaryFile() as source, TemporaryFile() as out, TemporaryFile() as err:
            source.write(stdin.encode())
            source.seek(0)
            with self._free:
                socket.send_fds(
                    self._connection, [request], [stream.fileno() for stream in (source, out, err)]
                )
                code = int(self._connection.recv(16))
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode())
        return subprocess.CompletedProcess(["steelyard", *arguments], code, *texts)

    def close(self) -> None:
        """End the server, which waits for requests."""
        self._connection.close()
        self._process.wait()


@pytest.fixture(scope="session")
def cli_server_type() -> type[CliServer]:
    """For tests that start one of their own."""
    return CliServer


@pytest.fixture(scope="session")
def cli_server() -> Iterator[CliServer]:
    """One for all commands of a worker."""
    server = CliServer()
    yield server
    server.close()


OF_A_NEW_PROCESS = ("LANG", "LC_", "LD_", "PYTHON")
"""Variables that an interpreter or a loader reads when it starts, and never again."""


def skip_of_others(arguments: Sequence[str]) -> None:
    """Skip a test that types a command of an extension that this copy lacks: it is about both."""
    if arguments and arguments[0] in COMMANDS_OF_OTHERS:
        pytest.skip(f"types the command {arguments[0]} of another extension")


@pytest.fixture
def steelyard_cli(tmp_path: Path, steelyard_env: dict[str, str], cli_server: CliServer) -> Cli:
    """``steelyard_cli("run", "spec.toml")``: starts in ``tmp_path``; ``env`` adds to ``steelyard_env``."""

    def run(
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> subprocess.CompletedProcess[str]:
        skip_of_others(arguments)
        directory, variables = cwd or tmp_path, {**steelyard_env, **(env or {})}
        if not any(name.startswith(OF_A_NEW_PROCESS) for name in env or {}):
            return cli_server.run(arguments, directory, variables, stdin)
        return subprocess.run(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=directory,
            env=variables,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def steelyard_started(tmp_path: Path, steelyard_env: dict[str, str]) -> Callable[..., subprocess.Popen[str]]:
    """``steelyard_started("run", "spec.toml")``: as ``steelyard_cli``, without waiting for its end."""

    def start(*arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        skip_of_others(arguments)
        return subprocess.Popen(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=tmp_path,
            env={**steelyard_env, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


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
