"""A program that has initialised MPI itself lets runtimes work on halves of its ranks."""

from __future__ import annotations

import pytest

LIBRARIES = ("openmpi", "mpich")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("transport", "ranks"),
    [*(("default", ranks) for ranks in (1, 2, 3, 5, 8)), ("point-to-point", 2), ("point-to-point", 5)],
)
def test_runtimes_work_on_halves_beside_messages_of_the_program(start, library, transport, ranks):
    ended = start(library, "attached_check", ranks, "multiple", "well", transport)
    assert ended.code == 0, ended.stderr
    assert ended.stdout == f"{ranks} ranks have worked\n"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("level", ["single", "funneled", "serialized"])
def test_any_level_of_threads_serves(start, library, level):
    ended = start(library, "attached_check", 2, level)
    assert ended.code == 0, ended.stderr


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("level", "how", "message"),
    [
        ("single", "too-early", "MPI is not initialised: call it between MPI_Init and MPI_Finalize"),
        ("single", "too-late", "MPI is finalised: call it between MPI_Init and MPI_Finalize"),
        ("funneled", "thread", "only the thread that has initialised MPI may call it"),
    ],
)
def test_where_nothing_can_be_attached_an_exception_says_why(start, library, level, how, message):
    ended = start(library, "attached_check", 1, level, how)
    assert ended.code == 0, ended.stderr
    assert f"Session::attach(): {message}" in ended.stdout


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_second_thread_attaches_where_the_level_admits_it(start, library):
    assert start(library, "attached_check", 1, "serialized", "thread").stdout == "nothing\n"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("misuse", "sent to rank 2, and the ranks are 0 to 1"),
        ("exit", "rank 3: exit() is called while other ranks go on"),
        ("finalise", "MPI_Finalize is called while a Session is there: let it end first"),
    ],
)
def test_misuse_on_one_half_ends_the_whole_program(start, library, how, message):
    ended = start(library, "attached_check", 4, "single", how)
    assert ended.code != 0
    assert message in ended.stderr
    assert "ranks have worked" not in ended.stdout
