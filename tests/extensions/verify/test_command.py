"""``steelyard verify``, as a user types it; what a chain proves is tested in tests/store/test_chain.py."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

SPEC = """
[program]
commands = { a = ["true"], b = ["sleep", "0.002"] }
[design]
blocks = 20
seed = 1
[[claims]]
faster = { command = "a" }
than = { command = "b" }
"""
needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def record(steelyard_cli, tmp_path):
    (tmp_path / "it.toml").write_text(SPEC)
    assert steelyard_cli("run", "it.toml").returncode == 0
    return tmp_path / "it.lab"


def edit(directory, *statements):
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def verified(steelyard_cli, *words):
    done = steelyard_cli("verify", *words)
    return done.returncode, " ".join(done.stdout.split())


def test_a_record_is_as_measured_after_all_that_steelyard_does_with_it(steelyard_cli, record):
    code, text = verified(steelyard_cli, "it.lab")
    assert code == 0
    assert text.startswith("it.lab is as measured head ")
    assert "measured by Steelyard " in text
    assert steelyard_cli("run", "it.lab", "--extend", "3").returncode == 0
    shutil.copytree(record, record.with_name("copy.lab"))
    assert steelyard_cli("recover", "copy.lab", "recovered.lab").returncode == 0
    assert steelyard_cli("merge", "it.lab", "copy.lab", "-o", "merged.lab").returncode == 0
    assert steelyard_cli("report", "it.lab", "--archive", "it.zip").returncode == 0
    code, text = verified(steelyard_cli, "it.lab", "copy.lab", "recovered.lab", "merged.lab", "it.zip")
    assert code == 0, text
    assert text.count("is as measured") == 5


def test_a_run_that_was_killed_and_resumed_is_as_measured(steelyard_cli, steelyard_started, tmp_path):
    (tmp_path / "it.toml").write_text(SPEC.replace("blocks = 20", "blocks = 200"))
    for _ in range(2):
        process = steelyard_started("run", "it.toml")
        deadline = time.monotonic() + 60
        while not (tmp_path / "it.lab" / "record.sqlite").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert verified(steelyard_cli, "it.lab")[0] == 0
    assert steelyard_cli("run", "it.toml").returncode == 0
    code, text = verified(steelyard_cli, "it.lab")
    assert code == 0, text


def test_answers_about_an_edited_record_say_so_first_and_judge_nothing(steelyard_cli, record):
    assert steelyard_cli("check", "it.lab").returncode == 0
    edit(record, "UPDATE trial SET wall_ns = wall_ns * 8 / 10 WHERE block = 17")
    code, text = verified(steelyard_cli, "it.lab")
    assert (code, text.startswith("it.lab is edited in block 17, which is not as it was stored")) == (1, True)
    first = "it.lab was edited in block 17, which is not as it was stored."
    analyzed = steelyard_cli("analyze", "it.lab")
    assert " ".join(analyzed.stdout.split()).startswith(first)
    assert "not resolved, since the record is not as it was measured" in " ".join(analyzed.stdout.split())
    document = json.loads(steelyard_cli("analyze", "it.lab", "--json").stdout)
    assert document["proof"]["state"] == "edited"
    assert document["warnings"][0]["words"].startswith(first)
    assert {comparison["verdict"] for comparison in document["comparisons"]} <= {"not_resolved", None}
    checked = steelyard_cli("check", "it.lab", "--junit", "junit.xml", "--markdown", "check.md")
    assert checked.returncode == 3
    assert "NOT JUDGED" in checked.stdout.upper()
    assert "edited in block 17" in checked.stdout
    assert 'failures="1"' in (record.parent / "junit.xml").read_text()
    assert (record.parent / "check.md").read_text().startswith("### ✗")
    assert steelyard_cli("report", "it.lab", "-o", "it.html").returncode == 0
    assert "edited in block 17" in (record.parent / "it.html").read_text()
    history = steelyard_cli("history", "it.lab")
    assert "edited in block 17" in history.stdout + history.stderr


@pytest.mark.extensions("history")
def test_a_record_whose_end_is_gone_is_shortened_by_the_summary_beside_it(steelyard_cli, record):
    early = (record / "record.sqlite").read_bytes()
    assert steelyard_cli("run", "it.lab", "--extend", "2").returncode == 0
    (record / "record.sqlite").write_bytes(early)
    code, text = verified(steelyard_cli, "it.lab")
    assert (code, text.startswith("it.lab is shortened: it has ")) == (1, True)


def test_copies_that_went_on_apart_are_forked_and_a_lake_keeps_what_it_has(steelyard_cli, record):
    pytest.importorskip("arro3.io", reason="arro3 is not installed, with which lakes are written")
    shutil.copytree(record, record.with_name("b.lab"))
    for name in ("it.lab", "b.lab"):
        assert steelyard_cli("run", name, "--extend", "2").returncode == 0
    code, text = verified(steelyard_cli, "it.lab", "b.lab")
    assert code == 1
    assert "b.lab is forked at block 22: from there on it and it.lab went on apart" in text
    assert steelyard_cli("export", "it.lab", "--to", "lake").returncode == 0
    refused = steelyard_cli("export", "b.lab", "--to", "lake")
    assert refused.returncode == 2
    assert "lacks trials of that: it would replace them" in refused.stderr
    assert steelyard_cli("run", "it.lab", "--extend", "1").returncode == 0
    assert steelyard_cli("export", "it.lab", "--to", "lake").returncode == 0


@needs_ssh
def test_a_signature_is_by_whom_the_file_of_signers_names_and_of_the_whole_record(
    steelyard_cli, record, tmp_path
):
    for name in ("key", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
        key = (tmp_path / f"{name}.pub").read_text()
        (tmp_path / f"{name}.signers").write_text(f"{name}@example.org {key}")
    assert verified(steelyard_cli, "--signers", "key.signers", "it.lab")[0] == 3
    code, text = verified(steelyard_cli, "--sign", "key", "--signers", "key.signers", "it.lab")
    assert (code, "signed by key@example.org" in text) == (0, True)
    code, text = verified(steelyard_cli, "--signers", "other.signers", "it.lab")
    assert (code, "its signature is bad" in text) == (1, True)
    assert steelyard_cli("run", "it.lab", "--extend", "1").returncode == 0
    code, text = verified(steelyard_cli, "--signers", "key.signers", "it.lab")
    assert (code, "before the last runs, which are not signed" in text) == (3, True)
    edit(record, "UPDATE trial SET wall_ns = wall_ns + 1 WHERE id = 9")
    refused = steelyard_cli("verify", "--sign", "key", "it.lab")
    assert (refused.returncode, "only a record that is as measured is signed" in refused.stderr) == (2, True)


@pytest.mark.extensions("history")
@needs_ssh
def test_digests_that_were_computed_anew_are_refuted_by_head_and_signature(steelyard_cli, record, tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    (tmp_path / "signers").write_text(f"me {(tmp_path / 'key.pub').read_text()}")
    assert verified(steelyard_cli, "--sign", "key", "--signers", "signers", "it.lab")[0] == 0
    head = json.loads(steelyard_cli("verify", "--json", "it.lab").stdout)["records"][0]["proof"]["head"]
    compute_anew(record)
    (record / "record.summary").unlink()
    assert verified(steelyard_cli, "it.lab")[1].startswith("it.lab is as measured")
    code, text = verified(steelyard_cli, "--head", head, "it.lab")
    assert (code, "it.lab is forked at link" in text) == (1, True)
    code, text = verified(steelyard_cli, "--signers", "signers", "it.lab")
    assert (code, "its signature is bad: it is of another course of the record" in text) == (1, True)


def compute_anew(directory):
    """Edit a record and make its chain anew, as somebody may who knows how."""
    from steelyard.store.chain import Chain

    edit(directory, "UPDATE trial SET wall_ns = wall_ns * 8 / 10 WHERE block = 17")
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection, connection:
        subjects = connection.execute("SELECT kind, key FROM link ORDER BY id").fetchall()
        connection.execute("DELETE FROM link")
        Chain(connection)._add(subjects)


def test_a_head_that_is_none_and_an_archive_that_is_none_are_named(steelyard_cli, tmp_path, record):
    bad = steelyard_cli("verify", "--head", "12", "it.lab")
    assert (bad.returncode, bad.stderr.splitlines()[0]) == (2, "error: '12' is not a head")
    (tmp_path / "it.zip").write_bytes(b"PK")
    bad = steelyard_cli("verify", "it.zip")
    assert (bad.returncode, "it.zip cannot be read as an archive" in bad.stderr) == (2, True)


def test_a_record_of_an_earlier_version_is_unproven_with_an_exit_code_of_its_own(steelyard_cli, record):
    edit(record, "DROP TABLE link", "UPDATE record SET version = 2", "PRAGMA user_version = 2")
    code, text = verified(steelyard_cli, "it.lab")
    assert (code, text.startswith("it.lab is unproven: it has no digests")) == (3, True)
    assert steelyard_cli("check", "it.lab").returncode == 0


COMMANDS = {
    "run": ("run", "it.lab"),
    "run --extend": ("run", "it.lab", "--extend", "2"),
    "export of rows": ("export", "it.lab", "-o", "rows.csv"),
    "export for another tool": ("export", "it.lab", "--format", "hyperfine", "-o", "it.json"),
    "model": ("model", "it.lab"),
    "efficiency": ("efficiency", "it.lab"),
    "explain": ("explain", "it.lab"),
    "solvers": ("solvers", "it.lab"),
    "tables": ("report", "it.lab", "--tables", "tables"),
    "figures": ("report", "it.lab", "--figures", "figures"),
    "merge": ("merge", "it.lab", "other.lab", "-o", "merged.lab"),
    "export to a lake": ("export", "it.lab", "--to", "lake"),
    "compare --confirm": ("compare", "it.lab", "other.lab", "--confirm"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_no_command_goes_on_with_an_edited_record_or_passes_its_values_on(steelyard_cli, record, words):
    shutil.copytree(record, record.with_name("other.lab"))
    edit(record, "UPDATE trial SET user_us = user_us + 1000 WHERE block = 17")
    done = steelyard_cli(*words)
    assert done.returncode != 0
    assert "edited in block 17" in " ".join((done.stderr + done.stdout).split())
    written = {path.name for path in record.parent.iterdir()}
    assert not written & {"rows.csv", "it.json", "merged.lab", "tables", "figures"}
    assert not list(record.parent.glob("lake/**/*.parquet"))


def test_other_answers_about_an_edited_record_say_so_first(steelyard_cli, record):
    shutil.copytree(record, record.with_name("other.lab"))
    edit(record, "UPDATE trial SET user_us = user_us + 1000 WHERE block = 17")
    status = steelyard_cli("status", "it.lab")
    assert status.stdout.startswith("The record was edited in block 17")
    assert json.loads(steelyard_cli("status", "it.lab", "--json").stdout)["edited"].startswith(
        "edited in block 17"
    )
    compared = steelyard_cli("compare", "other.lab", "it.lab", "--metric", "rss_bytes")
    assert compared.stdout.startswith("it.lab was edited in block 17")
    assert steelyard_cli("recover", "it.lab", "recovered.lab").returncode == 0
    code, text = verified(steelyard_cli, "recovered.lab")
    assert (code, text.startswith("recovered.lab is edited in block 17")) == (1, True)
    assert "edited" in steelyard_cli("history", "other.lab", "it.lab").stdout


CONTINUED = {
    "observe": (("observe", "--variable", "X=1", "-o", "it.lab", "--max-time", "1", "true"), "observe"),
    "audit": (("audit", "--only", "env_bytes", "-o", "it.lab", "--max-time", "12", "true"), "pilot"),
}


@pytest.mark.parametrize(("words", "part"), CONTINUED.values(), ids=CONTINUED)
def test_no_search_goes_on_with_a_record_that_was_edited(steelyard_cli, tmp_path, words, part):
    assert steelyard_cli(*words).returncode == 0
    edit(tmp_path / "it.lab" / f"{part}.lab", "UPDATE trial SET user_us = user_us + 100 WHERE block = 1")
    done = steelyard_cli(*words)
    assert done.returncode == 2
    assert f"{part}.lab was edited in block 1" in done.stderr


@pytest.fixture
def lake(steelyard_cli, record, tmp_path):
    pytest.importorskip("arro3.io")
    assert steelyard_cli("export", "it.lab", "--to", "lake").returncode == 0
    return tmp_path / "lake"


@pytest.mark.usefixtures("record")
def test_records_of_a_lake_are_held_to_the_digests_taken_when_they_were_exported(steelyard_cli, lake):
    code, text = verified(steelyard_cli, "lake")
    assert code == 0, text
    assert "is as measured" in text
    (table,) = [path for path in lake.glob("**/*.parquet") if ".ratios" not in path.name]
    content = table.read_bytes()
    table.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    code, text = verified(steelyard_cli, "lake", "it.lab")
    assert code == 1
    assert "is edited in its trials, which are not as they were exported" in text
    assert "it.lab is as measured" in text
    table.unlink()
    code, text = verified(steelyard_cli, "lake")
    assert (code, "is edited in its trials, which cannot be read" in text) == (1, True)


def test_a_file_of_a_lake_that_cannot_be_read_is_named(steelyard_cli, lake):
    (facts,) = lake.glob("**/*.json.gz")
    shutil.copy(facts, facts.with_name("0123456789abcdef.json.gz"))
    code, text = verified(steelyard_cli, "lake")
    assert code == 1
    assert "it belongs to another spec, day or record than its place says" in text


def test_what_is_about_a_chain_is_refused_of_a_lake(steelyard_cli, lake):
    done = steelyard_cli("verify", "--head", f"1-{40 * '0'}", str(lake))
    assert (done.returncode, "--head is about a chain of digests" in done.stderr) == (2, True)
