from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.interventions.topology import closest_first, farthest_first, format_cpu_list, parse_cpu_list


@pytest.fixture
def machine(tmp_path):
    """Writes the part of sysfs that is read; a CPU is its package, its siblings and who shares its cache."""

    def build(**cpus):
        for name, (package, siblings, shared) in cpus.items():
            topology = tmp_path / name / "topology"
            topology.mkdir(parents=True)
            (topology / "physical_package_id").write_text(f"{package}\n")
            (topology / "die_id").write_text("0\n")
            (topology / "thread_siblings_list").write_text(f"{siblings}\n")
            for index, level, cpus_of_level in ((0, 1, siblings), (3, 3, shared)):
                cache = tmp_path / name / "cache" / f"index{index}"
                cache.mkdir(parents=True)
                (cache / "level").write_text(f"{level}\n")
                (cache / "shared_cpu_list").write_text(f"{cpus_of_level}\n")
        return tmp_path

    return build


@pytest.fixture
def two_packages(machine):
    """Two packages of two cores of two threads; as usual, siblings are far apart in number."""
    cores = [(core // 2, f"{core},{core + 4}", ("0-1,4-5", "2-3,6-7")[core // 2]) for core in range(4)]
    return machine(**{f"cpu{cpu}": cores[cpu % 4] for cpu in range(8)})


def test_closest_first_takes_siblings_then_cores_of_one_package_then_the_next(two_packages):
    assert closest_first(range(8), two_packages) == (0, 4, 1, 5, 2, 6, 3, 7)


def test_farthest_first_takes_packages_in_turn_then_cores_and_siblings_last(two_packages):
    assert farthest_first(range(8), two_packages) == (0, 2, 1, 3, 4, 6, 5, 7)


def test_only_the_cpus_that_may_be_used_are_ordered(two_packages):
    assert closest_first({0, 2, 5}, two_packages) == (0, 5, 2)
    assert farthest_first({0, 2, 5}, two_packages) == (0, 2, 5)


def test_caches_within_one_package_are_a_distance_of_their_own(machine):
    # One package, four cores, two last-level caches: CPUs 0 and 2 share one, 1 and 3 the other.
    sysfs = machine(cpu0=(0, "0", "0,2"), cpu1=(0, "1", "1,3"), cpu2=(0, "2", "0,2"), cpu3=(0, "3", "1,3"))
    assert closest_first(range(4), sysfs) == (0, 2, 1, 3)
    assert farthest_first(range(4), sysfs) == (0, 1, 2, 3)


def test_groups_of_unequal_size_lose_no_cpu(two_packages):
    assert farthest_first({0, 1, 4, 5, 2}, two_packages) == (0, 2, 1, 4, 5)


def test_a_machine_without_topology_files_keeps_the_order_of_numbers(tmp_path):
    assert closest_first({3, 1, 2}, tmp_path) == (1, 2, 3)
    assert farthest_first({3, 1, 2}, tmp_path) == (1, 2, 3)


@given(cpus=st.sets(st.integers(0, 8191), min_size=1))
def test_a_list_of_cpus_survives_its_text(cpus):
    assert parse_cpu_list(format_cpu_list(cpus)) == tuple(sorted(cpus))


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("0", (0,)), ("0-3,7", (0, 1, 2, 3, 7)), (" 2 , 0 - 1 ", (0, 1, 2)), ("3,3,2-3", (2, 3))],
)
def test_cpus_are_read_ascending_and_once(text, cpus):
    assert parse_cpu_list(text) == cpus


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "3-1", "1,,2", "0-8192", "99999999", "1 2", "٣"])
def test_what_is_no_list_of_cpus_is_refused(text):
    with pytest.raises(ValueError, match=r"neither|backwards|not exist"):
        parse_cpu_list(text)


def test_the_shortest_text_joins_neighbours():
    assert format_cpu_list([7, 1, 0, 2, 4]) == "0-2,4,7"
