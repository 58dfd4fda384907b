"""Observe: rehearse, measure every level in randomised blocks, count what probes add, compare."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.core.sample import Sample
from steelyard.core.units import BUILTIN
from steelyard.extensions.observe.any_level import any_level
from steelyard.extensions.observe.changes import changes, correlations
from steelyard.extensions.observe.probes import INCLUDE, NONE, Probe, distinct
from steelyard.extensions.observe.rehearsal import Rehearsal, rehearse
from steelyard.extensions.observe.request import VERSUS, ObserveRequest
from steelyard.extensions.observe.results import Change, Contest, Observation, Probed, Trace
from steelyard.extensions.observe.reversal import reversals
from steelyard.extensions.observe.tracing import Tracing
from steelyard.extensions.observe.tracing_changes import traces
from steelyard.files.plain import read_plain
from steelyard.interventions import INTERVENTIONS
from steelyard.lab.run.existing_record import refuse_other_command, refuse_other_stage
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.run.runner.capabilities import capabilities
from steelyard.spec.experiment import Experiment, Verify
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.spec.text.placeholders import expand
from steelyard.store import Record

ALWAYS: Final = ("wall_s", "cpu_s", "minor_faults")
"""Metrics that are compared whatever is asked for."""


def observe(request: ObserveRequest, directory: Path, *, watch: Watch) -> Observation:
    """Find what probes cost.

    Parameters
    ----------
    directory : Path
        Of the records ``observe.lab``, ``added.lab`` and ``traces.lab``, and of what probes write.

    Raises
    ------
    UsageError
        No probe, or options without a build.
    MachineError
        A probe or a counter that this machine lacks.
    ProgramError
        The program fails without a probe, or a build does.
    RecordError, InterruptedRunError
        As ``steelyard.lab.run.run.run``; after an interruption, the same call goes on.
    """
    refuse_other_command(directory, "observe")
    probes = distinct(request.probes)
    _refuse_missing(request)
    scratch = directory / "written-by-probes"
    scratch.mkdir(parents=True, exist_ok=True)
    library = _find_library(directory) if any(probe.preload for probe in probes) else None
    try:
        tried = request.experiment(probes, verify=Verify(exit="any"), scratch=scratch, library=library)
        rehearsed = rehearse(tried, directory, request.files)
        rehearsal = _rehearse_other(request, probes, scratch, library, directory)
        differs = dict(rehearsed.differs)
        uncompared = dict(rehearsed.uncompared)
        usable = [probe for probe in probes if probe.name not in differs]
        samples: Mapping[str, Sequence[Sample]] = {}
        added: Mapping[str, float] = {}
        traced: tuple[Trace, ...] = ()
        contests: tuple[Contest, ...] = ()
        stage = "observe"
        while usable:
            experiment = request.experiment(usable, verify=rehearsed.verify, scratch=scratch, library=library)
            refuse_other_stage(directory, stage, experiment, "observe")
            place = directory / f"{stage}.lab"
            ended = _run(experiment, place, watch)
            later = _read_differing(place)
            differs |= later
            usable = [probe for probe in usable if probe.name not in later]
            if ended:
                samples = _get_samples(place, request, [NONE, *(probe.name for probe in usable)])
                break
            # Under some probes it goes wrong run after run: the others have a record without these.
            stage = f"observe-without-{len(differs)}"
        if usable:
            inside = [probe for probe in usable if probe.inside]
            if request.added and inside:
                alone = request.experiment(
                    inside, verify=Verify(exit=rehearsed.verify.exit), scratch=scratch, library=library
                )
                added = _collect_added(request.counting(alone), directory / "added.lab", watch)
            if rehearsal is not None:
                uncompared |= _check_one_program(rehearsed.verify, rehearsal)
                contests = _get_contests(
                    request, rehearsed, rehearsal, usable, scratch, library, directory, watch
                )
            if request.trace is not None:
                # No more blocks than there was time for; two at least, so that there is a spread.
                measured = min((len(sample[0]) for sample in samples.values()), default=0)
                blocks = max(2, min(request.blocks, measured))
                levels = [NONE, *(probe.name for probe in usable)]
                traced = _trace(request, request.trace, experiment, blocks, levels, directory, watch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    by_probe = _group_by_probe(usable, samples, request)
    probed = tuple(
        Probed(
            probe.name,
            added.get(probe.name),
            tuple(by_probe.get(probe.name, ())),
            differs.get(probe.name),
        )
        for probe in probes
    )
    first = next((sample[0] for sample in samples.values()), None)
    return Observation(
        command=request.command,
        probes=probed,
        correlations=correlations(probed),
        typical={name: _compute_median(by_metric[0]) for name, by_metric in samples.items()},
        within=request.within,
        alpha=request.alpha,
        blocks=len(first) if first else 0,
        seed=request.seed,
        contexts=request.contexts,
        compared=tuple(name for name, _ in _list_contents(rehearsed.verify)),
        uncompared=uncompared,
        versus=request.versus,
        contests=contests,
        any_level=tuple(test for sample in samples.values() if (test := any_level(sample)) is not None),
        trace_ms=None if request.trace is None else request.trace.interval_ms,
        traces=traced,
    )


def _rehearse_other(
    request: ObserveRequest, probes: Sequence[Probe], scratch: Path, library: Path | None, directory: Path
) -> Rehearsal | None:
    """Rehearse the other program, before the first of many runs shows that it cannot be started."""
    if request.versus is None:
        return None
    observe_request = replace(request, command=request.versus, versus=None)
    tried = observe_request.experiment(probes, verify=Verify(exit="any"), scratch=scratch, library=library)
    return rehearse(tried, directory, request.files)


def _list_contents(verify: Verify) -> Iterator[tuple[str, str]]:
    """Name and digest of each stream and file that runs are held to."""
    if verify.stdout_sha256 is not None:
        yield "stdout", verify.stdout_sha256
    if verify.stderr_sha256 is not None:
        yield "stderr", verify.stderr_sha256
    yield from ((expand(name, {}), sha256) for name, sha256 in verify.files.items())


def _find_shared(verify: Verify, second: Verify) -> Verify:
    """Return what runs of both programs are held to."""
    equal = verify.stdout_sha256 == second.stdout_sha256, verify.stderr_sha256 == second.stderr_sha256
    return Verify(
        exit=verify.exit if verify.exit == second.exit else "any",
        stdout_sha256=verify.stdout_sha256 if equal[0] else None,
        stderr_sha256=verify.stderr_sha256 if equal[1] else None,
        files={name: sha256 for name, sha256 in verify.files.items() if second.files.get(name) == sha256},
    )


def _check_one_program(verify: Verify, rehearsal: Rehearsal) -> dict[str, str]:
    """Return what only runs of the first program are held to."""
    both = dict(_list_contents(_find_shared(verify, rehearsal.verify)))
    reason = "not the same, or not the same each time, in runs of the other program"
    return {f"{name} beside --versus": reason for name, _ in _list_contents(verify) if name not in both}


def _get_contests(
    request: ObserveRequest,
    rehearsed: Rehearsal,
    of_other: Rehearsal,
    usable: Sequence[Probe],
    scratch: Path,
    library: Path | None,
    directory: Path,
    watch: Watch,
) -> tuple[Contest, ...]:
    """Both programs without a probe and with each, in blocks of their own.

    All runs are held to what they write and end with, as far as that is the same for both.
    """
    probes = [probe for probe in usable if probe.name not in of_other.differs]
    experiment = request.experiment(
        probes,
        verify=_find_shared(rehearsed.verify, of_other.verify),
        scratch=scratch,
        library=library,
        both=True,
    )
    refuse_other_stage(directory, "versus", experiment, "observe")
    run(experiment, directory / "versus.lab", watch=watch)
    with Record.open(directory / "versus.lab") as record:
        samples = {
            str(sample.treatment.levels["command"]): sample for sample in record.samples(request.metric)
        }
    names = [NONE, *(probe.name for probe in probes)]
    changed = [
        changes(samples[name], [samples[f"{name}{VERSUS}"]], within=request.within, alpha=request.alpha)[0]
        for name in names
    ]
    return reversals(names, changed, alpha=request.alpha)


def find_missing_counters(counters: Sequence[str]) -> list[str]:
    """Find which of these hardware counters, named as in a spec, this machine does not have."""
    missing = str(capabilities()["counters_missing"]).split(",")
    return [name for name in counters if name.partition(":")[0] in missing]


def _refuse_missing(request: ObserveRequest) -> None:
    """Refuse, before the first run, what this machine lacks: counters, or fixed addresses for contexts."""
    if request.trace is not None:
        request.trace.refuse_missing()
    if request.counters and (missing := find_missing_counters(request.counters)):
        raise MachineError(
            f"the counter {missing[0]} is not available on this machine",
            hint="steelyard doctor says which are",
        )
    available = (*BUILTIN, *request.counters)
    if request.metric not in available:
        raise UsageError(f"unknown metric `{request.metric}`", hint=suggest_metric(request.metric, available))
    if request.contexts and (why := INTERVENTIONS["aslr"].missing("off")):
        raise MachineError(
            f"contexts cannot be held on this machine: {why}",
            hint="--one-context measures without drawing contexts",
        )


def _find_library(directory: Path) -> Path:
    """Return the preloaded probe, compiled."""
    library = directory / "preload_counters.so"
    if read_plain(library, most=0) is None:
        # A name that no program could have taken beforehand.
        unfinished = directory / f"preload-{secrets.token_hex(8)}.so"
        command = [
            "cc",
            "-std=c11",
            "-O2",
            "-shared",
            "-fPIC",
            str(INCLUDE / "preload_counters.c"),
            "-o",
            str(unfinished),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ProgramError(
                f"the probe preload cannot be compiled: {done.stderr.strip()[-200:]}", hint="leave it out"
            )
        unfinished.replace(library)
    return library.absolute()


def _run(experiment: Experiment, place: Path, watch: Watch) -> bool:
    """Run to the end, or to where the program goes wrong under a probe each time.

    Raises
    ------
    ProgramError
        It goes wrong without a probe as well, or for another reason.
    """
    try:
        run(experiment, place, watch=watch)
    except ProgramError:
        if not _read_differing(place):
            raise
        return False
    return True


def _read_differing(place: Path) -> dict[str, str]:
    """Return the probes under which some runs did something else than without one.

    Raises
    ------
    ProgramError
        Runs without a probe differ as well.
    """
    attempted: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    reason = ""
    with Record.open(place) as record:
        names = {treatment.id: str(treatment.levels["command"]) for treatment in record.treatments}
        for _, measurement in record.stream_measurements():
            attempted[names[measurement.treatment]] += 1
            failed[names[measurement.treatment]] += measurement.status != "ok"
            if names[measurement.treatment] == NONE:
                reason = reason or measurement.reason or ""
    if failed[NONE]:
        raise ProgramError(
            f"the program without a probe does not do the same each time: {failed[NONE]} of {attempted[NONE]}"
            f" runs write something else or end in another way ({reason})",
            hint="hold what that depends on, such as a seed, so that what a probe changes can be told; --file"
            " NAME compares only files that are named",
        )
    return {
        name: f"in {count} of {attempted[name]} runs it writes something else or ends in another way"
        for name, count in failed.items()
        if count
    }


def _get_samples(place: Path, request: ObserveRequest, levels: Sequence[str]) -> dict[str, list[Sample]]:
    """Metric to the samples of these levels, the baseline first.

    Metrics that are 0 somewhere have no ratio.
    """
    names = dict.fromkeys((request.metric, *ALWAYS, *request.counters))
    with Record.open(place) as record:
        samples_of: dict[str, list[Sample]] = {name: [] for name in names}
        for sample in record.samples(*names):
            samples_of[sample.metric.name].append(sample)
    levels_of = {}
    for name, samples in samples_of.items():
        alike = [item for item in samples if item.treatment.levels["command"] in levels]
        if alike and all(len(item) and min(item.values) > 0 for item in alike):
            levels_of[name] = alike
    return levels_of


def _group_by_probe(
    usable: Sequence[Probe], samples: Mapping[str, Sequence[Sample]], request: ObserveRequest
) -> dict[str, list[Change]]:
    changes_of: dict[str, list[Change]] = {}
    for baseline, *probed in samples.values():
        judged = changes(baseline, probed, within=request.within, alpha=request.alpha)
        for probe, change in zip(usable, judged, strict=True):
            if isinstance(change, Change):
                changes_of.setdefault(probe.name, []).append(change)
    return changes_of


def _collect_added(experiment: Experiment, place: Path, watch: Watch) -> dict[str, float]:
    """Level to the share of instructions that it adds."""
    run(experiment, place, watch=watch)
    with Record.open(place) as record:
        baseline, *samples = record.samples("instructions")
    alone = baseline.values[0]
    return {
        str(sample.treatment.levels["command"]): sample.values[0] / alone - 1
        for sample in samples
        if len(sample)
    }


def _trace(
    request: ObserveRequest,
    tracing: Tracing,
    experiment: Experiment,
    blocks: int,
    levels: Sequence[str],
    directory: Path,
    watch: Watch,
) -> tuple[Trace, ...]:
    place = directory / "traces.lab"
    try:
        run(tracing.experiment(experiment, blocks), place, watch=watch)
    except ProgramError as error:
        cure = f"where readings were cut, a longer interval than --trace {tracing.interval_ms}"
        raise ProgramError(
            f"under perf stat, {error.message}", hint=f"{cure}; else, {error.hint}" if error.hint else cure
        ) from None
    return traces(tracing.runs(place), tracing.events, levels, alpha=request.alpha)


def _compute_median(sample: Sample) -> float:
    from statistics import median

    return median(sample.values)
