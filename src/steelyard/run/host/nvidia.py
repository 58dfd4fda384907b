"""NVIDIA processors: names, clocks and power now, as NVML tells by ``nvidia-ml-py`` (an extra).

NVML gives power as a mean over the last second or as a momentary value, depending on the processor: it is a
fact of a run, not a measurement of a trial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from steelyard.core.units import Scalar

EXTRA: Final = "nvidia"
_DRIVER: Final = "proc/driver/nvidia/version"


class NoNvidiaError(Exception):
    """Nothing can be read, and why; the second argument is what helps, or empty."""


def read_nvidia(root: Path = Path("/"), load: Callable[[str], Any] = import_module) -> dict[str, Scalar]:
    """Facts of each processor: ``nvidia_0_sm_clock_hz``, ``nvidia_0_power_w`` and so on, and the driver.

    A fact that a processor does not give is left out.

    Parameters
    ----------
    root : Path
        Where /proc hangs: without a driver there the library is not loaded.
    load : callable
        Imports a module by its name.

    Raises
    ------
    NoNvidiaError
        No driver, no library, or the library cannot reach the driver.
    """
    if not (root / _DRIVER).exists():
        raise NoNvidiaError("no driver of NVIDIA is loaded", "")
    try:
        library = load("pynvml")
    except ImportError:
        raise NoNvidiaError(
            "nvidia-ml-py is not installed", f"pip install nvidia-ml-py, or '.[{EXTRA}]' in a checkout"
        ) from None
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        raise NoNvidiaError(f"NVML does not start: {error}", "") from None
    try:
        return dict(_read(library))
    except library.NVMLError as error:
        raise NoNvidiaError(f"NVML lists no processors: {error}", "") from None
    finally:
        library.nvmlShutdown()


def _read(library: Any) -> Iterator[tuple[str, Scalar]]:
    yield "nvidia_driver", _decode_text(library.nvmlSystemGetDriverVersion())
    for index in range(library.nvmlDeviceGetCount()):
        device = library.nvmlDeviceGetHandleByIndex(index)
        for name, read in _build_readers(library, device).items():
            try:
                yield f"nvidia_{index}_{name}", read()
            except library.NVMLError:
                continue


def _build_readers(library: Any, device: object) -> dict[str, Callable[[], Scalar]]:
    sm, memory = library.NVML_CLOCK_SM, library.NVML_CLOCK_MEM
    return {
        "name": lambda: _decode_text(library.nvmlDeviceGetName(device)),
        "sm_clock_hz": lambda: int(library.nvmlDeviceGetClockInfo(device, sm)) * 10**6,
        "sm_clock_max_hz": lambda: int(library.nvmlDeviceGetMaxClockInfo(device, sm)) * 10**6,
        "memory_clock_hz": lambda: int(library.nvmlDeviceGetClockInfo(device, memory)) * 10**6,
        "power_w": lambda: float(library.nvmlDeviceGetPowerUsage(device)) / 1e3,
        "power_limit_w": lambda: float(library.nvmlDeviceGetEnforcedPowerLimit(device)) / 1e3,
    }


def _decode_text(value: str | bytes) -> str:
    """Earlier versions of the library give bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
