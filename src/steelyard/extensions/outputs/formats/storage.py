"""fio: the report of ``--output-format=json`` or ``json+``."""

from __future__ import annotations

from typing import Any, Final

from steelyard.extensions.outputs.declaration import COUNT, Fault, Field, Histogram, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.rows import Row
from steelyard.extensions.outputs.shapes import Json

_MODES: Final = {"read": ("read", "rw"), "write": ("write", "rw"), "trim": ("trim",)}
"""Words of ``rw=``, by the operation that they ask for."""
_CLOCK_MS: Final = 500.0
"""By which a report may be late."""


def _find_option(row: Row, name: str) -> object:
    """Return an option of the job, or of all jobs."""
    value = row.get(f"../job options/{name}")
    return row.get(f"/global options/{name}") if value is None else value


def _get_option(name: str) -> Field:
    """Return the field of an option."""
    return lambda row: _find_option(row, name)


def _is_run(row: Row) -> bool:
    """Whether the job does this operation: by what it did, or, if it did nothing, by what it was to do."""
    if row.get("total_ios"):
        return True
    if any(row.get(f"../{operation}/total_ios") for operation in _MODES):
        return False
    mode = _find_option(row, "rw") or _find_option(row, "readwrite") or "read"
    words = str(mode).replace("readwrite", "rw")
    return any(word in words for word in _MODES[row.names["operation"]])


def _continues(before: Any, after: Any) -> bool:
    """Whether ``--status-interval`` wrote the first: its jobs ran shorter by the time between both."""
    jobs = [document.get("jobs", []) for document in (before, after)]
    if [job.get("jobname") for job in jobs[0]] != [job.get("jobname") for job in jobs[1]]:
        return False
    runtimes = [max((float(job.get("job_runtime", 0)) for job in side), default=0.0) for side in jobs]
    between = float(after.get("timestamp_ms", 0)) - float(before.get("timestamp_ms", 0))
    return runtimes[1] > runtimes[0] and abs(runtimes[1] - runtimes[0] - between) <= _CLOCK_MS


# A bin of fio has 6 bits of its value (stat.h, FIO_IO_U_PLAT_BITS), and is called by its middle.
FIO: Final = Format(
    name="fio",
    marks=(r'"fio version"\s*:', r'"jobs"\s*:'),
    shape=Json(),
    version="fio version",
    host={"host": "/jobs/*/hostname"},
    rows=(
        Rows(
            path="jobs/*/{operation=read|write|trim}",
            keeps=_is_run,
            labels={
                "job": "../jobname",
                "operation": "{operation}",
                "mode": _get_option("rw"),
                "bs": _get_option("bs"),
                "iodepth": _get_option("iodepth"),
                "engine": _get_option("ioengine"),
                "jobs": _get_option("numjobs"),
            },
            measures=(
                Measure("iops", "iops", "1/s", "higher"),
                Measure("bandwidth", "bw_bytes", "B/s", "higher"),
                Measure("latency", "lat_ns/mean", "ns"),
                Measure("clat_p50", "clat_ns/percentile/50.000000", "ns"),
                Measure("clat_p99", "clat_ns/percentile/99.000000", "ns"),
                Measure("clat_p99_9", "clat_ns/percentile/99.900000", "ns"),
            ),
            faults=(
                Fault("../error", "fio: error {value}", COUNT),
                Fault("total_ios", "fio did no operation", r"0?"),
                Fault("../total_err", "fio: {value} operations failed", COUNT),
            ),
        ),
    ),
    histograms=(Histogram("completion latency", "clat_ns/bins", "ns", 1 / 64),),
    continues=_continues,
)
