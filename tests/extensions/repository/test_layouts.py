"""Numbers of layouts, and programs that are linked again by them."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.repository.layouts import DRAWS, Linking, draw_number, fill_layout
from steelyard.extensions.repository.repository import Repository
from steelyard.extensions.repository.trees import Trees

BUILD = "sed '1a # {layout}' prog.in > prog"


def link(programs, tmp_path, build):
    commit = programs.program(1)
    trees = Trees(Repository(programs.path), tmp_path / "trees", fill_layout(build, 0))
    trees.build(commit)
    return Linking(build, ("./prog",), ".", 1), trees, commit


def test_the_number_of_a_layout_is_put_in_its_place():
    assert fill_layout("make L={layout}", 7)[-1] == "make L=7"
    assert fill_layout("", 7) == []


def test_a_name_draws_the_same_number_again_and_another_name_another_one():
    assert draw_number(3, "001") == draw_number(3, "001")
    assert len({draw_number(3, f"{block:03}") for block in range(100)}) == 100


def test_a_program_is_linked_again_by_a_number_that_follows_from_the_name(programs, tmp_path):
    linking, trees, commit = link(programs, tmp_path, BUILD)
    numbers = []
    for name in ("001", "002", "001"):
        linking.draw_layouts(trees, [commit], name)
        numbers.append(linking.read_program(trees, commit))
    assert numbers[0] == numbers[2] != numbers[1]


def test_a_build_that_ignores_the_number_is_refused_after_some_draws(programs, tmp_path, monkeypatch):
    linking, trees, commit = link(programs, tmp_path, "cp prog.in prog # {layout}")
    builds = []
    build = Trees.build_again
    monkeypatch.setattr(
        Trees, "build_again", lambda self, commit, words: [builds.append(words), build(self, commit, words)]
    )
    with pytest.raises(UsageError, match="makes the same program with another"):
        linking.draw_layouts(trees, [commit], "001")
    assert len(builds) == DRAWS


def test_a_program_outside_of_the_tree_is_not_compared(programs, tmp_path):
    _, trees, commit = link(programs, tmp_path, BUILD)
    assert Linking(BUILD, ("/bin/true",), ".", 1).read_program(trees, commit) is None
