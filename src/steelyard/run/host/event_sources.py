"""Events of the devices in /sys/bus/event_source, by the names that ``perf list`` shows: ``cpu/mem-loads/``.

A device describes itself (Documentation/ABI/testing/sysfs-bus-event_source-devices-*): ``type`` is the number
for ``perf_event_open``, ``events`` has strings of terms by name, ``format`` says which bits of which field a
term fills, ``cpumask`` lists the CPUs on which a device that is no CPU is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, UsageError
from steelyard.run.host import files

EVENT_SOURCES: Final = "sys/bus/event_source/devices"
_CONFIGS: Final = ("config", "config1", "config2")
_CLOSE: Final = 5
_LIST: Final = "perf list shows events; steelyard doctor lists those counted here"


class DeviceEvent(msgspec.Struct, frozen=True):
    """An event as ``struct perf_event_attr`` has it.

    Attributes
    ----------
    type : int
        Of the device.
    configs : tuple of int
        config, config1, config2.
    cpus : tuple of int
        On which it is counted for the whole machine; empty: it is counted for a program.
    scale : float
        What one of the count is in ``unit``.
    unit : str
        As the device writes it; empty for a number of events.
    """

    type: int
    configs: tuple[int, int, int]
    cpus: tuple[int, ...] = ()
    scale: float = 1.0
    unit: str = ""


def find_device_event(name: str, root: Path = Path("/")) -> DeviceEvent:
    """Return the event ``DEVICE/TERMS/``.

    Terms are names of events, ``term=value`` or ``term``, joined by commas.

    Raises
    ------
    MachineError
        This machine has no such device or event. Names those that are close.
    UsageError
        A term or its value is not as the device's format says.
    """
    device, _, rest = name.partition("/")
    directory = root / EVENT_SOURCES / device
    number = files.number(directory / "type")
    if number is None:
        names = _list_names(directory.parent)
        raise MachineError(f"{name}: this machine has no event source {device}", hint=_suggest(device, names))
    configs = [0, 0, 0]
    event = ""
    for term in filter(None, rest.rstrip("/").split(",")):
        named = files.text(directory / "events" / term) if _is_name(term) else None
        if named is not None:
            event = term
        for text in [term] if named is None else named.split(","):
            _fill(configs, text, name, directory)
    return DeviceEvent(
        number,
        (configs[0], configs[1], configs[2]),
        _read_cpus(directory),
        _read_scale(files.text(directory / "events" / f"{event}.scale")) if event else 1.0,
        (files.text(directory / "events" / f"{event}.unit") or "") if event else "",
    )


def _fill(configs: list[int], term: str, name: str, directory: Path) -> None:
    key, equals, text = term.strip().partition("=")
    try:
        value = int(text, 0) if equals else 1
    except ValueError:
        raise UsageError(f"{name}: {text!r} is not a number", hint=f"{key}=0x1 or {key}=1") from None
    if key in _CONFIGS:
        field_bits = f"{key}:0-63"
    elif _is_name(key) and (bits_of_term := files.text(directory / "format" / key)) is not None:
        field_bits = bits_of_term
    else:
        names = [*_list_names(directory / "events"), *_list_names(directory / "format")]
        kind = UsageError if equals else MachineError
        raise kind(f"{name}: {directory.name} has no event or term {key!r}", hint=_suggest(key, names))
    field, _, ranges = field_bits.partition(":")
    if field not in _CONFIGS:
        raise MachineError(f"{name}: the term {key} fills {field}, which is not supported", hint=_LIST)
    bits = [bit for part in ranges.split(",") for bit in _list_bits(part)]
    if not 0 <= value < 1 << len(bits):
        raise UsageError(
            f"{name}: {key}={text} does not fit in {len(bits)} bits",
            hint=f"at most {(1 << len(bits)) - 1:#x}",
        )
    at = _CONFIGS.index(field)
    for place, bit in enumerate(bits):
        configs[at] = configs[at] & ~(1 << bit) | (value >> place & 1) << bit


def _list_bits(part: str) -> range:
    first, dash, last = part.partition("-")
    return range(int(first), int(last if dash else first) + 1)


def _read_cpus(directory: Path) -> tuple[int, ...]:
    text = files.text(directory / "cpumask") or ""
    return tuple(cpu for part in text.split(",") if part for cpu in _list_bits(part))


def _read_scale(text: str | None) -> float:
    return 1.0 if text is None else float(text)


def _is_name(text: str) -> bool:
    """Whether it is a plain name: a path from a spec must not lead out of the directory."""
    return bool(text) and "/" not in text and not text.startswith(".")


def _list_names(directory: Path) -> list[str]:
    """List names of what a directory holds, without files that belong to an event."""
    try:
        names = [path.name for path in directory.iterdir()]
    except OSError:
        return []
    return sorted(name for name in names if not name.endswith((".scale", ".unit", ".snapshot", ".per-pkg")))


def _suggest(word: str, names: Sequence[str]) -> str:
    import difflib  # for a mistake alone

    close = difflib.get_close_matches(word, names, _CLOSE, 0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"there are: {', '.join(names)}" if names else _LIST
