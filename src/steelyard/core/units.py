"""Units and metrics: SI inside, prefixes only where a person reads."""

from __future__ import annotations

import math
import re
from typing import Final, Literal, TypeGuard, get_args

import msgspec

from steelyard.core.errors import UsageError

Scalar = str | int | float | bool
"""What a level of a factor, a setting of a context or a label of a value can be."""


def is_number(value: Scalar) -> TypeGuard[float]:
    """Whether it is one that something can grow with: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


Better = Literal["lower", "higher", "neither"]
Kind = Literal["builtin", "counter", "user", "derived"]


def read_side(word: str) -> Better | None:
    """Return the better side that a word names; ``None`` where it names none."""
    return next((side for side in get_args(Better) if side == word), None)


class Metric(msgspec.Struct, frozen=True):
    """A quantity that is observed once or more often in each trial.

    Attributes
    ----------
    name : str
        Identifier, with its unit as a suffix where it is one of ours (``wall_s``).
    unit : str
        SI unit without prefix (``s``, ``B``, ``1/s``), or empty for a pure number, which may have ``1`` too.
    kind : {"builtin", "counter", "user", "derived"}
        Read by the runner always; by the runner when asked; reported by the program; computed from others.
    better : {"lower", "higher", "neither"}
        Which way is better.
    about : str
        One line for tables and help.
    """

    name: str
    unit: str
    kind: Kind = "user"
    better: Better = "lower"
    about: str = ""


class RunnerMetric(msgspec.Struct, frozen=True):
    """A metric that the runner observes of every trial.

    Attributes
    ----------
    metric : Metric
    columns : tuple of str
        Columns of a trial, in the journal and in the record, whose sum it is: whole numbers.
    scale : int
        How many of them are its unit.
    may_lack : bool
        Whether a trial may be without it.
    """

    metric: Metric
    columns: tuple[str, ...]
    scale: int = 1
    may_lack: bool = False

    def observe(self, trial: object) -> float | int | None:
        """Return the value of a trial that has these columns; ``None`` where it was not observed."""
        counts: list[int | None] = [getattr(trial, column) for column in self.columns]
        total = 0
        for count in counts:
            if count is None:
                return None
            total += count
        return total if self.scale == 1 else total / self.scale


RUNNER_METRICS: Final = (
    RunnerMetric(
        Metric("wall_s", "s", "builtin", "lower", "elapsed time from start to end, start-up included"),
        ("wall_ns",),
        10**9,
    ),
    RunnerMetric(
        Metric("cpu_s", "s", "builtin", "lower", "user plus system time of the whole waited-for tree"),
        ("user_us", "system_us"),
        10**6,
    ),
    RunnerMetric(
        Metric("user_s", "s", "builtin", "lower", "user time alone; coarse below 0.1 s"), ("user_us",), 10**6
    ),
    RunnerMetric(
        Metric("system_s", "s", "builtin", "lower", "system time alone; coarse below 0.1 s"),
        ("system_us",),
        10**6,
    ),
    RunnerMetric(
        Metric("rss_bytes", "B", "builtin", "lower", "peak resident memory of the tree's largest process"),
        ("rss_bytes",),
    ),
    RunnerMetric(
        Metric("minor_faults", "", "builtin", "lower", "page faults served without reading from a disk"),
        ("minor_faults",),
    ),
    RunnerMetric(
        Metric("major_faults", "", "builtin", "lower", "page faults that read from a disk"), ("major_faults",)
    ),
    RunnerMetric(
        Metric("voluntary_switches", "", "builtin", "neither", "context switches because the program waited"),
        ("voluntary_switches",),
    ),
    RunnerMetric(
        Metric("involuntary_switches", "", "builtin", "lower", "switches because others wanted the CPU"),
        ("involuntary_switches",),
    ),
    RunnerMetric(
        Metric("queue_wait_s", "s", "builtin", "neither", "time its main thread was ready without a CPU"),
        ("queue_wait_ns",),
        10**9,
        may_lack=True,
    ),
)
"""In the order of tables; whatever reads, keeps, imports or exports one of them asks here."""

BUILTIN: Final = {entry.metric.name: entry.metric for entry in RUNNER_METRICS}
"""The metrics that every trial has, by name."""

_DURATION_S: Final = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
_SIZE_BYTES: Final = {
    "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)\s*([A-Za-zµ]+)?\s*")
_PREFIXES: Final = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def parse_float(text: str) -> float:
    """Read a number; NaN for text that is not one."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def parse_duration(text: str | float) -> float:
    """Seconds from ``"60 s"``, ``"10 min"``, ``"1.5ms"`` or a number of seconds.

    Raises
    ------
    UsageError
        Not a positive, finite time with a known unit.
    """
    return _parse(text, _DURATION_S, default="s", noun="a time", example='"60 s"')


def parse_size(text: str | float) -> int:
    """Bytes from ``"24 GB"``, ``"512 MiB"`` or a number of bytes.

    Raises
    ------
    UsageError
        Not a positive, finite size with a known unit.
    """
    return max(1, round(_parse(text, _SIZE_BYTES, default="B", noun="a size", example='"24 GB"')))


def _parse(
    text: str | float, units: dict[str, float] | dict[str, int], *, default: str, noun: str, example: str
) -> float:
    if isinstance(text, str):
        match = _QUANTITY.fullmatch(text)
        unit = (match[2] or default) if match else ""
        value = float(match[1]) * units[unit] if match and unit in units else math.nan
    else:
        value = float(text)
    if not (math.isfinite(value) and value > 0):
        names = ", ".join(units)
        raise UsageError(
            f"{text!r} is not {noun}",
            hint=f"write a positive number and a unit, as in {example} (units: {names})",
        )
    return value


def format_unit(unit: str) -> str:
    """Return what stands behind a value.

    That is nothing where it is a pure number, of which SI says that its unit is 1.
    """
    return "" if unit == "1" else unit


LARGEST_VALUE: Final = 1e150
"""Of a metric; beyond, squares leave the range of double."""
MOST_WRITTEN_OUT: Final = 1e15
"""From here on a number is shown as 5.5e+17."""
_MOST_IN_FULL: Final = 1e6
"""From here on, so is one that is not whole."""


def format_quantity(value: float, unit: str, digits: int = 3) -> str:
    """Return the value with ``digits`` significant digits and an SI prefix.

    ``format_quantity(0.00123, "s")`` is ``"1.23 ms"``. Seconds have no prefix above 1, which nobody
    knows, and rates none below, since ``m/s`` is metres.
    """
    if not math.isfinite(value):
        return str(value)
    if unit not in ("s", "B", "1/s", "B/s", "bit/s"):
        # Arithmetic leaves a count a little off. Digits that all stand before the point are written out.
        is_whole = math.isclose(value, round(value), rel_tol=1e-12) and abs(value) < MOST_WRITTEN_OUT
        is_whole |= 10.0**digits <= abs(float(f"{value:.{digits}g}")) < _MOST_IN_FULL
        number = f"{value:,.0f}" if is_whole else f"{value:.{digits}g}"
        return f"{number} {format_unit(unit)}".rstrip()
    # The prefix is chosen after rounding, so that 0.9996 ms becomes "1.00 ms" and not "1000 µs".
    rounded = float(f"{value:.{digits - 1}e}")
    smallest = 1e-9 if unit == "s" else 1.0
    least = (smallest, "n" if unit == "s" else "")
    largest = 1.0 if unit == "s" else math.inf
    size = abs(rounded)
    scale, prefix = least
    for group in _PREFIXES:
        if size >= group[0] >= smallest and group[0] <= largest:
            scale, prefix = group
            break
    if rounded == 0:
        scale, prefix = 1.0, ""
    if unit in ("1/s", "B/s", "bit/s") and 0 < abs(rounded) < smallest:
        return f"{rounded:.{digits}g} {unit.removeprefix('1')}"
    scaled = rounded / scale
    if abs(scaled) >= MOST_WRITTEN_OUT:
        return f"{rounded:.{digits}g} {unit}"
    places = len(str(int(abs(scaled))))
    return f"{scaled:,.{max(0, digits - places)}f} " + (f"{prefix}/s" if unit == "1/s" else f"{prefix}{unit}")


def format_duration(seconds: float) -> str:
    """Return a time to wait, as a person says it: ``"8 s"``, ``"3 min 20 s"``, ``"2 h 5 min"``."""
    count = max(0, round(seconds))
    if count < 60:
        return f"{count} s"
    minutes, rest = divmod(count, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
