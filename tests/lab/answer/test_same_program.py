"""Programs whose contents are the same are told by the shortest names that tell them apart."""

from __future__ import annotations

from steelyard.lab.answer.same_program import find_same_programs


def named(*programs):
    return [notice.fields["programs"] for notice in find_same_programs(*programs)]


def test_two_paths_with_the_same_contents_are_told_by_their_file_names():
    assert named({"/a/old": {"sha256": "1"}, "/a/new": {"sha256": "1"}}) == ["old and new"]


def test_files_of_one_name_are_told_by_their_paths():
    assert named({"/a/prog": {"sha256": "1"}, "/b/prog": {"sha256": "1"}}) == ["/a/prog and /b/prog"]


def test_programs_that_differ_are_not_told():
    assert named({"/a/old": {"sha256": "1"}, "/a/new": {"sha256": "2"}}) == []


def test_one_path_in_two_records_is_one_program_and_needs_no_word():
    assert named({"/a/prog": {"sha256": "1"}}, {"/a/prog": {"sha256": "1"}}) == []


def test_programs_of_two_records_are_compared_with_each_other():
    assert named({"/a/old": {"sha256": "1"}}, {"/a/new": {"sha256": "1"}}) == ["old and new"]
