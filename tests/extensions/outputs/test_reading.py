"""Runs that go in come out: with values, failed or skipped, whatever their order is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.extension import list_readers, load
from steelyard.extensions.exchange.importers import read_output
from steelyard.extensions.outputs.declaration import COUNT, Fault, Measure, Rows
from steelyard.extensions.outputs.formats.cluster import HPL
from steelyard.extensions.outputs.formats.suites import BENCHEXEC, RAMBLE
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.shapes import Json

OURS = Format(
    name="ours",
    marks=('"ours"',),
    shape=Json(),
    rows=(
        Rows(
            path="ours/*",
            labels={"size": "size", "kind": "kind"},
            measures=(
                Measure("rate", "rate", "ops/s"),
                Measure("<name>", "value", "<unit>", places="more/*"),
            ),
            faults=(
                Fault("state", "state {value}", "late", "timed_out"),
                Fault("state", "state {value}", "left out", "skipped"),
                Fault("errors", "{value} errors", COUNT),
            ),
        ),
    ),
)


def count(contents):
    """Runs with a value, failed, timed out and skipped."""
    launches = {}
    for entry in contents.series:
        key = tuple(entry.levels.items())
        launches[key] = max(launches.get(key, 0), len(entry.values))
    failed = sum(entry.failed for entry in contents.failures)
    late = sum(entry.timed_out for entry in contents.failures)
    return sum(launches.values()), failed, late, len(contents.skipped)


@given(
    st.lists(
        st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from(["PASSED", "FAILED", None]), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_every_line_of_hpl_is_a_run_that_went_well_or_failed(lines):
    header = "T/V                N    NB     P     Q               Time                 Gflops\n"
    text = "".join(
        f"{header}WR11C2R4  100  {nb}  1  1  {'1.50 2.5e-01' if is_whole else '**** ****'}\n"
        + (f"||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= 0.01 ...... {check}\n" if check else "")
        for nb, check, is_whole in lines
    )
    well = sum(check != "FAILED" and is_whole for _, check, is_whole in lines)
    assert count(HPL(text, "it"))[:2] == (well, len(lines) - well)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.sampled_from(
                ["true", "TIMEOUT", "TIMEOUT (true)", "ERROR (3)", "OUT OF MEMORY", "unknown", ""]
            ),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_every_run_of_benchexec_is_solved_failed_or_timed_out(runs):
    text = "".join(
        f'<run name="{name}"><column title="cputime" value="1.5s"/>'
        f'<column title="status" value="{status}"/></run>'
        for name, status in runs
    )
    contents = BENCHEXEC(f'<result benchmarkname="s" generator="BenchExec 3">{text}</result>', "it")
    solved = sum(status == "true" for _, status in runs)
    late = sum(status.startswith("TIMEOUT") for _, status in runs)
    assert count(contents)[:3] == (solved, len(runs) - solved - late, late)


@given(st.lists(st.sampled_from(["well", "errors", "late", "left out", "without a value"]), max_size=12))
def test_kinds_of_failures_are_kept_apart(states):
    rows = [
        {"size": i, "state": state, "errors": 3 * (state == "errors")}
        | ({} if state == "without a value" else {"rate": 1.5})
        for i, state in enumerate(states)
    ]
    contents = OURS(json.dumps({"ours": rows}), "it")
    bad = states.count("errors") + states.count("without a value")
    assert count(contents) == (states.count("well"), bad, states.count("late"), states.count("left out"))


def test_a_run_that_ended_before_its_labels_counts_for_each_that_it_may_be():
    rows = [
        {"size": 1, "kind": "x", "rate": 2},
        {"size": 1, "kind": "y", "rate": 3},
        {"size": 1, "errors": 2},
    ]
    contents = OURS(json.dumps({"ours": rows}), "it")
    assert [dict(entry.levels) for entry in contents.failures] == [
        {"size": 1, "kind": "x"},
        {"size": 1, "kind": "y"},
    ]


def test_what_only_runs_that_failed_took_keeps_its_unit_and_has_no_value():
    contents = OURS(json.dumps({"ours": [{"size": 1, "errors": 2, "rate": 5}]}), "it")
    assert [(entry.metric, entry.unit, entry.values) for entry in contents.series] == [("rate", "1/s", ())]
    assert contents.failures[0].values == ({"rate": 5.0},)


def test_an_experiment_of_ramble_without_a_context_fails_in_all_that_it_has():
    experiment = {"RAMBLE_STATUS": "SUCCESS", "N_REPEATS": 0, "RAMBLE_VARIABLES": {"repeat_index": "1"}}
    contexts = [
        {"name": f"Size: {size}", "foms": [{"name": "Latency", "value": "1.5", "units": "us"}]}
        for size in (1, 2)
    ]
    document = {
        "experiments": [
            {**experiment, "name": "osu.1", "CONTEXTS": contexts},
            {**experiment, "name": "osu.1", "CONTEXTS": [], "RAMBLE_STATUS": "FAILED"},
        ]
    }
    contents = RAMBLE(json.dumps(document), "it")
    assert [entry.levels["context"] for entry in contents.failures] == ["Size: 1", "Size: 2"]


def test_values_have_the_unit_and_the_direction_that_the_file_says():
    rows = [
        {"size": 1, "more": [{"name": "a time", "value": "1,500.5", "unit": "ms"}, {"name": "b", "value": 2}]}
    ]
    entries = OURS(json.dumps({"ours": rows}), "it").series
    assert [(entry.metric, entry.unit, entry.better, entry.values) for entry in entries] == [
        ("a_time_s", "s", "lower", ((1.5005,),)),
        ("b", "", "neither", ((2.0,),)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"ours": [{"size": 1', "it: not JSON"),
        ('{"other": []}', "it: not a file of ours"),
        ('{"ours": ' + "[" * 100_000, "its JSON is nested too deeply"),
    ],
)
def test_a_file_that_is_damaged_or_of_another_tool_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        OURS(text, "it")


def test_a_format_that_names_its_metrics_takes_no_columns(tmp_path):
    from steelyard.extensions.exchange.importers import Chosen, read

    (tmp_path / "f").write_text('{"fio version": "fio-3.33", "jobs": []}')
    for form in (None, "fio"):
        with pytest.raises(UsageError, match="fio names its metrics itself"):
            read(tmp_path / "f", form, Chosen(value=("iops",)))


def test_every_declaration_is_known_by_its_own_name():
    for name, place in list_readers().items():
        form = load(place)
        assert form.name == name
        assert all(rows.measures or rows.faults for rows in form.rows)
        with pytest.raises(UsageError):
            read_output("nothing of the kind", "it", name)


KEYS = (
    *("jobs", "read", "result", "metrics", "values", "thresholds", "experiments", "CONTEXTS", "foms", "env"),
    *("fio version", "root_group", "start", "version", "system", "machine", "id", "RAMBLE_STATUS", "name"),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab[", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" 12,345.5 ", 12345.5),
        ("1e3", 1000.0),
        ("12 ms", None),
        ("1" * 100_000 + "a\nb", None),
        ("1.2.3", None),
    ],
)
def test_a_text_is_a_value_where_all_of_it_is_a_number(text, value):
    """A hundred thousand digits that are none at their end take no longer than their length."""
    document = {"ours": [{"size": 1, "rate": text}, {"size": 2, "rate": 7}]}
    contents = OURS(json.dumps(document), "it")
    of_first = [entry.values for entry in contents.series if entry.levels["size"] == 1]
    assert of_first == ([] if value is None else [((value,),)])


@pytest.mark.parametrize("form", ["fio", "iperf3", "k6", "clickbench", "ramble", "exacb", "llama-bench"])
@given(document=ANYTHING)
def test_json_of_any_arrangement_is_read_or_refused(form, document):
    reader = replace(load(list_readers()[form]), marks=())
    try:
        contents = reader(json.dumps([document, {"result": document, "metrics": document}]), "it")
    except UsageError:
        return
    assert contents.tool.startswith(form)
