"""``steelyard observe``, as a user types it."""

from __future__ import annotations

import json


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
    assert nothing.stderr.startswith("error: there is no probe to observe with\n\nhint: --probe NAME")
    lacking = steelyard_cli("observe", "--wrap", "no-such-tool -c", "true")
    assert lacking.returncode == 4
