"""``[metrics]``: what the program reports, and what is derived from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

from steelyard.core.units import Better, Scalar
from steelyard.spec.tables.values import WORKED_OUT

Harness = Literal[
    "google-benchmark", "pytest-benchmark", "pyperf", "benchmarkdotnet", "reframe", "nanobench", "hyperfine",
    "jmh", "vitest", "asv", "go-bench", "criterion", "cargo-criterion", "divan", "tango", "tinybench", "imb",
    "osu", "reprompi", "skampi", "perf-stat",
    "zenbench", "gungraun", "pytest-codspeed", "mitata", "libtest", "catch2",
    "github-action-benchmark", "bencher",
]  # fmt: skip
"""A harness of benchmarks, whose own report is read."""
HARNESSES: Final[tuple[Harness, ...]] = get_args(Harness)
PLAIN: Final = ("stdout", "stderr", "lines", "cachegrind", "callgrind")
"""Sources that are no file of another tool."""
Reduce = Literal["median", "mean", "min", "max", "sum", "first", "last"]


class UserMetric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric that the program reports, or one derived from others."""

    name: Annotated[str, Meta(description="Its key in `[metrics]`.", extra=WORKED_OUT)] = ""
    pattern: Annotated[
        str | None,
        Meta(description="Regular expression whose first group is the number; every match is an iteration."),
    ] = None
    source: Annotated[
        str | None,
        Meta(
            examples=[*PLAIN, *HARNESSES],
            description="Where the values are (default: `stdout`); `lines`: the protocol;"
            " `cachegrind` and `callgrind`: every trial runs under valgrind, and no time counts. A"
            " harness, or another format that `steelyard import` reads: what it reports of each"
            " benchmark, each with the label `benchmark`.",
        ),
    ] = None
    json: Annotated[
        str | None,
        Meta(description="JSON pointer (RFC 6901) into the output: to a number, or a list of iterations."),
    ] = None
    unit: Annotated[str, Meta(description="SI unit without prefix; empty, or `1`, for a pure number.")] = ""
    better: Annotated[Better, Meta(description="Which way is better.")] = "lower"
    reduce: Annotated[Reduce, Meta(description="How the iterations of a trial become one observation.")] = (
        "median"
    )
    derive: Annotated[
        str | None, Meta(description="Arithmetic over metrics, counters and factors with numeric levels.")
    ] = None
    event: Annotated[
        str | None,
        Meta(description="What valgrind counts: `instructions`, `d1_misses`, …; with its `source` only."),
    ] = None
    limit: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(
            description='Value at which a run that times out was ended, for `failures = "as-limit"` under'
            " `[analysis]`.",
        ),
    ] = None
    where: Annotated[
        Mapping[str, Scalar],
        Meta(description="Only treatments with these levels report it; all of them by default."),
    ] = {}

    @property
    def is_written(self) -> bool:
        """Whether the program may write it to the file that ``$STEELYARD_METRICS`` names, under labels."""
        return self.source == "lines" or (self.source is not None and self.source not in PLAIN)
