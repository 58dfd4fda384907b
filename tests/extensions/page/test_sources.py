"""Files that an experiment names, and those that no archive of it may hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steelyard.extensions.page import sources
from steelyard.extensions.page.sources import Sources, collect_sources
from steelyard.spec import experiment


def write(place: Path, *names: str) -> None:
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"#!/bin/sh\n: {name}\n")
        (place / name).chmod(0o755 if name.endswith(".sh") else 0o644)


def collect(place: Path, program=None, **keys) -> Sources:
    spec_ = experiment(name="x", source=str(place), program={"command": ["true"]} | (program or {}), **keys)
    return collect_sources(spec_, {}, spec_.source)


def test_every_place_that_names_a_file_is_looked_at(tmp_path):
    names = (
        "run.sh",
        "a/in.txt",
        "a/b.txt",
        "lib/x.so",
        "p.sh",
        "c.sh",
        "s.sh",
        "d.sh",
        "cfg",
        "g1.h",
        "g2.h",
    )
    write(tmp_path, *names, "unnamed.txt", "a/unnamed.txt")
    collected = collect(
        tmp_path,
        program={
            "command": ["./run.sh", "--config=cfg", "@{source}/a/b.txt"],
            "stdin": "a/in.txt",
            "env": {"LD_PRELOAD": "{source}/lib/x.so:/nowhere.so"},
            "inputs": ["g*.h"],
            "prepare": ["./p.sh"],
            "cleanup": ["sh", "-c", "./c.sh <a/in.txt >out"],
            "setup_once": ["sh", "s.sh"],
            "before_block": ["./d.sh"],
        },
    )
    assert sorted(collected.files) == sorted(names)
    assert collected.executable == {"run.sh", "p.sh", "c.sh", "s.sh", "d.sh"}
    assert collected.files["a/in.txt"] == (tmp_path / "a/in.txt").read_bytes()


def test_levels_stand_in_the_names_and_commands_of_levels_are_looked_at(tmp_path):
    write(tmp_path, "in-1.txt", "in-2.txt", "in-3.txt", "enter.sh", "leave.sh")
    collected = collect(
        tmp_path,
        program={"command": ["cat", "in-{n}.txt"]},
        factors={"n": [1, 2]},
        levels=[{"factor": "n", "level": 1, "enter": ["./enter.sh"], "leave": ["./leave.sh"]}],
    )
    assert sorted(collected.files) == ["enter.sh", "in-1.txt", "in-2.txt", "leave.sh"]


def test_the_words_of_a_shell_command_are_looked_at(tmp_path):
    write(tmp_path, "a.txt", "b.txt", "c.txt")
    collected = collect(tmp_path, program={"command": "sort a.txt | diff - b.txt", "shell": True})
    assert sorted(collected.files) == ["a.txt", "b.txt"]


def test_inputs_of_a_build_and_its_script_are_packed_and_what_it_builds_is_not(tmp_path):
    write(tmp_path, "build.sh", "src/a.c", "src/deep/b.h", "src/.git/config", "src/x.lab/record.sqlite")
    collected = collect(
        tmp_path,
        program={"command": ["{build}/prog"]},
        build={"command": ["./build.sh", "{build}"], "inputs": ["src/**"]},
    )
    assert sorted(collected.files) == ["build.sh", "src/a.c", "src/deep/b.h"]


def test_words_are_relative_to_the_working_directory_which_is_there_even_if_empty(tmp_path):
    write(tmp_path, "work/data", "run.sh")
    (tmp_path / "empty").mkdir()
    collected = collect(tmp_path, program={"command": ["./run.sh", "data"], "cwd": "work"})
    assert sorted(collected.files) == ["run.sh", "work/data"]
    assert collect(tmp_path, program={"cwd": "empty"}).directories == {"empty"}


def test_a_directory_among_the_words_is_packed_and_that_of_the_spec_is_not(tmp_path):
    write(tmp_path, "data/a", "data/b/c", "other")
    assert sorted(collect(tmp_path, program={"command": ["du", "data"]}).files) == ["data/a", "data/b/c"]
    assert collect(tmp_path, program={"command": ["du", "."]}).files == {}
    assert collect(tmp_path, program={"command": ["du", "{source}"]}).files == {}


def test_nothing_outside_of_the_directory_of_the_spec_is_packed_whatever_leads_there(tmp_path):
    place = tmp_path / "spec"
    write(tmp_path, "secret", "folder/secret")
    write(place, "inside")
    (place / "file").symlink_to(tmp_path / "secret")
    (place / "directory").symlink_to(tmp_path / "folder")
    (place / "twice").symlink_to("file")
    (place / "near").symlink_to("inside")
    (place / "loop").symlink_to("loop")
    (place / "nowhere").symlink_to("missing")
    words = ["file", "directory", "directory/secret", "twice", "../secret", str(tmp_path / "secret")]
    collected = collect(
        place,
        program={"command": ["cat", *words, "near", "loop", "nowhere"], "inputs": ["**", "directory/*"]},
    )
    assert sorted(collected.files) == ["inside", "near"]
    assert collected.files["near"] == (place / "inside").read_bytes()
    text = "\n".join(collected.omissions)
    for word in ("file", "directory/secret", "twice"):
        assert f"{word}: a link that leads out" in text
    assert "../secret: lies outside of the directory of the spec" in text
    assert f"{tmp_path}/secret: an absolute path" in text


def test_devices_pipes_and_what_cannot_be_read_do_not_stop_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    write(tmp_path, "a")
    collected = collect(
        tmp_path, program={"command": ["cat", "pipe", "a", "/dev/zero", "/proc/self/environ"]}
    )
    assert sorted(collected.files) == ["a"]
    assert "pipe: cannot be read: not a file" in collected.omissions
    assert not any("/dev/zero" in text or "/proc" in text for text in collected.omissions)


def test_names_of_secrets_and_names_that_cannot_be_unpacked_are_left_out(tmp_path):
    write(
        tmp_path,
        "a",
        ".env",
        "id_rsa",
        "server.pem",
        "back\\slash",
        "new\nline",
        "C:x",
        "x.lab/record.sqlite",
    )
    collected = collect(tmp_path, program={"inputs": ["**", "x.lab/*"]})
    assert sorted(collected.files) == ["a"]
    text = "\n".join(collected.omissions)
    for name in (".env", "id_rsa", "server.pem"):
        assert f"{name}: may hold a password or a key" in text
    assert text.count("has a name that not every system can unpack") == 3
    assert "new\\nline: " in text
    assert "x.lab/record.sqlite: belongs to a record" in text


def test_what_is_too_large_is_left_out_and_the_rest_is_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_BYTES", 100)
    write(tmp_path, *(f"data/{n}" for n in range(20)), "small")
    collected = collect(tmp_path, program={"command": ["cat", "data", "small"]})
    assert sorted(collected.files) == ["small"]
    assert any(text.startswith("data: 20 files of ") for text in collected.omissions), collected.omissions


def test_a_program_that_has_changed_since_it_was_measured_is_left_out(tmp_path):
    write(tmp_path, "a.sh", "b.sh")
    spec_ = experiment(name="x", source=str(tmp_path), program={"command": ["./a.sh", "b.sh"]})
    collected = collect_sources(spec_, {"/before/a.sh": {"sha256": "0" * 64}}, "/before")
    assert sorted(collected.files) == ["b.sh"]
    assert "a.sh: has changed since it was measured" in collected.omissions


def test_programs_of_the_system_are_named_and_a_token_in_the_spec_is_warned_of(tmp_path):
    collected = collect(tmp_path, program={"command": ["cat", "/etc/hostname"], "env": {"API_TOKEN": "x"}})
    assert "cat: of the system, found by PATH" in collected.omissions
    assert "PATH, HOME and LANG: inherited by the programs" in collected.omissions
    assert any(text.startswith("API_TOKEN of [program] env: is in the spec") for text in collected.omissions)


def test_a_directory_of_the_spec_that_is_gone_is_an_omission_and_no_error(tmp_path):
    spec_ = experiment(name="x", source=str(tmp_path / "gone"), program={"command": ["true"]})
    collected = collect_sources(spec_, {}, spec_.source)
    assert collected.files == {}
    assert "does not exist here" in collected.omissions[0]


def test_words_that_name_no_file_in_a_spec_are_not_taken_for_one(tmp_path):
    write(tmp_path, "null", "capture", "local", "core", "sequential", "ms", "wall_s", "a")
    collected = collect(
        tmp_path,
        program={"command": ["cat", "a"], "output": "null"},
        design={"order": "sequential"},
        analysis={"metric": "wall_s"},
    )
    assert sorted(collected.files) == ["a"]


@pytest.mark.extensions("growth")
def test_an_accepted_model_of_a_claim_is_packed(tmp_path):
    write(tmp_path, "accepted.json")
    collected = collect(
        tmp_path,
        program={"command": ["true", "{n}"]},
        factors={"n": [1, 2, 4, 8, 16]},
        claims=[{"scales": "wall_s", "parameter": "n", "accepted": "accepted.json"}],
    )
    assert sorted(collected.files) == ["accepted.json"]


@pytest.mark.parametrize("text", ["'open", "{{braces}}", "a" * 9000, "[", "**/**/[", "\x7f", "=" * 50])
def test_any_text_is_read_without_an_error(tmp_path, text):
    write(tmp_path, "a")
    assert collect(tmp_path, program={"command": ["true", text, "a"]}).files.keys() == {"a"}
