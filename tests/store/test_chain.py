# ruff: noqa: S608 -- names of tables are ours
"""Every edit of what a record says breaks its chain, and nothing that Steelyard does to it does."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress

import made_up
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.core.errors import SteelyardError
from steelyard.design.plan import Extension
from steelyard.results.proof import Proof
from steelyard.store import LoadOfBatch, Look, Record
from steelyard.store.chain import find_fork, format_head

MADE = made_up.blocks(8, contexts=True)
TABLES = (
    *("record", "run", "treatment", "context", "block", "trial", "metric", "labels", "value"),
    *("look", "extension", "batch", "warning", "link"),
)
"""All that answers read. How far a journal was moved is in none."""

UNPROVEN_COLUMNS = {"record": {"version"}}
"""The version of the format is in the header of the file too."""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    directory = tmp_path_factory.mktemp("chain") / "a.lab"
    failed = made_up.measurement(MADE[-1], 1, status="failed")
    with made_up.filled(directory, MADE, [*made_up.measurements(MADE[:-1]), failed]) as record:
        record.take(1, made_up.measurements(MADE[-1:])[1:], record.journal_path(1).name, 4096)
        for block in (4, 6):
            record.add_look(Look(block, "wall_s", 1, block - 1, 0.1, 0.02, "continue"))
        for first in (1, 10):
            record.add_batch(LoadOfBatch(1, first, first + 8, 0.0, 0.1))
        for text in ("first", "second"):
            record.add_warning("note", text, 1)
        for blocks in (5, 9):
            record.add_extension(Extension(1, 5, blocks))
        record.set_block_states({5: "incomplete"})
        record.end_run(1, "complete")
        record.note_host(1, {"turbo": "on"})
        run = record.begin_run({"cpus": 2}, "boot-2")
        record.end_run(run, "interrupted")
    return directory


def prove(directory, noted=""):
    with Record.open(directory) as record:
        return record.prove(noted)


def edit(directory, *statements):
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)


def copy_to(original, place):
    shutil.copytree(original, place)
    return place


def changed(value, draw):
    """Another value of the same type."""
    match value:
        case None:
            return 1
        case int():
            return value + draw.choice([-1, 1, 1000])
        case float():
            return value * draw.choice([0.8, 1.25]) + 0.125
        case bytes():
            at = draw.randrange(len(value))
            return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]
        case str():
            digits = [i for i, letter in enumerate(value) if letter.isdigit()]
            if not digits:
                return f"{value}x"
            at = draw.choice(digits)
            return value[:at] + str((int(value[at]) + 1) % 10) + value[at + 1 :]


def draw_edit(connection, table, kind, draw):
    """Change, delete, insert or swap what one or two rows of a table say; whether that was possible."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    keys = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]] or ["rowid"]
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    at = " AND ".join(f"{key} IS ?" for key in keys)
    names = connection.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
    chosen = draw.randrange(len(rows))
    before = set(rows)
    if kind == "delete":
        connection.execute(f"DELETE FROM {table} WHERE {at}", names[chosen])
    elif kind == "change":
        free = [name for name in columns if name not in UNPROVEN_COLUMNS.get(table, ())]
        name = draw.choice(free)
        value = changed(rows[chosen][columns.index(name)], draw)
        connection.execute(f"UPDATE {table} SET {name} = ? WHERE {at}", (value, *names[chosen]))
    elif kind == "insert":
        row = list(rows[chosen])
        for key in keys if keys != ["rowid"] else []:
            row[columns.index(key)] = changed(row[columns.index(key)], draw)
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
    else:
        place = draw.randrange(len(rows))
        name = draw.choice([name for name in columns if name not in keys] or columns)
        pair = [(rows[i][columns.index(name)], *names[j]) for i, j in ((chosen, place), (place, chosen))]
        connection.executemany(f"UPDATE {table} SET {name} = ? WHERE {at}", pair)
    after = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    return set(after) != before or len(after) != len(rows)


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(TABLES), st.sampled_from(["change", "delete", "insert", "swap"]), st.integers(0, 2**32)
)
def test_every_edit_of_what_answers_read_is_noticed(original, tmp_path_factory, table, kind, seed):
    directory = copy_to(original, tmp_path_factory.mktemp("edit") / "a.lab")
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection:
        is_edited = False
        # What the tables themselves refuse is no edit, nor is a swap of equal values.
        with suppress(sqlite3.IntegrityError), connection:
            is_edited = draw_edit(connection, table, kind, random.Random(seed))
    assume(is_edited)
    try:
        proof = prove(directory)
    except SteelyardError:
        proof = Proof("edited")  # Not even a record any more.
    if table in ("labels", "context") and kind in ("insert", "delete"):
        # Rows to which nothing leads say nothing.
        assert proof.refuted or say_the_same(original, directory)
    else:
        assert proof.refuted, (table, kind)


def say_the_same(original, directory):
    """Whether blocks, trials and values are the same, with their contexts and labels."""
    return made_up.tables(original) | {"context": []} == made_up.tables(directory) | {"context": []}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE trial SET user_us = user_us + 1000 WHERE block = 7 AND user_us > 9", "edited in block 7"),
        ("UPDATE value SET v = v / 2 WHERE trial = 10", "edited in block 4"),
        ("UPDATE block SET state = 'complete' WHERE id = 8", "edited in block 8"),
        ("UPDATE block SET state = 'complete' WHERE id = 5", "edited in block 5"),
        ("UPDATE block SET state = 'planned' WHERE id = 7", "edited in block 7"),
        ("UPDATE context SET settings = '{}' WHERE id = 3", "edited in block 3"),
        ("DELETE FROM extension", "edited in extension 1"),
        ("DELETE FROM warning WHERE id = 2", "edited in warning 2"),
        ("UPDATE run SET state = 'running' WHERE id = 1", "edited in run 1, which is not as it was stored"),
        ("UPDATE record SET program = '{}'", "edited in its program"),
        ("UPDATE record SET experiment = replace(experiment, '6', '7')", "edited in its spec"),
        ("UPDATE treatment SET label = 'x' WHERE id = 1", "edited in its spec, treatments or metrics"),
        ("DELETE FROM link", "edited in its chain"),
        ("DELETE FROM link WHERE id = 9", "edited in block"),
    ],
)
def test_the_first_block_that_was_edited_is_named(original, tmp_path, statement, words):
    directory = copy_to(original, tmp_path / "a.lab")
    edit(directory, statement)
    assert prove(directory).words.startswith(words)


def test_another_view_on_the_trials_is_an_edit(original, tmp_path):
    directory = copy_to(original, tmp_path / "a.lab")
    edit(
        directory,
        "DROP VIEW counted",
        "CREATE VIEW counted AS SELECT * FROM trial WHERE wall_ns < 750000",
    )
    assert prove(directory).words.startswith("edited in its spec, treatments or metrics")


def test_a_trial_that_no_block_has_is_an_edit(original, tmp_path):
    directory = copy_to(original, tmp_path / "a.lab")
    names = "id, run, block, place, treatment, status, start_ns, wall_ns, user_us, system_us, rss_bytes,"
    names += " minor_faults, major_faults, voluntary_switches, involuntary_switches, argv_bytes, env_bytes,"
    names += " left_processes"
    edit(
        directory,
        f"INSERT INTO trial ({names}) SELECT 900, {names[4:]} FROM trial WHERE id = 4",
    )
    assert prove(directory).words == "edited in its trials, which have rows that belong to no block"


def test_a_record_without_its_last_blocks_is_shortened(original, tmp_path):
    directory = copy_to(original, tmp_path / "a.lab")
    edit(
        directory,
        "PRAGMA foreign_keys = OFF",
        "DELETE FROM value WHERE trial > 18",
        "DELETE FROM trial WHERE block > 6",
        "DELETE FROM block WHERE id > 6",
    )
    proof = prove(directory)
    assert proof.words == "shortened: 2 blocks are missing, from block 7 on"


def test_a_noted_head_tells_a_record_that_grew_from_a_shortened_or_forked_one(tmp_path):
    directory = tmp_path / "a.lab"
    with made_up.filled(directory, made_up.blocks(3)) as record:
        record.end_run(1, "complete")
    early = prove(directory).head
    shutil.copytree(directory, tmp_path / "b.lab")
    for place, clock in ((directory, 0), (tmp_path / "b.lab", 1)):
        with Record.open(place, write=True) as record:
            record.begin_run({"clock": clock}, "boot")
    late = prove(directory).head
    assert prove(directory, early).state == "measured"
    assert prove(directory, late).state == "measured"
    assert prove(tmp_path / "b.lab", late).state == "forked"
    edit(tmp_path / "b.lab", "DELETE FROM run WHERE id = 2", "DELETE FROM journal WHERE run = 2")
    edit(tmp_path / "b.lab", f"DELETE FROM link WHERE id > {early.partition('-')[0]}")
    assert prove(tmp_path / "b.lab").state == "measured"
    assert prove(tmp_path / "b.lab", late).words.startswith("shortened: it has ")


def test_copies_that_went_on_apart_are_told_by_the_first_block_that_differs(tmp_path):
    made_up.filled(tmp_path / "a.lab", made_up.blocks(3)).close()
    shutil.copytree(tmp_path / "a.lab", tmp_path / "b.lab")
    links = {}
    for name, host in (("a", 1), ("b", 2)):
        with Record.open(tmp_path / f"{name}.lab", write=True) as record:
            before = record.links()
            run = record.begin_run({"host": host}, "boot")
            new = made_up.blocks(2, first=4)
            record.add_blocks(new)
            record.take(run, made_up.measurements(new), record.journal_path(run).name, 1)
            links[name] = record.links()
    assert find_fork(links["a"], links["b"]) == "block 4"
    assert find_fork(before, links["a"]) == ""
    assert find_fork(links["a"], links["a"]) == ""
    assert format_head(*[links["a"][-1][i] for i in (0, 3)]) == prove(tmp_path / "a.lab").head


def test_a_record_of_an_earlier_version_is_unproven_also_when_it_is_continued(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.filled(directory, made_up.blocks(3)).close()
    edit(directory, "DROP TABLE link", "UPDATE record SET version = 2", "PRAGMA user_version = 2")
    for _ in range(2):
        assert prove(directory).words == "unproven: it has no digests"
        with Record.open(directory, write=True) as record:
            record.begin_run({}, "boot")
            record.add_extension(Extension(1, 5, 9))
            record.add_warning("note", "text")


def test_trials_that_come_after_their_block_was_given_up_are_proven_too(tmp_path):
    directory = tmp_path / "a.lab"
    blocks = made_up.blocks(3)
    measured = made_up.measurements(blocks)
    with made_up.filled(directory, blocks, measured[:4]) as record:
        record.set_block_states({2: "incomplete"})
        record.take(1, measured[4:], record.journal_path(1).name, 4096)
    assert prove(directory).state == "measured"
    edit(directory, "UPDATE trial SET wall_ns = wall_ns + 1 WHERE id = 5")
    assert prove(directory).words.startswith("edited in trial 5")


def test_an_edit_stays_known_when_a_run_writes_after_it(original, tmp_path):
    directory = copy_to(original, tmp_path / "a.lab")
    edit(directory, "UPDATE trial SET wall_ns = wall_ns + 1 WHERE id = 5")
    for _ in range(2):
        with Record.open(directory, write=True) as record:
            record.begin_run({}, "boot")
        assert not (directory / "record.digests").exists()
        with Record.open(directory) as record:
            assert record.prove_briefly().words.startswith("edited in block 2")


def test_a_record_that_only_steelyard_wrote_is_proven_without_its_rows(original):
    with Record.open(original) as record:
        statements = []
        record._connection.set_trace_callback(statements.append)
        assert record.prove_briefly().state == "measured"
        assert not any("FROM trial" in statement for statement in statements)


def test_a_transaction_that_fails_leaves_no_link(tmp_path):
    directory = tmp_path / "a.lab"
    blocks = made_up.blocks(3)
    with made_up.filled(directory, blocks) as record:
        before = record.links()
        with pytest.raises(SteelyardError):
            record.take(1, made_up.measurements(blocks), record.journal_path(1).name, 5000)
        assert record.links() == before
    assert prove(directory).state == "measured"


def test_a_full_disk_leaves_a_record_as_measured_which_goes_on(tmp_path):
    directory = tmp_path / "a.lab"
    blocks = made_up.blocks(40)
    measured = made_up.measurements(blocks)
    with made_up.filled(directory, blocks, measured[:6]) as record:
        ((pages,),) = record._connection.execute("PRAGMA page_count").fetchall()
        record._connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        with pytest.raises(SteelyardError, match="the disk is full"):
            record.take(1, measured[6:], record.journal_path(1).name, 5000)
        assert record.prove().state == "measured"
        record._connection.execute("PRAGMA max_page_count = 1000000")
        record.take(1, measured[6:], record.journal_path(1).name, 5000)
        assert record.prove().blocks == 40
    assert prove(directory).state == "measured"


def test_a_record_that_is_being_written_is_read_in_one_state(tmp_path):
    directory = tmp_path / "a.lab"
    blocks = made_up.blocks(6)
    record = made_up.filled(directory, blocks[:3], made_up.measurements(blocks[:3]))
    with record, Record.open(directory) as reader:
        written = iter([None])

        def write_meanwhile(statement):
            if "FROM block" in statement and next(written, True) is None:
                record.add_blocks(blocks[3:])
                record.take(1, made_up.measurements(blocks[3:]), record.journal_path(1).name, 5000)

        reader._connection.set_trace_callback(write_meanwhile)
        assert reader.prove().words == "as measured"
        assert next(written, True) is True
        assert reader.prove().blocks == 6


def test_who_needs_what_was_measured_refuses_a_record_that_was_edited(original, tmp_path):
    directory = copy_to(original, tmp_path / "a.lab")
    with Record.open(directory) as record:
        assert record.refuse_edited().state == "measured"
    edit(directory, "UPDATE trial SET wall_ns = wall_ns + 1 WHERE id = 5")
    with (
        Record.open(directory) as record,
        pytest.raises(SteelyardError, match="was edited in block 2") as error,
    ):
        record.refuse_edited()
    assert f"steelyard verify {directory} says more" in error.value.hint
