"""Two records compared: the same programs, measured at different times."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.errors import RecordError, UsageError
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Scalar
from steelyard.lab.answer.edited import note_edited, withhold_verdicts
from steelyard.lab.answer.same_program import find_other_libraries, find_same_programs
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.results.notice import Notice
from steelyard.run.host.conditions import compare_conditions
from steelyard.spec.tables.launch import LocalLaunch
from steelyard.stats.answer import answer
from steelyard.store import Record

RECORD: Final = "record"
"""The factor whose levels are the records."""

Levels = tuple[tuple[str, Scalar], ...]


def compare_records(
    old: Path,
    new: Path,
    *,
    metric: str | None = None,
    margin: float | None = None,
    across_libraries: bool = False,
) -> Answer:
    """Compare every treatment that both records have, or the only one of each; runs nothing.

    Parameters
    ----------
    metric : str, optional
        By default the primary one of the old record.
    across_libraries : bool
        Whether libraries that changed, under programs that did not, are what is compared; otherwise nothing
        is judged where they did.

    Raises
    ------
    UsageError
        The same record twice, no treatment that both have, or a metric that one lacks.
    RecordError
        One has no complete block.
    """
    if old.resolve() == new.resolve():
        raise UsageError(f"{old} and {new} are the same record", hint="name two of them")
    with Record.open(old) as before, Record.open(new) as after:
        chosen = metric or before.experiment.analysis.metric
        samples_of = {str(old): _find_samples(before, chosen), str(new): _find_samples(after, chosen)}
        shared = _find_shared(samples_of[str(old)], samples_of[str(new)], old, new)
        common = [
            (place, levels, by_levels[levels]) for place, by_levels in samples_of.items() for levels in shared
        ]
        samples = [
            _describe_move(sample, place, number, levels)
            for number, (place, levels, sample) in enumerate(common, 1)
        ]
        strata = tuple(name for name, _ in next(iter(shared))) if len(shared) > 1 else ()
        declared = Analysis(
            metric=chosen, margin=margin, baseline={RECORD: str(old)}, family="baseline", strata=strata
        )
        facts = DesignFacts("sequential", 1, before.experiment.design.seed, unknown_contexts=True)
        changed = find_other_libraries(before.program, after.program, judged=across_libraries)
        if changed and not across_libraries:
            samples = [replace(sample, provenance="other_code") for sample in samples]
        alike = [] if changed else find_same_programs(before.program, after.program)
        compared = answer(f"{old} and {new}", samples, facts, declared, warnings=alike)
        refuted = [note for side in (before, after) for note in note_edited(side, side.prove_briefly())]
        # First: no number of the answer shows them, and only the gravest are told without --details.
        notes = (*changed, *_note_apart(before, after), *compared.warnings)
        return withhold_verdicts(replace(compared, warnings=notes), refuted)


def _find_samples(record: Record, metric: str) -> dict[Levels, Sample]:
    """Return the samples of the metric by the levels of their treatments; of one treatment, by none."""
    samples = [sample for sample in record.samples(metric) if len(sample)]
    if not samples:
        raise RecordError(
            f"{record.directory} has no complete block with {metric}",
            hint=f"steelyard status {record.directory}",
        )
    if any(sample.labels for sample in samples):
        raise UsageError(
            f"{metric} has labels, by which records are not compared", hint="--metric wall_s, or another one"
        )
    if len(samples) == 1:
        return {(): samples[0]}
    return {tuple(sample.treatment.levels.items()): sample for sample in samples}


def _find_shared(
    before: Mapping[Levels, Sample], after: Mapping[Levels, Sample], old: Path, new: Path
) -> dict[Levels, None]:
    shared = {levels: None for levels in before if levels in after}
    if not shared:
        names = [", ".join(sample.treatment.label for sample in side.values()) for side in (before, after)]
        raise UsageError(
            f"{old} and {new} have no treatment in common: {names[0]}; and {names[1]}",
            hint="name records of the same experiment, or of one command each",
        )
    return shared


def _describe_move(sample: Sample, place: str, number: int, levels: Levels) -> Sample:
    """Return the sample as of a treatment whose further level is the record."""
    label = f"{sample.treatment.label}, {RECORD}={place}" if levels else place
    return replace(sample, treatment=Treatment(number, label, {**dict(levels), RECORD: place}))


def _describe_unknown(*records: Record) -> str:
    """Name the records whose programs may have loaded other code unnoticed; empty where none may have."""
    reasons = {str(record.directory): reason for record in records if (reason := _explain_unknown(record))}
    if not reasons:
        return ""
    causes = " and ".join(dict.fromkeys(reasons.values()))
    return f" What programs of {' and '.join(reasons)} load while they run is not known: {causes}."


def _explain_unknown(record: Record) -> str:
    """Say why a record has no list of modules; empty where it has one, or measured no program here."""
    experiment = record.experiment
    if (
        not record.program
        or not experiment.program.commands
        or not isinstance(experiment.launch, LocalLaunch)
    ):
        return ""
    if experiment.design.discard == 0:
        return "no run is discarded (discard = 0, -w 0), and only in such a run modules are noted"
    return "runs had file systems of their own (isolate)" if experiment.program.isolate else ""


def _note_apart(before: Record, after: Record) -> list[Notice]:
    """Return what differs between the records beside their programs, as far as it is known; never nothing."""
    runs = before.runs()[0], after.runs()[0]
    days = [time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started_ns / 1e9)) for run in runs]
    host = [
        f"{difference.name} {difference.old} and {difference.new}"
        for difference in compare_conditions(runs[0].host, runs[1].host)
    ]
    differ = f" Machines or their settings differ: {'; '.join(host)}." if host else ""
    text = (
        f"The records were made apart ({days[0]} and {days[1]}): whatever else changed between them, such as"
        " load, temperature, libraries or paths, is part of the difference and in no interval; measuring both"
        f" in turns (--confirm), or the commands side by side in steelyard compare, excludes that.{differ}"
        f"{_describe_unknown(before, after)}"
    )
    return [Notice("note", fields={"text": text})]
