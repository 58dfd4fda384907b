"""``Launch``: one way to start a program, with everything that the program sees of its surroundings."""

from __future__ import annotations

import os
from typing import Final

import msgspec

from steelyard.core.counters import find_event
from steelyard.core.errors import UsageError
from steelyard.interventions.launch_change import HostSetting, SchedulingClass

CAPTURE: Final = "capture"
NULL: Final = "null"

_POINTER_BYTES: Final = 8
_MOST_HOOKS: Final = 16
MOST_COUNTERS: Final = 16
_MOST_CPUS: Final = 1024
_MOST_HOST_SETTINGS: Final = 64
_MOST_FILES: Final = 64
_LONGEST_CAPTURE_BYTES: Final = 1 << 30
_LONGEST_TIMEOUT_NS: Final = 1 << 62


class Launch(msgspec.Struct, frozen=True):
    """A program and its surroundings; hashable, so that equal launches are defined once.

    Texts may hold bytes that are not UTF-8, as ``os.fsdecode`` makes them.

    Attributes
    ----------
    path : str
        What ``execve`` gets; absolute, never searched for.
    argv : tuple of str
        All arguments, the program's own name first.
    env : tuple of str
        ``NAME=value`` each: the whole environment, in this order. The last twelve digits of
        ``STEELYARD_TRIAL=…-000000000000`` become the number of the trial.
    inherit : bool
        Whether the environment of the runner itself is added behind ``env``: what a queue tells a job.
    cwd : str
        Working directory; absolute.
    stdin : str
        A file, absolute, opened again for each trial.
    stdout, stderr : str
        ``capture``, ``null``, or a file, absolute, which is emptied first; both may name the same one.
    capture_limit_bytes : int
        Bytes kept of each captured stream, from its head. At most 1 GiB.
    timeout_ns : int or None
        After this the program is asked to end (SIGTERM), and 200 ms later forced to (SIGKILL), with all that
        it started.
    affinity : tuple of int or None
        CPUs it may run on; ``None``: those that Steelyard may.
    aslr_off : bool
        Whether the kernel must not randomise its address space. If it refuses, the trial is ``setup_failed``.
    nice : int or None
        Its nice value, −20 to 19.
    scheduling : SchedulingClass or None
        Its class of the scheduler; ``None``: that of the runner.
    stack_mib : int or None
        Limit of its stack, MiB, or ``UNLIMITED_MIB``; ``None``: that of the runner.
    huge_pages_off : bool
        Whether the kernel may give it no huge pages that it did not ask for.
    cwd_source : str or None
        Then this directory, absolute, is shown to the program as ``cwd``, which is an empty directory.
    cpu_limit_ns : int or None
        CPU time of all its processes together, after which it is ended as by ``timeout_ns``.
    memory_limit_bytes : int or None
        At which the kernel ends its processes.
    group_path : str or None
        What the control group of a limit is made as; needed with one.
    network_off : bool
        Whether it has a network of its own without devices, as its prepare and cleanup.
    root_path : str or None
        Then it has a file system of its own, as its prepare and cleanup, mounted at this empty directory:
        what they write is gone after the trial.
    host : tuple of HostSetting
        Settings of the host, at most 64; put back before a launch that does not name it, and at the end.
        Ignored for commands around a trial.
    prepare, cleanup : tuple of Launch
        Untimed commands just before and after each trial; at most 16 each. Cleanup runs whatever happened.
        What prepare leaves running lives until cleanup has run.
    counters : tuple of str
        Names of ``steelyard.core.counters``, at most 16.
    metrics_path : str or None
        A file, absolute, emptied before the trial and read after it (its first 256 MiB).
    digests : bool
        Whether all that is written to captured streams, and to ``files``, is digested after the end.
    files : tuple of str
        Files, absolute, that the program is to write; at most 64.
    queue_wait : bool
        Whether the wait for a CPU is observed after trials of less than 0.5 ms too, which that disturbs.
    """

    path: str
    argv: tuple[str, ...]
    env: tuple[str, ...]
    cwd: str
    inherit: bool = False
    stdin: str = "/dev/null"
    stdout: str = CAPTURE
    stderr: str = CAPTURE
    capture_limit_bytes: int = 1 << 20
    timeout_ns: int | None = None
    affinity: tuple[int, ...] | None = None
    aslr_off: bool = False
    nice: int | None = None
    scheduling: SchedulingClass | None = None
    stack_mib: int | None = None
    huge_pages_off: bool = False
    cwd_source: str | None = None
    cpu_limit_ns: int | None = None
    memory_limit_bytes: int | None = None
    group_path: str | None = None
    network_off: bool = False
    root_path: str | None = None
    host: tuple[HostSetting, ...] = ()
    prepare: tuple[Launch, ...] = ()
    cleanup: tuple[Launch, ...] = ()
    counters: tuple[str, ...] = ()
    metrics_path: str | None = None
    digests: bool = False
    files: tuple[str, ...] = ()
    queue_wait: bool = False

    def __post_init__(self) -> None:
        self._check_paths()
        self._check_texts()
        self._check_numbers()
        for name, hooks in (("prepare", self.prepare), ("cleanup", self.cleanup)):
            if len(hooks) > _MOST_HOOKS:
                raise UsageError(
                    f"{len(hooks)} {name} commands; a trial takes {_MOST_HOOKS}",
                    hint=f'put them into one script: {name} = ["./{name}.sh"]',
                )
            if any(hook.prepare or hook.cleanup for hook in hooks):
                raise UsageError(
                    f"a {name} command has {name} commands of its own",
                    hint=f"give its commands to the trial: {name} = [[…], […]]",
                )
        if len(self.counters) > MOST_COUNTERS:
            raise UsageError(
                f"{len(self.counters)} counters; a trial takes {MOST_COUNTERS}",
                hint=f"ask for {MOST_COUNTERS} at most, and for the others in another experiment",
            )
        for counter in self.counters:
            find_event(counter)
        if len(self.host) > _MOST_HOST_SETTINGS:
            raise UsageError(
                f"{len(self.host)} settings of the host; a trial takes {_MOST_HOST_SETTINGS}",
                hint="set the host by hand, or allow Steelyard fewer CPUs (taskset)",
            )

        if len(self.files) > _MOST_FILES:
            raise UsageError(
                f"{len(self.files)} files to digest; a trial takes {_MOST_FILES}", hint="name fewer files"
            )

    @property
    def argv_bytes(self) -> int:
        """Bytes of path and arguments on the program's stack: texts with NUL, and a pointer an argument."""
        return len(os.fsencode(self.path)) + 1 + _compute_stack_bytes(self.argv)

    @property
    def env_bytes(self) -> int:
        """Bytes of the environment there, counted in the same way."""
        return _compute_stack_bytes(self.env)

    def _check_paths(self) -> None:
        outputs = {"stdout": self.stdout, "stderr": self.stderr}
        paths = {"path": self.path, "cwd": self.cwd, "stdin": self.stdin}
        paths |= {name: value for name, value in outputs.items() if value not in (CAPTURE, NULL)}
        if self.metrics_path is not None:
            paths["metrics_path"] = self.metrics_path
        if self.cwd_source is not None:
            paths["cwd_source"] = self.cwd_source
        if self.root_path is not None:
            paths["root_path"] = self.root_path
        if self.group_path is not None:
            paths["group_path"] = self.group_path
        paths |= {f"host[{place}]": setting.path for place, setting in enumerate(self.host)}
        paths |= {f"files[{place}]": path for place, path in enumerate(self.files)}
        for name, path in paths.items():
            if not path.startswith("/"):
                raise UsageError(f"{name} is not an absolute path: {path!r}", hint=f"write /…/{path}")
            if "\0" in path:
                raise UsageError(
                    f"{name} holds a NUL byte, which ends a text for the kernel: {path!r}",
                    hint=f"write {path.replace(chr(0), '')!r}",
                )

    def _check_texts(self) -> None:
        if not self.argv:
            raise UsageError(
                "argv is empty",
                hint='write argv = ["program", "argument"]; the program\'s own name comes first',
            )
        for name, texts in (("argv", self.argv), ("env", self.env)):
            for place, text in enumerate(texts):
                if "\0" in text:
                    raise UsageError(
                        f"{name}[{place}] holds a NUL byte, which ends a text for the kernel: {text!r}",
                        hint=f"write {text.replace(chr(0), '')!r}",
                    )
        for place, text in enumerate(self.env):
            if "=" not in text:
                raise UsageError(
                    f"env[{place}] is not of the form NAME=value: {text!r}", hint=f"write {text}=value"
                )

    def _check_numbers(self) -> None:
        _check_range("capture_limit_bytes", self.capture_limit_bytes, 0, _LONGEST_CAPTURE_BYTES)
        if self.timeout_ns is not None:
            _check_range("timeout_ns", self.timeout_ns, 1, _LONGEST_TIMEOUT_NS)
        if self.cpu_limit_ns is not None:
            _check_range("cpu_limit_ns", self.cpu_limit_ns, 1, _LONGEST_TIMEOUT_NS)
        if self.memory_limit_bytes is not None:
            _check_range("memory_limit_bytes", self.memory_limit_bytes, 1, _LONGEST_TIMEOUT_NS)
        if self.nice is not None:
            _check_range("nice", self.nice, -20, 19)
        if self.affinity is not None:
            if not self.affinity:
                raise UsageError("affinity names no CPU", hint="leave it out to allow all of them")
            for cpu in self.affinity:
                _check_range("a CPU of affinity", cpu, 0, _MOST_CPUS - 1)


def _compute_stack_bytes(texts: tuple[str, ...]) -> int:
    return sum(len(os.fsencode(text)) + 1 + _POINTER_BYTES for text in texts)


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UsageError(f"{name} is {value}", hint=f"write a number from {least} to {most}")
