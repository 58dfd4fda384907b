"""Why a program never ran, in words."""

from __future__ import annotations

import errno
from types import SimpleNamespace

import pytest

from steelyard.run.measure.start_failure import start_failure


def failed(step, number, wall_ns=0):
    return SimpleNamespace(step=step, errno=number, wall_ns=wall_ns)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (
            failed("stdout", errno.ELOOP),
            "was not started: the file of its stdout is a symbolic link, not a plain file,",
        ),
        (
            failed("stderr", errno.ESPIPE, wall_ns=5),
            "ran in vain: the file of its stderr is a named pipe, not",
        ),
        (
            failed("stdout", errno.EACCES),
            "the file of its stdout could not be opened: Permission denied (EACCES)",
        ),
        (failed("cwd", 0), "its working directory could not be entered: the kernel gave no reason"),
        (failed(None, errno.ENOMEM), "could not be started: the kernel is out of memory (ENOMEM)"),
    ],
)
def test_the_step_the_file_and_the_reason_are_named(raw, words):
    assert words in start_failure(raw)
