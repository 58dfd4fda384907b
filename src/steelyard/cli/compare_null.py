"""``compare --null``: how often a program is called different from itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from steelyard.cli.compare_request import is_shell
from steelyard.cli.options import is_given
from steelyard.cli.paths import PathCommand
from steelyard.cli.terminal import show
from steelyard.core.errors import UsageError
from steelyard.lab.compare.compare import CompareRequest

if TYPE_CHECKING:
    import click

NULLS: Final = ("itself", "layout")
CONTEXTS: Final = ("stack", "layout")
_ALONE: Final = {"--null": NULLS[0], "--contexts": CONTEXTS[0]}

BLOCKS_OF_NULL: Final = 20


_RUNS: Final = "every comparison has the same number of runs"
_RATES: Final = "--null only counts how often a difference is found"
_WITHOUT_MEANING: Final = {
    "precision": ("--precision", _RUNS, "--runs {runs} instead"),
    "min_runs": ("--min-runs", _RUNS, "--runs {runs} instead"),
    "max_runs": ("--max-runs", _RUNS, "--runs {runs} instead"),
    "listed_metrics": ("--metrics", "it judges one metric", "leave --metrics out"),
    "margin": ("--margin", "every difference counts there, however small", "leave --margin out"),
    "protocol": ("--protocol", "it shows how the default analysis does", "leave --protocol out"),
    "strict": ("--strict", _RATES, "leave --strict out; --json has the rates"),
}
"""Parameter of ``compare`` to how it is written, why it means nothing with ``--null``, and the cure."""


class ValuesAfterEquals(PathCommand):
    """A command with options that may stand alone: the word after them is what to run, never their value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Complete options that stand alone, as hyperfine 2 does.

        ``--null`` alone is ``--null=itself``, ``--contexts`` alone ``--contexts=stack``, and ``-S`` before
        what is no shell ``--shell=default``.
        """
        end = args.index("--") if "--" in args else len(args)
        following = [*args[1:end], ""]
        words = [
            "--shell=default"
            if word == "-S" and not is_shell(next_word)
            else f"{word}={_ALONE[word]}"
            if word in _ALONE
            else word
            for word, next_word in zip(args[:end], following, strict=False)
        ]
        return super().parse_args(ctx, words + args[end:])


def refuse_without_meaning(ctx: click.Context) -> None:
    """Refuse options of ``compare`` that ``--null`` would not heed.

    Raises
    ------
    UsageError
    """
    for name, (option, why, cure) in _WITHOUT_MEANING.items():
        if is_given(ctx, name):
            runs = ctx.params[name] if cure.startswith("--runs") and name != "precision" else BLOCKS_OF_NULL
            raise UsageError(f"{option} has no meaning with --null: {why}", hint=cure.format(runs=runs))


def calibrate(
    null: str,
    request: CompareRequest,
    *,
    runs: int | None,
    comparisons: int | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Compare a command with itself as ``--null`` asks, print the rates, and return the exit code."""
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.compare.null import COMPARISONS, Make, make_itself
    from steelyard.lab.compare.null import null as compare_with_itself
    from steelyard.lab.compare.null_layout import layouts
    from steelyard.report.null import lines
    from steelyard.report.text.progress import ProgressLine
    from steelyard.results.null import NULL
    from steelyard.results.status import Progress

    request = replace(request, blocks=runs or BLOCKS_OF_NULL, rel_halfwidth=None)
    line = ProgressLine(sys.stderr)
    kinds: dict[str, Callable[[CompareRequest], Make]] = {"itself": make_itself, "layout": layouts}
    try:
        result = compare_with_itself(
            "layout" if null == "layout" else "itself",
            request,
            kinds[null](request),
            comparisons=comparisons or COMPARISONS,
            directory=output or propose_record(os.environ, "null"),
            keep=output is not None,
            watch=lambda done, total, left_s: line.update(Progress(done, total, 0.0, left_s, "comparisons")),
        )
    finally:
        line.clear()
    show(lambda: NULL.text(result), lambda width: lines(result, width), as_json=as_json)
    return 130 if result.interrupted else 0
