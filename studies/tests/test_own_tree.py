"""The recipe for a NAS tree of the user's own: on a tree that is made here, and on ones that are broken."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard import Laboratory

STUDY = Path(__file__).parents[2] / "studies" / "execution-time-variability"
MAKEFILE = """\
# Like that of NPB: `make bt CLASS=S` leaves bin/bt.S, or bin/sp.S.x as newer versions do.
bt: config/make.def
\tcp BT/program bin/bt.$(CLASS)
sp:
\tcp BT/program bin/sp.$(CLASS).x
lu:
\tcp BT/wrong bin/lu.$(CLASS)
ua:
\t@echo nothing is left
"""
PRINTED = """#!/bin/sh
echo " NAS Parallel Benchmarks"
echo " Class           =                        S"
echo " Time in seconds =                     0.2$OMP_NUM_THREADS"
echo " Mop/s total     =                   262.81"
echo " Verification    =               {outcome}"
"""


@pytest.fixture
def root(tmp_path):
    """A tree with four kernels: BT and SP verify, LU does not, UA is never built."""
    if shutil.which("make") is None:
        pytest.skip("no make")
    tree = tmp_path / "NPB"
    (tree / "config").mkdir(parents=True)
    (tree / "config" / "make.def").write_text("CC = cc\n")
    (tree / "Makefile").write_text(MAKEFILE)
    for kernel in ("BT", "SP", "LU", "UA", "sys"):
        (tree / kernel).mkdir()
        (tree / kernel / "Makefile").write_text("\n")
    for name, outcome in (("program", "SUCCESSFUL"), ("wrong", "UNSUCCESSFUL")):
        (tree / "BT" / name).write_text(PRINTED.format(outcome=outcome))
        (tree / "BT" / name).chmod(0o755)
    return tree


@pytest.fixture
def own_tree(steelyard_env, tmp_path):
    """``own_tree(root, "bt")`` runs the script with that NPB_ROOT."""

    def run(root, *arguments):
        command = [sys.executable, STUDY / "own_tree.py", *arguments, "--record", tmp_path / "tree.lab"]
        env = steelyard_env | ({} if root is None else {"NPB_ROOT": str(root)})
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)

    return run


def test_kernels_are_built_in_a_copy_and_their_own_times_are_kept(own_tree, root, tmp_path):
    before = sorted(path.relative_to(root) for path in root.rglob("*"))
    done = own_tree(root, "bt", "SP", "--blocks", "3")
    assert done.returncode == 0, done.stderr
    # The program prints 0.21 s on one thread and 0.22 on two.
    result = [
        (sample.treatment.levels["kernel"], sample.treatment.levels["threads"], *sample.values)
        for sample in Laboratory(tmp_path / "tree.lab").samples("kernel_s")
    ]
    times = {1: 0.21, 2: 0.22}
    assert result == [(kernel, n, *[times[n]] * 3) for kernel in ("bt", "sp") for n in (1, 2)]
    rates = Laboratory(tmp_path / "tree.lab").samples("rate")
    assert {value for sample in rates for value in sample.values} == {262.81}
    assert sorted(path.relative_to(root) for path in root.rglob("*")) == before


def test_a_kernel_that_does_not_verify_ends_the_run(own_tree, root):
    done = own_tree(root, "lu", "--blocks", "3")
    assert done.returncode == 5
    assert "Verification" in done.stderr


def test_a_build_that_leaves_no_program_says_which_it_was_to_leave(own_tree, root):
    done = own_tree(root, "ua", "--class", "W")
    assert done.returncode == 5
    assert "make left neither bin/ua.W nor bin/ua.W.x" in done.stderr


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (None, "error: NPB_ROOT is not set"),
        ("absent", "absent: not a directory"),
        ("Makefile", "NPB: no Makefile"),
        ("config/make.def", "NPB: no config/make.def"),
    ],
)
def test_a_broken_root_is_said_in_one_line_with_a_cure(own_tree, root, broken, message):
    directory = root
    if broken is None:
        directory = None
    elif broken == "absent":
        directory = root.parent / "absent"
    else:
        (root / broken).unlink()
    done = own_tree(directory, "bt")
    assert done.returncode == 2
    error, empty, hint = done.stderr.splitlines()
    assert message in error
    assert error.startswith("error: NPB_ROOT")
    assert (empty, hint[:6]) == ("", "hint: ")
    assert not (root.parent / "tree.lab").exists()


def test_a_kernel_that_the_tree_lacks_is_refused_with_those_that_it_has(own_tree, root):
    done = own_tree(root, "dc")
    assert done.returncode == 2
    assert done.stderr == (f"error: NPB_ROOT={root}: no kernel 'dc'\n\nhint: the tree has bt, lu, sp, ua\n")
