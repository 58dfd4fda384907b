"""A record is known to be in a lake by all that it holds."""

from __future__ import annotations

from steelyard.extensions.lake import writing


def test_trials_that_a_killed_run_left_in_the_log_are_a_change(tmp_path):
    file, log = tmp_path / "record.sqlite", tmp_path / "record.sqlite-wal"
    file.write_bytes(b"pages")
    before = writing._hash_content(file)
    log.write_bytes(b"")
    assert writing._hash_content(file) == before
    log.write_bytes(b"frames")
    assert writing._hash_content(file) != before
