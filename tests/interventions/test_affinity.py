from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions import AFFINITY
from steelyard.interventions.affinity import Affinity
from steelyard.interventions.launch_change import LaunchChange


@pytest.fixture
def four_cpus(tmp_path):
    """Two packages of two cores; this process may use all of them."""
    for cpu in range(4):
        topology = tmp_path / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text(f"{cpu // 2}\n")
        (topology / "thread_siblings_list").write_text(f"{cpu}\n")
    return Affinity(lambda: frozenset(range(4)), tmp_path)


@pytest.mark.parametrize(
    ("level", "canonical"),
    [
        ("none", "none"),
        ("compact", "compact"),
        ("scatter", "scatter"),
        ("1,0", "0-1"),
        ("0-0", "0"),
        (3, "3"),
    ],
)
def test_levels_are_kept_in_their_shortest_form(level, canonical):
    assert AFFINITY.check(level) == canonical


@pytest.mark.parametrize("level", ["", "spread", True, 1.0, "2-1", -1, "none,0"])
def test_what_names_no_place_is_refused(level):
    with pytest.raises(UsageError, match="is not a level of affinity") as caught:
        AFFINITY.check(level)
    assert "compact" in caught.value.hint


def test_none_changes_nothing(four_cpus):
    assert four_cpus.change("none") == LaunchChange()


def test_a_list_is_a_mask_on_the_process(four_cpus):
    assert four_cpus.change("1-2") == LaunchChange(affinity=(1, 2))


def test_compact_and_scatter_order_openmp_places_closest_and_farthest_first(four_cpus):
    compact, scatter = four_cpus.change("compact").env, four_cpus.change("scatter").env
    assert compact == {"OMP_PLACES": "{0},{1},{2},{3}", "OMP_PROC_BIND": "close"}
    assert scatter == {"OMP_PLACES": "{0},{2},{1},{3}", "OMP_PROC_BIND": "close"}


def test_compact_and_scatter_make_environments_of_one_length(four_cpus):
    lengths = {sum(map(len, four_cpus.change(level).env.values())) for level in ("compact", "scatter")}
    assert len(lengths) == 1


def test_a_cpu_that_this_process_may_not_use_is_missing_and_named(four_cpus):
    assert four_cpus.missing("0-3") is None
    assert four_cpus.missing("3-4") == "CPU 4 is not among those that this process may use (0-3)"
    assert four_cpus.missing("0,4-6") == "CPUs 4-6 are not among those that this process may use (0-3)"


def test_the_cpus_that_may_be_used_are_those_of_the_mask_of_this_process():
    inside = ",".join(map(str, os.sched_getaffinity(0)))
    assert AFFINITY.missing(AFFINITY.check(inside)) is None
    assert AFFINITY.missing("8191") is not None


def test_compact_and_scatter_differ_where_cpus_are_unequally_far_apart(four_cpus):
    assert four_cpus.coincidence() is None


def test_compact_and_scatter_coincide_in_words_where_all_cpus_are_equally_far(four_cpus):
    alike = Affinity(lambda: frozenset({0, 1}), four_cpus.sysfs)
    assert alike.coincidence().startswith("compact and scatter are the same here: the 2 CPUs")
    assert alike.coincidence().endswith("(0-1) are equally far from each other")
    alone = Affinity(lambda: frozenset({2}), four_cpus.sysfs)
    assert alone.coincidence() == "compact and scatter are the same here: this process may use one CPU only"


def test_the_places_on_this_machine_are_the_cpus_that_may_be_used():
    for level in ("compact", "scatter"):
        places = AFFINITY.change(level).env["OMP_PLACES"]
        assert re.fullmatch(r"\{\d+\}(,\{\d+\})*", places)
        assert {int(cpu) for cpu in re.findall(r"\d+", places)} == os.sched_getaffinity(0)


def test_every_cpu_of_this_machine_has_a_directory_in_sysfs():
    missing = [
        cpu for cpu in os.sched_getaffinity(0) if not Path(f"/sys/devices/system/cpu/cpu{cpu}").is_dir()
    ]
    assert missing == []


WHERE = """
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {
    int cpu[64];
#pragma omp parallel
    cpu[omp_get_thread_num()] = sched_getcpu();
    for (int i = 0; i < omp_get_max_threads(); ++i) printf("%d\\n", cpu[i]);
}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A program that prints the CPU of each of its OpenMP threads."""
    directory = tmp_path_factory.mktemp("openmp")
    (directory / "where.c").write_text(WHERE)
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    command = ["cc", "-fopenmp", "-o", directory / "where", directory / "where.c"]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("the C compiler here knows no OpenMP")
    return directory / "where"


@pytest.mark.parametrize("level", ["compact", "scatter"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_threads_of_an_openmp_program_are_where_the_level_puts_them(place, tmp_path, level, threads):
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < threads:
        pytest.skip("this process may use one CPU only")
    # The larger number is in the first package: a runtime that ignored the order would be seen.
    for package, cpu in enumerate(reversed(cpus)):
        topology = tmp_path / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text(f"{package}\n")
    placed = Affinity(lambda: frozenset(cpus), tmp_path).change(level)
    expected = re.findall(r"\d+", placed.env["OMP_PLACES"])[:threads]
    environment = {**placed.env, "OMP_NUM_THREADS": str(threads)}
    assert subprocess.check_output([place], env=environment, text=True).split() == expected
