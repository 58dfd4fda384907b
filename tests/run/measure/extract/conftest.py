"""Trials and experiments made up for extraction: bytes in, values or a reason out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from steelyard.core.units import Scalar
from steelyard.lab.run.reports import read_reports
from steelyard.run.measure.extract import Extractor, MissingValueError
from steelyard.run.measure.measurement import Value
from steelyard.run.runner.journal import RawTrial
from steelyard.spec.experiment import Experiment, Program, UserMetric


class Extraction:
    """Extracts the metrics of one experiment from made-up trials."""

    def __init__(self, metrics: tuple[UserMetric, ...]) -> None:
        program = Program(commands={"": ("/bin/true",)})
        self.extractor = Extractor(Experiment("made up", "/nowhere", program, metrics=metrics), read_reports)

    def values(
        self,
        stdout: bytes = b"",
        *,
        stderr: bytes = b"",
        metrics: bytes = b"",
        written: Mapping[str, int] | None = None,
        levels: Mapping[str, Scalar] | None = None,
        counters: Mapping[str, float | None] | None = None,
        queue_wait_ns: int | None = None,
    ) -> Sequence[Value]:
        """The values of a trial that wrote this; ``written`` says how much, where it was more."""
        sizes = {"stdout": len(stdout), "stderr": len(stderr), "metrics": len(metrics), **(written or {})}
        raw = RawTrial(
            trial=1,
            launch=0,
            status="ok",
            start_ns=0,
            wall_ns=2_000_000_000,
            user_us=300_000,
            system_us=100_000,
            rss_bytes=4096,
            rss_floor_bytes=0,
            minor_faults=7,
            major_faults=0,
            voluntary_switches=1,
            involuntary_switches=0,
            queue_wait_ns=queue_wait_ns,
            exit_code=0,
            signal=None,
            errno=None,
            cpu=0,
            argv_bytes=10,
            env_bytes=10,
            left_processes=0,
            counters=counters or {},
            stdout=stdout,
            stdout_bytes=sizes["stdout"],
            stderr=stderr,
            stderr_bytes=sizes["stderr"],
            metrics=metrics,
            metrics_bytes=sizes["metrics"],
        )
        return self.extractor.values(levels or {}, raw)

    def numbers(self, *arguments: bytes, **options: Any) -> list[float]:
        """The values without what is said of them."""
        return [value.value for value in self.values(*arguments, **options)]

    def reason(self, *arguments: bytes, **options: Any) -> str:
        """Why the trial fails."""
        with pytest.raises(MissingValueError) as caught:
            self.values(*arguments, **options)
        return str(caught.value)


@pytest.fixture(scope="session")
def extracting() -> Callable[..., Extraction]:
    """``extracting(metric, …)``: an ``Extraction`` of these metrics."""

    def make(*metrics: UserMetric) -> Extraction:
        return Extraction(metrics)

    return make
