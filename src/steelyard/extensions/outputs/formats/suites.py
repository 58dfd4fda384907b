"""Suites of benchmarks: BenchExec, ReBench, Ramble (also of Benchpark) and exaCB."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.extensions.outputs.declaration import COUNT, Fault, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.rows import Row
from steelyard.extensions.outputs.shapes import Json, Table, Xml, make_rows

_SOLVED: Final = r"(?:true|false|done|sat|unsat|pass(?:ed)?|ok|success)\b.*"
_TIMEOUT: Final = r"(?i)timeout.*"


def _is_unsolved(row: Row) -> object:
    """Return the status of a run of BenchExec without an answer."""
    status, category = str(row.get("status") or ""), str(row.get("category") or "")
    is_answer = re.fullmatch(_SOLVED, status, re.IGNORECASE)
    return status if category in ("error", "unknown") or not is_answer else ""


def _get_wrong_status(row: Row) -> object:
    """Return the status of a run of BenchExec with a wrong answer."""
    return row.get("status") if row.get("category") == "wrong" else ""


def _get_runs(root: Any) -> Any:
    """Return a document of the runs of BenchExec, the columns of each by their titles."""
    runs = []
    for run in root.get("run", []):
        name = str(run.get("name", "")).rpartition("../")[2]
        columns = {column.get("title"): column.get("value") for column in run.get("column", [])}
        runs.append({**columns, "task": name, "property": run.get("properties", "")})
    return {**root, "run": runs}


def _get_cells(_comments: list[str], lines: list[list[str]]) -> Any:
    """Return a document of the runs of a table of BenchExec.

    It has three lines of header, and a group of columns for each run of a task.
    """
    titles = lines[2] if len(lines) > 2 else []
    first = next((number for number, title in enumerate(titles) if title), 0)
    (tools, sets, columns), tasks = [cells[first:] for cells in lines[:3]], lines[3:]
    runs = []
    for cells in tasks:
        groups: dict[tuple[str, str, int], dict[str, str]] = {}
        number = -1
        for tool, run_set, title, cell in zip(tools, sets, columns, cells[first:], strict=True):
            number += title == columns[0]
            name, _, unit = title.partition(" (")
            text = f"{cell}{unit.rstrip(')')}" if unit and cell else cell
            groups.setdefault((tool, run_set, number), {})[name] = text
        for (tool, run_set, _), fields in groups.items():
            runs.append(
                {**fields, "task": " ".join(filter(None, cells[:first])), "tool": tool, "run_set": run_set}
            )
    return {"run": runs}


_BENCHEXEC_ROWS: Final = Rows(
    path="run/*",
    labels={
        "task": "task",
        "property": "property",
        "run_set": lambda row: row.get("run_set") or row.get("/block"),
        "tool": lambda row: row.get("tool"),
    },
    measures=(
        Measure("cputime", "cputime", "<>", "lower"),
        Measure("walltime", "walltime", "<>", "lower"),
        Measure("memory", "memory", "<>", "lower"),
        Measure("cpuenergy", "cpuenergy", "<>", "lower"),
    ),
    faults=(
        Fault("status", "BenchExec: {value}", _TIMEOUT, "timed_out"),
        Fault(_get_wrong_status, "BenchExec: {value} (wrong)", kind="wrong"),
        Fault(_is_unsolved, "BenchExec: {value}"),
        Fault("status", "BenchExec: the run has no status", ""),
    ),
)
BENCHEXEC: Final = Format(
    name="benchexec",
    marks=(r"<result\b", r"\b(?:benchmarkname|toolmodule)="),
    shape=Xml(_get_runs),
    version="generator",
    rows=(_BENCHEXEC_ROWS,),
    host={"host": "systeminfo/*/hostname", "cpu": "systeminfo/*/cpu/*/model", "os": "systeminfo/*/os/*/name"},
    limits={"cputime_s": "timelimit", "walltime_s": "walltimelimit"},
)
BENCHEXEC_TABLE: Final = Format(
    name="benchexec-table",
    marks=(r"\Atool\t", r"^run set\t"),
    shape=Table("\t", _get_cells),
    rows=(_BENCHEXEC_ROWS,),
)


def _add_missing(comments: list[str], lines: list[list[str]]) -> Any:
    """Return a document of the values of ReBench, and of each invocation that has none.

    ReBench keeps nothing of an invocation that failed, but how many it was to run.
    """
    document = make_rows(lines)
    invocations = dict(_read_invocations(comments))
    numbers_of: dict[tuple[str, ...], set[str]] = {}
    for row in document["rows"]:
        key = tuple(row.get(name, "") for name in _REBENCH_LABELS.values())
        numbers_of.setdefault(key, set()).add(row["invocation"])
    for key, numbers in numbers_of.items():
        fields = dict(zip(_REBENCH_LABELS.values(), key, strict=True))
        for number in range(
            len(numbers) + 1, invocations.get((fields["benchmark"], fields["executor"]), 0) + 1
        ):
            document["rows"].append({**fields, "missing": number})
    return document


def _read_invocations(comments: list[str]) -> Iterator[tuple[tuple[str, str], int]]:
    for comment in comments:
        match = re.match(r"# benchmark: \d+=(\{.*\})", comment)
        if match is None:
            continue
        try:
            benchmark = json.loads(match[1])
            executor = benchmark["suite"]["executor"]["name"]
            yield (str(benchmark["name"]), str(executor)), int(benchmark["runDetails"]["invocations"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue


_REBENCH_LABELS: Final = {
    "benchmark": "benchmark",
    "executor": "executor",
    "suite": "suite",
    "input": "inputSize",
    "cores": "cores",
    "variable": "varValue",
    "arguments": "extraArgs",
    "tag": "tag",
}
REBENCH: Final = Format(
    name="rebench",
    marks=(r"^invocation\titeration\tvalue\tunit\tcriterion\t",),
    shape=Table("\t", _add_missing),
    rows=(
        Rows(
            path="rows/*",
            labels=dict(_REBENCH_LABELS),
            measures=(Measure("<criterion>", "value", "<unit>"),),
            faults=(
                Fault("missing", "ReBench has no value of invocation {value}, which failed or did not run"),
            ),
            launch="invocation",
        ),
    ),
    notes=("ReBench keeps nothing of a benchmark of which all invocations failed.",),
)


def _is_experiment(row: Row) -> bool:
    """Whether it is one run: the summary of repetitions is of runs that have an entry of their own."""
    return str(row.get("N_REPEATS") or "0") == "0"


def _is_context(row: Row) -> bool:
    return _is_experiment(Row(row.above[-2]))


def _get_experiment(row: Row) -> object:
    """Return the name of an experiment without the number of its repetition."""
    top = row if row.get("RAMBLE_STATUS") else Row(row.above[-2])
    name, repetition = str(top.get("name")), str(top.get("RAMBLE_VARIABLES/repeat_index") or "0")
    return name.removesuffix(f".{repetition}") if repetition != "0" else name


def _get_context(row: Row) -> object:
    name = str(row.get("name") or "")
    return "" if name in ("null", "None") else name


RAMBLE: Final = Format(
    name="ramble",
    marks=(r'"experiments"\s*:', r'"RAMBLE_STATUS"\s*:'),
    shape=Json(),
    rows=(
        Rows(
            path="experiments/*/CONTEXTS/*",
            keeps=_is_context,
            labels={
                "experiment": _get_experiment,
                "context": _get_context,
                "nodes": "../../n_nodes",
                "ranks": "../../n_ranks",
                "threads": "../../n_threads",
            },
            measures=(Measure("<name>", "value", "<units>", places="foms/*"),),
            faults=(Fault("../../RAMBLE_STATUS", "Ramble: {value}", r"(?!SUCCESS$).*"),),
        ),
        Rows(
            path="experiments/*",
            keeps=lambda row: _is_experiment(row) and not row.get("CONTEXTS"),
            labels={
                "experiment": _get_experiment,
                "nodes": "n_nodes",
                "ranks": "n_ranks",
                "threads": "n_threads",
            },
            measures=(),
            faults=(Fault("RAMBLE_STATUS", "Ramble: {value}", r"(?!SUCCESS$).*"),),
        ),
    ),
)


def _turn(document: Any) -> Any:
    """Return a record of exaCB with a row for each run, in place of a list for each column."""
    columns = document.get("result") if isinstance(document, Mapping) else None
    if not isinstance(columns, Mapping) or not all(isinstance(cells, list) for cells in columns.values()):
        return document
    length = max((len(cells) for cells in columns.values()), default=0)
    rows = [{title: cells[i] for title, cells in columns.items() if i < len(cells)} for i in range(length)]
    for row in rows:
        row["figures"] = [
            {"name": title, "value": value} for title, value in row.items() if title not in _EXACB_COLUMNS
        ]
    return {**document, "rows": rows}


_EXACB_LABELS: Final = (
    "system",
    "version",
    "queue",
    "variant",
    "usecase",
    "nodes",
    "taskspernode",
    "threadspertask",
)
_EXACB_COLUMNS: Final = frozenset({*_EXACB_LABELS, "jobid", "success", "runtime"})
EXACB: Final = Format(
    name="exacb",
    marks=(r'"id"\s*:', r'"env"\s*:', r'"result"\s*:\s*\{'),
    shape=Json(_turn),
    rows=(
        Rows(
            path="rows/*",
            labels={name: name for name in _EXACB_LABELS},
            measures=(Measure("runtime", "runtime", "s"), Measure("<name>", "value", places="figures/*")),
            faults=(Fault("success", "success is {value}", r"(?i)(?!true$|1$|yes$).+"),),
        ),
    ),
)


_WITHOUT_MESSAGE: Final = {
    "failure": "without a message",
    "error": "without a message",
    "skipped": "skipped",
}
"""How JUnit ends a test without a value, and the reason where it gives none."""


def _get_cases(root: Any) -> Any:
    """Return a document of the cases of all suites of JUnit's XML, nested ones too."""
    cases = []
    suites = [root]
    while suites:
        suite = suites.pop(0)
        suites += suite.get("testsuite", [])
        for case in suite.get("testcase", []):
            ends = {
                kind: _word_end(case[kind][0], absent)
                for kind, absent in _WITHOUT_MESSAGE.items()
                if case.get(kind)
            }
            # Tests of one name in two suites are two tests.
            group = case.get("classname") or suite.get("name")
            cases.append({"name": case.get("name"), "class": group, "time": case.get("time"), **ends})
    return {"case": cases}


def _word_end(element: Any, absent: str) -> str:
    """Return the message of a failure, or the first line of its text."""
    return str(element.get("message") or element.get("") or absent).strip().partition("\n")[0]


JUNIT: Final = Format(
    name="junit",
    marks=(r"<testsuites?\b", r"<testcase\b"),
    shape=Xml(_get_cases),
    rows=(
        Rows(
            path="case/*",
            labels={"test": "name", "class": "class"},
            measures=(Measure("time", "time", "s", "lower"),),
            faults=(
                Fault("error", "{value}"),
                Fault("failure", "{value}"),
                Fault("skipped", "{value}", kind="skipped"),
            ),
            without='no time: the writer has to add time="…", in seconds, to each testcase',
        ),
    ),
    repeats="launch",
)


def _is_measured(row: Row) -> bool:
    """Whether a sample of perfgate is no warm-up."""
    return row.get("warmup") is not True and row.get("../warmup") is not True


_PERFGATE_MEASURES: Final = (
    Measure("wall", "wall_ms", "ms", "lower"),
    Measure("cpu", "cpu_ms", "ms", "lower"),
    Measure("rss_bytes", "max_rss_kb", "KiB", "lower"),
    Measure("page_faults", "page_faults", "", "lower"),
    Measure("ctx_switches", "ctx_switches", "", "neither"),
)
_PERFGATE_FAULTS: Final = (
    Fault("timed_out", "perfgate: it timed out", "true", "timed_out"),
    Fault("exit_code", "exit code {value}", COUNT),
)
PERFGATE: Final = Format(
    name="perfgate",
    marks=(r'"schema"\s*:\s*"perfgate\.(?:run|paired)\.v\d',),
    shape=Json(),
    version="tool/version",
    rows=(
        Rows(
            path="samples/*",
            labels={"benchmark": "/bench/name"},
            measures=_PERFGATE_MEASURES,
            faults=_PERFGATE_FAULTS,
            keeps=lambda row: _is_measured(row) and "baseline" not in row.node,
        ),
        Rows(
            path="samples/*/{side=baseline|current}",
            labels={"side": "{side}", "benchmark": "/bench/name"},
            measures=_PERFGATE_MEASURES,
            faults=_PERFGATE_FAULTS,
            keeps=_is_measured,
        ),
    ),
    host={
        "host": "run/host/hostname_hash",
        "os": "run/host/os",
        "arch": "run/host/arch",
        "cpus_online": "run/host/cpu_count",
    },
    notes=("perfgate keeps whole milliseconds: a time of a few of them has steps of its own.",),
)
