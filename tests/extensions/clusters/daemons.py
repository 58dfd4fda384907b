"""Servers that tests start: each in the foreground, with a log, and waited for only as long as it lives."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 120.0
LOG_BYTES = 2000
"""What is shown of the end of a log."""


class Daemon:
    """A server of a test.

    Parameters
    ----------
    words : sequence of str
        Its command, which stays in the foreground.
    log : Path
        Gets what it prints.
    logs : sequence of Path
        Files that it writes itself, shown beside ``log`` where it dies.
    """

    def __init__(
        self,
        words: Sequence[str],
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        logs: Sequence[Path] = (),
    ) -> None:
        self._words = words
        self._logs = (log, *logs)
        # A session of its own, so that it ends with the test and with all that it started.
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                words, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )

    def refuse_dead(self, purpose: str) -> None:
        """Fail with its log where it has ended."""
        code = self.process.poll()
        if code is not None:
            raise AssertionError(f"{purpose}: {self._words[0]} ended with {code}{self.read_logs()}")

    def read_logs(self) -> str:
        """The ends of its logs, each under its name."""
        present = [log for log in self._logs if log.exists()]
        return "".join(
            f"\n{log.name}: {log.read_bytes()[-LOG_BYTES:].decode(errors='replace')}" for log in present
        )

    def stop(self) -> None:
        """End it, if it runs."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def running(daemon: Daemon) -> Iterator[Daemon]:
    """End it with the block."""
    try:
        yield daemon
    finally:
        daemon.stop()


def until(holds: Callable[[], object], purpose: str, *daemons: Daemon, timeout_s: float = PATIENCE_S) -> None:
    """Wait until a condition holds, for which the daemons are needed.

    Raises
    ------
    AssertionError
        One of them has died, or it takes too long; with their logs.
    """
    deadline = time.monotonic() + timeout_s
    while not holds():
        for daemon in daemons:
            daemon.refuse_dead(purpose)
        if time.monotonic() > deadline:
            logs = "".join(daemon.read_logs() for daemon in daemons)
            raise AssertionError(f"{purpose}: not within {timeout_s:g} s{logs}")
        time.sleep(0.05)
