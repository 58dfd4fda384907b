"""Programs of clusters: HPL (also of HPCC), STREAM, and the tests of NCCL and RCCL."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.outputs.declaration import COUNT, Fault, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.shapes import Line, Lines

# HPL 1.0 prints three residuals of a run, HPL 2 one; all of them must pass.
HPL: Final = Format(
    name="hpl",
    marks=(r"^T/V\s+N\s+NB\s+P\s+Q\s+Time\s+Gflops",),
    shape=Lines(
        (
            Line(
                r"^(?P<variant>W[RC]\w+)\s+(?P<N>\d+)\s+(?P<NB>\d+)\s+(?P<P>\d+)\s+(?P<Q>\d+)\s+(?P<time>\S+)"
                r"\s+(?P<rate>\S+)",
                "row",
            ),
            Line(r"^HPLinpack (?P<version>[\d.]+)", "context"),
            Line(r"^\|\|Ax-b\|\|.*\.{3,}\s*(?P<check>\w+)"),
            Line(r"^HPL ERROR (?P<error>.*)", "next"),
        )
    ),
    version="version",
    rows=(
        Rows(
            path="rows/*",
            labels={"variant": "variant", "N": "N", "NB": "NB", "P": "P", "Q": "Q"},
            measures=(
                Measure("rate", "rate", "GFLOP/s"),
                Measure("time", "time", "s"),
            ),
            faults=(
                Fault("check", "the residual check says {value}", r"(?!PASSED$).+"),
                Fault("error", "HPL: {value}"),
            ),
        ),
    ),
    repeats="process",
    end=r"^End of Tests|^Finished\s+\d+ tests",
)

STREAM: Final = Format(
    name="stream",
    marks=(r"^STREAM version", r"^Function\s+(?:Best )?Rate"),
    shape=Lines(
        (
            Line(r"^STREAM version \$Revision: (?P<version>\S+) \$", "start"),
            Line(r"^Array size = (?P<elements>\d+)", "context"),
            Line(r"^Number of Threads (?:requested|counted) = (?P<threads>\d+)", "context"),
            Line(
                r"^(?P<kernel>Copy|Scale|Add|Triad):\s+(?P<best>\S+)\s+(?P<mean>\S+)\s+(?P<least>\S+)\s+(?P<most>\S+)",
                "row",
            ),
            Line(r"^(?P<invalid>Failed Validation.*)", "all"),
        )
    ),
    version="version",
    rows=(
        Rows(
            path="rows/*",
            labels={"kernel": "kernel", "elements": "elements", "threads": "threads"},
            measures=(
                Measure("bandwidth", "best", "MB/s"),
                Measure("time", "mean", "s"),
                Measure("least_time", "least", "s"),
                Measure("longest_time", "most", "s"),
            ),
            faults=(Fault("invalid"),),
        ),
    ),
    notes=("The bandwidth of STREAM is that of the best repetition of one launch, the time their mean.",),
    end=r"^Solution Validates|^Failed Validation",
)

_HALF: Final = r"(?P<{0}time>[\d.]+)\s+(?P<{0}algbw>[\d.]+)\s+(?P<{0}busbw>[\d.]+)\s+(?P<{0}wrong>\S+)"
NCCL: Final = Format(
    name="nccl-tests",
    marks=(r"out-of-place\s+in-place", r"size\s+count.*algbw\s+busbw"),
    shape=Lines(
        (
            Line(r"nccl-tests version (?P<version>\S+)", "context"),
            Line(r"Collective test starting: (?P<op>\w+)", "context"),
            Line(r"nThread (?P<threads>\d+) nGpus (?P<gpus>\d+)", "context"),
            Line(
                r"^(?:\[\S*\]<?\w*>?:?)?\s*(?P<bytes>\d+)\s+\d+\s+(?P<type>[a-z]\w*)\s+(?P<redop>\w+)\s+"
                r"(?:(?P<root>-?\d+)\s+)?" + _HALF.format("") + r"(?:\s+" + _HALF.format("in_place_") + ")?",
                "row",
            ),
            Line(r"(?P<error>Test NCCL failure.*|Test CUDA failure.*|NCCL WARN.*error.*)", "next"),
        )
    ),
    version="version",
    rows=(
        Rows(
            path="rows/*",
            labels={
                "op": "op",
                "type": "type",
                "redop": "redop",
                "root": "root",
                "bytes": "bytes",
                "gpus": "gpus",
                "threads": "threads",
            },
            measures=(
                Measure("time", "time", "us"),
                Measure("busbw", "busbw", "GB/s"),
                Measure("algbw", "algbw", "GB/s"),
                Measure("in_place_time", "in_place_time", "us"),
                Measure("in_place_busbw", "in_place_busbw", "GB/s"),
                Measure("in_place_algbw", "in_place_algbw", "GB/s"),
            ),
            faults=(
                Fault("error"),
                Fault("wrong", "{value} wrong values", rf"(?!N/A$){COUNT}"),
                Fault("in_place_wrong", "{value} wrong values in place", rf"(?!N/A$){COUNT}"),
            ),
        ),
    ),
    notes=("Each value is the mean over the iterations of one launch, of which the output has no others.",),
    end=r"Avg bus bandwidth",
)
