"""Sides that cannot differ, and what keeps sides from being such."""

import shutil
import sys

import pytest

from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.identity import have_same_data, is_compiled
from steelyard.extensions.gate.request import GateRequest


@pytest.fixture
def trees(tmp_path):
    for side in ("base", "head"):
        (tmp_path / side / "sub" / "testdata").mkdir(parents=True)
        (tmp_path / side / "sub" / "a.go").write_text(f"// {side}")
        (tmp_path / side / "sub" / "testdata" / "in.go").write_text("package in")
        (tmp_path / side / "data.txt").write_text("1 2 3")
        (tmp_path / side / ".git").write_text(side)
    return tmp_path / "base", tmp_path / "head"


def test_sources_differ_and_data_does_not(trees):
    assert have_same_data(*trees, ())


@pytest.mark.parametrize("name", ["data.txt", "sub/testdata/in.go", "new.csv", "README.md", "libsum.so"])
def test_a_file_that_a_program_may_read_makes_sides_differ(trees, name):
    (trees[1] / name).write_text("1 2 4")
    assert not have_same_data(*trees, ())


def test_links_are_the_same_by_their_place_and_records_are_no_data(trees):
    base, head = trees
    for side in trees:
        (side / "link").symlink_to("data.txt")
        (side / "sub" / "loop").symlink_to("..")
    (head / "records").mkdir()
    (head / "records" / "plan.json").write_text("{}")
    assert not have_same_data(base, head, ())
    assert have_same_data(base, head, {head / "records"})
    (head / "link").unlink()
    (head / "link").symlink_to("sub/a.go")
    assert not have_same_data(base, head, {head / "records"})


def test_a_script_is_no_machine_code(tmp_path):
    (tmp_path / "script").write_text("#!/bin/sh\n")
    assert not is_compiled(tmp_path / "script")
    (tmp_path / "empty").touch()
    assert not is_compiled(tmp_path / "empty")


@pytest.mark.skipif(sys.platform != "linux", reason="programs of this machine are no ELF files")
def test_the_same_program_in_both_trees_is_identical_and_is_not_measured(trees, tmp_path):
    for side in trees:
        shutil.copy2(shutil.which("true"), side / "bench")
    base, head = map(str, trees)
    request = GateRequest(
        base=base, head=head, words=("./bench",), are_directories=True, harness="time", max_time_s=3.0
    )
    answer = gate(request, None, tmp_path / "records")
    assert [(entry.verdict, entry.blocks) for entry in answer.benchmarks] == [("identical", 0)]
    assert answer.measured_s == 0
    assert answer.exit_code(strict=True) == 0
    # Other data, or a qualification, is measured.
    (trees[1] / "data.txt").write_text("3 2 1")
    answer = gate(request, None, tmp_path / "others")
    assert answer.benchmarks[0].blocks > 0
