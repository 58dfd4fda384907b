"""Every flipped bit of a stored record is named, or changes nothing; and what is recovered is true."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from statistics import fmean

import made_up
import pytest

from steelyard.core.errors import RecordError
from steelyard.store import Record

MADE = made_up.blocks(40)
METRICS = ("wall_s", "cpu_s", "rss_bytes", "minor_faults", "rate", "latency_s", "instructions")


@pytest.fixture
def directory(tmp_path):
    made_up.filled(tmp_path / "a.lab", MADE).close()
    return tmp_path / "a.lab"


def means(directory):
    """Every mean that the record gives."""
    with Record.open(directory) as record:
        samples = record.samples(*METRICS)
        return [
            (s.metric.name, s.treatment.label, str(s.labels), len(s), fmean(s.values) if s.values else None)
            for s in samples
        ]


def flipped(content, bit):
    """The bytes with one bit changed."""
    return content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :]


def silent(directory, name, step):
    """Bits of a file whose change alters a mean without a word, of every ``step``-th; how many were tried."""
    file = directory / name
    content, true = file.read_bytes(), means(directory)
    bits = range(step // 2, 8 * len(content), step)
    wrong, named = [], []
    for bit in bits:
        file.write_bytes(flipped(content, bit))
        try:
            if means(directory) != true:
                wrong.append(bit)
        except RecordError as error:
            named.append(error)
    assert all(error.hint for error in named)
    file.write_bytes(content)
    return wrong, len(bits)


@pytest.mark.parametrize("name", ["record.sqlite", "record.digests"])
def test_no_flipped_bit_changes_a_mean_without_a_word(directory, name):
    size = 8 * (directory / name).stat().st_size
    wrong, tried = silent(directory, name, size // 300 | 1)
    assert tried >= 300
    assert wrong == []


def test_without_digests_such_bits_are_there(directory):
    """The test above can fail: these bits are what it looks for."""
    (directory / "record.digests").unlink()
    size = 8 * (directory / "record.sqlite").stat().st_size
    wrong, _ = silent(directory, "record.sqlite", size // 300 | 1)
    assert wrong


def test_damage_is_named_with_its_page_and_the_cure_and_nobody_writes_to_it(directory):
    file = directory / "record.sqlite"
    size = made_up.page_bytes(file)
    damaged = flipped(file.read_bytes(), 8 * (4 * size - 96))
    file.write_bytes(damaged)
    for write in (False, True):
        with pytest.raises(RecordError, match=r"is damaged: page 4 is not as written") as error:
            Record.open(directory, write=write)
        assert "steelyard recover" in error.value.hint
    assert file.read_bytes() == damaged
    assert (directory / "record.digests").exists()


@pytest.mark.extensions("repair")
def test_what_is_recovered_has_no_number_that_was_not_written(directory, tmp_path):
    from steelyard.extensions.repair.recovery import recover

    original = made_up.tables(directory)
    file = directory / "record.sqlite"
    content = file.read_bytes()
    draw = random.Random(3)
    trials = []
    for number in range(40):
        file.write_bytes(flipped(content, draw.randrange(8 * 100, 8 * len(content))))
        new = tmp_path / f"{number}.lab"
        try:
            trials.append(recover(directory, new).trials)
        except RecordError:  # of the spec itself, which nothing beside it gives again
            continue
        recovered = made_up.tables(new)
        for name in ("trial", "value"):
            assert set(recovered[name]) <= set(original[name])
        with Record.open(new) as record:
            counted = {trial for sample in record.samples("wall_s") for trial in sample.trials}
        for row in original["value"]:
            assert row[0] not in counted or row in recovered["value"]
    # A change costs its page: no trial, those of one page, or with the page of all blocks every one.
    assert sum(count == 120 for count in trials) >= 26


def test_a_record_without_digests_is_read_and_gets_them_from_its_next_writer(directory):
    true = means(directory)
    digests = directory / "record.digests"
    digests.unlink()
    assert means(directory) == true
    assert not digests.exists()
    with Record.open(directory, write=True):
        assert not digests.exists()
    assert digests.exists()
    assert means(directory) == true


def test_what_another_program_has_written_is_not_taken_for_damage(directory):
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE trial SET wall_ns = wall_ns + 1 WHERE id = 7")
    assert means(directory)


def test_a_reader_beside_a_writer_takes_no_change_for_damage(directory):
    with Record.open(directory, write=True) as writer:
        run = writer.begin_run({}, "boot-2")
        for block in made_up.blocks(20, first=41):
            writer.add_blocks([block])
            writer.take(run, made_up.measurements([block]), writer.journal_path(run).name, block.id)
            writer.tidy()
            assert means(directory)
    assert (directory / "record.digests").exists()


def test_a_record_whose_writer_was_killed_has_no_digests_that_could_be_wrong(directory):
    writer = Record.open(directory, write=True)
    writer.begin_run({}, "boot-2")
    assert not (directory / "record.digests").exists()
    writer.close()


def test_digests_that_are_damaged_are_named_and_of_a_newer_version_are_left_alone(directory):
    place = directory / "record.digests"
    text = place.read_text()
    place.write_text(text.replace('"version":1', '"version":2').replace('"sha256":"', '"sha256":"0'))
    assert means(directory)
    place.write_text("{}")
    with pytest.raises(RecordError, match=r"record\.digests is damaged") as error:
        means(directory)
    assert error.value.hint.endswith(f"rm {place}")
