"""What can be read of a damaged record is offered, and is true."""

from __future__ import annotations

import random
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing

import made_up
import pytest

from steelyard.core.errors import RecordError
from steelyard.design import Extension, stream_until, treatments
from steelyard.extensions.repair.recovery import Recovered, recover
from steelyard.spec.experiment import Contexts, Program
from steelyard.store import LoadOfBatch, Look, Record
from steelyard.store.database import create_database
from steelyard.store.rows import metrics_of

MADE = made_up.blocks(200)


@pytest.fixture(params=[0, 10_000], ids=["small pages", "large pages"])
def damaged(tmp_path, request):
    directory = tmp_path / "damaged.lab"
    made_up.filled(directory, MADE, trials=request.param).close()
    return directory


def trusted(directory, original):
    """The recovered record says nothing that was not in the original, and compares whole blocks only."""
    result = made_up.tables(directory)
    for name in ("trial", "value", "context"):
        assert set(result[name]) <= set(original[name])
    with Record.open(directory) as record:
        assert record.damage() == []
        samples = record.samples("wall_s")
        for sample in samples:
            assert all(len(record.finished_trials(block)) == 3 for block in sample.blocks)
        assert {tuple(sample.trials) for sample in record.samples("rate")} == {
            tuple(s.trials) for s in samples
        }
        assert "recovered from a damaged one" in record.warnings()[-1].text


def test_a_whole_record_is_recovered_whole(damaged, tmp_path):
    new = tmp_path / "new.lab"
    assert recover(damaged, new) == Recovered(trials=600, lost_trials=0, spoilt_blocks=0)
    assert made_up.tables(new) == made_up.tables(damaged)
    assert sorted(path.name for path in new.iterdir()) == [
        "journal",
        "record.digests",
        "record.sqlite",
        "spec.toml",
    ]


def test_a_truncated_record_gives_what_is_before_its_end(damaged, tmp_path):
    original = made_up.tables(damaged)
    file = damaged / "record.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 3 // 4])
    result = recover(damaged, tmp_path / "new.lab")
    assert result.trials + result.lost_trials == 600
    assert 0 < result.spoilt_blocks < 199
    trusted(tmp_path / "new.lab", original)
    assert file.read_bytes() == content[: len(content) * 3 // 4]


def test_pages_of_garbage_cost_what_was_on_them_and_no_more(damaged, tmp_path):
    original = made_up.tables(damaged)
    file = damaged / "record.sqlite"
    content = file.read_bytes()
    size, draw = made_up.page_bytes(file), random.Random(8)
    recovered = []
    for i in range(20):
        page = draw.randrange(len(content) // size // 2, len(content) // size) * size
        file.write_bytes(content[:page] + b"\0" * size + content[page + size :])
        new = tmp_path / f"{i}.lab"
        recovered.append(recover(damaged, new))
        trusted(new, original)
    assert all(result.trials > 0 for result in recovered)
    assert max(answer.trials for answer in recovered) > 500


@pytest.mark.parametrize(("table", "most_lost"), [("trial", 0), ("block", 0), ("value", 30)])
def test_a_lost_inner_page_costs_the_rows_on_it_and_none_below(damaged, tmp_path, table, most_lost):
    """Trees that are deep enough to have one: the leaves below are whole, and nothing leads to them."""
    original = made_up.tables(damaged)
    file = damaged / "record.sqlite"
    with closing(sqlite3.connect(file)) as source:
        ((root,),) = source.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchall()
    content = file.read_bytes()
    size = made_up.page_bytes(file)
    page = (root - 1) * size
    assert content[page] in (0x05, 0x02)
    file.write_bytes(content[:page] + b"\0" * size + content[page + size :])
    new = tmp_path / "new.lab"
    result = recover(damaged, new)
    assert (result.trials, result.lost_trials) == (600, 0)
    assert result.spoilt_blocks <= most_lost  # of 199; it was all of them
    trusted(new, original)
    after = made_up.tables(new)
    assert after["block"] == original["block"] or table == "value"
    assert after["trial"] == original["trial"]
    assert len(original["value"]) - len(after["value"]) <= most_lost


def test_a_damaged_number_costs_its_row_and_not_the_time_to_count_up_to_it(damaged, tmp_path):
    original = made_up.tables(damaged)
    with closing(sqlite3.connect(damaged / "record.sqlite")) as source, source:
        # The row of a trial whose number lost a bit.
        source.execute("UPDATE trial SET id = 1 << 50 WHERE id = 600")
    new = tmp_path / "new.lab"
    result = recover(damaged, new)
    assert (result.spoilt_blocks, result.lost_trials) == (1, 1)
    assert result.trials == 599
    trusted(new, original)


def test_rows_of_other_tables_are_not_taken_for_those_of_lost_trees(damaged, tmp_path):
    with Record.open(damaged, write=True) as record:
        for block in range(2, 200):
            record.add_look(Look(block, "wall_s", 1, block - 1, None, None, "continue"))
            record.add_batch(LoadOfBatch(1, 3 * block - 2, 3 * block, 0.1, 0.2, 0.3, 0.4, 1.0))
    original = made_up.tables(damaged)
    for table in ("block", "trial", "value"):
        without_page_of(damaged, table)
    new = tmp_path / "new.lab"
    result = recover(damaged, new)
    assert (result.trials, result.lost_trials) == (600, 0)
    trusted(new, original)
    assert made_up.tables(new)["block"][-1] == original["block"][-1]
    with Record.open(new) as record:
        assert len(record.looks()) == len(record.batches()) == 198


@pytest.mark.parametrize("kind", [0x0D, 0x0A, 0x05, 0x02])
def test_pages_that_are_no_pages_hold_no_rows(damaged, tmp_path, kind):
    original = made_up.tables(damaged)
    without_page_of(damaged, "trial")
    size = made_up.page_bytes(damaged / "record.sqlite")
    noise = bytearray(random.Random(kind).randbytes(64 * size))
    for page in range(0, len(noise), size):
        noise[page] = kind
        noise[page + 3 : page + 5] = b"\0\xff"
    with (damaged / "record.sqlite").open("ab") as file:
        file.write(noise)
    new = tmp_path / "new.lab"
    assert recover(damaged, new) == Recovered(600, 0, 0)
    assert made_up.tables(new) == original


def test_a_text_that_is_damaged_costs_its_own_row(damaged, tmp_path):
    with closing(sqlite3.connect(damaged / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE trial SET reason = CAST(x'ff41' AS TEXT) WHERE id IN (300, 400)")
    result = recover(damaged, tmp_path / "new.lab")
    assert result == Recovered(trials=598, lost_trials=2, spoilt_blocks=2)


def test_trials_outlive_the_row_of_their_run(damaged, tmp_path):
    with closing(sqlite3.connect(damaged / "record.sqlite")) as connection, connection:
        connection.execute("DELETE FROM run")
    assert recover(damaged, tmp_path / "new.lab").trials == 600
    with Record.open(tmp_path / "new.lab") as record:
        assert [(run.id, run.state) for run in record.runs()] == [(1, "died")]


def test_what_a_killed_writer_had_not_moved_into_the_file_is_recovered_too(tmp_path):
    directory = tmp_path / "damaged.lab"
    with made_up.filled(directory, MADE):
        assert (directory / "record.sqlite-wal").stat().st_size > 0
        assert recover(directory, tmp_path / "new.lab") == Recovered(600, 0, 0)


def test_a_record_without_its_spec_cannot_be_recovered_and_leaves_nothing(damaged, tmp_path):
    file = damaged / "record.sqlite"
    file.write_bytes(file.read_bytes()[: made_up.page_bytes(file)])
    with pytest.raises(RecordError) as error:
        recover(damaged, tmp_path / "new.lab")
    assert error.value.hint
    assert not (tmp_path / "new.lab").exists()


@pytest.mark.parametrize("lost", [bytes(4096), b"\xa5" * 100, b"garbage of a page " * 227])
def test_a_first_page_that_is_lost_is_that_of_any_record(damaged, tmp_path, lost):
    original = made_up.tables(damaged)
    file = damaged / "record.sqlite"
    lost = lost[: made_up.page_bytes(file)]
    file.write_bytes(lost + file.read_bytes()[len(lost) :])
    new = tmp_path / "new.lab"
    assert recover(damaged, new) == Recovered(600, 0, 0)
    trusted(new, original)
    assert made_up.tables(new) == original
    assert sorted(path.name for path in new.iterdir()) == [
        "journal",
        "record.digests",
        "record.sqlite",
        "spec.toml",
    ]


def test_a_first_page_and_the_end_can_both_be_lost(damaged, tmp_path):
    original = made_up.tables(damaged)
    file = damaged / "record.sqlite"
    content = file.read_bytes()
    size = made_up.page_bytes(file)
    file.write_bytes(bytes(size) + content[size : len(content) * 3 // 4 + 100])
    result = recover(damaged, tmp_path / "new.lab")
    assert result.trials + result.lost_trials == 600
    assert result.trials > 300
    trusted(tmp_path / "new.lab", original)


def test_a_file_that_is_no_record_at_all_is_not_made_one(damaged, tmp_path):
    (damaged / "record.sqlite").write_bytes(random.Random(1).randbytes(400_000))
    with pytest.raises(RecordError, match="cannot be recovered: its spec cannot be read"):
        recover(damaged, tmp_path / "new.lab")
    assert not (tmp_path / "new.lab").exists()


def test_extensions_that_a_lost_page_hides_are_not_forgotten(damaged, tmp_path):
    """A record of version 1 has the table at its end, where the page of a new record does not lead."""
    with closing(sqlite3.connect(damaged / "record.sqlite")) as connection, connection:
        connection.execute("DROP TABLE extension")
    file = damaged / "record.sqlite"
    size = made_up.page_bytes(file)
    file.write_bytes(bytes(size) + file.read_bytes()[size:])
    with pytest.raises(RecordError, match=r"damaged\.lab cannot be recovered: how often it was extended"):
        recover(damaged, tmp_path / "new.lab")


def without_page_of(directory, table):
    """Where the page that leads to the rows of a table is lost, or holds them."""
    file = directory / "record.sqlite"
    with closing(sqlite3.connect(file)) as source:
        ((root,),) = source.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchall()
    content, size = file.read_bytes(), made_up.page_bytes(file)
    file.write_bytes(content[: (root - 1) * size] + b"\0" * size + content[root * size :])


SPEC = """\
name = "made up"
[program]
command = ["prog", "-{opt}"]
[factors]
opt = ["opt=O1", "opt=O2", "opt=O3"]
"""
"""Its treatments have the labels of those that are made up."""


def test_a_spec_that_is_lost_is_read_from_the_text_beside_it(damaged, tmp_path):
    (damaged / "spec.toml").write_text(SPEC)
    original = made_up.tables(damaged)
    without_page_of(damaged, "record")
    new = tmp_path / "new.lab"
    assert recover(damaged, new) == Recovered(600, 0, 0, spec="file")
    trusted(new, original)
    with Record.open(new) as record:
        assert record.experiment.program.commands == {"": ("prog", "-{opt}")}
        assert record.experiment.source == str(tmp_path)
        assert record.program == {}
        assert [treatment.label for treatment in record.treatments] == ["opt=O1", "opt=O2", "opt=O3"]
        assert any("read again from spec.toml" in warning.text for warning in record.warnings())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SPEC.replace('"opt=O3"', '"O3"'), "beside it has other treatments"),
        (
            SPEC.replace("opt = [", "level = ["),
            "is not a valid spec: spec.toml:3: program.command",
        ),
        ("no TOML", "spec.toml beside it is not a valid spec: spec.toml:1"),
        (None, "spec.toml is missing beside it"),
    ],
)
def test_a_spec_beside_the_tables_that_is_none_or_another_is_not_taken(damaged, tmp_path, text, why):
    (damaged / "spec.toml").unlink()
    if text is not None:
        (damaged / "spec.toml").write_text(text)
    without_page_of(damaged, "record")
    with pytest.raises(RecordError, match="cannot be recovered: its spec cannot be read") as error:
        recover(damaged, tmp_path / "new.lab")
    assert why in error.value.message
    assert not (tmp_path / "new.lab").exists()


def test_a_spec_in_the_tables_that_is_no_json_is_damage_and_read_from_the_text_too(damaged, tmp_path):
    (damaged / "spec.toml").write_text(SPEC)
    with closing(sqlite3.connect(damaged / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE record SET experiment = substr(experiment, 1, 40)")
    with (
        Record.open(damaged) as record,
        pytest.raises(RecordError, match="is not valid JSON") as error,
    ):
        _ = record.experiment
    assert "steelyard recover" in (error.value.hint or "")
    assert recover(damaged, tmp_path / "new.lab") == Recovered(600, 0, 0, spec="file")
    with Record.open(tmp_path / "new.lab") as record:
        assert record.experiment.program.commands == {"": ("prog", "-{opt}")}


def test_the_text_of_the_spec_does_not_stand_in_for_treatments_that_nothing_shows(damaged, tmp_path):
    (damaged / "spec.toml").write_text(SPEC)
    without_page_of(damaged, "record")
    without_page_of(damaged, "treatment")
    with pytest.raises(RecordError, match=r"nothing shows that spec\.toml beside it is its own"):
        recover(damaged, tmp_path / "new.lab")


@pytest.mark.parametrize("state", ["complete", "failed"])
@pytest.mark.parametrize("lost", ["treatment", "metric", "context", "block"])
def test_what_the_spec_says_again_is_not_lost_with_its_page(tmp_path, lost, state):
    counting = made_up.experiment(
        program=Program(commands={"": ("prog", "-{opt}")}, counters=("instructions",)),
        contexts=Contexts({"env_bytes": "random"}),
    )
    result = list(stream_until(counting, treatments(counting), (), 19))
    with Record.create(
        tmp_path / "damaged.lab",
        counting,
        treatments=treatments(counting),
        metrics=metrics_of(counting),
        trials=10_000,  # one page has all rows of a table
    ) as record:
        run = record.begin_run({}, "boot-1")
        record.add_blocks(result)
        record.take(run, made_up.measurements(result), record.journal_path(run).name, 4096)
        record.end_run(run, state)
    original = made_up.tables(tmp_path / "damaged.lab")
    without_page_of(tmp_path / "damaged.lab", lost)
    answer = recover(tmp_path / "damaged.lab", tmp_path / "new.lab")
    assert (answer.trials, answer.lost_trials) == (60, 0)
    if (lost, state) == ("block", "failed"):
        # Some may have been given up, with a program that had changed: which, nothing says any more.
        with Record.open(tmp_path / "new.lab") as record:
            assert {outcome.state for outcome in record.outcomes()} == {"discarded", "incomplete"}
            assert [outcome.block for outcome in record.outcomes()] == result
        return
    assert made_up.tables(tmp_path / "new.lab") == original
    trusted(tmp_path / "new.lab", original)
    with Record.open(tmp_path / "new.lab") as record:
        assert [treatment.label for treatment in record.treatments] == ["O2", "O3", "Os"]
        assert {"instructions", "rate", "latency_s"} <= {metric.name for metric in record.metrics}


def test_a_block_that_is_lost_with_some_of_its_trials_is_measured_again(tmp_path):
    plain = made_up.experiment()
    result = list(stream_until(plain, treatments(plain), (), 19))
    with Record.create(
        tmp_path / "damaged.lab", plain, treatments=treatments(plain), metrics=made_up.METRICS
    ) as record:
        run = record.begin_run({}, "boot-1")
        record.add_blocks(result)
        record.take(run, made_up.measurements(result), record.journal_path(run).name, 4096)
        record.end_run(run, "complete")
    with closing(sqlite3.connect(tmp_path / "damaged.lab" / "record.sqlite")) as connection, connection:
        connection.execute("DELETE FROM block WHERE id IN (7, 20)")
        connection.execute("DELETE FROM value WHERE trial IN (20, 60)")
        connection.execute("DELETE FROM trial WHERE id IN (20, 60)")
    answer = recover(tmp_path / "damaged.lab", tmp_path / "new.lab")
    assert answer == Recovered(trials=58, lost_trials=2, spoilt_blocks=2)
    with Record.open(tmp_path / "new.lab") as record:
        assert [outcome.block for outcome in record.outcomes()] == result
        assert [o.block.id for o in record.outcomes() if o.state == "incomplete"] == [7, 20]
        assert [run.state for run in record.runs()] == ["died"]


def test_trials_whose_blocks_are_lost_are_told_as_lost_and_the_record_has_not_ended(tmp_path):
    directory = tmp_path / "damaged.lab"
    result = made_up.blocks(20)
    with made_up.filled(directory, result, trials=10_000) as record:
        record.end_run(1, "complete")
    # One page holds all of them.
    without_page_of(directory, "block")
    new = tmp_path / "new.lab"
    assert recover(directory, new) == Recovered(trials=0, lost_trials=60, spoilt_blocks=20)
    with Record.open(new) as record:
        assert [run.state for run in record.runs()] == ["died"]


def test_where_a_tree_is_lost_a_large_file_is_not_asked_for_every_row_it_could_hold(
    damaged, tmp_path, monkeypatch
):
    question = []
    connect = sqlite3.connect

    def counting(*given, **options):
        connection = connect(*given, **options)
        connection.set_trace_callback(question.append)
        return connection

    without_page_of(damaged, "trial")
    with (damaged / "record.sqlite").open("ab") as file:
        # Room for a million rows and more, none of which is there.
        file.write(bytes(8 << 20))
    monkeypatch.setattr("steelyard.extensions.repair.recovery.sqlite3.connect", counting)
    assert recover(damaged, tmp_path / "new.lab") == Recovered(600, 0, 0)
    assert len(question) < 40_000


def test_a_disk_that_is_full_is_no_damage(damaged, tmp_path, monkeypatch):
    def small(path, **options):
        connection = create_database(path, **options)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    monkeypatch.setattr("steelyard.extensions.repair.recovery.create_database", small)
    with pytest.raises(RecordError, match="the disk is full"):
        recover(damaged, tmp_path / "new.lab")
    assert not (tmp_path / "new.lab").exists()


def test_the_hint_of_a_damaged_record_is_a_command_that_works(damaged, tmp_path):
    file = damaged / "record.sqlite"
    file.write_bytes(file.read_bytes()[: -2 * made_up.page_bytes(file)])
    with pytest.raises(RecordError) as error:
        Record.open(damaged)
    hint = (error.value.hint or "").removeprefix("copy what can still be read: ")
    assert hint.startswith("steelyard recover ")
    assert hint.endswith(" COPY.lab")
    copy = tmp_path / "COPY.lab"
    command = [sys.executable, "-m", *shlex.split(hint)[:-1], str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{copy} has ")
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith(f"error: {copy} exists already\n\nhint: ")


def test_a_record_from_before_there_were_extensions_is_recovered(tmp_path, damaged):
    with closing(sqlite3.connect(damaged / "record.sqlite")) as connection, connection:
        connection.execute("DROP TABLE extension")
    assert recover(damaged, tmp_path / "new.lab") == Recovered(600, 0, 0)
    with Record.open(tmp_path / "new.lab") as record:
        assert record.extensions() == ()


def test_extensions_are_recovered(tmp_path, damaged):
    with Record.open(damaged, write=True) as record:
        record.add_extension(Extension(1, 199, 250))
    recover(damaged, tmp_path / "new.lab")
    with Record.open(tmp_path / "new.lab") as record:
        assert record.extensions() == (Extension(1, 199, 250),)


def extended(directory):
    """A record that had ended, and was measured further."""
    result = made_up.blocks(20)
    with made_up.filled(directory, result[:10]) as record:
        record.end_run(1, "complete")
        record.add_extension(Extension(1, 9, 19))
        run = record.begin_run({}, "boot-1")
        record.add_blocks(result[10:])
        record.take(run, made_up.measurements(result[10:]), record.journal_path(run).name, 4096)
        record.end_run(run, "complete")


def test_extensions_whose_page_is_lost_are_not_forgotten(tmp_path):
    extended(tmp_path / "damaged.lab")
    without_page_of(tmp_path / "damaged.lab", "extension")
    with pytest.raises(RecordError, match="how often it was extended cannot be read"):
        recover(tmp_path / "damaged.lab", tmp_path / "new.lab")
    assert not (tmp_path / "new.lab").exists()


def test_a_record_that_nothing_shows_to_be_extended_is_recovered_without_their_page(damaged, tmp_path):
    without_page_of(damaged, "extension")
    assert recover(damaged, tmp_path / "new.lab") == Recovered(600, 0, 0)


def test_lost_first_page_of_a_record_with_enlarged_pages_is_found(tmp_path):
    directory = tmp_path / "damaged.lab"
    made_up.filled(directory, made_up.blocks(3000)).close()
    file = directory / "record.sqlite"
    assert made_up.page_bytes(file) == 4096
    original = made_up.tables(directory)
    file.write_bytes(bytes(4096) + file.read_bytes()[4096:])
    for digests in (True, False):
        new = tmp_path / f"{digests}.lab"
        assert recover(directory, new) == Recovered(9000, 0, 0)
        assert made_up.tables(new) == original
        (directory / "record.digests").unlink(missing_ok=True)
