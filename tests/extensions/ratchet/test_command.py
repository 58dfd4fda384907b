"""``steelyard ratchet`` as it is typed."""

from __future__ import annotations

import json

import pytest

# For scratch_repository.
from scratch_repository import Programs


@pytest.fixture
def repository(tmp_path):
    programs = Programs(tmp_path / "repository")
    programs.program(16)
    return programs


def test_a_win_exits_with_0_and_is_shown_and_something_else_with_3(repository, steelyard_cli):
    first = repository.git("rev-parse", "HEAD")
    repository.program(4)
    repository.git("reset", "-q", "--soft", first)
    options = ["--repo", str(repository.path)]
    words = ["--metric", "rss_bytes", "--blocks", "5", "--build", "sh build", "--", "./prog"]
    done = steelyard_cli("ratchet", "try", "-m", "less", *options, *words)
    assert done.returncode == 0, done.stderr
    assert "(less): faster" in done.stdout
    (repository.path / "prog.in").write_text("#!/bin/sh\necho other\n")
    # What the ledger holds otherwise is not passed over; no attempt is made.
    for option in (["--margin", "0.2"], ["--any-output"]):
        done = steelyard_cli("ratchet", "try", *option, *options)
        assert (done.returncode, f"{option[0]}: this repository's ledger" in done.stderr) == (2, True)
    assert steelyard_cli("ratchet", "try", "--blocks", "5", *options).returncode == 3
    status = json.loads(steelyard_cli("ratchet", "status", "--json", *options).stdout)
    assert [attempt["outcome"] for attempt in status["attempts"]] == ["faster", "failed"]
    assert status["best"] == status["attempts"][0]["commit"]
    assert "fresh block" in steelyard_cli("ratchet", "total", *options).stdout


def test_outside_of_a_repository_and_without_a_ledger_there_is_a_hint(tmp_path, repository, steelyard_cli):
    (tmp_path / "plain").mkdir()
    done = steelyard_cli("ratchet", "status", "--repo", str(tmp_path / "plain"))
    assert (done.returncode, "not in a git repository" in done.stderr) == (2, True)
    done = steelyard_cli("ratchet", "status", "--repo", str(repository.path))
    assert (done.returncode, "nothing was tried yet" in done.stderr) == (2, True)
