"""The tests of ``workloads/`` that need no MPI, as they are and under the sanitizers."""

from __future__ import annotations

import subprocess
from xml.etree import ElementTree as ET

import pytest
from programs import built


def test_what_needs_no_mpi_is_clean_under_the_sanitizers():
    program = built("sanitized", "tests/harness_test")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_what_needs_no_mpi_passes_and_clocks_of_all_networks_are_covered(tmp_path):
    results = tmp_path / "results.xml"
    program = built("tests", "tests/harness_test")
    done = subprocess.run(
        [str(program), f"--gtest_output=xml:{results}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    tree = ET.parse(results)  # noqa: S314 - GoogleTest wrote it just now
    covered = [
        int(item.get("value", "0"))
        for item in tree.iter("property")
        if item.get("name", "").startswith("covered_")
    ]
    # 3 networks, 5 numbers of ranks, 3 times ahead, each of 400 cases.
    assert len(covered) == 45
    assert min(covered) >= 360


def test_the_programs_need_what_cmake_names_when_it_is_missing(tmp_path):
    workloads = built("tests", "CMakeCache.txt").parents[3] / "workloads"
    done = subprocess.run(
        ["cmake", "-S", str(workloads), "-B", str(tmp_path), "-DCMAKE_CXX_COMPILER=g++"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        pytest.skip("g++ finds an MPI by itself here")
    assert "does not compile MPI programs" in done.stderr
    assert "./dev mpi" in done.stderr
