"""``steelyard recover``, as a user types it; what is recovered is tested in tests/store."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing


def test_a_record_cut_short_becomes_one_that_can_be_analysed(steelyard_cli, tmp_path):
    assert steelyard_cli("compare", "-r", "20", "-o", "it.lab", "true", "true").returncode == 0
    file = tmp_path / "it.lab" / "record.sqlite"
    file.write_bytes(file.read_bytes()[:-512])
    process = steelyard_cli("analyze", "it.lab")
    assert process.returncode == 2
    assert "steelyard recover it.lab COPY.lab" in process.stderr
    done = steelyard_cli("recover", "it.lab", "COPY.lab", "--json")
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("steelyard/recovery", 1)
    assert document["trials"] + document["lost_trials"] == 42
    assert steelyard_cli("status", "COPY.lab").returncode == 0
    again = steelyard_cli("recover", "it.lab", "COPY.lab")
    assert (again.returncode, again.stderr.splitlines()[0]) == (2, "error: COPY.lab exists already")
    # Whoever names it twice is not told to remove the only one there is.
    itself = steelyard_cli("recover", "it.lab", "./it.lab")
    assert itself.returncode == 2
    assert "it.lab is the damaged record itself" in itself.stderr
    assert "rm -r" not in itself.stderr


def test_a_record_that_lost_blocks_has_not_ended_and_is_continued(steelyard_cli, tmp_path):
    spec = tmp_path / "it.toml"
    spec.write_text('[program]\ncommand = ["true"]\n[factors]\nnice = [0, 1]\n[design]\nblocks = 12\n')
    assert steelyard_cli("run", "it.toml").returncode == 0
    with closing(sqlite3.connect(tmp_path / "it.lab" / "record.sqlite")) as record, record:
        record.execute("DELETE FROM trial WHERE id > 20")
    assert steelyard_cli("recover", "it.lab", "TEXT.lab").stdout.splitlines() == [
        "TEXT.lab has 20 of 26 trials; 6 can no longer be read",
        "3 blocks lost trials or values and are left out of answers",
        "steelyard analyze TEXT.lab answers from the rest",
        "steelyard run TEXT.lab measures as many blocks again",
    ]
    document = json.loads(steelyard_cli("recover", "it.lab", "COPY.lab", "--json").stdout)
    assert (document["lost_trials"], document["spoilt_blocks"]) == (6, 3)
    assert json.loads(steelyard_cli("status", "COPY.lab", "--json").stdout)["state"] == "interrupted"
    assert steelyard_cli("run", "COPY.lab").returncode == 0
    after = json.loads(steelyard_cli("status", "COPY.lab", "--json").stdout)
    assert (after["state"], after["blocks_done"]) == ("complete", 12)


def test_a_record_that_lost_most_of_its_blocks_is_continued_too(steelyard_cli, tmp_path):
    spec = tmp_path / "it.toml"
    spec.write_text('[program]\ncommand = ["true"]\n[factors]\nnice = [0, 1]\n[design]\nblocks = 40\n')
    assert steelyard_cli("run", "it.toml").returncode == 0
    with closing(sqlite3.connect(tmp_path / "it.lab" / "record.sqlite")) as record, record:
        record.execute("DELETE FROM trial WHERE id > 12")
    document = json.loads(steelyard_cli("recover", "it.lab", "COPY.lab", "--json").stdout)
    assert document["spoilt_blocks"] == 35
    done = steelyard_cli("run", "COPY.lab")
    assert (done.returncode, done.stderr.count("error")) == (0, 0)
    after = json.loads(steelyard_cli("status", "COPY.lab", "--json").stdout)
    assert (after["state"], after["blocks_done"]) == ("complete", 40)


def test_programs_that_fail_in_most_blocks_still_end_a_run_that_goes_on(steelyard_cli, tmp_path):
    # Each treatment fails every second time, and never three times in a row.
    script = 'echo >> "$0.{nice}"; [ $(($(wc -l < "$0.{nice}") % 2)) = {nice} ]'
    spec = tmp_path / "it.toml"
    spec.write_text(
        f"[program]\ncommand = ['/bin/sh', '-c', '{script}', '{{source}}/count']\n"
        "[factors]\nnice = [0, 1]\n[design]\nblocks = 40\ndiscard = 0\n"
    )
    for _ in range(2):
        done = steelyard_cli("run", "it.toml")
        assert done.returncode == 5
        assert "blocks of this run are incomplete and 0 complete in all" in done.stderr


def test_a_record_whose_spec_is_lost_is_analysed_by_the_text_of_it_and_not_continued(steelyard_cli, tmp_path):
    spec = tmp_path / "it.toml"
    spec.write_text('[program]\ncommand = ["true"]\n[factors]\nnice = [0, 1]\n[design]\nblocks = 12\n')
    assert steelyard_cli("run", "it.toml").returncode == 0
    stdout = steelyard_cli("analyze", "it.lab").stdout
    with closing(sqlite3.connect(tmp_path / "it.lab" / "record.sqlite")) as record, record:
        record.execute("DELETE FROM record")
    done = steelyard_cli("recover", "it.lab", "COPY.lab")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "COPY.lab has all 26 trials that had ended",
        "its spec was lost and read from spec.toml; the identity of the program is lost",
        "steelyard analyze COPY.lab answers from the rest",
        "it cannot be continued: whether the program is still the same is unknown",
    ]
    again = steelyard_cli("analyze", "COPY.lab").stdout
    # The finding and the rows; cautions differ, of which one is about the lost spec.
    assert again.partition("\n- ")[0] == stdout.partition("\n- ")[0]
    refused = steelyard_cli("run", "COPY.lab")
    assert refused.returncode == 2
    assert "has measured so far was lost" in refused.stderr


def test_a_recovery_that_saves_no_trial_says_so(steelyard_cli, tmp_path):
    (tmp_path / "it.toml").write_text('[program]\ncommand = ["true"]\n[design]\nblocks = 12\n')
    assert steelyard_cli("run", "it.toml").returncode == 0
    with closing(sqlite3.connect(tmp_path / "it.lab" / "record.sqlite")) as record, record:
        record.execute("DELETE FROM trial")
    done = steelyard_cli("recover", "it.lab", "COPY.lab")
    assert done.stdout.splitlines() == [
        "COPY.lab has the experiment and none of its 13 trials: they can no longer be read",
        "12 blocks lost trials or values and are left out of answers",
        "steelyard run COPY.lab measures as many blocks again",
    ]


def test_an_error_names_the_damaged_record_and_not_the_new_one(steelyard_cli, tmp_path):
    missing = steelyard_cli("recover", "it.lab", "COPY.lab")
    assert missing.stderr.startswith("error: it.lab does not exist\n\nhint: ")
    (tmp_path / "it.lab").mkdir()
    (tmp_path / "it.lab" / "record.sqlite").write_bytes(b"\0" * 5000)
    done = steelyard_cli("recover", "it.lab", "COPY.lab")
    assert done.returncode == 2
    assert done.stderr.startswith("error: it.lab cannot be recovered: ")
    assert "COPY.lab" not in done.stderr
    assert not (tmp_path / "COPY.lab").exists()
