"""Work beside other work, which can be done without."""

from __future__ import annotations

import threading

from steelyard.lab.run.background import Meanwhile


def test_work_is_over_when_it_is_joined():
    done = []
    work = Meanwhile(lambda: done.append(1))
    work.start()
    work.join()
    assert done == [1]


def test_work_that_was_not_begun_is_not_waited_for():
    Meanwhile(lambda: None).join()


def test_where_no_thread_can_be_started_the_work_is_not_done_and_nobody_waits(monkeypatch):
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    work = Meanwhile(lambda: done.append(1))
    work.start()
    work.join()
    assert done == []
