"""Databases: pgbench, sysbench and ClickBench."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.outputs.declaration import COUNT, Fault, Histogram, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.rows import Row
from steelyard.extensions.outputs.shapes import Json, Line, Lines


def _get_missing(row: Row) -> object:
    """Transactions that pgbench was to do and did not."""
    done, total = row.get("done"), row.get("total")
    return int(total) - int(done) if total is not None and done is not None else None


def _get_rate(row: Row) -> object:
    """Transactions a second without the time of connecting, where pgbench says both."""
    return row.get("rate") or row.get("rate_connecting")


PGBENCH: Final = Format(
    name="pgbench",
    marks=(r"^transaction type: |^pgbench: error:",),
    shape=Lines(
        (
            Line(r"^pgbench \((?P<version>[^)]*\)?)\)", "context"),
            Line(r"^pgbench: error: Run was aborted"),
            Line(r"^pgbench: error: (?P<error>.*)", "next"),
            Line(r"^transaction type: (?P<script>.*)", "row"),
            Line(r"^scaling factor: (?P<scale>\d+)"),
            Line(r"^query mode: (?P<mode>\w+)"),
            Line(r"^number of clients: (?P<clients>\d+)"),
            Line(r"^number of threads: (?P<threads>\d+)"),
            Line(r"^number of transactions actually processed: (?P<done>\d+)(?:/(?P<total>\d+))?"),
            Line(r"^number of failed transactions: (?P<failed>\d+)"),
            Line(r"^latency average = (?P<latency>[\d.]+) ms"),
            Line(r"^latency stddev = (?P<deviation>[\d.]+) ms"),
            Line(r"^initial connection time = (?P<connecting>[\d.]+) ms"),
            Line(r"^tps = (?P<rate>[\d.]+) \((?:without|excluding)"),
            Line(r"^tps = (?P<rate_connecting>[\d.]+) \(including"),
        )
    ),
    version="version",
    rows=(
        Rows(
            path="rows/*",
            labels={
                "script": "script",
                "scale": "scale",
                "mode": "mode",
                "clients": "clients",
                "threads": "threads",
            },
            measures=(
                Measure("tps", _get_rate, "1/s", "higher"),
                Measure("latency", "latency", "ms"),
                Measure("connecting", "connecting", "ms"),
            ),
            faults=(
                Fault("error", "pgbench: {value}"),
                Fault("failed", "{value} transactions failed", COUNT),
                Fault(_get_missing, "pgbench was aborted: {value} transactions are missing", COUNT),
            ),
        ),
    ),
    notes=("Each value is that of one run of pgbench; its transactions are no runs.",),
)


def _get_test(row: Row) -> object:
    """Return the test of sysbench, by what it prints of its options; a script of its own is ``script``."""
    tests = ("cpu", "memory", "fileio", "transactions")
    return next(({"transactions": "oltp"}.get(name, name) for name in tests if row.get(name)), "script")


def _get_bins(row: Row) -> dict[str, int]:
    """Return the histogram of latencies that ``--histogram=on`` prints.

    Its bins are 1.8 % wide, and their value may be either end.
    """
    values, counts = row.list_values("bin"), row.list_values("bin_count")
    return {str(value): int(count) for value, count in zip(values, counts, strict=True)}


SYSBENCH: Final = Format(
    name="sysbench",
    marks=(r"^sysbench \d", r"^Running the test with following options:|\bFATAL: "),
    shape=Lines(
        (
            Line(r"^sysbench (?P<version>[\d.]+)", "start"),
            Line(r"^Running the test with following options:", "row"),
            Line(r"\bFATAL: (?P<error>.*)", "all"),
            Line(r"^Number of threads: (?P<threads>\d+)"),
            Line(r"^(?P<cpu>Prime numbers limit): (?P<primes>\d+)"),
            Line(r"^Running (?P<memory>memory) speed test"),
            Line(r"^(?P<fileio>Extra file open flags)"),
            Line(r"^\s+events per second:\s+(?P<events>[\d.]+)"),
            Line(r"^Total operations: \d+ \(\s*(?P<operations>[\d.]+) per second\)"),
            Line(r"^[\d.]+ MiB transferred \((?P<transfer>[\d.]+) MiB/sec\)"),
            Line(r"^\s+transactions:\s+(?P<transactions>\d+)\s+\((?P<rate>[\d.]+) per sec\.\)"),
            Line(r"^\s+queries:\s+\d+\s+\((?P<queries>[\d.]+) per sec\.\)"),
            Line(r"^\s+ignored errors:\s+(?P<ignored>\d+)"),
            Line(r"^\s+reads/s:\s+(?P<reads>[\d.]+)"),
            Line(r"^\s+writes/s:\s+(?P<writes>[\d.]+)"),
            Line(r"^\s+fsyncs/s:\s+(?P<fsyncs>[\d.]+)"),
            Line(r"^\s+read, MiB/s:\s+(?P<read_rate>[\d.]+)"),
            Line(r"^\s+written, MiB/s:\s+(?P<write_rate>[\d.]+)"),
            Line(r"^\s+total time:\s+(?P<total>[\d.]+)s"),
            Line(r"^\s+total number of events:\s+(?P<count>\d+)"),
            Line(r"^\s*(?P<bin>[\d.]+) \|\**\s+(?P<bin_count>\d+)$"),
            Line(r"^\s+avg:\s+(?P<mean>[\d.]+)"),
            Line(r"^\s+95th percentile:\s+(?P<p95>[\d.]+)"),
        )
    ),
    version="version",
    rows=(
        Rows(
            path="rows/*",
            labels={"test": _get_test, "threads": "threads", "primes": "primes"},
            measures=(
                Measure("transactions", "rate", "1/s", "higher"),
                Measure("queries", "queries", "1/s", "higher"),
                Measure("events", "events", "1/s", "higher"),
                Measure("operations", "operations", "1/s", "higher"),
                Measure("transfer", "transfer", "MiB/s", "higher"),
                Measure("reads", "reads", "1/s", "higher"),
                Measure("writes", "writes", "1/s", "higher"),
                Measure("fsyncs", "fsyncs", "1/s", "higher"),
                Measure("read_rate", "read_rate", "MiB/s", "higher"),
                Measure("write_rate", "write_rate", "MiB/s", "higher"),
                Measure("latency", "mean", "ms"),
                Measure("latency_p95", "p95", "ms"),
                Measure("total_time", "total", "s", "neither"),
            ),
            faults=(
                Fault("error", "sysbench: {value}"),
                Fault("count", "sysbench did no event", r"0?"),
                Fault("ignored", "{value} errors were ignored", COUNT),
            ),
        ),
    ),
    histograms=(Histogram("latency", _get_bins, "ms", 0.036),),
    notes=("Each value is that of one run of sysbench; its events are no runs.",),
)


def _name_query(row: Row) -> object:
    """Return the name that the page of ClickBench has for a query: the first is Q0."""
    return f"Q{row.names['query'] - 1}"


def _is_missing(row: Row) -> object:
    """Whether a try of a query has no time."""
    tries = row.node if isinstance(row.node, list) else []
    return not tries or any(time is None for time in tries)


# The first try of a query is cold, the others are hot: https://github.com/ClickHouse/ClickBench, Rules.
CLICKBENCH: Final = Format(
    name="clickbench",
    marks=(r'"system"\s*:', r'"machine"\s*:', r'"result"\s*:\s*\['),
    shape=Json(),
    host={"host": "machine"},
    rows=(
        Rows(
            path="result/{query}",
            labels={"query": _name_query},
            measures=(
                Measure("hot", lambda row: row.node[1:], "s"),
                Measure("cold", lambda row: row.node[:1], "s"),
            ),
            faults=(Fault(_is_missing, "a try of the query has no time", "true"),),
        ),
    ),
    notes=("The first try of a query is cold, and the others are hot; of each query the file has one run.",),
)
