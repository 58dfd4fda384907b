"""``steelyard bisect`` as a process."""

from __future__ import annotations

import json
import re

import pytest

# For scratch_repository.
from scratch_repository import Programs


@pytest.fixture
def line(tmp_path):
    """Five commits of a program that uses memory, more from the third on."""
    return Programs(tmp_path / "repository").line(5, 2)


COMMAND = (
    *("--metric", "rss_bytes", "--build", "sh build", "-o", "found", "--repo", "repository"),
    *("--", "./prog"),
)


def test_the_answer_names_the_commit_with_its_message_and_probability(steelyard_cli, line):
    done = steelyard_cli("bisect", line[0], "HEAD", *COMMAND)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✗ rss_bytes of ./prog: ")
    assert f"  {line[2][:10]}" in done.stdout
    assert "commit 2" in done.stdout
    assert done.stdout.endswith("\nrecords: found\n")
    assert "× good" in done.stderr
    document = json.loads(steelyard_cli("bisect", line[0], "HEAD", "--json", *COMMAND).stdout)
    assert document["format"] == "steelyard/bisection"
    assert [candidate["commit"] for candidate in document["candidates"]] == [line[2]]


def test_ends_that_do_not_differ_exit_with_3_under_strict(steelyard_cli, line):
    done = steelyard_cli("bisect", line[0], line[1], "--strict", "--blocks", "3", *COMMAND)
    assert done.returncode == 3, done.stderr
    # By chance, 5 % of such ends are seen to differ; then builds of one source differ as much.
    assert done.stdout.startswith("? rss_bytes of ./prog: ")
    assert re.search(r"No search was made\.|not resolved: no build", " ".join(done.stdout.split()))


def test_a_search_without_a_program_is_an_error_with_an_example(steelyard_cli):
    done = steelyard_cli("bisect", "a", "b", "--build", "make")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: no program to measure\n\nhint: steelyard bisect v1.0 HEAD --build")


def test_an_unknown_metric_is_an_error_of_its_option(steelyard_cli, line):
    done = steelyard_cli("bisect", line[0], "HEAD", "--metric", "steps", *COMMAND[2:])
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: --metric: unknown metric steps\n" in done.stderr
