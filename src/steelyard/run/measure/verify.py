"""Whether a trial counts: what the runner saw of its end, and what the spec wants of it.

Patterns are searched with ``^`` and ``$`` at every line, in what was kept of the output; ``extract.pattern``
says what a pattern may cost.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

from steelyard.core.units import format_quantity
from steelyard.run.measure.extract.pattern import MOST_BYTES
from steelyard.run.measure.measurement import Status
from steelyard.run.measure.output import Output, excerpt, quote_words
from steelyard.run.measure.ranks import describe_waiting, last_words, rank_failure, simulated_failure
from steelyard.run.measure.start_failure import start_failure
from steelyard.run.runner.runner_errors import signal_name
from steelyard.spec.experiment import Experiment, Verify
from steelyard.spec.tables.launch import SlurmLaunch

if TYPE_CHECKING:
    from steelyard.run.runner.journal import FileDigest, RawTrial

STOPPED: Final = "was stopped by a signal"
"""How the reason of a run begins that waited for SIGCONT until its time limit."""
_SHELL_CODES: Final = {126: "the shell could not execute it", 127: "the shell found no such command"}
_MISSING_LIBRARY: Final = re.compile(
    rb"error while loading shared libraries: ([^:\s]+): cannot open shared"
    rb"|Error loading shared library ([^:\s]+):"
)
"""What the loaders of glibc and musl say."""
_SIGNAL_CAUSES: Final = {"SIGKILL": "perhaps by the kernel, for lack of memory"}


class Verifier:
    """The verification that the spec asks for, compiled once."""

    def __init__(self, experiment: Experiment) -> None:
        program = experiment.program
        self._verify = program.verify
        self._shell = program.shell
        self._timeout_s = program.timeout_s
        self._hook_timeout_s = program.hook_timeout_s
        self._excesses = {
            "cpu_limit": f"used more CPU time than its limit, cpu_limit = {program.cpu_limit_s or 0:g} s,"
            " and was ended",
            "memory_limit": "was ended by the kernel: it needs more memory than its limit, memory_limit ="
            f" {format_quantity(program.memory_limit_bytes or 0, 'B')}",
            "group": "ran in a control group in which the kernel did not count: its limits prove nothing",
        }
        launch = experiment.launch
        # Ranks say the same of their ends whoever starts them.
        by_srun = isinstance(launch, SlurmLaunch) and launch.ranks is not None
        self._kind = "mpi" if by_srun else launch.kind
        self._stdout = _compile(program.verify.stdout)
        self._stderr = _compile(program.verify.stderr)
        self._contents = contents_of(program.verify)

    def judge(self, raw: RawTrial, path: str | None = None) -> tuple[Status, str | None]:
        """Return the status of a trial, and the reason in words where it is not ``ok``.

        Parameters
        ----------
        path : str, optional
            Of the program, so that a failed start can say what is wrong with it.
        """
        match raw.status:
            case "ok":
                reason = (
                    self._check_limits(raw)
                    or self._check_exit(raw)
                    or self._check_output(raw)
                    or self._check_contents(raw)
                )
                return ("failed", reason) if reason else ("ok", None)
            case "timed_out":
                limit = f" of {self._timeout_s:g} s" if self._timeout_s is not None else ""
                ranks = describe_waiting(raw) if self._kind == "mpi" else ""
                words = self._read_last_words(raw, account=not ranks)
                if raw.step == "stopped":
                    return (
                        "timed_out",
                        f"{STOPPED}, and nobody continued it until its time limit{limit}{words}",
                    )
                reason = f"was still running at its time limit{limit}{ranks}{words}"
                return "timed_out", reason
            case "hook_failed":
                end = self._describe_hook_end(raw)
                return (
                    "hook_failed",
                    f"a prepare or cleanup command failed: it {end}{self._read_last_words(raw)}",
                )
            case "spawn_failed" | "setup_failed":
                text = f"program {path}" if path else "the program"
                return "spawn_failed", f"{text} {start_failure(raw, path)}"
            case "lost":
                return "failed", f"its machine was taken away{self._read_last_words(raw)}"

    def _describe_hook_end(self, raw: RawTrial) -> str:
        if raw.hook_status == "timed_out":
            return f"was still running at its time limit, hook_timeout = {self._hook_timeout_s:g} s"
        return ending(raw) if raw.hook_status == "ok" else start_failure(raw)

    def _check_limits(self, raw: RawTrial) -> str | None:
        if raw.step is None:
            return None
        return f"{self._excesses.get(raw.step, raw.step)}{self._read_last_words(raw)}"

    def _check_exit(self, raw: RawTrial) -> str | None:
        condition = self._verify.exit
        if condition == "any":
            return None
        failure = self._describe_failed_ranks(raw)
        if self._verify.accepts(raw.exit_code) or (failure and self._kind == "mpi"):
            return failure and f"{failure}{self._read_last_words(raw, account=False)}"
        why = _get_missing_library(raw) or (_SHELL_CODES.get(raw.exit_code or 0) if self._shell else None)
        codes = condition if isinstance(condition, tuple) else (condition,)
        text = f", and {' or '.join(map(str, codes))} is wanted" if raw.signal is None and any(codes) else ""
        return f"{ending(raw)}{f' ({why})' if why else ''}{text}{self._read_last_words(raw)}"

    def _describe_failed_ranks(self, raw: RawTrial) -> str | None:
        """Return what ranks did, of which the exit code of what started them may say nothing."""
        if self._kind == "smpi":
            return simulated_failure(raw)
        # Another exit code than 0 is wanted from ranks that do not end well.
        return rank_failure(raw) if self._kind == "mpi" and self._verify.exit == 0 else None

    def _check_output(self, raw: RawTrial) -> str | None:
        if self._stdout is None and self._stderr is None:  # mostly, and this is asked for every trial
            return None
        return _find_unmatched(raw, "stdout", self._stdout) or _find_unmatched(raw, "stderr", self._stderr)

    def _check_contents(self, raw: RawTrial) -> str | None:
        if not self._contents:
            return None
        if len(raw.digests) != len(self._contents):
            return "the runner recorded no digests, which verify needs"
        pairs = zip(self._contents.items(), raw.digests, strict=True)
        return next(
            filter(None, (_get_differing(name, expected, digest) for (name, expected), digest in pairs)), None
        )

    def _read_last_words(self, raw: RawTrial, *, account: bool = True) -> str:
        last = last_words(raw, self._kind, account=account)
        return quote_words((raw.stderr, raw.stdout), last)


def _get_missing_library(raw: RawTrial) -> str | None:
    if raw.exit_code != 127 or not (match := _MISSING_LIBRARY.search(raw.stderr)):
        return None
    return f"its library {excerpt(match[1] or match[2])} is missing"


def ending(raw: RawTrial) -> str:
    """Say ``ended with exit code 3`` or ``was ended by SIGSEGV (Segmentation fault)``."""
    if raw.signal is None:
        return f"ended with exit code {raw.exit_code}"
    name = signal_name(raw.signal)
    words = [word for word in (signal.strsignal(raw.signal), _SIGNAL_CAUSES.get(name)) if word]
    return f"was ended by {name}" + (f" ({', '.join(words)})" if words else "")


def _compile(pattern: str | None) -> re.Pattern[str] | None:
    return None if pattern is None else re.compile(pattern, re.MULTILINE)


def contents_of(verify: Verify) -> Mapping[str, str | None]:
    """SHA-256 that is wanted of each stream and file, in the order of ``RawTrial.digests``.

    It is empty where nothing is digested.
    """
    if not verify.wants_digests:
        return {}
    return {"stdout": verify.stdout_sha256, "stderr": verify.stderr_sha256} | {
        f"the file {name}": expected for name, expected in verify.files.items()
    }


def _get_differing(name: str, expected: str | None, digest: FileDigest) -> str | None:
    if expected is None or digest.sha256 == expected:
        return None
    match digest.state:
        case "missing":
            return f"{name} is missing or cannot be read"
        case "not_plain":
            return f"{name} is {digest.kind}, not a plain file, and was not read"
        case "unwritten":
            return f"{name} was not written"
        case "too_long":
            return f"{name} is longer than 256 MiB, and no digest was taken"
        case "whole":
            return f"{name} has the SHA-256 {digest.sha256}, and {expected} is wanted"


def _find_unmatched(
    raw: RawTrial, stream: Literal["stdout", "stderr"], pattern: re.Pattern[str] | None
) -> str | None:
    if pattern is None:
        return None
    output = Output.make(raw, stream)
    searched = Output(stream, output.head[:MOST_BYTES], output.total_bytes)
    if pattern.search(searched.text()):
        return None
    cut = f" (only its first {len(searched.head):,} of {searched.total_bytes:,} bytes were searched)"
    return f"{pattern.pattern!r} matches nothing in {searched.describe()}{cut if searched.cut else ''}"
