"""One process of each program on each side before anything counts.

It tells which benchmarks there are, and how long they take. A suite fails here, with words of its own, where
nothing could be judged.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError, NoReportError, ProgramError, SteelyardError
from steelyard.core.units import BUILTIN, Better
from steelyard.extensions.exchange.reports import read_reports
from steelyard.extensions.gate.harnesses.harness import Harness, HarnessProgram, NoBenchmarkError, Selection
from steelyard.extensions.repository.red_builds import describe_red, format_command
from steelyard.files.plain import open_plain, read_plain
from steelyard.run.measure.extract.harness import REDUCTIONS, HarnessReport

_LINES: Final = 4
OUTPUT: Final = "run.out"
ERRORS: Final = "run.err"
"""Names of the files that keep what a process printed."""


class ProbedHarness(msgspec.Struct, frozen=True):
    """What a process reported.

    Attributes
    ----------
    values : dict
        Metric to benchmark to its mean, in the order of the harness; ``None`` where the process itself is
        measured.
    units : dict
        Metric to its unit, and which way is better.
    seconds : float
        That it took.
    skipped : dict
        Benchmarks that the harness skipped, and why.
    numberless : dict
        Metric to benchmarks of which it is no finite number, and why.
    """

    values: dict[str, dict[str, float | None]]
    units: dict[str, tuple[str, Better]]
    seconds: float
    skipped: dict[str, str] = {}
    numberless: dict[str, dict[str, str]] = {}


def probe(
    harness: Harness,
    program: HarnessProgram,
    selection: Selection,
    directory: Path,
    environment: Mapping[str, str],
    timeout_s: float | None,
    logs: Path,
) -> ProbedHarness:
    """Run all benchmarks of a program once.

    Parameters
    ----------
    selection : Selection
        Metrics that it reports only where they are asked for.
    directory : Path
        Where it starts.
    logs : Path
        Directory in which what it prints is kept.

    Raises
    ------
    MachineError
        Its tool is not installed.
    ProgramError
        It cannot be started, fails, or takes too long.
    NoReportError
        It reports nothing, or what it reports cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="steelyard-gate-") as place:
        metrics = Path(place, "metrics")
        metrics.touch()
        words = harness.launch(program, replace(selection, metrics=str(metrics)))
        began = time.monotonic()
        code = _run(words, directory, {**os.environ, **environment}, logs, timeout_s)
        seconds = time.monotonic() - began
        output, errors = logs / OUTPUT, logs / ERRORS
        written = read_plain(metrics) or b""
        stdout = read_plain(output) or b""
        printed, report = (content.decode(errors="replace") for content in (stdout, written))
        failed = dict(harness.find_failures(printed, report))
        if code in harness.codes_of_none and not failed:
            raise NoBenchmarkError(
                "the harness found no benchmark to run",
                hint=f"a filter may match none: cd {directory} && {format_command(words)}",
            )
        if code and not (code in harness.codes_of_failures and failed):
            raise describe_red("it", words, directory, code, output, errors)
        if program.source is None:
            title = Path(program.words[0]).name
            units = {entry.name: (entry.unit, entry.better) for entry in BUILTIN.values()}
            return ProbedHarness({name: {title: None} for name in units}, units, seconds)
    origin = "its report" if written else "its output"
    text = report or printed
    if not text.strip():
        raise NoReportError(
            "the harness ended well and printed nothing: no benchmark ran",
            hint="run the command by itself; a filter may match none",
        )
    try:
        # What a test reported before it failed does not count: its processes would fail.
        reports = [entry for entry in _read(text, origin, program) if entry.benchmark not in failed]
        probed = _gather_metrics(reports, seconds)
    except NoReportError:
        if failed:
            raise describe_red("every benchmark failed: it", words, directory, code, output, errors) from None
        raise
    return replace(probed, skipped={**probed.skipped, **failed})


def _read(text: str, origin: str, program: HarnessProgram) -> Sequence[HarnessReport]:
    try:
        return read_reports(text, origin, program.source or "")
    except SteelyardError as error:
        raise NoReportError(
            f"{error.message}{_quote_end(text)}",
            hint="run the command by itself, and see whether it prints what its harness prints;"
            " --harness names another",
        ) from None


def _gather_metrics(reports: Sequence[HarnessReport], seconds: float) -> ProbedHarness:
    if not reports:
        raise NoReportError("the harness reports no benchmark", hint="a filter may match none")
    if all(entry.skipped is not None for entry in reports):
        raise NoReportError(
            f"every benchmark failed or was skipped; {reports[0].benchmark}: {reports[0].skipped}",
            hint="a gate needs one that runs",
        )
    values: dict[str, dict[str, float | None]] = {}
    units: dict[str, tuple[str, Better]] = {}
    numberless: dict[str, dict[str, str]] = {}
    for entry in reports:
        finite = [value for value in entry.values if math.isfinite(value)]
        if entry.skipped is None and entry.values and not finite:
            reason = f"{entry.metric} is {entry.values[0]}, which is no number"
            numberless.setdefault(entry.metric, {})[entry.benchmark] = reason
        if entry.skipped is not None or not finite:
            continue
        members = values.setdefault(entry.metric, {})
        if entry.benchmark in members:
            raise NoReportError(
                f"two benchmarks are called {entry.benchmark}",
                hint="give each a unique name; otherwise values would be mixed",
            )
        units.setdefault(entry.metric, (entry.unit, entry.better))
        members[entry.benchmark] = REDUCTIONS["mean"](finite)
    skipped = {entry.benchmark: entry.skipped for entry in reports if entry.skipped is not None}
    return ProbedHarness(values, units, seconds, skipped, numberless)


def _run(
    words: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    logs: Path,
    timeout_s: float | None,
) -> int:
    """Return its exit code, below 0 for a signal; nothing that it started goes on without it."""
    logs.mkdir(parents=True, exist_ok=True)
    output, errors = logs / OUTPUT, logs / ERRORS
    try:
        with _open_emptied(output) as out, _open_emptied(errors) as err:
            process = subprocess.Popen(
                words,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
    except OSError as error:
        if isinstance(error, FileNotFoundError) and os.sep not in words[0]:
            raise MachineError(
                f"{words[0]} is not installed", hint="a program of the tree is named by its path: ./NAME"
            ) from None
        raise ProgramError(
            f"{words[0]}: {error.strerror}", hint="a path is relative to the tree; --build builds it"
        ) from None
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        raise ProgramError(f"it took longer than {timeout_s:g} s", hint="give it more: --timeout") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _open_emptied(file: Path) -> BinaryIO:
    return os.fdopen(open_plain(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb")


def _quote_end(text: str) -> str:
    return "".join(f"\n    {line}" for line in text.strip().splitlines()[-_LINES:])
