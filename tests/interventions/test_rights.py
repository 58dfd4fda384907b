from __future__ import annotations

import pytest

from steelyard.interventions.cwd_bytes import CwdBytes
from steelyard.interventions.nice import Nice
from steelyard.interventions.rights import CAP_SYS_ADMIN, CAP_SYS_NICE, has_capability
from steelyard.interventions.scheduling import Scheduling
from steelyard.interventions.transparent_huge_pages import TransparentHugePages


@pytest.fixture
def status(tmp_path):
    """A /proc/self/status with these capabilities in the effective set."""

    def write_status(*numbers):
        path = tmp_path / "status"
        mask = sum(1 << number for number in numbers)
        path.write_text(f"Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t{mask:016x}\nCapBnd:\tffffffff\n")
        return path

    return write_status


def test_a_capability_is_had_when_its_bit_is_in_the_effective_set(status):
    assert has_capability(CAP_SYS_NICE, status(CAP_SYS_NICE))
    assert not has_capability(CAP_SYS_ADMIN, status(CAP_SYS_NICE))


def test_where_the_kernel_does_not_say_there_is_no_capability(tmp_path):
    assert not has_capability(CAP_SYS_NICE, tmp_path / "missing")


def test_a_name_of_another_length_is_missing_without_the_right_to_mount():
    assert CwdBytes(lambda: True).missing(512) is None
    assert "CAP_SYS_ADMIN" in CwdBytes(lambda: False).missing(512)


def test_a_nice_value_below_the_allowed_one_is_missing_and_says_from_where_on():
    nice = Nice(lambda: 0)
    assert nice.missing(0) is None
    assert nice.missing(-1).startswith("this process may give nice values from 0 on")
    assert list(nice.population()) == list(range(20))


def test_real_time_is_missing_without_its_right_and_then_not_drawn():
    scheduling = Scheduling(lambda: False)
    assert scheduling.missing("batch") is None
    assert "CAP_SYS_NICE" in scheduling.missing("fifo")
    assert scheduling.population() == ("other", "batch", "idle")


def test_huge_pages_are_missing_where_the_kernel_has_none(tmp_path):
    assert "does not exist" in TransparentHugePages(tmp_path / "enabled").missing("never")
