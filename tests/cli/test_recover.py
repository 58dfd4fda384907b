"""``steelyard recover``, as a user types it; what is recovered is tested in tests/store."""

from __future__ import annotations

import json


def test_a_record_cut_short_becomes_one_that_can_be_analysed(steelyard_cli, tmp_path):
    assert steelyard_cli("compare", "-r", "20", "-o", "it.lab", "true", "true").returncode == 0
    file = tmp_path / "it.lab" / "record.sqlite"
    file.write_bytes(file.read_bytes()[:-4096])
    told = steelyard_cli("analyze", "it.lab")
    assert told.returncode == 2
    assert "steelyard recover it.lab COPY.lab" in told.stderr
    done = steelyard_cli("recover", "it.lab", "COPY.lab", "--json")
    found = json.loads(done.stdout)
    assert (found["format"], found["version"]) == ("steelyard/recovery", 1)
    assert found["trials"] + found["lost_trials"] == 42
    assert steelyard_cli("status", "COPY.lab").returncode == 0
    again = steelyard_cli("recover", "it.lab", "COPY.lab")
    assert (again.returncode, again.stderr.splitlines()[0]) == (2, "error: COPY.lab exists already")
