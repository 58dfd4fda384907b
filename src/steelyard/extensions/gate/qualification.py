"""``qualify``: how often a gate on this machine is wrong about equal programs, and what it sees.

Sessions are gates of two builds of one source, in trees of their own. Where the build makes the same file of
both, the answer says that it is noise of runs; with ``--layout`` each side is linked in an order of its own.
A slow-down is planted in the values of the same sessions, those of head each times a factor, so that the
noise is that of real runs.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.extensions.gate.benchmark import BenchmarkOfSuite
from steelyard.extensions.gate.gate import GatedSuite, measure_suite
from steelyard.extensions.gate.plan import Tell
from steelyard.extensions.gate.request import ALPHA, GateRequest
from steelyard.extensions.gate.results import Qualification
from steelyard.extensions.gate.suite import BenchmarkEvidence, judge, look_again
from steelyard.extensions.repository.repository import Repository
from steelyard.files.user_directories import locate_state
from steelyard.lab.run.run_loop import Watch
from steelyard.run.host import host_facts
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson
from steelyard.stats.sequential.looks import Looks

SURE: Final = 0.95
"""Of one-sided bounds."""
_KEYS: Final = ("cpu_model", "kernel", "cpus_online", "virtualization")
"""Facts by which a machine is the same."""


def identify_machine() -> str:
    """Return a digest of the facts by which machines of one kind, as those of a build farm, are the same."""
    facts = host_facts()
    text = "\n".join(f"{key}={facts.get(key)}" for key in _KEYS)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def locate_file(environ: Mapping[str, str]) -> Path:
    """Where the last qualifications of this machine are kept.

    Raises
    ------
    MachineError
        The user has no directory for it.
    """
    return locate_state(environ) / "qualification" / f"{identify_machine()}.json"


def load_qualification(request: GateRequest, repository: Repository | None) -> Qualification | None:
    """Return the last qualification here of the same suite.

    ``None`` where there is none, or it cannot be read.
    """
    try:
        file = locate_file(os.environ)
    except MachineError:
        return None
    return _read(file).get(identify_suite(request, repository))


def identify_suite(request: GateRequest, repository: Repository | None) -> str:
    """Return what tells suites apart, which are all called ``cargo bench``.

    That is where the sources are, the command and what is measured by it. Noise and margin of one say nothing
    of another.
    """
    place = Path(request.head).resolve() if repository is None else repository.locate()
    return json.dumps([str(place), *request.words, request.harness, ",".join(request.metrics) or None])


def _read(file: Path) -> dict[str, Qualification]:
    """Return what is kept, by suite; nothing where it cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Qualification])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def qualify(
    request: GateRequest,
    repository: Repository | None,
    directory: Path,
    *,
    sessions: int,
    slow_down: float,
    watch: Watch,
    tell: Tell,
) -> Qualification:
    """Run the sessions, count wrong verdicts and planted slow-downs that are seen, and keep the result.

    Parameters
    ----------
    directory : Path
        With a directory for each session; the same call goes on there.
    sessions : int
    slow_down : float
        Relative, planted in each value of head.

    Raises
    ------
    UsageError, ProgramError, NoReportError, InterruptedRunError
        As ``gate``.
    """
    counts = Counts()
    for number in range(1, sessions + 1):
        seed = None if request.seed is None else request.seed + number
        session = replace(request, is_null=True, seed=seed)
        tell(f"session {number} of {sessions}: two builds of {request.head}")
        suite = measure_suite(
            session, repository, directory / f"{number:03}", watch=watch, tell=_tell_nothing
        )
        counts.add(suite, slow_down)
    qualification = counts.summarise(request, sessions, slow_down)
    keep(qualification, identify_suite(request, repository))
    return qualification


def keep(qualification: Qualification, suite: str) -> None:
    """Keep a qualification beside those of other suites on this machine."""
    file = locate_file(os.environ)
    previous = _read(file) | {suite: qualification}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(msgspec.json.encode(previous))


class Counts:
    """Verdicts over sessions."""

    def __init__(self) -> None:
        self.verdicts = 0
        self.red = 0
        self.alarms = 0
        self.alarm_sessions = 0
        self.detected = 0
        self.full_sessions = 0
        self.is_same_build = True
        self.seconds: list[float] = []
        self.sizes: list[float] = []
        self.harness = ""

    def add(self, suite: GatedSuite, slow_down: float) -> None:
        """Count one session."""
        self.harness = suite.plan.harness
        self.seconds.append(suite.measured_s)
        judged = suite.judge()
        planted = judge([plant(entry, slow_down) for entry in suite.judged], ALPHA)
        alarms = sum(entry.decision in ("slower", "faster") for entry in judged)
        detected = sum(entry.decision == "slower" for entry in planted)
        self.verdicts += len(judged)
        self.red += any(entry.decision == "slower" for entry in judged)
        self.alarms += alarms
        self.alarm_sessions += alarms > 0
        self.detected += detected
        self.full_sessions += detected == len(planted)
        self.is_same_build &= suite.is_same_build
        self.sizes += [
            abs(math.expm1(float(entry.differences.mean()))) for entry in suite.judged if entry.has_ratio
        ]

    def summarise(self, request: GateRequest, sessions: int, slow_down: float) -> Qualification:
        """Rates with one-sided bounds, which count sessions: verdicts of one are no independent draws."""
        alpha = 2 * (1 - SURE)
        return Qualification(
            machine=identify_machine(),
            date=time.strftime("%Y-%m-%d"),
            harness=self.harness,
            margin=request.margin,
            sessions=sessions,
            red=self.red,
            red_bound=clopper_pearson(self.red, sessions, alpha).high,
            verdicts=self.verdicts,
            alarms=self.alarms,
            alarm_sessions=self.alarm_sessions,
            alarm_bound=clopper_pearson(self.alarm_sessions, sessions, alpha).high,
            floor=float(np.quantile(self.sizes, SURE)) if self.sizes else 0.0,
            is_same_build=self.is_same_build,
            slow_down=slow_down,
            detected=self.detected,
            full_sessions=self.full_sessions,
            detected_bound=clopper_pearson(self.full_sessions, sessions, alpha).low,
            session_s=float(np.mean(self.seconds)),
        )


def plant(benchmark: BenchmarkOfSuite, slow_down: float) -> BenchmarkEvidence:
    """Evidence at the looks of a session if each value of head had been worse by ``slow_down``.

    The session stopped when its verdict on equal programs was there: what a gate would have seen in blocks
    after that is not counted as seen. A count that repeats shows it as a fact.
    """
    if benchmark.is_exact:
        return BenchmarkEvidence(worse=0.0)
    if not benchmark.has_ratio:
        return benchmark.evidence
    measured = benchmark.values
    values = replace(measured, head=measured.head + math.log1p(slow_down))
    evidence = BenchmarkEvidence()
    for place, look in enumerate(benchmark.looks, start=1):
        closed = benchmark.closed if look == benchmark.closed else None
        looks = Looks(benchmark.looks[:place], closed)
        evidence = look_again(evidence, values.take(look), looks, benchmark.margin)
    return evidence


def _tell_nothing(_sentence: str) -> None:
    pass
