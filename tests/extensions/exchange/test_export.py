"""What is exported reads back as what was measured, with readers that are not ours."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import made_up
import pytest

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.sample import Treatment
from steelyard.core.units import BUILTIN, Metric
from steelyard.design.plan import Block
from steelyard.extensions.exchange import export
from steelyard.extensions.exchange.csv import write_csv
from steelyard.extensions.exchange.jsonl import write_json_lines
from steelyard.extensions.exchange.table import Table, TableColumn, type_of
from steelyard.extensions.exchange.trials import OBSERVED
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric
from steelyard.spec.tables.launch import SimulatedLaunch
from steelyard.store import Record

MADE = made_up.blocks(4, contexts=True)
TAKEN = made_up.measurements(MADE)
TAKEN[5] = made_up.measurement(MADE[1], 3, status="failed")


@pytest.fixture
def record(tmp_path):
    with made_up.filled(tmp_path / "a.lab", MADE, TAKEN) as record:
        yield record


def wide(measurement):
    """The row of a trial, put together from what was taken."""
    block = MADE[measurement.block - 1]
    rates = [value.value for value in measurement.values if value.metric == "rate"]
    counts = [value.value for value in measurement.values if value.metric == "instructions"]
    return {
        "run": 1,
        "block": block.id,
        "pass": 1,
        "context": block.id,
        "block_state": {1: "discarded", 2: "incomplete"}.get(block.id, "complete"),
        "place": measurement.place,
        "trial": measurement.trial,
        "treatment": measurement.treatment,
        "opt": f"O{measurement.treatment}",
        "n": 10 * measurement.treatment,
        "context.env_bytes": 16 * block.id,
        "context.aslr": "off",
        "status": measurement.status,
        "reason": measurement.reason,
        "exit_code": measurement.exit_code,
        "signal": measurement.signal,
        "start_ns": measurement.start_ns,
        "cpu": measurement.cpu,
        "argv_bytes": 48,
        "env_bytes": 512,
        "left_processes": 0,
        "simulated": False,
        "wall_s": measurement.wall_ns / 1e9,
        "cpu_s": (measurement.user_us + measurement.system_us) / 1e6,
        "user_s": measurement.user_us / 1e6,
        "system_s": measurement.system_us / 1e6,
        "rss_bytes": measurement.rss_bytes,
        "minor_faults": measurement.minor_faults,
        "major_faults": measurement.major_faults,
        "voluntary_switches": measurement.voluntary_switches,
        "involuntary_switches": measurement.involuntary_switches,
        "queue_wait_s": None if measurement.queue_wait_ns is None else measurement.queue_wait_ns / 1e9,
        "rate": max(rates, default=None),
        "instructions": max(counts, default=None),
    }


def test_json_lines_have_a_row_for_every_trial_in_the_documented_order(record, tmp_path):
    export(record, tmp_path / "a.jsonl", "jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == [wide(measurement) for measurement in TAKEN]
    assert all(list(row) == list(wide(TAKEN[0])) for row in rows)


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_csv_and_tsv_have_the_same_rows_and_numbers_read_back_exactly(record, tmp_path, form, separator):
    export(record, tmp_path / f"a.{form}", form)
    text = (tmp_path / f"a.{form}").read_bytes().decode("utf-8")
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
    expected = [wide(measurement) for measurement in TAKEN]
    assert list(rows[0]) == list(expected[0])
    for row, want in zip(rows, expected, strict=True):
        for name, value in want.items():
            read = {"true": True, "false": False}.get(row[name], row[name])
            assert row[name] == "" if value is None else type(value)(read) == value


def test_parquet_has_the_same_rows_with_types_and_units(record, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(record, tmp_path / "a.parquet", "parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.to_pylist() == [wide(measurement) for measurement in TAKEN]
    assert str(table.schema.field("wall_s").type) == "double"
    assert str(table.schema.field("trial").type) == "int64"
    assert str(table.schema.field("opt").type) == "string"
    assert table.schema.field("rss_bytes").metadata == {b"unit": b"B"}


def long_rows(measurement):
    place = (measurement.block, measurement.trial, measurement.treatment)
    place += (f"O{measurement.treatment}", 10 * measurement.treatment)
    for name, observe in OBSERVED.items():
        if (observed := observe(measurement)) is not None:
            yield *place, name, BUILTIN[name].unit, {}, 0, float(observed), "measured"
    units = {metric.name: metric.unit for metric in made_up.METRICS}
    for value in measurement.values:
        yield *place, value.metric, units[value.metric], value.labels, value.i, value.value, "measured"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_long_form_has_every_value_with_its_labels(record, tmp_path, form):
    path = tmp_path / f"a.{form}"
    export(record, path, form, long=True)
    if form == "jsonl":
        rows = [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]
    elif form == "csv":
        read = list(csv.reader(io.StringIO(path.read_text(), newline="")))
        assert read[0] == [
            *("block", "trial", "treatment", "opt", "n"),
            *("metric", "unit", "labels", "i", "value", "provenance"),
        ]
        types = (int, int, int, str, int, str, str, json.loads, int, float, str)
        rows = [tuple(convert(cell) for convert, cell in zip(types, row, strict=True)) for row in read[1:]]
    else:
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
        rows = [tuple(row.values()) for row in parquet.read_table(path).to_pylist()]
        rows = [(*row[:7], json.loads(row[7]), *row[8:]) for row in rows]
    expected = [row for measurement in TAKEN for row in long_rows(measurement)]
    order = lambda row: (row[1], row[5], str(sorted(row[7].items())), row[8])  # noqa: E731
    assert sorted(rows, key=order) == sorted(expected, key=order)


def test_what_is_simulated_is_called_so_value_by_value_and_trial_by_trial(tmp_path):
    experiment = made_up.experiment(launch=SimulatedLaunch(ranks="2", platform="m.xml"))
    with Record.create(
        tmp_path / "a.lab", experiment, treatments=made_up.treatments(3), metrics=made_up.METRICS
    ) as record:
        run = record.begin_run({}, "boot")
        record.add_blocks(MADE[:1])
        record.take(run, TAKEN[:3], record.journal_path(run).name, 1)
        export(record, tmp_path / "long.jsonl", "jsonl", long=True)
        export(record, tmp_path / "wide.jsonl", "jsonl")
    text = {
        row["metric"]: row["provenance"]
        for row in map(json.loads, (tmp_path / "long.jsonl").read_text().splitlines())
    }
    assert text["latency_s"] == "simulated"
    assert text["wall_s"] == "measured"
    assert all(json.loads(line)["simulated"] for line in (tmp_path / "wide.jsonl").read_text().splitlines())


@pytest.mark.parametrize("name", ["record.sqlite", "trials.csv"])
def test_nothing_is_written_into_the_record_itself(record, name):
    before = {path.name: path.stat().st_size for path in record.directory.iterdir()}
    with pytest.raises(UsageError, match="is inside the record"):
        export(record, record.directory / name, "csv")
    assert {path.name: path.stat().st_size for path in record.directory.iterdir()} == before


def test_built_in_metrics_are_read_as_the_store_samples_them(record):
    for metric in BUILTIN:
        for sample in record.samples(metric):
            for trial, value in zip(sample.trials, sample.values, strict=True):
                assert OBSERVED[metric](TAKEN[trial - 1]) == value
    assert list(OBSERVED) == list(BUILTIN)


def test_names_that_clash_with_columns_say_what_they_are(tmp_path):
    metrics = (Metric("seed", "", "user"), Metric("status", "", "user"), Metric("x", "", "user"))
    experiment = made_up.experiment(
        metrics=tuple(UserMetric(m.name, source="stdout", pattern="(.*)") for m in metrics)
    )
    levels = {"trial": "a", "seed": 1, "wall_s": 2}
    with Record.create(
        tmp_path / "a.lab", experiment, treatments=[Treatment(1, "", levels)], metrics=metrics
    ) as record:
        block = Block(1, 1, None, (1,))
        run = record.begin_run({}, "boot")
        record.add_blocks([block])
        result = made_up.measurement(block, 1, values=False)
        values = tuple(Value(m.name, float(i)) for i, m in enumerate(metrics))
        result = type(result)(**{f: getattr(result, f) for f in result.__slots__} | {"values": values})
        record.take(run, [result], record.journal_path(run).name, 1)
        export(record, tmp_path / "a.jsonl", "jsonl")
    (row,) = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert (row["factor.trial"], row["seed"], row["factor.wall_s"]) == ("a", 1, 2)
    assert (row["metric.seed"], row["metric.status"], row["x"]) == (0.0, 1.0, 2.0)
    assert (row["trial"], row["status"], row["context"]) == (1, "ok", None)


ODD = [
    "plain", "", " blank ", 'a "quoted", one', "two\nlines", "carriage\rreturn", "=1+1", "\u20ac\U0001f600\0",
    "true", -0.1, 1e-300, 2**53 + 1, True, False, None,
]  # fmt: skip


def test_csv_quotes_so_that_any_text_reads_back_and_none_differs_from_empty():
    to = io.StringIO(newline="")
    write_csv(
        Table((TableColumn('na"me', "text"), TableColumn("i", "integer")), iter([(v, 1) for v in ODD])), to
    )
    rows = list(csv.reader(io.StringIO(to.getvalue(), newline="")))
    assert rows[0] == ['na"me', "i"]
    words = {True: "true", False: "false", None: ""}
    assert [row[0] for row in rows[1:]] == [
        value if isinstance(value, str) else words.get(value, repr(value)) for value in ODD
    ]
    lines = to.getvalue().split("\n")
    assert lines[2] == '"",1'
    assert lines[-2] == ",1"


def test_json_lines_keep_types_and_any_text():
    to = io.BytesIO()
    write_json_lines(
        Table((TableColumn("v", "text"), TableColumn("labels", "json")), iter([(v, '{"a":1}') for v in ODD])),
        to,
    )
    rows = [json.loads(line) for line in to.getvalue().decode().splitlines()]
    assert [row["v"] for row in rows] == ODD
    assert [type(row["v"]) for row in rows] == [type(value) for value in ODD]
    assert rows[0]["labels"] == {"a": 1}


def test_parquet_takes_a_factor_of_mixed_levels_as_text(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    from steelyard.extensions.exchange.arrow import write_parquet

    with (tmp_path / "a.parquet").open("wb") as to:
        write_parquet(Table((TableColumn("v", "text"),), iter([(v,) for v in ("a", 1, 2.5, True, None)])), to)
    assert parquet.read_table(tmp_path / "a.parquet")["v"].to_pylist() == ["a", "1", "2.5", "true", None]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("writing", [True, False], ids=["of the file", "of the rows"])
def test_an_error_ends_the_table_as_what_it_was(tmp_path, capfd, form, writing):
    pytest.importorskip("arro3.io", reason="arro3-io is not installed")
    from steelyard.extensions.exchange.arrow import write_arrow, write_parquet

    def rows():
        yield (1,)
        if not writing:
            raise OSError(errno.EIO, "the record cannot be read")

    write = {"parquet": write_parquet, "arrow": write_arrow}[form]
    code = errno.ENOSPC if writing else errno.EIO
    with (
        (Path("/dev/full") if writing else tmp_path / "a").open("wb", buffering=0) as to,
        pytest.raises(OSError, match=f"Errno {code}"),
    ):
        write(Table((TableColumn("v", "integer"),), rows()), to)
    assert capfd.readouterr().err == ""


def test_a_long_table_is_written_in_row_groups(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    from steelyard.extensions.exchange.arrow import ROWS_AT_ONCE, write_parquet

    with (tmp_path / "a.parquet").open("wb") as to:
        write_parquet(Table((TableColumn("v", "integer"),), ((i,) for i in range(ROWS_AT_ONCE + 1))), to)
    assert parquet.ParquetFile(tmp_path / "a.parquet").metadata.num_row_groups == 2
    assert parquet.read_table(tmp_path / "a.parquet")["v"].to_pylist() == list(range(ROWS_AT_ONCE + 1))


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([1, 2], "integer"),
        ([1, 2.5], "real"),
        ([True, False], "boolean"),
        ([True, 1], "text"),
        (["a", 1], "text"),
        (["a"], "text"),
        ([], "text"),
    ],
)
def test_a_column_has_the_narrowest_type_that_changes_no_level(levels, expected):
    assert type_of(levels) == expected


def test_a_missing_arro3_is_named(record, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    (tmp_path / "a.parquet").write_text("old")
    with pytest.raises(MachineError, match="which is not installed") as error:
        export(record, tmp_path / "a.parquet", "parquet")
    assert error.value.hint == "pip install arro3-io"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.lab", "a.parquet"]
    assert (tmp_path / "a.parquet").read_text() == "old"


def test_a_file_that_cannot_be_written_is_the_users_error(record, tmp_path):
    with pytest.raises(UsageError, match=r"a\.csv: cannot be written: No such file or directory"):
        export(record, tmp_path / "none" / "a.csv", "csv")


def test_a_link_stays_one_and_what_it_leads_to_is_written(record, tmp_path):
    expected, link = tmp_path / "a.csv", tmp_path / "link.csv"
    expected.write_text("old")
    link.symlink_to(expected)
    export(record, link, "csv")
    assert link.is_symlink()
    assert expected.read_text().startswith("run,block,")


def test_a_pipe_stays_one_and_gets_what_is_written(record, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        export(record, pipe, "jsonl")
        assert pipe.is_fifo()
        assert json.loads(os.read(reader, 1 << 16).splitlines()[0])["run"] == 1
    finally:
        os.close(reader)


def test_the_standard_output_takes_every_format(record, tmp_path):
    code = (
        "import sys\nfrom pathlib import Path\nfrom steelyard.extensions.exchange import export\n"
        "from steelyard.store import Record\n"
        "with Record.open(Path(sys.argv[1])) as record: export(record, None, sys.argv[2])"
    )
    for form in ("csv", "jsonl"):
        export(record, tmp_path / "a", form)
        process = subprocess.run(
            [sys.executable, "-c", code, str(record.directory), form], capture_output=True, check=True
        )
        assert process.stdout == (tmp_path / "a").read_bytes()
        assert process.stderr == b""


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_memory_does_not_grow_with_the_record(tmp_path, form, long):
    peaks = []
    for count in (400, 4000):
        result = made_up.blocks(count, treatments=1)
        measurements = made_up.measurements(result, values=False)
        with made_up.filled(tmp_path / f"{count}.lab", result, measurements) as record:
            tracemalloc.start()
            export(record, tmp_path / "a", form, long=long)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    # 3,600 trials more would be megabytes; the cache of drawn orders and the buffers of files are not.
    assert peaks[1] - peaks[0] < 200_000
