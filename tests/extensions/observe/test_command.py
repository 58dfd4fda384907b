"""``steelyard observe``, as a user types it."""

from __future__ import annotations

import json
import shlex
import signal

from steelyard.store import Record


def test_a_wrapper_is_observed_and_the_document_says_what_it_changes(steelyard_cli):
    options = (
        "--one-context",
        "-m",
        "4",
        "--max-time",
        "60 s",
        "--metric",
        "minor_faults",
        "--within",
        "0.05",
    )
    done = steelyard_cli("observe", *options, "--wrap", "nice", "--json", "true")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("steelyard/observation", 2)
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


def test_an_observation_that_was_stopped_says_how_it_goes_on_and_does(
    steelyard_started, steelyard_cli, tmp_path, held, eventually
):
    # The rehearsals and some blocks, and then a run that does not end.
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho >> runs; test $(wc -l < runs) -le 20 || exec {held}\n")
    program.chmod(0o755)
    command = (
        *("observe", "-m", "20", "--one-context", "--max-time", "60 s", "--wrap", "nice", "-o", "o"),
        *("--metric", "minor_faults", "--within", "0.05", "./program"),
    )  # fmt: skip
    process = steelyard_started(*command)
    eventually((tmp_path / "here").exists, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.splitlines()[-1] == f"hint: steelyard {shlex.join(command)}"
    with Record.open(tmp_path / "o" / "observe.lab") as record:
        before = record.progress().blocks["complete"]
    (tmp_path / "go").touch()
    done = steelyard_cli(*command, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["blocks"] >= before > 2
