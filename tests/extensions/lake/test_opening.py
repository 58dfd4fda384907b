"""A lake answers as its records do, and says what of it cannot be trusted."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import fsspec
import made_up
import msgspec
import pyarrow.parquet as pq
import pytest
from simulated_machines import SPEC, machine

from steelyard.core.errors import MachineError, RecordError, UsageError
from steelyard.design import stream_until, treatments
from steelyard.extensions.history.gathering import collect, gather
from steelyard.extensions.history.history import HistoryRequest, history
from steelyard.extensions.lake.exporting import export_to
from steelyard.extensions.lake.facts import decode, encode, hash_bytes
from steelyard.extensions.lake.location import Location
from steelyard.extensions.lake.opening import lake_record
from steelyard.extensions.lake.place import LAKE
from steelyard.extensions.page.portrait import portrait
from steelyard.lab.answer.analyze import analyze, analyze_by_context
from steelyard.lab.answer.check import check
from steelyard.lab.merge.merging import merge, one_record
from steelyard.lab.places.contents import Exported
from steelyard.run.measure.measurement import Value
from steelyard.spec import loads
from steelyard.spec.experiment import Contexts, Program
from steelyard.store import Record
from steelyard.store.rows import metrics_of

pytestmark = pytest.mark.extensions("history", "page")

TRIALS = 2 * (20 + 20 + 14 + 3)
"""Of two programs in the blocks of three machines, of which each discards one more."""


@pytest.fixture
def records(tmp_path):
    """Three machines, of which one has less done."""
    return [
        machine(tmp_path / f"{host}.lab", host, speedup, seed=seed, slow=slow, blocks=blocks)
        for seed, (host, speedup, slow, blocks) in enumerate(
            [("a", 1.05, 1.0, 20), ("b", 1.04, 1.3, 20), ("c", 1.06, 0.9, 14)], 1
        )
    ]


@pytest.fixture
def lake(tmp_path, records):
    lake = tmp_path / "lake"
    assert export_to(records, Location(lake)) == Exported(str(lake), 3, 0, ())
    return lake


def files(lake, ending):
    return sorted(path for path in lake.rglob("*") if path.name.endswith(ending))


def without_place(answer):
    """What is said of data, and not of where they lie nor of how they prove themselves there."""
    design = msgspec.structs.replace(answer.design, pace=None)
    return msgspec.structs.replace(answer, design=design, proof=None)


def test_several_records_give_the_answer_that_they_give_merged(lake, records):
    with one_record(records) as directory, Record.open(directory) as merged, lake_record(lake) as record:
        assert without_place(analyze(record)) == without_place(analyze(merged))
        assert check(record).verdicts == check(merged).verdicts
        assert analyze_by_context(record) == analyze_by_context(merged)


@pytest.mark.parametrize("kind", ["plain", "contexts"])
def test_one_record_gives_its_own_answer_with_what_failed_and_was_left_out(tmp_path, kind):
    contexts = Contexts({"env_bytes": "random"}) if kind == "contexts" else None
    experiment = made_up.experiment(program=Program(commands={"": ("prog",)}, timeout_s=5.0))
    experiment = msgspec.structs.replace(experiment, contexts=contexts, source="/")
    result = made_up.blocks(30, contexts=kind == "contexts")
    with Record.create(
        tmp_path / "a.lab", experiment, treatments=made_up.treatments(), metrics=made_up.METRICS
    ) as record:
        run = record.begin_run({"hostname": "a", "clock_step_s": 1e-7, "cpus_online": 2}, "boot")
        record.add_blocks(result)
        draw = random.Random(3)
        measured = [
            msgspec.structs.replace(measurement, status="timed_out", reason="took longer", values=())
            if draw.random() < 0.05
            else msgspec.structs.replace(measurement, queue_wait_ns=None if draw.random() < 0.2 else 300_000)
            for measurement in made_up.measurements(result)
        ]
        record.take(run, measured, record.journal_path(run).name, 0)
        record.end_run(run, "complete")
    export_to([tmp_path / "a.lab"], Location(tmp_path / "lake"))
    with Record.open(tmp_path / "a.lab") as local, lake_record(tmp_path / "lake") as record:
        for metric in ("wall_s", "cpu_s", "rss_bytes", "queue_wait_s", "rate"):
            assert record.samples(metric) == local.samples(metric)
        with pytest.raises(UsageError, match="no metric 'latency_s'"):
            record.samples("latency_s")  # which has labels
        assert record.failures() == local.failures()
        assert record.times_to_limit(5.0) == local.times_to_limit(5.0)
        assert record.times_to_limit(5.0, "rate") == local.times_to_limit(5.0, "rate")
        for reading in (record, local):
            with pytest.raises(UsageError, match="latency_s"):
                reading.times_to_limit(5.0, "latency_s")
        assert record.excluded_trials() == local.excluded_trials()
        # Seconds are divided here, and nanoseconds there.
        for first, second in zip(record.disturbed_trials(0.01), local.disturbed_trials(0.01), strict=True):
            assert msgspec.structs.replace(first, waited=second.waited) == second
            assert first.waited == pytest.approx(second.waited)
        for key, element in local.disturbances().items():
            disturbance = record.disturbances()[key]
            assert msgspec.structs.replace(disturbance, queue_wait_share=element.queue_wait_share) == element
            assert disturbance.queue_wait_share == pytest.approx(element.queue_wait_share)
        assert record.boots_of_treatments() == local.boots_of_treatments()
        assert record.gaps() == local.gaps()
        assert record.progress().blocks == local.progress().blocks
        assert record.progress().contexts == local.progress().contexts
        assert [outcome.state for outcome in record.outcomes()] == [item.state for item in local.outcomes()]
        assert record.finished_trials(7) == local.finished_trials(7)
        assert portrait(record).samples == portrait(local).samples


def export_blocks_metric(tmp_path, spec, **labels):
    """A record of five blocks whose metric "block" is the number of the trial, and a lake of it alone."""
    document = loads(spec, source="/", name="spec")
    drawn = treatments(document)
    result = list(stream_until(document, drawn, (), 5))
    with Record.create(
        tmp_path / "a.lab", document, treatments=drawn, metrics=metrics_of(document)
    ) as record:
        run = record.begin_run({}, "boot")
        record.add_blocks(result)
        measured = [
            msgspec.structs.replace(
                measurement, values=(Value("block", float(measurement.trial), 0, labels),)
            )
            for measurement in made_up.measurements(result)
        ]
        record.take(run, measured, record.journal_path(run).name, 0)
        record.end_run(run, "complete")
    export_to([tmp_path / "a.lab"], Location(tmp_path / "lake"))


def test_a_metric_with_labels_is_not_taken_from_the_column_of_its_name(tmp_path):
    spec = """
[program]
command = ["true", "{size}"]
[factors]
size = [1, 2]
[metrics.block]
unit = "s"
pattern = "(?P<part>.) (?P<value>.*)"
"""
    export_blocks_metric(tmp_path, spec, part="a")
    with lake_record(tmp_path / "lake") as record:
        assert "block" not in {metric.name for metric in record.metrics}


def test_what_is_there_already_is_left_alone_and_what_has_changed_is_replaced(lake, records):
    before = {path: path.stat().st_mtime_ns for path in files(lake, "")}
    assert export_to(records, Location(lake)) == Exported(str(lake), 0, 3, ())
    assert {path: path.stat().st_mtime_ns for path in files(lake, "")} == before
    with Record.open(records[0], write=True) as record:
        record.add_warning("kind", "a word of warning")
    assert export_to(records, Location(lake)) == Exported(str(lake), 1, 2, ())
    assert len(files(lake, ".json.gz")) == 3
    # And what was damaged there since.
    files(lake, ".ratios.parquet")[1].write_bytes(b"PAR1")
    assert export_to(records, Location(lake)) == Exported(str(lake), 1, 2, ())


def test_an_object_store_holds_the_same_and_answers_the_same(lake, records):
    place = "memory://bucket/lake"
    try:
        export_to(records, Location(place))
        store = fsspec.filesystem("memory")
        assert {path.split("lake/", 1)[1] for path in store.find("/bucket/lake")} == {
            path.relative_to(lake).as_posix() for path in files(lake, "") if path.is_file()
        }
        with lake_record(place) as record, lake_record(lake) as second:
            assert analyze(record) == analyze(second)
    finally:
        fsspec.filesystem("memory").store.clear()


def test_a_path_that_looks_like_a_pattern_is_read_as_it_is(tmp_path, records):
    place = tmp_path / "[a]*" / "lake"
    export_to(records, Location(place))
    with lake_record(place) as record:
        assert record.progress().trials == TRIALS


def test_block_ratios_are_those_of_the_estimate(lake, records):
    (file,) = [path for path in files(lake, ".ratios.parquet") if path.name.startswith(_id(records[0]))]
    rows = [row for row in pq.read_table(file).to_pylist() if row["metric"] == "wall_s"]
    with Record.open(records[0]) as record:
        (comparison,) = [item for item in analyze(record).comparisons if item.metric.name == "wall_s"]
    logs = [row["log_ratio"] for row in rows]
    assert len(logs) == 20
    # The estimate is a geometric mean of ratios of blocks; a speedup is baseline over treatment.
    assert 2.718281828459045 ** -(sum(logs) / 20) == pytest.approx(comparison.speedup.value, rel=1e-9)


def _id(directory):
    with Record.open(directory) as record:
        return record.id


def test_a_history_reads_a_lake_as_it_reads_the_records(lake, records):
    result = gather([lake], ())
    local = gather(records, ())
    assert {item.id: item for item in result.records} == {record.id: record for record in local.records}
    request = HistoryRequest(names=[lake])
    assert history(request).records == 3
    for file in files(lake, ".parquet"):
        file.unlink()  # which a history does not read
    assert history(request).records == 3


def test_a_table_that_is_damaged_is_named_and_answers_nothing(lake):
    file = files(lake, "[!s].parquet") or [p for p in files(lake, ".parquet") if "ratios" not in p.name]
    content = bytearray(file[0].read_bytes())
    content[len(content) // 2] ^= 1
    file[0].write_bytes(content)
    with pytest.raises(RecordError, match="not as it was written") as error, lake_record(lake):
        pass
    assert file[0].name in error.value.message
    assert "export" in error.value.hint


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1"])
def test_a_table_that_is_none_though_its_digest_agrees_is_named(lake, content):
    file, facts = _replace_table(lake, content)
    with pytest.raises(RecordError, match="tables that cannot be read"), lake_record(lake) as record:
        record.samples("wall_s")
    assert file.exists()
    assert facts.exists()


def _replace_table(lake, content, **changes):
    """Replace a table with something that its facts say it is."""
    facts = files(lake, ".json.gz")[0]
    result = decode(facts.read_bytes(), "x")
    table = facts.with_name(f"{result.id}.parquet")
    table.write_bytes(content)
    changed = msgspec.structs.replace(result.trials, digest=hash_bytes(content), **changes)
    facts.write_bytes(encode(msgspec.structs.replace(result, trials=changed)))
    return table, facts


@pytest.mark.parametrize("lacking", ["treatment", "wall_s", "block_state"])
def test_a_table_without_a_column_is_named(lake, tmp_path, lacking):
    for facts in files(lake, ".json.gz"):
        result = decode(facts.read_bytes(), "x")
        table = facts.with_name(f"{result.id}.parquet")
        pq.write_table(pq.read_table(table).drop_columns([lacking]), tmp_path / "x")
        table.write_bytes((tmp_path / "x").read_bytes())
        changed = msgspec.structs.replace(result.trials, digest=hash_bytes(table.read_bytes()))
        facts.write_bytes(encode(msgspec.structs.replace(result, trials=changed)))
    with pytest.raises(RecordError, match=lacking), lake_record(lake) as record:
        record.samples("wall_s")


def test_a_column_that_one_table_lacks_is_not_taken_for_values(lake, tmp_path):
    result = decode(files(lake, ".json.gz")[0].read_bytes(), "x")
    table = files(lake, ".json.gz")[0].with_name(f"{result.id}.parquet")
    pq.write_table(pq.read_table(table).drop_columns(["treatment"]), tmp_path / "x")
    _replace_table(lake, (tmp_path / "x").read_bytes())
    with pytest.raises(RecordError, match="a trial has no treatment"), lake_record(lake) as record:
        record.samples("wall_s")


def test_a_table_with_other_rows_than_stated_is_named(lake):
    facts = files(lake, ".json.gz")[0]
    result = decode(facts.read_bytes(), "x")
    _replace_table(lake, facts.with_name(f"{result.id}.parquet").read_bytes(), rows=7)
    with pytest.raises(RecordError, match="other numbers of rows"), lake_record(lake) as record:
        record.samples("wall_s")


def test_facts_that_are_damaged_fail_an_answer_and_are_left_out_of_a_history(lake):
    facts = files(lake, ".json.gz")[0]
    facts.write_bytes(facts.read_bytes()[:40])
    with pytest.raises(RecordError, match="is damaged"), lake_record(lake):
        pass
    (out,) = gather([lake], ()).left_out
    assert (out.record, out.unreadable) == (str(facts), True)


def test_a_table_without_facts_is_an_export_that_was_interrupted(lake):
    files(lake, ".json.gz")[0].unlink()
    with pytest.raises(RecordError, match="its export was interrupted"), lake_record(lake):
        pass


def test_a_record_that_is_there_twice_counts_once_or_is_refused(lake):
    for file in files(lake, ""):
        if file.is_file():
            path = Path(str(file).replace("day=20", "day=19"))
            path.parent.mkdir(exist_ok=True)
            shutil.copy(file, path)
    with pytest.raises(RecordError, match="belongs to another spec, day or record"), lake_record(lake):
        pass


def test_files_of_another_spec_are_refused_wherever_they_lie(lake, tmp_path):
    result = machine(tmp_path / "o.lab", "o", spec=SPEC.replace('"false"', '"sleep", "1"'))
    export_to([result], Location(lake))
    with pytest.raises(UsageError, match="records of 2 specs") as error, lake_record(lake):
        pass
    assert "/spec=" in error.value.hint
    specs = sorted(lake.iterdir())
    with lake_record(specs[0]) as record:
        assert record.progress().trials in (42, TRIALS)
    # Put among the others, with a name that fits.
    mine, theirs = sorted(specs, key=lambda spec: len(files(spec, ".json.gz")), reverse=True)
    for file in files(theirs, ""):
        if file.is_file():
            name = theirs.name
            target = Path(str(file).replace(name, mine.name))
            shutil.copy(file, target)
            if target.name.endswith(".json.gz"):
                facts = decode(target.read_bytes(), "x")
                target.write_bytes(
                    encode(msgspec.structs.replace(facts, spec=mine.name.removeprefix("spec=")))
                )
    with pytest.raises(RecordError, match="a record of another spec"), lake_record(mine):
        pass


def test_a_record_that_was_merged_is_not_exported_beside_its_parts(tmp_path, records):
    merge(records, tmp_path / "all.lab")
    done = export_to([tmp_path / "all.lab", records[0]], Location(tmp_path / "lake"))
    assert done.written == 1
    assert "was made of other records" in done.left_out[0].why


def test_a_file_of_summaries_knows_the_parts_of_a_record_that_was_merged(tmp_path, records):
    merge(records[:2], tmp_path / "ab.lab")
    names, file = [*records, tmp_path / "ab.lab"], tmp_path / "summaries"
    counted = {entry.name for entry in gather(names, ()).records}
    assert counted == {str(records[2]), str(tmp_path / "ab.lab")}
    collect(file, names)
    assert {entry.name for entry in gather([file], ()).records} == counted
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DROP TABLE part")  # as before 0.4
    assert len(gather([file], ()).records) == 4


def test_a_record_that_is_being_written_is_left_out_and_named(tmp_path, records):
    with Record.open(records[0], write=True):
        done = export_to(records, Location(tmp_path / "lake"))
    assert (done.written, [Path(item.record) for item in done.left_out]) == (2, [records[0]])


def test_names_that_are_lakes(tmp_path, lake, records):
    (spec,) = lake.iterdir()
    (day,) = spec.iterdir()
    assert all(map(LAKE.holds, [lake, spec, day, "memory://x"]))
    assert not any(map(LAKE.holds, [records[0], tmp_path, tmp_path / "missing", tmp_path / "a.toml"]))


@pytest.mark.parametrize("place", ["missing", "empty"])
def test_a_place_without_records_is_an_error_with_its_cure(tmp_path, place):
    (tmp_path / "empty" / "spec=x").mkdir(parents=True)
    with pytest.raises(UsageError) as error, lake_record(tmp_path / place):
        pass
    assert error.value.hint


def test_without_duckdb_the_extra_is_named(lake, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MachineError, match="needs DuckDB") as error, lake_record(lake):
        pass
    assert "'.[lake]'" in error.value.hint


@pytest.mark.parametrize("renames", range(1, 10))
def test_an_export_that_is_killed_at_any_rename_is_finished_by_the_next(tmp_path, records, renames):
    """Nine files: before the last of a record is there, the record is not."""
    code = f"""
import os, signal
from pathlib import Path
from steelyard.extensions.lake.location import Location
from steelyard.extensions.lake.exporting import export_to
replace, left = Path.replace, [{renames}]
def killed(self, target):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)
Path.replace = killed
names = {[str(item) for item in records]!r}
export_to([Path(name) for name in names], Location(Path({str(tmp_path / "lake")!r})))
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    lake = tmp_path / "lake"
    assert all(path.name.startswith(".") for path in files(lake, ".unfinished"))
    for path in files(lake, ".parquet"):
        pq.read_table(path)  # whole, where it has its name
    assert export_to(records, Location(lake)).left_out == ()
    assert files(lake, ".unfinished") == []
    with lake_record(lake) as record:
        assert record.progress().trials == TRIALS


def test_a_metric_of_the_name_of_a_factor_or_of_a_column_is_told_from_it(tmp_path):
    spec = """
[program]
command = ["true", "{ok}"]
[factors]
ok = [1, 2]
[metrics.block]
unit = "s"
pattern = "(.*)"
"""
    export_blocks_metric(tmp_path, spec)
    with Record.open(tmp_path / "a.lab") as local, lake_record(tmp_path / "lake") as record:
        assert record.samples("block") == local.samples("block")


def test_records_of_different_builds_are_pooled_with_the_warning_that_a_merge_gives(tmp_path):
    sources = [machine(tmp_path / f"{host}.lab", host, sha256=host) for host in "ab"]
    export_to(sources, Location(tmp_path / "lake"))
    merge(sources, tmp_path / "all.lab")
    with lake_record(tmp_path / "lake") as pooled, Record.open(tmp_path / "all.lab") as merged:
        (text,) = [warning.text for warning in pooled.warnings() if warning.kind == "merged"]
        assert "different builds of /bin/true" in text
        assert text in [warning.text for warning in merged.warnings()]


def test_settings_of_one_machine_that_changed_between_records_are_said_of_a_lake(tmp_path):
    for seed, governor in ((1, "powersave"), (2, "performance")):
        machine(tmp_path / f"{seed}.lab", "a", seed=seed, facts={"governor": governor})
    export_to([tmp_path / "1.lab", tmp_path / "2.lab"], Location(tmp_path / "lake"))
    with lake_record(tmp_path / "lake") as pooled:
        (text,) = [warning.text for warning in pooled.warnings() if warning.kind == "merged"]
    assert "settings changed between runs: governor (" in text


def test_a_copy_that_went_on_apart_replaces_nothing_with_digests_or_without(tmp_path):
    for version in (3, 2):
        place = tmp_path / str(version)
        place.mkdir()
        a = machine(place / "a.lab", "a")
        if version == 2:
            with closing(sqlite3.connect(a / "record.sqlite")) as connection, connection:
                connection.execute("DROP TABLE link")
                connection.execute("PRAGMA user_version = 2")
        early = shutil.copytree(a, place / "early.lab")
        b = shutil.copytree(a, place / "b.lab")
        for directory in (a, b):
            with Record.open(directory, write=True) as record:
                record.end_run(record.begin_run({}, directory.name), "complete")
        lake = Location(place / "lake")
        assert export_to([early], lake).written == 1
        assert export_to([a], lake).written == 1
        for directory in (b, early):
            exported = export_to([directory], lake)
            assert exported.written == 0
            assert "lacks trials of that" in exported.left_out[0].why
        with lake_record(place / "lake") as record:
            assert record.runs()[-1].boot == "a.lab"
            assert record.prove().state == ("measured" if version == 3 else "unproven")
