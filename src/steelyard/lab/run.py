"""Run an experiment to its end, or continue it where it stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Final

from steelyard.design import treatments
from steelyard.errors import InterruptedRunError, MachineError, RecordError
from steelyard.interventions import INTERVENTIONS
from steelyard.lab.conductor import Conductor, Watch
from steelyard.lab.metrics import metrics_of
from steelyard.lab.stopping import End
from steelyard.run.build import Builder
from steelyard.run.host import boot_id, host_facts
from steelyard.run.journal import read_journal
from steelyard.run.launches import Launches
from steelyard.run.observe import Observer
from steelyard.run.provenance import ProgramIdentity, program_identity
from steelyard.run.runner import Runner
from steelyard.run.session import Session
from steelyard.run.strays import end_strays
from steelyard.sample import Treatment
from steelyard.spec.experiment import Experiment
from steelyard.store import Record, RunState
from steelyard.units import Scalar

HOST_KEYS: Final = ("hostname", "cpu_model", "kernel")
"""Host facts that must not change within an experiment without a word."""


def _ignore(_: object) -> None:
    pass


def run(experiment: Experiment, directory: Path, *, spec_text: str = "", watch: Watch = _ignore) -> End:
    """Run ``experiment`` with its record in ``directory``; an unfinished one goes on.

    Parameters
    ----------
    directory : Path
        ``NAME.lab``; made if it does not exist.
    spec_text : str
        Kept beside the record, for people.
    watch : callable
        Told between batches how far it is.

    Returns
    -------
    {"complete", "precision_not_reached"}

    Raises
    ------
    RecordError
        The record belongs to another experiment, is at work in another process, or cannot be written.
    MachineError
        This machine lacks what an intervention or a build needs.
    ProgramError
        A build or a hook failed, a program changed, or three trials in a row of one treatment failed.
    InterruptedRunError
        Ctrl-C or SIGTERM; what was measured is in the record, and calling this again goes on.
    """
    drawn = treatments(experiment)
    _refuse_missing(experiment)
    launches = Launches(experiment, drawn, builds=_build(experiment, drawn))
    identities = [program_identity(path) for path in launches.programs()]
    with _record(experiment, directory, drawn, spec_text, identities) as record:
        finished = _finished(record)
        if finished:
            return finished
        end_strays(record.id)
        run_id = record.begin_run(host_facts(), boot_id())
        state: RunState = "failed"
        try:
            with _interruptible():
                end = _conduct(record, run_id, launches, identities, watch)
                state = end
                return end
        except KeyboardInterrupt:
            state = "interrupted"
            raise InterruptedRunError(
                f"interrupted; what was measured is in {record.directory}",
                hint=f"steelyard run {record.directory}",
            ) from None
        finally:
            record.end_run(run_id, state)


def _refuse_missing(experiment: Experiment) -> None:
    """Before anything runs: whether this machine can do what the factors and contexts ask."""
    asked: list[tuple[str, Scalar]] = [
        (f.name, level) for f in experiment.factors if f.intervention for level in f.levels
    ]
    if experiment.contexts:
        settings = experiment.contexts.settings.items()
        asked += [
            (name, level) for name, level in settings if isinstance(level, str | int) and level != "random"
        ]
    for name, level in asked:
        if what := INTERVENTIONS[name].missing(level):
            raise MachineError(
                f"{name} = {level!r} cannot be had here: {what}",
                hint=f"leave {name} out, or choose another level",
            )


def _build(experiment: Experiment, drawn: Sequence[Treatment]) -> dict[int, Path]:
    if experiment.build is None:
        return {}
    builder = Builder(experiment.build, Path(experiment.source))
    return {treatment.id: builder.build(treatment.levels).directory for treatment in drawn}


@contextmanager
def _record(
    experiment: Experiment,
    directory: Path,
    drawn: Sequence[Treatment],
    spec_text: str,
    identities: Sequence[ProgramIdentity],
) -> Iterator[Record]:
    """A new record, or the one that is there if it belongs to the same experiment and the same programs."""
    program = {identity.path: asdict(identity) for identity in identities}
    if not (directory / "record.sqlite").exists():
        with Record.create(
            directory,
            experiment,
            treatments=drawn,
            metrics=metrics_of(experiment),
            spec_text=spec_text,
            program=program,
        ) as record:
            yield record
        return
    with Record.open(directory, write=True) as record:
        _refuse_other(record, experiment, identities)
        yield record


def _refuse_other(record: Record, experiment: Experiment, identities: Sequence[ProgramIdentity]) -> None:
    if differences := record.changed(experiment):
        shown = "".join(f"\n    {line}" for line in differences)
        raise RecordError(
            f"{record.directory} holds another experiment; the spec differs in:{shown}",
            hint="put the spec back, or measure into a new record: --output NAME.lab"
            f" (or remove this one: rm -r {record.directory})",
        )
    for identity in identities:
        before = record.program.get(identity.path)
        if before is None or before["sha256"] != identity.sha256:
            raise RecordError(
                f"{identity.path} is not the program that {record.directory} has measured so far",
                hint="put the old program back, or measure into a new record: --output NAME.lab",
            )


def _finished(record: Record) -> End | None:
    for run in record.runs():
        match run.state:
            case "complete" | "precision_not_reached":
                return run.state
    return None


def _conduct(
    record: Record, run_id: int, launches: Launches, identities: Sequence[ProgramIdentity], watch: Watch
) -> End:
    experiment = record.experiment
    launches.mark(record.id, metrics_file=record.directory / "metrics")
    observer = Observer(experiment, record.treatments)
    _adopt(record, observer)
    _note_host(record, run_id)
    journal = record.journal_path(run_id)
    hooks = experiment.program
    try:
        with Runner(journal) as runner:
            session = Session(launches, observer, runner, journal)
            session.run_hooks(hooks.setup_once)
            return Conductor(record, run_id, session, identities, watch).conduct()
    finally:
        if hooks.cleanup_once:
            # A runner of its own: the other one may be gone, and this has to be done whatever happened.
            with Runner(journal) as runner:
                Session(launches, observer, runner, journal).run_hooks(hooks.cleanup_once)


def _adopt(record: Record, observer: Observer) -> None:
    """Move what a killed run had measured and not stored."""
    for journal in record.journals():
        raw_trials, offset = read_journal(journal.path, journal.moved_bytes)
        begun = [outcome.block for outcome in record.outcomes() if outcome.state == "planned"]
        record.take(journal.run, observer.measure(raw_trials, begun), journal.name, offset)
        record.drop_journal(journal.name)


def _note_host(record: Record, run_id: int) -> None:
    """A block never spans two boots; another CPU or kernel is a warning that stays with the samples."""
    *earlier, now = record.runs()
    if not earlier:
        return
    before = earlier[-1]
    if before.boot != now.boot:
        begun = [
            o.block.id
            for o in record.outcomes()
            if o.state == "planned" and record.finished_trials(o.block.id)
        ]
        record.set_block_states(dict.fromkeys(begun, "incomplete"))
    for key in HOST_KEYS:
        if before.host.get(key) != now.host.get(key):
            text = (
                f"{key} was {before.host.get(key)!r} and is {now.host.get(key)!r}:"
                " blocks before and after differ in more than time"
            )
            record.add_warning("host_changed", text, run_id)


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends a run as Ctrl-C does. Only the main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
