"""What Open MPI keeps in files is made before a trial, and removed after it or after the run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launcher.session_directory import (
    open_session,
    remove_segments,
    remove_session,
    segment_list,
    session_directories,
)

RUN = "0" * 16


def test_directories_are_made_before_everything_else_and_removed_last(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    directories = tuple(map(str, session_directories(RUN)))
    assert directories[0] == f"{tmp_path}/steelyard-{RUN}"
    launch = Launch("/bin/true", ("true",), ("PATH=/bin",), "/", cleanup=(Launch("/x", ("x",), (), "/"),))
    session = open_session(launch, RUN)
    assert [item.argv[0] for item in session.prepare] == ["rm", "mkdir"]
    assert [element.argv[0] for element in session.cleanup] == ["x", "rm"]
    assert session.cleanup[-1].argv[2:] == session.prepare[1].argv[3:] == directories


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in (f"steelyard-{RUN}", f"steelyard-{'1' * 16}"):
        (tmp_path / name / "ompi.1").mkdir(parents=True)
    remove_session(RUN)
    assert [path.name for path in tmp_path.iterdir()] == [f"steelyard-{'1' * 16}"]


def test_segments_that_a_killed_run_has_listed_are_removed_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr("steelyard.run.launch.launcher.session_directory._MEMORY", memory)
    (tmp_path / "elsewhere").touch()
    for name in ("mpich_shm_1", "mpich_shm_2", "of-others"):
        (memory / name).touch()
    Path(segment_list(RUN)).parent.mkdir()
    Path(segment_list(RUN)).write_text("mpich_shm_1\nmpich_shm_2\nmpich_shm_3\n../elsewhere\n")
    remove_session(RUN)
    assert [path.name for path in memory.iterdir()] == ["of-others"]
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("is_linked", [False, True])
def test_names_in_a_list_that_a_program_wrote_remove_nothing_elsewhere(tmp_path, monkeypatch, is_linked):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr("steelyard.run.launch.launcher.session_directory._MEMORY", memory)
    (tmp_path / "elsewhere").touch()
    (memory / "mpich_shm_1").touch()
    segments = Path(segment_list(RUN))
    segments.parent.mkdir()
    text = tmp_path / "text" if is_linked else segments
    text.write_text(f"../elsewhere\n{tmp_path}/elsewhere\nmpich_shm_1\n")
    if is_linked:
        segments.symlink_to(text)
    (remove,) = remove_segments(Launch("/bin/true", ("true",), ("PATH=/bin",), "/"), RUN).cleanup
    subprocess.run([remove.path, *remove.argv[1:]], check=True)
    remove_session(RUN)
    assert (tmp_path / "elsewhere").exists()
    # A list that is a link is not ours, and nothing that it names is removed.
    assert (memory / "mpich_shm_1").exists() is is_linked
