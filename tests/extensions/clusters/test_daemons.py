"""Tests that wait for a server end when it does, with its log."""

from __future__ import annotations

import pytest
from daemons import Daemon, running, until


def test_a_server_that_ends_at_once_is_not_waited_for_and_its_log_is_shown(tmp_path):
    daemon = Daemon(["sh", "-c", "echo no key of a host; exit 255"], tmp_path / "sshd.log")
    with running(daemon), pytest.raises(AssertionError) as caught:
        until(lambda: False, "ssh n1", daemon)
    assert str(caught.value) == "ssh n1: sh ended with 255\nsshd.log: no key of a host\n"


def test_a_server_that_lives_and_does_nothing_is_named_with_its_logs_in_the_end(tmp_path):
    (tmp_path / "its.log").write_text("waiting for a key\n")
    daemon = Daemon(["sleep", "600"], tmp_path / "out", logs=[tmp_path / "its.log", tmp_path / "none"])
    with running(daemon), pytest.raises(AssertionError) as caught:
        until(lambda: False, "four idle nodes", daemon, timeout_s=0)
    assert str(caught.value) == "four idle nodes: not within 0 s\nout: \nits.log: waiting for a key\n"


def test_a_condition_that_holds_is_enough_and_the_server_is_ended_with_the_block(tmp_path):
    with running(Daemon(["sleep", "600"], tmp_path / "out")) as daemon:
        until(lambda: True, "anything", daemon)
        assert daemon.process.poll() is None
    assert daemon.process.poll() is not None
