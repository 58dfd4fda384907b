"""Work in the background, and numpy without threads of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from steelyard.lab.run.process import Background, one_thread

WITHIN = """
from steelyard.lab.run.process import one_thread
with one_thread():
    import numpy
"""

LOOK = """
from steelyard.lab.run.stop_rule import StopRule
try:
    StopRule._look(None, 1)
except AttributeError:
    pass  # there is no record, but all that a look loads between two trials
"""


@pytest.mark.parametrize("before", [None, "7"])
def test_the_variable_is_there_within_and_as_it_was_afterwards(monkeypatch, before):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if before is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before)
    with one_thread():
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ.get("OPENBLAS_NUM_THREADS") == before


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU, for which nobody starts threads")
@pytest.mark.parametrize("loading", [WITHIN, LOOK])
def test_numpy_has_no_threads(loading):
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    code = f"{loading}\nimport os, sys\nprint('numpy' in sys.modules, len(os.listdir('/proc/self/task')))"
    done = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=True)
    assert done.stdout == "True 1\n"


def test_work_is_over_when_it_is_joined():
    done = []
    work = Background(lambda: done.append(1))
    work.start()
    work.join()
    assert done == [1]


def test_work_that_was_not_begun_is_not_waited_for():
    Background(lambda: None).join()


def test_where_no_thread_can_be_started_the_work_is_not_done_and_nobody_waits(monkeypatch):
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    work = Background(lambda: done.append(1))
    work.start()
    work.join()
    assert done == []
