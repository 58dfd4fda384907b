"""Counters that a machine does not have are refused with the reason."""

from __future__ import annotations

import pytest

from steelyard.core.errors import MachineError
from steelyard.lab.compare import counters


@pytest.fixture
def refused(monkeypatch):
    def refuse(facts):
        monkeypatch.setattr(counters, "find_missing_counters", tuple)
        monkeypatch.setattr(counters, "host_facts", lambda: facts)
        with pytest.raises(MachineError) as caught:
            counters.refuse_missing_counters(["cycles"])
        return caught.value

    return refuse


def test_a_hypervisor_that_shows_none_is_named(refused):
    assert "the hypervisor shows none" in refused({"virtualization": "kvm"}).message


def test_a_kernel_that_forbids_them_is_named_with_the_setting_that_cures_it(refused):
    error = refused({"perf_event_paranoid": 2})
    assert "perf_event_paranoid is 2" in error.message
    assert error.hint == "sysctl kernel.perf_event_paranoid=1, or count in user mode: cycles:u"


def test_a_processor_without_them_is_named(refused):
    assert "the processor or the kernel has none" in refused({"perf_event_paranoid": 1}).message


def test_what_is_counted_is_not_refused(monkeypatch):
    monkeypatch.setattr(counters, "find_missing_counters", lambda _: ())
    counters.refuse_missing_counters(["cycles"])
