"""``FileContents``: what a file of another tool holds, in SI units, and how the tool took it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.covariates import ColumnsBeside

Repeats = Literal["launch", "process"]
"""What one list of values comes from: a launch of the program, or a process that repeats the work inside."""

_TIMES: Final = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "s": 1.0, "sec": 1.0,
    "second": 1.0, "seconds": 1.0, "min": 60.0, "h": 3600.0,
}  # fmt: skip
_SIZES: Final = {
    "B": 1.0, "byte": 1.0, "bytes": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "Mbytes": 1e6, "GB": 1e9,
    "TB": 1e12, "TiB": 2.0**40, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
}  # fmt: skip
_BITS: Final = {
    f"{prefix}{name}": scale
    for prefix, scale in (("", 1.0), ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12))
    for name in ("bit", "bits", "b")
}
_PREFIXES: Final = frozenset("nuµmkKMGTPE")
_BASES: Final = frozenset(
    """FLOP FLOPS FLOP/s flop/s Flop/s flops Flops TEPS IOPS Hz J W Wh cell/s cells/s
    updates/s LUPS""".split()  # noqa: SIM905
)
"""Units that have prefixes, beside those of time and of bytes; they are kept as they are written."""
_MORE: Final = (
    "/s", "/sec", "/second", "/min", "/h", "/hour", "/day", "teps", "flops", "iops", "lups", "fps", "qps",
    "rps", "tps", "bps",
)  # fmt: skip
"""Ends of units of which more is better."""
_LESS: Final = frozenset({"s", "B", "J", "W", "Wh", "cycles", "instructions", "allocs"})
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9]")
_FINAL_ZERO: Final = re.compile(r"[-+]?[0-9]+[.][0-9]*[1-9][0-9]*0$")
_COUNTS: Final = {"": 1.0, "1": 1.0, "ops": 1.0, "op": 1.0, "items": 1.0, "integer": 1.0, "#": 1.0}


class Unit(msgspec.Struct, frozen=True):
    """An SI unit, and how many of it the unit of a file is."""

    si: str
    scale: float


def unit_of(text: str) -> Unit | None:
    """Return the unit that a text names.

    ``None`` where it names none that is known. ``/op`` says that a value is that of one operation.
    """
    text = text.strip().removesuffix("/op")
    if text in _TIMES:
        return Unit("s", _TIMES[text])
    if text in _SIZES:
        return Unit("B", _SIZES[text])
    if text in _COUNTS:
        return Unit("", 1.0)
    above, slash, below = text.partition("/")
    if text.endswith("bps") and text[:-2] in _BITS:
        above, slash, below = text[:-2], "/", "s"
    for scales, si in ((_BITS, "bit/s"), (_SIZES, "B/s"), (_COUNTS, "1/s")):
        if slash and below in _TIMES and above in scales:
            return Unit(si, scales[above] / _TIMES[below])
    return None


def read_unit(text: str, place: str) -> Unit:
    """Return the unit of a time, of bytes, of operations, or of these per unit of time.

    Raises
    ------
    UsageError
        None of those: a harness has times in no other unit.
    """
    unit = unit_of(text)
    if unit is None:
        raise UsageError(
            f"{place}: unknown unit {text!r}",
            hint="units of time, bytes, operations, and these per unit of time can be read; convert the file",
        )
    return unit


def any_unit(text: str) -> Unit:
    """Return the unit that a text names: any text is one, kept as it is where it is not a known one."""
    return unit_of(text) or Unit(text.strip(), 1.0)


def direction_of(unit: str) -> Better | None:
    """Return which way a unit is better: less time and energy, more of a rate; ``None``: it does not say."""
    base = unit[1:] if unit[:1] in _PREFIXES and unit[1:] in _BASES else unit
    if base in _LESS:
        return "lower"
    return "higher" if base.lower().endswith(_MORE) else None


_METRICS: Final = {"s": "time_s", "B": "bytes", "1/s": "rate", "B/s": "throughput", "": "value"}


def name_metric(unit: str) -> str:
    """Return the name of a metric of which a file says no more than the unit, in SI."""
    return _METRICS.get(unit) or identifier(unit)


def side_of(unit: str) -> Better:
    """Return which way such a metric is better, as far as its unit says it."""
    return direction_of(unit) or "neither"


def word_levels(levels: Mapping[str, Scalar]) -> str:
    """Word levels, the first without its name: ``sort n=1000``."""
    return " ".join(f"{key}={level}" if i else str(level) for i, (key, level) in enumerate(levels.items()))


class ImportedSeries(msgspec.Struct, frozen=True):
    """One metric of one benchmark.

    Attributes
    ----------
    levels : Mapping[str, Scalar]
        What tells the benchmark from the others of the file: its name, its parameters.
    metric : str
        With its unit as a suffix where it is a time (``time_s``).
    unit : str
        SI.
    values : tuple of tuples of float
        One for each launch or process, in the order of the file; in it the repetitions, in theirs.
    name : str
        The benchmark as the tool spells it, by which it can be run alone; empty where levels say all.
    qualifiers : Mapping[str, Scalar]
        What the tool tells benchmarks of one name apart by: package, file, class, mode, runtime. They become
        levels where names are not enough (``identity``).
    """

    levels: Mapping[str, Scalar]
    metric: str
    unit: str
    values: tuple[tuple[float, ...], ...]
    better: Better = "lower"
    name: str = ""
    qualifiers: Mapping[str, Scalar] = {}

    @property
    def title(self) -> str:
        """The name, or else the levels: ``sort n=1000``."""
        return self.name or word_levels(self.levels)


class FailedRuns(msgspec.Struct, frozen=True):
    """Runs of one benchmark that ended without a value that counts.

    Attributes
    ----------
    levels : Mapping[str, Scalar]
        As of the series of the benchmark, if it has one.
    failed, timed_out : int
        Those that ended with an error, and those that did not end in time.
    reason : str
        Of the first, in words; empty where the file does not say it.
    values : tuple of Mapping[str, float]
        What they took all the same, by metric, where the file says it; otherwise empty.
    name : str
        As the tool spells it.
    is_wrong : bool
        Whether those that failed gave a wrong answer, in place of none.
    """

    levels: Mapping[str, Scalar]
    failed: int = 0
    timed_out: int = 0
    reason: str = ""
    values: tuple[Mapping[str, float], ...] = ()
    name: str = ""
    is_wrong: bool = False

    @property
    def title(self) -> str:
        """The name, or else the levels, as of ``ImportedSeries``."""
        return self.name or word_levels(self.levels)


class FileContents(msgspec.Struct, frozen=True):
    """Everything that a file holds.

    Attributes
    ----------
    tool : str
        Its name, and its version where the file says it.
    series : tuple of ImportedSeries
    repeats : {"launch", "process"}
    host : Mapping[str, Scalar]
        Facts of the machine, as the file names them.
    notes : tuple of str
        What the file lacks or lost, a sentence each; they stand with every result.
    skipped : Mapping[str, str]
        Benchmarks, as ``Series.name`` has them, that failed or were skipped, and why; the reason is empty
        where the file does not say it.
    failures : tuple of FailedRuns
        What the file says of runs that failed: they are counted, and a comparison with them is not judged.
    instances : str
        The level that tells problem instances apart; empty where there is none.
    beside : ColumnsBeside or None
        Of a table.
    time_ns : int or None
        When it was measured, Unix time; ``None`` where the file does not say it.
    limits : Mapping[str, float]
        By metric, at which value a run was ended.
    rounds : tuple of tuples of int
        For each round, in which every series has one value, their places in the order in which they ran;
        empty where nothing pairs values.
    """

    tool: str
    series: tuple[ImportedSeries, ...]
    repeats: Repeats = "process"
    host: Mapping[str, Scalar] = {}
    notes: tuple[str, ...] = ()
    skipped: Mapping[str, str] = {}
    failures: tuple[FailedRuns, ...] = ()
    instances: str = ""
    beside: ColumnsBeside | None = None
    time_ns: int | None = None
    limits: Mapping[str, float] = {}
    rounds: tuple[tuple[int, ...], ...] = ()


SUMMARY: Final = "{}: the file has a mean and no repetitions, which is one value: no verdict rests on it."
"""The note about benchmarks of which only a summary is known."""


def summary_note(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note about these benchmarks, if there are any."""
    text = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return (SUMMARY.format(text),) if names else ()


def read_number(text: str, place: str, *, hint: str) -> float:
    """Read a number of a file.

    Raises
    ------
    UsageError
        The text is none; ``place`` names file and line, ``hint`` is the cure.
    """
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{place}: {text!r} is not a number", hint=hint) from None


def level(text: str) -> Scalar:
    """Return the number that a text is, or the text."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if math.isfinite(number) and "_" not in text else text
    return text


def levels_of_column(cells: Iterable[str]) -> Callable[[str], Scalar]:
    """Return what makes a level of a cell: numbers, unless that would merge what the column tells apart.

    ``1.1`` and ``1.10`` are two versions, ``7`` and ``007`` two names; a column of a fixed number of decimals
    (``0.25``, ``0.50``) has numbers, and so has one that writes ``1000`` as ``1000.0`` or ``1e3``, too.
    """
    texts = set(cells)
    decimals = {len(text.partition(".")[2]) for text in texts}
    fixed = len(decimals) == 1 < len(texts)
    if any(_LEADING_ZERO.match(text) or (_FINAL_ZERO.match(text) and not fixed) for text in texts):
        return str
    return level


def levels_of_parameter(texts: Iterable[str]) -> Callable[[str], Scalar]:
    """Return what makes a level of a parameter: numbers, unless two texts are one number (10 and 1e1)."""
    distinct = {*texts}
    return level if len({level(text) for text in distinct}) == len(distinct) else str


def identifier(text: str) -> str:
    """Return a name for a factor or a metric: letters, digits and underscores of the text, letters first."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")[:100]
    return name if name[:1].isalpha() else f"x{name}"
