"""Hooks and options of the plugin for pytest (docs/pytest.md).

A session times nothing under pytest-xdist, whose workers would disturb each other, and says so.
"""

from __future__ import annotations

import argparse
import math
import os
from typing import Any, Final

import pytest

BLOCKS: Final = 20
MOST_BLOCKS: Final = 100_000
LEAST_MS: Final = 5.0
LONGEST_MS: Final = 60_000.0
"""Time that one value may take."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("steelyard")
    add = group.addoption
    add("--steelyard-save", metavar="NAME", help="Keep the record of this session as one more of NAME.")
    add(
        "--steelyard-compare",
        metavar="NAME",
        help="Compare with the sessions kept as NAME, and measure in turns with the commit of the last one"
        " what looks slower; a test that is slower there fails the session.",
    )
    add(
        "--steelyard-against",
        metavar="REV",
        help="Measure every timed test in turns with this commit of git; a test that is slower fails the"
        " session.",
    )
    add(
        "--steelyard-blocks",
        type=parse_blocks,
        default=BLOCKS,
        metavar="N",
        help=f"Values of each test, one in each pass over those of its file or group (default: {BLOCKS}).",
    )
    add(
        "--steelyard-least-ms",
        type=parse_milliseconds,
        default=LEAST_MS,
        metavar="MS",
        help=f"Time that the calls of one value take together (default: {LEAST_MS:g}).",
    )
    add(
        "--steelyard-strict",
        action="store_true",
        help="Fail also what is not resolved or not judged: claims, suspected tests, comparisons that lack a"
        " test or a session.",
    )
    add("--steelyard-off", action="store_true", help="Call the functions once, and time nothing.")
    add(
        "--steelyard-as-benchmark",
        action="store_true",
        help="Give tests that were written for pytest-benchmark its fixture (with -p no:benchmark).",
    )


def parse_blocks(text: str) -> int:
    """Read a number of blocks.

    Raises
    ------
    argparse.ArgumentTypeError
        It is below 2 or above ``MOST_BLOCKS``.
    """
    if not text.isdecimal() or not 2 <= int(text) <= MOST_BLOCKS:
        raise argparse.ArgumentTypeError(
            f"{text}: at least 2, since one value has no spread, and at most {MOST_BLOCKS:,}"
        )
    return int(text)


def parse_milliseconds(text: str) -> float:
    """Read a positive time of at most a minute.

    Raises
    ------
    argparse.ArgumentTypeError
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= LONGEST_MS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time above 0 and up to {LONGEST_MS:,.0f} ms")
    return number


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and take part in the session."""
    from steelyard.extensions.pytest.claims import MARKERS, TURNS

    for text in (*MARKERS.values(), TURNS):
        config.addinivalue_line("markers", text)
    if config.getoption("steelyard_as_benchmark"):
        if config.pluginmanager.hasplugin("benchmark"):
            raise pytest.UsageError(
                "--steelyard-as-benchmark: pytest-benchmark defines the same fixture: add -p no:benchmark"
            )
        config.addinivalue_line("markers", "benchmark: as pytest-benchmark knows it; has no effect here")
        config.pluginmanager.register(AsBenchmark())
    from steelyard.extensions.pytest.messages import TASK

    if (task := os.environ.pop(TASK, None)) is not None:
        import msgspec

        from steelyard.extensions.pytest.arm import Arm
        from steelyard.extensions.pytest.messages import Task

        config.pluginmanager.register(Arm(config, msgspec.json.decode(task, type=Task)), "steelyard-session")
        return
    from steelyard.extensions.pytest.conductor import TimedSession

    config.pluginmanager.register(TimedSession(config), "steelyard-session")


@pytest.fixture
def steelyard(request: pytest.FixtureRequest) -> Any:
    """Time a function: ``steelyard(function, *args, **kwargs)`` returns what it returns."""
    from steelyard.extensions.pytest.fixture import Steelyard
    from steelyard.extensions.pytest.passes import TIMED

    return Steelyard(request.node.stash.get(TIMED, None))


class AsBenchmark:
    """pytest-benchmark's fixture, by Steelyard."""

    @pytest.fixture
    def benchmark(self, request: pytest.FixtureRequest) -> Any:
        """Time a function, as pytest-benchmark's fixture of this name is asked to."""
        from steelyard.extensions.pytest.fixture import Benchmark
        from steelyard.extensions.pytest.passes import TIMED

        return Benchmark(request.node.stash.get(TIMED, None))
