"""Programs whose contents are the same are told by the shortest names that tell them apart."""

from __future__ import annotations

from steelyard.lab.answer.same_program import find_other_libraries, find_same_programs


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


def library(sha256, *programs):
    return {"sha256": sha256, "library_of": list(programs)}


def test_programs_of_one_content_with_other_libraries_are_not_the_same():
    program = {"/a/m": {"sha256": "1"}, "/a/libw.so": library("2", "/a/m")}
    modules = {"/b/m": {"sha256": "1"}, "/b/libw.so": library("3", "/b/m")}
    assert named(program, modules) == []
    assert named(program, {"/b/m": {"sha256": "1"}, "/b/libw.so": library("2", "/b/m")}) == ["/a/m and /b/m"]


def test_a_library_that_changed_under_one_program_is_told():
    old = {"/a/m": {"sha256": "1"}, "/a/libw.so": library("2", "/a/m"), "/lib/libc.so": library("9", "/a/m")}
    new = old | {"/a/libw.so": library("3", "/a/m")}
    (notice,) = find_other_libraries(old, new, judged=True)
    assert notice.fields == {"libraries": "libw.so"}
    assert find_other_libraries(old, old, judged=True) == []


def test_libraries_of_a_program_that_changed_itself_need_no_word():
    old = {"/a/m": {"sha256": "1"}, "/a/libw.so": library("2", "/a/m")}
    new = {"/a/m": {"sha256": "4"}, "/a/libw.so": library("3", "/a/m")}
    assert find_other_libraries(old, new, judged=True) == []
