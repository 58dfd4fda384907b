"""``steelyard audit``, as a user types it."""

from __future__ import annotations

import json


def test_an_audit_says_what_it_will_do_and_found_and_is_repeated_from_its_records(steelyard_cli, tmp_path):
    command = (
        "audit",
        "--only",
        "affinity",
        "--max-time",
        "30 s",
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
    assert [finding["context"] for finding in document["findings"]] == ["affinity"]


def test_a_limit_that_is_too_short_is_told_with_the_time_that_is_needed(steelyard_cli):
    done = steelyard_cli("audit", "--max-time", "0.1 s", "sleep 0.02")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --max-time '0.1 s' is too short for an audit: ")
    assert "--only NAME for fewer kinds of context" in done.stderr


def test_a_directory_with_something_else_in_it_is_told_with_what_that_is(steelyard_cli):
    audited = ("audit", "--only", "affinity", "--metric", "minor_faults", "-o", "a")
    assert steelyard_cli(*audited, "true").returncode == 0
    assert steelyard_cli("compare", "-r", "3", "-o", "c.lab", "true").returncode == 0
    line = "error: a is what steelyard audit has of 'true'"
    question = [
        ((*audited, "true 1"), f"{line}, and not of 'true 1'"),
        ((*audited, "--timeout", "9 s", "true"), f"{line} with other options; its pilot differs in:"),
        (
            ("audit", "-o", "c.lab", "true"),
            "error: c.lab is the record of one experiment (compare), and steelyard audit makes several",
        ),
        (
            ("observe", "--probe", "strace", "-o", "a", "true"),
            "error: a contains the records of steelyard audit (pilot, replication)",
        ),
    ]
    for words, message in question:
        done = steelyard_cli(*words)
        assert (done.returncode, done.stderr.splitlines()[0]) == (2, message)
        assert "a directory that does not exist yet" in done.stderr
        assert "spec" not in done.stderr
    assert steelyard_cli(*audited, "true").returncode == 0


def test_mistakes_are_errors_with_a_cure(steelyard_cli):
    unknown = steelyard_cli("audit", "--only", "aslr,env_size", "true")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("error: unknown kind of context 'env_size'\n\nhint: ")
    metric = steelyard_cli("audit", "--metric", "rss", "true")
    assert metric.stderr == "error: --metric: unknown metric rss\n\nhint: did you mean rss_bytes?\n"
    failing = steelyard_cli("audit", "false")
    assert failing.returncode == 5
