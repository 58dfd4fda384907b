"""Directories of ours in a tree that may be a stranger's."""

from __future__ import annotations

import pytest

from steelyard.files.plain import NotPlainError
from steelyard.files.unlisted import make_unlisted


def test_both_directories_are_made_and_git_lists_neither(tmp_path):
    for _ in range(2):
        make_unlisted(tmp_path / ".steelyard" / "ours")
    assert (tmp_path / ".steelyard" / "ours").is_dir()
    assert (tmp_path / ".steelyard" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", ["victim", "absent"])
def test_a_gitignore_that_is_a_link_is_not_followed(tmp_path, name):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / ".steelyard").mkdir()
    (tmp_path / ".steelyard" / ".gitignore").symlink_to(tmp_path / name)
    make_unlisted(tmp_path / ".steelyard" / "ours")
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize("place", [".steelyard", ".steelyard/ours"])
def test_a_directory_that_is_a_link_is_refused_and_nothing_is_made_behind_it(tmp_path, place):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    link = tmp_path / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(theirs)
    with pytest.raises(NotPlainError, match="is a symbolic link, not the directory"):
        make_unlisted(tmp_path / ".steelyard" / "ours")
    assert list(theirs.iterdir()) == []
