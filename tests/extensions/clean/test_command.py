"""``steelyard clean``, as a user types it; what is removed is tested in test_clean.py beside it."""

from __future__ import annotations

import json
import os
import time

from steelyard.store.lock import WriterLock


def make_old(steelyard_cli, tmp_path):
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = steelyard_cli("compare", "-r", "2", "true", "true", env=environ)
    assert done.returncode == 0, done.stderr
    (record,) = (tmp_path / "state/steelyard/compare").iterdir()
    then = time.time() - 40.2 * 86400
    for path in (*record.iterdir(), record):
        os.utime(path, (then, then))
    return environ, record


def test_a_listing_removes_nothing_and_yes_removes_what_it_lists(steelyard_cli, tmp_path):
    environ, record = make_old(steelyard_cli, tmp_path)
    listed = steelyard_cli("clean", env=environ)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.startswith("1 leftover older than 30 d: ")
    assert "40 d" in listed.stdout
    assert record.name in listed.stdout
    assert "The same command with --yes removes them." in listed.stdout
    assert record.exists()
    assert "Nothing is older than 60 d" in " ".join(
        steelyard_cli("clean", "--older-than", "60d", "--yes", env=environ).stdout.split()
    )
    removed = steelyard_cli("clean", "--yes", "--json", env=environ)
    document = json.loads(removed.stdout)
    assert (document["format"], document["version"]) == ("steelyard/cleaning", 1)
    assert [row["fate"] for row in document["leftovers"]] == ["removed"]
    assert not record.exists()


def test_what_is_kept_is_named_with_the_reason_and_exit_code_1(steelyard_cli, tmp_path):
    environ, record = make_old(steelyard_cli, tmp_path)
    with WriterLock(record / "lock"):
        then = time.time() - 40 * 86400
        os.utime(record / "lock", (then, then))
        done = steelyard_cli("clean", "--yes", env=environ)
    assert done.returncode == 1
    assert f"is being run by process {os.getpid()}" in " ".join(done.stdout.split())
    assert done.stdout.startswith("Nothing was removed: 1 leftover must stay.")
    assert record.exists()


def test_a_limit_that_is_too_short_is_refused_with_the_cure(steelyard_cli):
    done = steelyard_cli("clean", "--older-than", "30s")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--older-than 1h or more" in done.stderr
