"""What ``perf script`` prints of one run: its samples, as call chains with their time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

FIELDS: Final = "comm,pid,tid,time,event,period,ip,sym,symoff,dso"
_HEAD: Final = re.compile(r"^\s*\S.*?\s+-?\d+/-?\d+\s+[\d.]+:\s+(?P<rest>.*)$")
_SAMPLE: Final = re.compile(r"^(?P<period>\d+)\s+\S+:\s*$")
_FRAME: Final = re.compile(
    r"^\s+(?P<ip>[0-9a-f]+) (?:(?P<symbol>.*)\+0x(?P<offset>[0-9a-f]+)|(?P<unknown>\S.*?))"
    r" \((?P<object>.*)\)$"
)
_LOST: Final = re.compile(r"PERF_RECORD_LOST(?:_SAMPLES)?\s+lost\s+(\d+)")


class Frame(msgspec.Struct, frozen=True):
    """A place in a program.

    Attributes
    ----------
    symbol, object_file : str
        As perf prints them.
    ip : int
        Offset within the file; an address of the kernel.
    offset : int
        From the start of the symbol.
    """

    symbol: str
    object_file: str
    ip: int
    offset: int = 0


class RawProfile(msgspec.Struct, frozen=True):
    """Samples of one run: nanoseconds by frames, the innermost first, and how many samples were lost."""

    weights: dict[tuple[Frame, ...], float]
    samples: int
    lost: int


def read_perf_script(
    lines: Iterable[str], intern: Callable[[Frame], Frame] = lambda frame: frame
) -> RawProfile:
    """Read the output of ``perf script`` with ``FIELDS``."""
    weights: dict[tuple[Frame, ...], float] = {}
    frames: list[Frame] = []
    period: int | None = None
    samples = lost = 0

    def end() -> None:
        nonlocal samples
        if period is not None:
            key = tuple(frames) or (Frame("[unknown]", "[unknown]", 0),)
            weights[key] = weights.get(key, 0.0) + period
            samples += 1

    for line in lines:
        if match := _FRAME.match(line):
            text = match["offset"]
            frames.append(
                intern(
                    Frame(
                        match["symbol"] or match["unknown"],
                        match["object"],
                        int(match["ip"], 16),
                        int(text, 16) if text else 0,
                    )
                )
            )
            continue
        if not (head := _HEAD.match(line)):
            continue
        end()
        frames, period = [], None
        if sample := _SAMPLE.match(head["rest"]):
            period = int(sample["period"])
        elif gap := _LOST.search(head["rest"]):
            lost += int(gap[1])
    end()
    return RawProfile(weights, samples, lost)


def drop_broken(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return the frames without those behind the innermost that no file has: chains that went astray."""
    return tuple(
        frame for place, frame in enumerate(frames) if place == 0 or frame.object_file != "[unknown]"
    )
