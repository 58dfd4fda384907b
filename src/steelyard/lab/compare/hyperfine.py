"""Results in the formats of hyperfine, one a command, for the scripts that read its files.

Names of fields and columns are hyperfine's (``command``, ``mean``, ``stddev``, ``median``, ``user``,
``system``, ``min``, ``max``, ``times``, ``memory_usage_byte``, ``exit_codes``, ``parameters``); times are in
seconds. Version 2 of the JSON schema, of hyperfine 2.0, has ``measurements`` and ``summary`` by metric.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median, stdev
from typing import Any, Final

from steelyard import __version__
from steelyard.core.sample import Sample, Treatment
from steelyard.results.document import write_json
from steelyard.store import Record

TIME_UNITS: Final[dict[str, tuple[str, float]]] = {
    "microsecond": ("µs", 1e-6),
    "millisecond": ("ms", 1e-3),
    "second": ("s", 1.0),
}
"""Values of hyperfine's ``--time-unit``: the unit, in seconds."""

METRICS: Final = {
    "time_wall_clock": "wall_s",
    "time_cpu": "cpu_s",
    "time_user": "user_s",
    "time_system": "system_s",
    "memory_peak_resident": "rss_bytes",
    "cpu_cycles": "cycles",
}
"""Names of version 2 of the schema to ours; other counters have one name in both."""

_UNITS: Final = {"s": "second", "B": "byte"}

SUMMARY: Final = ("mean", "stddev", "median", "user", "system", "min", "max")


Result = Mapping[str, Any]
"""Complete runs of one command; a metric that a record lacks has no field."""


def results(record: Record, commands: Mapping[int, str] | None = None) -> list[Result]:
    """One result a treatment.

    ``commands`` are the command lines by the ids of treatments, by default their labels.
    """
    codes = _read_exit_codes(record)
    measured = _group_samples(record, ("user_s", "system_s", "rss_bytes"))
    return [_make_result(samples, codes, commands) for samples in measured]


def _read_exit_codes(record: Record) -> Mapping[int, int | None]:
    """Exit code of each trial; 0 of one that is as it should be and was no process of its own."""
    return {
        trial.trial: 0 if trial.exit_code is None and trial.status == "ok" else trial.exit_code
        for _, trial in record.stream_measurements()
    }


def _group_samples(record: Record, metrics: Iterable[str]) -> list[Mapping[str, Sample]]:
    """Return samples of ``wall_s`` and of recorded ``metrics``, by name, one mapping for each treatment."""
    names = {metric.name for metric in record.metrics}
    by_treatment: dict[int, dict[str, Sample]] = {}
    for sample in record.samples("wall_s", *(name for name in metrics if name in names)):
        by_treatment.setdefault(sample.treatment.id, {})[sample.metric.name] = sample
    return [samples for samples in by_treatment.values() if len(samples["wall_s"])]


def _make_result(
    samples: Mapping[str, Sample], codes: Mapping[int, int | None], commands: Mapping[int, str] | None
) -> Result:
    wall = samples["wall_s"]
    times, treatment = list(wall.values), wall.treatment
    entry: dict[str, Any] = {
        "command": commands[treatment.id] if commands else treatment.label,
        "mean": fmean(times),
        "stddev": stdev(times) if len(times) > 1 else None,
        "median": median(times),
    }
    entry |= {
        name: fmean(samples[f"{name}_s"].values) for name in ("user", "system") if f"{name}_s" in samples
    }
    entry |= {"min": min(times), "max": max(times), "times": times}
    if "rss_bytes" in samples:
        entry["memory_usage_byte"] = [round(size) for size in samples["rss_bytes"].values]
    entry["exit_codes"] = [codes[trial] for trial in wall.trials]
    levels = _list_parameters(treatment)
    return entry | ({"parameters": levels} if levels else {})


def _list_parameters(treatment: Treatment) -> dict[str, str]:
    return {name: str(level) for name, level in treatment.levels.items() if name != "command"}


def render_json(entries: Sequence[Result]) -> str:
    """Everything in version 1 of the schema, every time included."""
    return write_json({"results": entries})


def write_json_2(
    record: Record, commands: Mapping[int, str] | None = None, *, metric: str | None = None
) -> str:
    """Everything in version 2 of the schema: every metric of each launch that hyperfine has a name for.

    ``commands`` are the command lines by the ids of treatments, by default their labels; ``metric`` is the
    primary one, by default that of the spec. ``metadata`` names Steelyard, which measured.
    """
    names = {ours: theirs for theirs, ours in METRICS.items()}
    counters = record.experiment.program.counters
    codes = _read_exit_codes(record)
    primary = metric or record.experiment.analysis.metric
    measured = _group_samples(record, [*names, *(name for name in counters if name not in names)])
    return write_json(
        {
            "schema_version": 2,
            "metadata": {"steelyard_version": __version__},
            "primary_metric": names.get(primary, primary),
            "results": [_write_result_2(samples, names, codes, commands) for samples in measured],
        }
    )


def _write_result_2(
    samples: Mapping[str, Sample],
    names: Mapping[str, str],
    codes: Mapping[int, int | None],
    commands: Mapping[int, str] | None,
) -> Result:
    wall = samples["wall_s"]
    treatment, levels = wall.treatment, _list_parameters(wall.treatment)
    # A counter that the kernel refused in some runs is none of the command.
    complete = {
        names.get(name, name): sample for name, sample in samples.items() if sample.trials == wall.trials
    }
    units = {name: _UNITS.get(sample.metric.unit, sample.metric.unit) for name, sample in complete.items()}
    result: dict[str, Any] = {
        "command": commands[treatment.id] if commands else treatment.label,
        "name": treatment.label,
        "measurements": [
            {name: {"value": sample.values[place], "unit": units[name]} for name, sample in complete.items()}
            | {"exit_code": codes[trial]}
            for place, trial in enumerate(wall.trials)
        ],
    }
    if levels:
        result["parameters"] = {name: {"value": level} for name, level in levels.items()}
    summary = {name: _summarise_2(sample.values, units[name]) for name, sample in complete.items()}
    return result | {"summary": summary}


def _summarise_2(values: Sequence[float], unit: str) -> dict[str, Any]:
    return {
        "unit": unit,
        "count": len(values),
        "mean": fmean(values),
        "stddev": stdev(values) if len(values) > 1 else None,
        "median": median(values),
        "min": min(values),
        "max": max(values),
    }


def render_csv(entries: Sequence[Result]) -> str:
    """Return one row for each command, then its parameters, as ``parameter_NAME``."""
    parameters = [result.get("parameters", {}) for result in entries]
    names = list(dict.fromkeys(name for parameter in parameters for name in parameter))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["command", *SUMMARY, *(f"parameter_{name}" for name in names)])
    for entry, levels in zip(entries, parameters, strict=True):
        values = [entry.get(name) for name in SUMMARY]
        rows.writerow([entry["command"], *values, *(levels.get(name, "") for name in names)])
    return text.getvalue()


def render_markdown(entries: Sequence[Result], unit: str | None) -> str:
    """Return a table in ``unit``, by default what suits the fastest; relative to the first command."""
    fastest = min((result["mean"] for result in entries), default=1.0)
    named = unit or ("second" if fastest >= 1 else "millisecond" if fastest >= 1e-3 else "microsecond")
    unit_name, scale = TIME_UNITS[named]
    heads = ["Command", *(f"{name} [{unit_name}]" for name in ("Mean", "s", "Min", "Max")), "Relative"]
    lines = [f"| {' | '.join(heads)} |", "|:---|" + "---:|" * 5]
    for entry in entries:
        times = (entry["mean"], entry["stddev"] or 0.0, entry["min"], entry["max"])
        cells = [f"`{entry['command']}`".replace("|", "\\|"), *(f"{time / scale:.3f}" for time in times)]
        relative = f"{entry['mean'] / entries[0]['mean']:.3f}"
        lines.append(f"| {' | '.join([*cells, relative])} |")
    return "\n".join(lines) + "\n"
