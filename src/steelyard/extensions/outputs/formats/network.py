"""Networks and servers: iperf3, wrk (also wrk2), and summaries of k6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from steelyard.extensions.outputs.declaration import ABSENT, COUNT, Fault, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.shapes import Json, Line, Lines

IPERF3: Final = Format(
    name="iperf3",
    marks=(r'"start"\s*:', r'"version"\s*:\s*"iperf 3'),
    shape=Json(),
    version="start/version",
    rows=(
        Rows(
            path="",
            labels={
                "protocol": "start/test_start/protocol",
                "streams": "start/test_start/num_streams",
                "reverse": "start/test_start/reverse",
                "blksize": "start/test_start/blksize",
                "target_bitrate": "start/test_start/target_bitrate",
            },
            measures=(
                Measure("received", "end/sum_received/bits_per_second", "bit/s", "higher"),
                Measure("sent", "end/sum_sent/bits_per_second", "bit/s", "higher"),
                Measure(
                    "received_reverse", "end/sum_received_bidir_reverse/bits_per_second", "bit/s", "higher"
                ),
                Measure("sent_reverse", "end/sum_sent_bidir_reverse/bits_per_second", "bit/s", "higher"),
                Measure("retransmits", "end/sum_sent/retransmits", "", "lower"),
                Measure("lost", "end/sum/lost_percent", "%", "lower"),
                Measure("jitter", "end/sum/jitter_ms", "ms"),
            ),
            faults=(
                Fault("error"),
                Fault("end/sum_received/bytes", "the receiver got nothing", r"0"),
            ),
        ),
    ),
    notes=("Each value is the mean over one run of iperf3; its seconds are no runs.",),
)

_TIME: Final = r"(?P<{0}>[\d.]+(?:us|ms|s|m|h))"
WRK: Final = Format(
    name="wrk",
    marks=(r"^Running \S+ test @ |^unable to connect to ",),
    shape=Lines(
        (
            Line(r"^Running (?P<duration>\S+) test @ (?P<url>\S+)", "row"),
            Line(r"^\s+(?P<threads>\d+) threads and (?P<connections>\d+) connections"),
            Line(r"^\s+Latency\s+" + _TIME.format("mean")),
            *(
                Line(rf"^\s+{text}(?:\.0+)?%\s+" + _TIME.format(f"p{name}"))
                for text, name in (("50", "50"), ("75", "75"), ("90", "90"), ("99", "99"), (r"99\.9", "99_9"))
            ),
            Line(r"^\s+(?P<requests>\d+) requests in "),
            Line(r"^\s+Socket errors: (?P<socket>.*)"),
            Line(r"^\s+Non-2xx or 3xx responses: (?P<refused>\d+)"),
            Line(r"^Requests/sec:\s+(?P<rate>\S+)"),
            Line(r"^Transfer/sec:\s+(?P<transfer>\S+)"),
            Line(r"^(?P<error>unable to connect to .*)", "next"),
        )
    ),
    units={"m": "min", "KB": "KiB", "MB": "MiB", "GB": "GiB"},
    rows=(
        Rows(
            path="rows/*",
            labels={"url": "url", "threads": "threads", "connections": "connections"},
            measures=(
                Measure("requests", "rate", "1/s", "higher"),
                Measure("latency", "mean", "<>"),
                Measure("latency_p50", "p50", "<>"),
                Measure("latency_p75", "p75", "<>"),
                Measure("latency_p90", "p90", "<>"),
                Measure("latency_p99", "p99", "<>"),
                Measure("latency_p99_9", "p99_9", "<>"),
            ),
            faults=(
                Fault("error"),
                Fault("refused", "{value} responses are not 2xx or 3xx", COUNT),
                Fault("socket", "socket errors: {value}", r".*[1-9].*"),
                Fault("rate", "no Requests/sec: the output ends early", ABSENT),
            ),
        ),
    ),
)


def _even_out(document: Any) -> Any:
    """Return a summary of k6 with the values of each metric in one place, and the thresholds it crossed.

    ``--summary-export`` writes ``true`` for a threshold that was crossed, ``handleSummary`` has ``ok``. In
    ``http_req_failed`` the passes are the requests that failed.
    """
    metrics = document.get("metrics") if isinstance(document, dict) else None
    if not isinstance(metrics, Mapping):
        return document
    flat: dict[str, Any] = {}
    for name, metric in metrics.items():
        if not isinstance(metric, Mapping):
            continue
        values = metric.get("values")
        flat[name] = {**metric, **values} if isinstance(values, Mapping) else dict(metric)
        thresholds = metric.get("thresholds")
        crossed = [
            f"{name} {text}"
            for text, state in (thresholds.items() if isinstance(thresholds, Mapping) else ())
            if (state.get("ok") is not True if isinstance(state, Mapping) else state is not False)
        ]
        document = {**document, "crossed": [*document.get("crossed", []), *crossed]}
    return {**document, "metrics": flat}


_DURATION: Final = "metrics/http_req_duration"
K6: Final = Format(
    name="k6",
    marks=(r'"root_group"\s*:', r'"metrics"\s*:'),
    shape=Json(_even_out),
    rows=(
        Rows(
            path="",
            labels={},
            measures=(
                Measure("requests", "metrics/http_reqs/rate", "1/s", "higher"),
                Measure("duration", f"{_DURATION}/avg", "ms"),
                Measure("duration_p50", f"{_DURATION}/med", "ms"),
                Measure("duration_p90", f"{_DURATION}/p(90)", "ms"),
                Measure("duration_p95", f"{_DURATION}/p(95)", "ms"),
                Measure("duration_p99", f"{_DURATION}/p(99)", "ms"),
                Measure("iterations", "metrics/iterations/rate", "1/s", "higher"),
                Measure("iteration", "metrics/iteration_duration/avg", "ms"),
            ),
            faults=(
                Fault("metrics/http_req_failed/passes", "{value} requests failed", COUNT),
                Fault("metrics/checks/fails", "{value} checks failed", COUNT),
                Fault("crossed", "k6 crossed the threshold {value}"),
            ),
        ),
    ),
    notes=("Each value is that of one run of k6; its requests are no runs.",),
)
