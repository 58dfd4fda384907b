"""Files of profiles: collapsed stacks, speedscope, and what lies beside the record."""

from __future__ import annotations

import json

import pytest

from steelyard.core.errors import ProgramError, RecordError
from steelyard.extensions.explain.collapsed import read_collapsed, write_collapsed
from steelyard.extensions.explain.profiles import (
    FILE,
    Function,
    Profile,
    Profiles,
    read_profiles,
    write_profiles,
)
from steelyard.extensions.explain.speedscope import write_speedscope

MAIN, READ = Function("main"), Function("read", "kernel")


def test_stacks_of_py_spy_and_of_the_kernel_are_read():
    text = "<module> (app.py:3);scan (lib/words.py:12) 7\nmain;vfs_read_[k] 2\n 3\n\n# end\n"
    profile = read_collapsed(text, "p")
    assert profile.weights == {
        (Function("<module>", "app.py", "app.py", 3), Function("scan", "words.py", "lib/words.py", 12)): 7,
        (MAIN, Function("vfs_read", "kernel")): 2,
        (Function("[no symbol]", "unknown"),): 3,
    }
    assert profile.samples == 12


@pytest.mark.parametrize("text", ["main;f", "main;f x", "main;f -3", "main;f nan", "7"])
def test_a_line_that_is_no_stack_is_refused_by_its_number(text):
    with pytest.raises(ProgramError, match=r"^p:2: "):
        read_collapsed(f"main 1\n{text}\n", "p")


def test_an_empty_profile_is_refused():
    with pytest.raises(ProgramError, match="no stacks"):
        read_collapsed("\n", "p")


def test_differences_are_written_as_flamegraph_reads_them():
    odd = Function("a;b", "libx")
    text = write_collapsed([((MAIN, READ), 1e-3, 0.0), ((MAIN, odd), 1e-9, 2e-3), ((MAIN,), 1e-9, 0.0)])
    assert text == "main;a:b (libx) 0 2000\nmain;read_[k] 1000 0\n"


def test_speedscope_has_both_profiles_over_one_list_of_frames():
    document = json.loads(write_speedscope({"old": {(MAIN,): 0.5}, "new": {(MAIN, READ): 0.25}}, "x"))
    assert [frame["name"] for frame in document["shared"]["frames"]] == ["main", "read"]
    assert [entry["samples"] for entry in document["profiles"]] == [[[0]], [[0, 1]]]
    assert [entry["endValue"] for entry in document["profiles"]] == [0.5, 0.25]


def test_profiles_come_back_from_the_record_as_they_were(tmp_path):
    profiles = Profiles(
        "ns", {3: Profile({(MAIN, READ): 5.0, (MAIN,): 1.0}, 6, 1), 4: Profile({(MAIN,): 2.0}, 2)}
    )
    write_profiles(tmp_path, profiles)
    assert read_profiles(tmp_path) == profiles
    assert read_profiles(tmp_path / "none") is None


def test_a_damaged_file_is_named_with_its_cure(tmp_path):
    (tmp_path / FILE).write_text('{"format": "steelyard/profiles"')
    with pytest.raises(RecordError, match=r"profiles\.json is damaged"):
        read_profiles(tmp_path)
    stored = {
        "format": "steelyard/profiles",
        "version": 9,
        "unit": "ns",
        "functions": [],
        "chains": [],
        "trials": [],
    }
    (tmp_path / FILE).write_text(json.dumps(stored))
    with pytest.raises(RecordError, match=r"profiles 9, not steelyard/profiles 1"):
        read_profiles(tmp_path)
