"""``steelyard audit``, as a user types it."""

from __future__ import annotations

import json


def test_an_audit_says_what_it_will_do_and_what_it_found_and_can_be_repeated_from_its_records(
    steelyard_cli, tmp_path
):
    command = (
        "audit",
        "--only",
        "affinity",
        "--max-time",
        "0.2 s",
        "--metric",
        "minor_faults",
        "-o",
        "a",
        "true",
    )
    done = steelyard_cli(*command)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("audit: affinity; about ")
    assert "largest effect, replicated" in done.stdout
    assert done.stdout.splitlines()[-1] == "records: a"
    again = steelyard_cli(*command, "--json")
    document = json.loads(again.stdout)
    assert (document["format"], document["version"]) == ("steelyard/audit", 1)
    assert [each["context"] for each in document["findings"]] == ["affinity"]


def test_mistakes_are_errors_with_a_cure(steelyard_cli):
    unknown = steelyard_cli("audit", "--only", "env_size", "true")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("error: there is no kind of context 'env_size'\n\nhint: ")
    failing = steelyard_cli("audit", "--max-time", "0.2 s", "false")
    assert failing.returncode == 5
