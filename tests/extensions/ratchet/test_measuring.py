"""Builds whose layout is drawn for each block, by programs that a shell makes."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.ratchet import ratchet as module
from steelyard.extensions.ratchet.ratchet import Ratchet, RatchetRequest
from steelyard.extensions.repository.repository import Repository

BUILD = "echo '# {layout}' >> log; sed \"1a # {layout}\" prog.in > prog && chmod +x prog"
REQUEST = RatchetRequest(words=("./prog",), build=BUILD, metric="rss_bytes", blocks=5)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Confirm in as many blocks as a first look has."""
    monkeypatch.setattr(module, "CONFIRMING", 1)


def change(programs, mebibytes):
    head = programs.git("rev-parse", "HEAD")
    programs.program(mebibytes)
    programs.git("reset", "-q", "--soft", head)


def test_each_block_has_builds_of_its_own_and_their_values_are_compared(programs):
    programs.program(16)
    change(programs, 4)
    layouts = []
    ratchet = Ratchet(Repository(programs.path))
    build = module.Trees.build_again

    def build_again(self, commit, words):
        layouts.append((commit, words[-1]))
        build(self, commit, words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.Trees, "build_again", build_again)
        (attempt,) = ratchet.try_tree(REQUEST).attempts
    drawn = [words for _, words in layouts if "# 0'" not in words]
    # Five blocks of the look and five of the confirmation; both sides of a block share a layout.
    assert len(drawn) == 20
    assert len(set(drawn)) == 10
    assert (attempt.outcome, attempt.build_sd) == ("faster", None)
    assert attempt.gain > 2
    assert len(list(ratchet.directory.glob("0001-look-*.lab"))) == 5


def test_a_build_that_ignores_the_layout_is_refused(programs):
    programs.program(16)
    change(programs, 4)
    request = RatchetRequest(words=("./prog",), build="sh build # {layout}", metric="rss_bytes", blocks=5)
    with pytest.raises(UsageError, match="makes the same program with another"):
        Ratchet(Repository(programs.path)).try_tree(request)


def test_times_of_two_builds_win_nothing_before_builds_are_known(programs):
    # Half a second less, of two programs that a shell makes: clear at any load.
    programs.program(1)
    (programs.path / "prog.in").write_text("#!/bin/sh\nsleep 0.2\n")
    programs.commit("prog.in")
    head = programs.git("rev-parse", "HEAD")
    (programs.path / "prog.in").write_text("#!/bin/sh\nsleep 0.01\n")
    request = RatchetRequest(words=("./prog",), build="sh build", metric="wall_s", blocks=5)
    (attempt,) = Ratchet(Repository(programs.path)).try_tree(request).attempts
    assert (attempt.outcome, attempt.test) == ("unproven", None)
    assert head
