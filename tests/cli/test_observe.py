"""``steelyard observe``, as a user types it."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from steelyard.store import Record


def test_a_wrapper_is_observed_and_the_document_says_what_it_changes(steelyard_cli):
    options = (
        "--one-context",
        "-m",
        "4",
        "--max-time",
        "1 s",
        "--metric",
        "minor_faults",
        "--within",
        "0.05",
    )
    done = steelyard_cli("observe", *options, "--wrap", "nice", "--json", "true")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("steelyard/observation", 1)
    assert document["probes"][0]["changes"][0]["metric"] == "minor_faults"
    assert done.stderr.startswith("records: ")


def test_mistakes_are_errors_with_a_cure(steelyard_cli):
    nothing = steelyard_cli("observe", "true")
    assert nothing.returncode == 2
    assert nothing.stderr.startswith("error: no probe is given\n\nhint: --probe NAME")
    lacking = steelyard_cli("observe", "--wrap", "no-such-tool -c", "true")
    assert lacking.returncode == 4
    untraced = steelyard_cli("observe", "--wrap", "nice", "--trace-events", "cycles", "true")
    assert untraced.returncode == 2
    assert untraced.stderr.startswith("error: --trace-events without --trace\n\nhint: --trace 10")


def test_an_observation_that_was_stopped_says_how_it_goes_on_and_does(steelyard_env, steelyard_cli, tmp_path):
    command = (
        "observe",
        "-m",
        "200",
        "--one-context",
        "--max-time",
        "5 s",
        "--wrap",
        "nice",
        "-o",
        "o",
        "sleep 0.01",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", *command],
        cwd=tmp_path, env=steelyard_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    record = tmp_path / "o" / "observe.lab" / "record.sqlite"
    deadline = time.monotonic() + 30
    while not (record.exists() and _complete(record) > 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.splitlines()[-1] == f"hint: steelyard {shlex.join(command)}"
    before = _complete(record)
    done = steelyard_cli(*command, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["blocks"] >= before


def _complete(record: Path) -> int:
    with Record.open(record.parent) as opened:
        return opened.progress().blocks.get("complete", 0)
