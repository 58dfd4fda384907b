"""``workloads/npb``: every kernel verifies, and whatever does not is said in one line."""

from __future__ import annotations

import os
import subprocess

import msgspec
import pytest
from programs import built

KERNELS = ("ep", "cg", "mg", "ft", "is", "bt", "sp", "lu")


def npb(*arguments, program="bin/npb", tree="plain", **env):
    """Run it; waiting threads sleep, whatever else the machine does."""
    return subprocess.run(
        [str(built(tree, program)), *arguments],
        env={**os.environ, "OMP_WAIT_POLICY": "passive", **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_of_class_s_verifies_and_writes_its_lines(kernel, threads):
    done = npb(kernel, "--class", "S", "--threads", str(threads))
    assert done.returncode == 0, done.stderr
    assert "verified" in done.stderr
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    labels = {"kernel": kernel, "class": "S", "threads": threads}
    assert [(line["metric"], line.get("unit")) for line in lines] == [
        ("time_s", "s"),
        ("prepare_s", "s"),
        ("operations_per_s", "1/s"),
    ]
    assert all(line["labels"] == labels and line["values"][0] > 0 for line in lines)


@pytest.mark.parametrize("tree", ["tests", "sanitized"])
def test_kernels_generator_and_transform_hold_against_their_witnesses(tree):
    done = npb("--gtest_brief=1", program="tests/npb_test", tree=tree)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_result_that_does_not_verify_fails_and_writes_no_line(kernel):
    done = npb(kernel, program="tests/npb_wrong", tree="tests")
    assert done.returncode == 1
    assert done.stderr == "npb: verification failed: answer is 41, not 42\n"
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "which kernel?"),
        (("ua",), "ua not in {ep,cg,mg,ft,is,bt,sp,lu}"),
        (("cg", "--class", "Z"), "--class: Z not in {S,W,A,B}"),
        (("cg", "--threads", "0"), "--threads: Value 0 not in range 1 to 1024"),
        (("cg", "--threads", "two"), "--threads: Value two"),
    ],
)
def test_a_wrong_word_is_said_in_one_line(arguments, message):
    done = npb(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_a_team_that_openmp_does_not_give_is_refused():
    done = npb("cg", "--threads", "4", OMP_THREAD_LIMIT="3")
    assert done.returncode == 1
    assert done.stderr == "npb: --threads 4: OpenMP gives only 3, see OMP_THREAD_LIMIT\n"
