"""Waiting in tests ends with the process that is waited for."""

from __future__ import annotations

import multiprocessing
import subprocess

import pytest


def test_a_program_that_has_ended_is_not_waited_for_and_its_output_is_shown(eventually) -> None:
    process = subprocess.Popen(["sh", "-c", "echo gone; exit 3"], stdout=subprocess.PIPE, text=True)
    with pytest.raises(AssertionError, match="gone"):
        eventually(lambda: False, process)


def test_a_fork_that_has_ended_is_not_waited_for(eventually) -> None:
    process = multiprocessing.get_context("fork").Process(target=int)
    process.start()
    with pytest.raises(AssertionError, match="ended with 0"):
        eventually(lambda: False, process)
    process.join()
