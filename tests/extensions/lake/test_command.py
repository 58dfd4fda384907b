"""``export --to``, and what reads such a place, as a user types it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def record(steelyard_cli):
    assert (
        steelyard_cli("compare", "-r", "9", "-o", "it.lab", "-n", "a", "-n", "b", "true", "true").returncode
        == 0
    )
    return "it.lab"


def test_a_place_is_written_once_and_answers_as_its_record(steelyard_cli, record, tmp_path):
    done = steelyard_cli("export", record, "--to", "lake")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "lake: 1 records written\n")
    again = steelyard_cli("export", record, "--to", f"file://{tmp_path}/lake")
    assert again.stderr.endswith("0 records written, 1 there already\n")
    assert steelyard_cli("analyze", "lake").stdout == steelyard_cli("analyze", record).stdout
    assert steelyard_cli("history", "lake", "--json").returncode == 0
    assert json.loads(steelyard_cli("history", "lake", "--json").stdout)["records"] == 1
    assert steelyard_cli("report", "lake").returncode == 0
    assert (tmp_path / "lake.html").exists()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("export", "it.lab", "--to", "it.lab"), "is inside the record"),
        (("export", "it.lab", "--to", "it.lab/lake"), "is inside the record"),
        (("export", "it.lab", "--to", "lake", "--long"), "--long has no meaning for --to"),
        (("export", "it.lab", "--to", "it.csv"), "a file, not a directory"),
        (("analyze", "it.lab", "memory://x"), "a place of records is asked by itself"),
        (("analyze", "memory://user:hunter2@x/nothing?token=hunter2"), "holds no records"),
        (("history", "nonsense://x?key=hunter2"), "nonsense://x cannot be read"),
        (("report", "memory://x"), "-o FILE.html"),
        (("history", "memory://x", "--collect", "h.sqlite"), "keeps summaries of its records already"),
    ],
)
def test_a_mistake_is_an_error_without_a_traceback_or_a_secret(steelyard_cli, record, tmp_path, words, text):
    (tmp_path / "it.csv").write_text("")
    done = steelyard_cli(*words)
    assert done.returncode in (2, 4)
    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.stderr


def test_status_of_several_records_counts_them_together(steelyard_cli, record):
    assert (
        steelyard_cli("compare", "-r", "9", "-o", "2.lab", "-n", "a", "-n", "b", "true", "true").returncode
        == 0
    )
    done = steelyard_cli("status", record, "2.lab")
    assert "together: 18 complete blocks and 40 runs in 2 records" in done.stdout
    document = json.loads(steelyard_cli("status", record, "2.lab", "--json").stdout)
    assert (document["format"], document["blocks_done"], document["repeated"]) == (
        "steelyard/statuses",
        18,
        0,
    )


CLAIMED = """
name = "pair"
[program]
commands = { a = ["true"], b = ["true"] }
[design]
blocks = 6
[[claims]]
name = "soon"
limit = "wall_s"
at = { command = "a" }
max = "10 s"
"""


@pytest.mark.extensions("growth")
def test_claims_are_judged_over_all_records_of_a_place(steelyard_cli, tmp_path):
    (tmp_path / "pair.toml").write_text(CLAIMED)
    for name in ("one.lab", "two.lab"):
        assert steelyard_cli("run", "pair.toml", "-o", name).returncode == 0
        assert steelyard_cli("export", name, "--to", "lake").returncode == 0
    done = steelyard_cli("check", "lake")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✓ soon: ")
    assert "12 blocks" in " ".join(done.stdout.split())
    assert steelyard_cli("check", f"file://{tmp_path}/lake").stdout == done.stdout
    refused = steelyard_cli("check", "lake", "--at-most", "O(n)")
    assert refused.returncode == 2
    assert "is a place of records, whose spec states the expectations" in refused.stderr
    assert "holds no records" in steelyard_cli("check", "memory://nothing").stderr
