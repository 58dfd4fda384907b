"""A program that misuses the runtime ends on all ranks, with a sentence and an exit code that is not 0."""

from __future__ import annotations

import re

import pytest

LIBRARIES = ("openmpi", "mpich")
CAUGHT = "an exception has left an epoch and was caught, so that items are lost: .+"
EXIT = r"exit\(\) is called while other ranks go on: .+"
ITEMS = r"items of Channel<unsigned long> \(runtime.cpp:\d+\)"
SENTENCES = {
    "send-too-late": rf"1000 {ITEMS} that were sent after the last epoch are lost: "
    r"all ranks call epoch\(\) before their end",
    "catch-around-epoch": CAUGHT,
    "raise-in-handler": "planted",
    "send-beyond": rf"{ITEMS}: sent to rank 2, and the ranks are 0 to 1",
    "leave-out-handler": rf"{ITEMS} have come, and nobody handles them: .+",
    "epoch-in-handler": r"epoch\(\) at runtime.cpp:\d+ is called within the epoch at runtime.cpp:\d+, .+",
    "epoch-in-task": r"epoch\(\) at runtime.cpp:\d+ is called within the epoch at runtime.cpp:\d+, .+",
    "yield-in-handler": r"only a task with a stack can wait: .+",
    "use-thread": "a second thread uses the runtime, .+",
    "overrun-stack": "a task has overrun its stack of 65536 bytes: .+",
    "drop-future": r"a future ends before its answer has come: .+",
    "add-epoch": r"rank 0 ends its runtime after epoch 1 at runtime.cpp:\d+, and this rank waits for "
    r"it in epoch 2 at runtime.cpp:\d+: .+",
    "meet-in-handler": r"what is collective is called of a World within the epoch at runtime.cpp:\d+, .+",
    "raise-number": "an exception that is no std::exception was not caught",
    "raise-in-destructor": "planted",
    "exit-in-handler": EXIT,
    "exit-in-task": EXIT,
    "exit": EXIT,
    "quick-exit": EXIT,
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("transport", ["ring", "point-to-point"])
def test_tasks_that_wait_in_a_catch_block_raise_their_own_exception_again(start, library, transport):
    ended = start(library, "runtime_check", 2, "--how", "wait-in-catch", "--transport", transport)
    assert ended.code == 0, ended.stderr


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("transport", ["ring", "point-to-point"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_keys_that_are_inserted_outside_of_epochs_are_handled_meanwhile(start, library, transport, ranks):
    options = ("--transport", transport, "--buffer-bytes", "1024")
    ended = start(library, "runtime_check", ranks, "--how", "insert-outside", *options)
    assert ended.code == 0, ended.stderr


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("how", SENTENCES)
def test_misuse_ends_all_ranks_with_a_sentence_that_names_the_rank(start, library, how):
    ended = start(library, "runtime_check", 2, "--how", how)
    lines = [line for line in ended.stderr.splitlines() if line.startswith("runtime_check: ")]
    assert len(lines) == 1, ended.stderr
    assert re.fullmatch(f"runtime_check: rank 1: {SENTENCES[how]}", lines[0])
    assert ended.code == 1


@pytest.mark.parametrize("library", LIBRARIES)
def test_ranks_that_make_different_arrays_are_told_both_sizes(start, library):
    ended = start(library, "runtime_check", 2, "--how", "make-other-array")
    assert len([line for line in ended.stderr.splitlines() if line.startswith("runtime_check: ")]) == 1
    assert re.search(
        r"rank [01]: ranks make different things together: rank 0 a GlobalArray<int> of 10 elements in "
        r"blocks of 5 \(runtime.cpp:\d+\), rank 1 a GlobalArray<int> of 20 elements in blocks of 10 ",
        ended.stderr,
    )
    assert ended.code == 1


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("how", ["make-one-channel", "enrol-on-last"])
def test_ranks_with_different_channels_or_functions_handle_nothing(start, library, how):
    ended = start(library, "runtime_check", 2, "--how", how)
    lines = [line for line in ended.stderr.splitlines() if line.startswith("runtime_check: ")]
    assert len(lines) == 1, ended.stderr
    assert re.fullmatch(
        r"runtime_check: rank \d: ranks have different channels, or functions that they send, "
        r"in the epoch at runtime.cpp:\d+: .+",
        lines[0],
    )
    assert ended.code == 1
