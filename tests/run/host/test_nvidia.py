"""A library that behaves as ``nvidia-ml-py`` does stands for it: no machine of ours has such a processor."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from steelyard.run.host.nvidia import NoNvidiaError, read_nvidia


class NVMLError(Exception):
    pass


def library(**changes):
    def refuse(*_):
        raise NVMLError("Not Supported")

    closed = []
    names = {
        "NVMLError": NVMLError,
        "NVML_CLOCK_SM": 1,
        "NVML_CLOCK_MEM": 2,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: closed.append(True),
        "nvmlSystemGetDriverVersion": lambda: b"550.54",
        "nvmlDeviceGetCount": lambda: 1,
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetName": lambda device: "A100",
        "nvmlDeviceGetClockInfo": lambda device, clock: {1: 1410, 2: 1215}[clock],
        "nvmlDeviceGetMaxClockInfo": lambda device, clock: 1980,
        "nvmlDeviceGetPowerUsage": lambda device: 61_250,
        "nvmlDeviceGetEnforcedPowerLimit": refuse,
        "closed": closed,
        "refuse": refuse,
    }
    return SimpleNamespace(**(names | changes))


@pytest.fixture
def root(machine):
    return machine({"proc/driver/nvidia/version": "NVRM version: 550.54\n"})


def test_clocks_and_power_are_facts_in_si_units_and_what_is_not_given_is_left_out(root):
    nvml = library()
    assert read_nvidia(root, lambda name: nvml) == {
        "nvidia_driver": "550.54",
        "nvidia_0_name": "A100",
        "nvidia_0_sm_clock_hz": 1_410_000_000,
        "nvidia_0_sm_clock_max_hz": 1_980_000_000,
        "nvidia_0_memory_clock_hz": 1_215_000_000,
        "nvidia_0_power_w": 61.25,
    }
    assert nvml.closed == [True]


def test_without_a_driver_no_library_is_loaded(machine):
    with pytest.raises(NoNvidiaError, match="no driver"):
        read_nvidia(machine({}), pytest.fail)


def test_a_missing_library_is_refused_with_the_command_that_installs_it(root):
    def absent(name):
        raise ImportError(name)

    with pytest.raises(NoNvidiaError) as caught:
        read_nvidia(root, absent)
    assert caught.value.args == (
        "nvidia-ml-py is not installed",
        "pip install nvidia-ml-py, or '.[nvidia]' in a checkout",
    )


@pytest.mark.parametrize("name", ["nvmlInit", "nvmlDeviceGetCount"])
def test_a_library_that_reaches_no_driver_is_refused_with_its_reason(root, name):
    nvml = library(**{name: library().refuse})
    with pytest.raises(NoNvidiaError, match="Not Supported"):
        read_nvidia(root, lambda _: nvml)
