"""``compare --null``: how often a program is called different from itself."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import click
import msgspec
from msgspec.structs import replace

from steelyard.cli.declared import Options, declare
from steelyard.cli.options import is_given
from steelyard.cli.terminal import show
from steelyard.core.errors import UsageError
from steelyard.lab.compare.compare import CompareRequest

BLOCKS_OF_NULL: Final = 20
MOST_COMPARISONS: Final = 1_000_000
_NULL: Final = re.compile(r"(itself|layout)(?:,([0-9]+))?|([0-9]+)")

_RUNS: Final = "every comparison has the same number of runs"
_RATES: Final = "--null only counts how often a difference is found"
_WITHOUT_MEANING: Final = {
    "min_runs": ("--min-runs", _RUNS, "--runs {runs} instead"),
    "max_runs": ("--max-runs", _RUNS, "--runs {runs} instead"),
    "listed_metrics": ("--metrics", "it judges one metric", "leave --metrics out"),
    "margin": ("--margin", "every difference counts there, however small", "leave --margin out"),
    "until": ("--until", "its runs are of one command, which has no verdict", "leave --until out"),
    "strict": ("--strict", _RATES, "leave --strict out; --json has the rates"),
}
"""Parameter of ``compare`` to how it is written, why it means nothing with ``--null``, and the cure."""


class Null(msgspec.Struct, frozen=True):
    """A comparison of a command with itself.

    Attributes
    ----------
    kind : {"itself", "layout"}
        The same path every time, or paths drawn at random.
    comparisons : int or None
        How many; ``None`` for the default.
    """

    kind: Literal["itself", "layout"]
    comparisons: int | None


def read_null(value: str) -> Null:
    """Read a kind (``itself``, ``layout``), a number of comparisons, or both (``layout,50``).

    Raises
    ------
    click.BadParameter
    """
    match = _NULL.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"expected a number of comparisons, layout, or layout,50; got {value!r}")
    kind, beside, alone = match.groups()
    number = beside or alone
    if number and not 1 <= int(number) <= MOST_COMPARISONS:
        raise click.BadParameter(f"{number} comparisons; expected 1 to {MOST_COMPARISONS:,}")
    return Null("layout" if kind == "layout" else "itself", int(number) if number else None)


class NullOptions(Options):
    """The option of ``steelyard compare`` that asks for it."""

    null: Null | None = declare(
        "Compare the one COMMAND with itself, N times (default: 100, of 20 runs each, or -r), and print how"
        " often it is called different; with =layout or =layout,N, under paths drawn at random. --max-time"
        " ends it earlier.",
        metavar="[=N|layout]",
        type=read_null,
    )


def refuse_without_meaning(ctx: click.Context) -> None:
    """Refuse options of ``compare`` that ``--null`` would not heed.

    Raises
    ------
    UsageError
    """
    for name, (option, why, cure) in _WITHOUT_MEANING.items():
        if is_given(ctx, name):
            hint = cure.format(runs=ctx.params[name])
            raise UsageError(f"{option} has no meaning with --null: {why}", hint=hint)


def calibrate(
    options: NullOptions,
    request: CompareRequest,
    *,
    runs: int | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Compare a command with itself as ``--null`` asks, print the rates, and return the exit code."""
    null = options.null or Null("itself", None)
    from steelyard.extensions.null.layout import layouts
    from steelyard.extensions.null.null import COMPARISONS, Make, make_itself
    from steelyard.extensions.null.null import null as compare_with_itself
    from steelyard.extensions.null.results import NULL
    from steelyard.extensions.null.words import lines
    from steelyard.files.user_directories import propose_record
    from steelyard.report.text.progress import ProgressLine
    from steelyard.results.status import Progress

    request = replace(request, blocks=runs or BLOCKS_OF_NULL, rel_halfwidth=None)
    line = ProgressLine(sys.stderr)
    kinds: dict[str, Callable[[CompareRequest], Make]] = {"itself": make_itself, "layout": layouts}
    try:
        result = compare_with_itself(
            null.kind,
            request,
            kinds[null.kind](request),
            comparisons=null.comparisons or COMPARISONS,
            directory=output or propose_record(os.environ, "null"),
            keep=output is not None,
            watch=lambda done, total, left_s: line.update(Progress(done, total, 0.0, left_s, "comparisons")),
        )
    finally:
        line.clear()
    show(lambda: NULL.text(result), lambda width: lines(result, width), as_json=as_json)
    return 130 if result.interrupted else 0
