"""``steelyard merge``, and several records where other commands take one, as a user types them."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab" / "merge"))

from simulated_machines import SPEC, machine


@pytest.fixture
def records(tmp_path):
    """Ten machines; on one of them the change is slower, and everything takes 1.3 times as long."""
    return [
        machine(
            tmp_path / f"{i}.lab",
            f"n{i}",
            0.9 if i == 7 else 1.04,
            seed=i,
            slow=1.3 if i == 7 else 1.0,
        ).name
        for i in range(1, 11)
    ]


def test_one_verdict_with_the_next_machine_the_gain_of_more_and_the_one_that_differs(steelyard_cli, records):
    done = steelyard_cli("merge", *records)
    result = " ".join(done.stdout.split())
    assert done.returncode == 0, done.stderr
    assert "10 machines in 200 blocks" in result
    assert "next machine (95 % PI)" in result
    assert "faster on 9 of 10 machines" in result
    assert "10 more machines would narrow the standard error by 29 %" in result
    assert "n7 differs from the other machines: 0." in result
    assert "n7: values are 1.3" in result
    assert "in every treatment" in result
    assert "? new faster than old" in result


def test_a_claim_that_holds_over_machines_and_one_that_fails_are_exit_codes(steelyard_cli, tmp_path):
    good = [machine(tmp_path / f"g{i}.lab", f"n{i}", 1.05, seed=i).name for i in range(4)]
    bad = [machine(tmp_path / f"b{i}.lab", f"n{i}", 0.95, seed=i).name for i in range(4)]
    assert steelyard_cli("merge", *good, "--strict").returncode == 0
    assert steelyard_cli("merge", *bad).returncode == 1


@pytest.mark.extensions("exchange")
def test_what_is_kept_is_read_by_every_command_and_the_document_has_the_machines(steelyard_cli, records):
    done = steelyard_cli("merge", *records, "-o", "all.lab", "--json")
    document = json.loads(done.stdout)
    assert document == json.loads(steelyard_cli("analyze", "all.lab", "--json").stdout)
    (contexts,) = document["contexts"]
    machines = contexts["machines"]
    assert (machines["faster"], machines["slower"], machines["blocks"]) == (9, 1, 200)
    assert [member["name"] for member in machines["members"] if member["differs"]] == ["n7"]
    assert machines["spread"]["machines"]["further"] == 10
    assert steelyard_cli("check", "all.lab").returncode == 0
    assert steelyard_cli("status", "all.lab").returncode == 0
    assert steelyard_cli("report", "all.lab").returncode == 0


@pytest.mark.extensions("exchange")
def test_analyze_and_export_merge_several_records_of_one_spec(steelyard_cli, records):
    merged, analyzed = (steelyard_cli(name, *records[:3], "--json") for name in ("merge", "analyze"))
    documents = [json.loads(done.stdout) for done in (merged, analyzed)]
    # Each merges into a record of its own, under an id that is drawn.
    heads = [document["proof"].pop("head") for document in documents]
    assert documents[0] == documents[1]
    assert heads[0] != heads[1]
    rows = list(csv.DictReader(io.StringIO(steelyard_cli("export", *records[:3]).stdout)))
    assert {row["context.node"] for row in rows} == {"n1", "n2", "n3"}
    assert len(rows) == 3 * 2 * 21


def test_each_record_is_a_machine_where_hosts_do_not_tell_them_apart(steelyard_cli, tmp_path):
    both = [machine(tmp_path / f"{i}.lab", "same", seed=i).name for i in (1, 2)]
    assert "in 40 blocks" not in (stdout := steelyard_cli("merge", *both).stdout)
    assert "40 blocks" in stdout
    assert "2 machines in 40 blocks" in steelyard_cli("merge", *both, "--by", "record").stdout


def test_claims_of_records_of_one_spec_are_one_family(steelyard_cli, tmp_path):
    names = [machine(tmp_path / f"{i}.lab", f"n{i}", 1.05, seed=i).name for i in range(4)]
    alone = json.loads(steelyard_cli("check", names[0], "--json").stdout)
    together = json.loads(steelyard_cli("check", *names, "--json").stdout)

    def size(document):
        return {verdict["evidence"]["family_size"] for verdict in document["verdicts"]}

    assert (size(alone), size(together)) == ({1}, {4})
    result = " ".join(steelyard_cli("check", *names).stdout.split())
    assert "The claims of 4 records of one spec are one family" in result


def test_records_of_other_specs_keep_their_own_family(steelyard_cli, tmp_path):
    first = machine(tmp_path / "a.lab", "a", 1.05).name
    second = machine(tmp_path / "b.lab", "b", 1.05, spec=SPEC + "by = 1.01\n").name
    document = json.loads(steelyard_cli("check", first, second, "--json").stdout)
    assert {verdict["evidence"]["family_size"] for verdict in document["verdicts"]} == {1}
    done = steelyard_cli("merge", first, second)
    assert done.returncode == 2
    assert "of different specs" in done.stderr
    assert "hint: " in done.stderr


def test_one_record_is_answered_and_not_kept_as_merged(steelyard_cli, tmp_path):
    name = machine(tmp_path / "a.lab", "a", 1.05).name
    assert steelyard_cli("merge", name).stdout == steelyard_cli("analyze", name).stdout
    done = steelyard_cli("merge", name, "-o", "all.lab")
    assert (done.returncode, (tmp_path / "all.lab").exists()) == (2, False)


def test_a_record_that_is_missing_is_named(steelyard_cli, records):
    done = steelyard_cli("merge", records[0], "none.lab")
    assert done.returncode == 2
    assert "none.lab" in done.stderr
