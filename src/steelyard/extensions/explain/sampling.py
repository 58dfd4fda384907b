"""Profilers: what is put before a program, and how the file is read that it leaves."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Literal

from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.extensions.explain.collapsed import read_collapsed
from steelyard.extensions.explain.kernel_symbols import KernelSymbols, find_quick_start
from steelyard.extensions.explain.naming import name_profiles
from steelyard.extensions.explain.perf_script import FIELDS, Frame, RawProfile, read_perf_script
from steelyard.extensions.explain.profiles import Profile
from steelyard.files.plain import read_plain
from steelyard.lab.compare.compare import split

RATE_HZ: Final = 4_999
"""Samples per second of CPU time: no multiple of a clock that a program may keep."""
Chains = Literal["fp", "dwarf", "none"]
_MAX_RATE: Final = Path("/proc/sys/kernel/perf_event_max_sample_rate")
_PARANOID: Final = Path("/proc/sys/kernel/perf_event_paranoid")
_CHECK_S: Final = 60.0


class Profiler(ABC):
    """Something that samples a program."""

    unit: Literal["ns", "samples"]

    @abstractmethod
    def wrap(self, words: Sequence[str], file: str) -> tuple[str, ...]:
        """Return the words of a sampled run, which leaves ``file``."""

    @abstractmethod
    def refuse_missing(self) -> None:
        """Raise ``MachineError`` where this machine cannot sample, before the first run."""

    @abstractmethod
    def read(self, files: Mapping[int, Path], programs: Collection[str]) -> dict[int, Profile]:
        """Read the files of all runs.

        Parameters
        ----------
        files : Mapping[int, Path]
            By trial.
        programs : collection of str
            Names of the files of both programs.
        """


class Perf(Profiler):
    """``perf record`` of the clock of the CPU, which virtual machines have, too.

    Attributes
    ----------
    rate_hz : int
    chains : {"fp", "dwarf", "none"}
        How callers are found.
    """

    unit = "ns"

    def __init__(self, rate_hz: int = RATE_HZ, chains: Chains = "fp") -> None:
        self.rate_hz, self.chains = rate_hz, chains

    def wrap(self, words: Sequence[str], file: str) -> tuple[str, ...]:
        """Put ``perf record`` before the program, without what takes long to start and to end."""
        callers = () if self.chains == "none" else ("--call-graph", self.chains)
        return (
            *(*find_quick_start(), "perf", "record", "-q", "-N", "-B", "--no-bpf-event", "-e", "cpu-clock"),
            *("-F", str(self.rate_hz), *callers, "-o", file, "--", *words),
        )

    def refuse_missing(self) -> None:
        """Sample a program that does nothing."""
        if shutil.which("perf") is None:
            raise MachineError(
                "explain samples with perf, which is not found",
                hint="apt-get install linux-perf; or another profiler: --profile-command",
            )
        most = _read_number(_MAX_RATE)
        if most.isdigit() and int(most) < self.rate_hz:
            raise MachineError(
                f"this machine allows {most} samples a second, and not {self.rate_hz}",
                hint=f"--rate {most}, or sysctl kernel.perf_event_max_sample_rate={self.rate_hz}",
            )
        with tempfile.TemporaryDirectory() as directory:
            command = self.wrap(["true"], str(Path(directory, "perf.data")))
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_CHECK_S)
        if done.returncode:
            raise MachineError(
                f"perf may not sample on this machine: {_read_reason(done.stderr)}", hint=_find_setting()
            )

    def read(self, files: Mapping[int, Path], programs: Collection[str]) -> dict[int, Profile]:
        """Read each file by ``perf script``, and name the functions of all of them together."""
        interned: dict[Frame, Frame] = {}
        kernel = KernelSymbols()

        def intern(frame: Frame) -> Frame:
            if frame not in interned:
                interned[frame] = kernel.resolve(frame)
            return interned[frame]

        def read(file: Path) -> RawProfile:
            return _read_perf_data(file, intern)

        # One is read while perf prepares the next.
        with ThreadPoolExecutor(2) as pool:
            raw = dict(zip(files, pool.map(read, files.values()), strict=True))
        return name_profiles(raw, programs)


class ProfileCommand(Profiler):
    """A command that runs a program and writes collapsed stacks, such as py-spy.

    Attributes
    ----------
    words : tuple of str
        ``{profile}`` stands for the file, ``{command}`` for the program with its arguments.
    """

    unit = "samples"

    def __init__(self, text: str) -> None:
        self.words_of_profiler = tuple(split(text))
        if "{command}" not in self.words_of_profiler or not any(
            "{profile}" in w for w in self.words_of_profiler
        ):
            raise UsageError(
                f"--profile-command {text!r} does not name {{command}}, as a word, and {{profile}}",
                hint="--profile-command 'py-spy record -F -r 500 -f raw -o {profile} -- {command}'",
            )

    def wrap(self, words: Sequence[str], file: str) -> tuple[str, ...]:
        """Put the program and the file in their places."""
        filled: list[str] = []
        for word in self.words_of_profiler:
            filled += words if word == "{command}" else (word.replace("{profile}", file),)
        return tuple(filled)

    def refuse_missing(self) -> None:
        """Look for the profiler."""
        if shutil.which(self.words_of_profiler[0]) is None:
            raise MachineError(
                f"the profiler {self.words_of_profiler[0]} is not found", hint="install it, or check PATH"
            )

    def read(self, files: Mapping[int, Path], programs: Collection[str]) -> dict[int, Profile]:
        """Read each file as collapsed stacks."""
        del programs
        profiles = {}
        for trial, file in files.items():
            content = read_plain(file)
            if content is None:
                raise ProgramError(
                    f"the profiler {self.words_of_profiler[0]} wrote no {{profile}} in trial {trial}",
                    hint="put {profile} where its option names the file that it writes",
                )
            profiles[trial] = read_collapsed(content.decode("utf-8", "replace"), file.name)
        return profiles


def _read_perf_data(file: Path, intern: Callable[[Frame], Frame]) -> RawProfile:
    if not file.is_file():
        raise ProgramError(
            f"perf left no {file.name}",
            hint="try: perf record -e cpu-clock -- PROGRAM; which perf is first in PATH?",
        )
    command = ["perf", "script", "-i", str(file), "--no-inline", "--show-lost-events", "-F", FIELDS]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None  # noqa: S101 -- for the type checker: it is a pipe
        profile = read_perf_script(process.stdout, intern)
    if process.returncode:
        raise ProgramError(
            f"perf script cannot read {file.name} (exit code {process.returncode})",
            hint="record and read with one version of perf",
        )
    return profile


def _read_reason(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip() and "WARNING" not in line]
    return next(
        (line for line in lines if "ermi" in line or "rror" in line), lines[0] if lines else "no reason"
    )


def _find_setting() -> str:
    """Return the one setting that lets perf sample."""
    level = _read_number(_PARANOID)
    if level.lstrip("-").isdigit() and int(level) > 2:
        return "sysctl kernel.perf_event_paranoid=2"
    return "in a container: docker run --cap-add PERFMON --security-opt seccomp=unconfined …"


def _read_number(file: Path) -> str:
    """Return the text of a file of the kernel; empty where there is none."""
    try:
        return file.read_text().strip()
    except OSError:
        return ""
