"""Run an experiment to its end, or continue it where it stopped."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from steelyard.core.counters import find_event
from steelyard.core.errors import InterruptedRunError, ProgramError, RecordError, SteelyardError
from steelyard.core.extension import end_run
from steelyard.core.units import Scalar
from steelyard.design import treatments
from steelyard.files.system import read_host_name
from steelyard.lab.run.confinement import refuse_confinement
from steelyard.lab.run.elsewhere import Elsewhere, find_elsewhere
from steelyard.lab.run.existing_record import (
    differences,
    list_contents,
    refuse_imported,
    refuse_other_experiment,
)
from steelyard.lab.run.extending import add_blocks, find_end, refuse_extending
from steelyard.lab.run.modules import identify_modules
from steelyard.lab.run.nodes import resolve_nodes
from steelyard.lab.run.preflight import refuse_level_commands, refuse_missing
from steelyard.lab.run.process import Background, interruptible
from steelyard.lab.run.programs import build
from steelyard.lab.run.reports import read_reports, refuse_unread
from steelyard.lab.run.restarting import RestartDueError, restart
from steelyard.lab.run.run_loop import RunLoop, Watch
from steelyard.lab.run.stop_rule import End
from steelyard.results.status import Progress
from steelyard.run.host import boot_id, host_facts
from steelyard.run.host.conditions import ConditionReader, compare_conditions
from steelyard.run.host.control_groups import find_control_groups, remove_leftovers
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.launch.provenance import ProgramIdentity, library_identity, program_identity
from steelyard.run.measure.measure import Measurer
from steelyard.run.native import require_linux
from steelyard.run.runner.capabilities import capabilities
from steelyard.run.runner.counter_facts import describe_sources, measure_idle_power
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.level_changes import leave_levels, levels_file
from steelyard.run.runner.runner import CLOSE_TIMEOUT_S, Runner, RunnerDiedError
from steelyard.run.runner.strays import await_end_below, await_writer, end_strays
from steelyard.run.session import RunnerSession
from steelyard.spec.experiment import Experiment
from steelyard.store import Record, RunState
from steelyard.store.facts import FILE
from steelyard.store.rows import metrics_of

ENVIRONMENT: Final = "environment_bytes"
"""Fact of a run: length of the environment that its trials have from the shell."""


class PreparedRun:
    """All that a run needs beside its record: what is launched, by whom, and who is told.

    Raises
    ------
    SteelyardError
        This machine cannot run it, or a program cannot be built.
    """

    def __init__(self, experiment: Experiment, watch: Watch) -> None:
        drawn = treatments(experiment)
        self.experiment = experiment
        self.elsewhere = find_elsewhere(experiment)
        refuse_level_commands(experiment, self.elsewhere)
        refuse_missing(experiment)
        refuse_unread(experiment)
        refuse_confinement(experiment.program)
        self.programs = build(experiment, drawn, watch)
        first, in_context = self.programs.first, self.programs.in_context
        self.launches = LaunchPlan(experiment, drawn, builds=first, built_in=in_context)
        self.launches.check()
        self.identities = [program_identity(path) for path in self.launches.files()]
        if self.elsewhere is None:
            libraries = self.launches.libraries().items()
            self.identities += [library_identity(path, programs) for path, programs in libraries]
        self.watch = watch

    def tell_jobs(self, prefix: str, text: str, done: int = 0, total: int = 1) -> None:
        """Tell the watch what jobs do."""
        self.watch(Progress(done, total, 0.0, None, f"{prefix} ({text})"))


def _discard_progress(_: object) -> None:
    pass


def _do_nothing() -> None:
    pass


def run(
    experiment: Experiment,
    directory: Path,
    *,
    spec_text: str = "",
    watch: Watch = _discard_progress,
    at_end: Callable[[], object] = _do_nothing,
    extend: int | None = None,
) -> End:
    """Run ``experiment`` with its record in ``directory``; an unfinished one goes on.

    Parameters
    ----------
    directory : Path
        ``NAME.lab``; made if it does not exist.
    spec_text : str
        Kept beside the record, for people.
    watch : callable
        Told between batches how far it is.
    at_end : callable
        Called when all trials have ended, and all processes with them, before the record is closed.
    extend : int, optional
        So many complete blocks more than a finished record has; see ``extending``.

    Returns
    -------
    {"complete", "precision_not_reached"}

    Raises
    ------
    RecordError
        The record belongs to another experiment, is at work in another process, or cannot be written.
    UsageError
        ``extend`` of a record that has not ended, or by blocks that do not fit its design.
    MachineError
        This machine lacks what an intervention or a build needs.
    ProgramError
        A build or a hook failed, a program changed, or three trials in a row of one treatment failed.
    InterruptedRunError
        Ctrl-C or SIGTERM; what was measured is in the record, and calling this again goes on.
    """
    with interruptible():
        require_linux()
        refuse_imported(directory)
        prepared = PreparedRun(resolve_nodes(experiment, directory), watch)
        if (finished := _finish(prepared, directory)) and extend is None:
            return finished
        if prepared.elsewhere is not None:
            prepared.elsewhere.check()
        if extend is not None:
            refuse_extending(prepared.experiment, directory, extend, finished=bool(finished))
        try:
            with _record(prepared, directory, spec_text) as record:
                prepared.programs.keep_logs(record.directory / "build")
                _clear_up(record, prepared)
                if extend is not None:
                    add_blocks(record, extend)
                end = _run(record, prepared, at_end)
        except RestartDueError as due:
            # The record is closed: whatever the command does to the machine, nothing is lost.
            raise restart(due.boundary, prepared.launches, directory) from None
        end_run(directory)
        return end


def _run(record: Record, prepared: PreparedRun, at_end: Callable[[], object]) -> End:
    elsewhere = prepared.elsewhere
    # Of what a queue runs, its nodes are the host: they are known once jobs have ended.
    counters = record.experiment.program.counters
    if elsewhere is None:
        facts = host_facts() | describe_sources(counters) | measure_idle_power(counters)
        facts[ENVIRONMENT] = prepared.launches.inherited_bytes
        facts |= ConditionReader().read().facts()
    else:
        facts = {"submitted_from": read_host_name()}
    jobs_before = frozenset() if elsewhere is None else elsewhere.list_jobs(record)
    run_id = record.begin_run({**facts, **prepared.launches.facts()}, boot_id())
    state: RunState = "failed"
    try:
        end = _conduct(record, run_id, prepared)
    except RestartDueError:
        state = "interrupted"
        raise
    except RunnerDiedError:
        state = "died"
        raise
    except KeyboardInterrupt:
        state = "interrupted"
        named = shlex.quote(str(record.directory))
        raise InterruptedRunError(
            f"interrupted; measurements so far are in {record.directory}",
            hint=f"steelyard run {named} goes on; steelyard analyze {named} answers from them",
        ) from None
    else:
        state = end
        at_end()
        return end
    finally:
        # No trial follows that this could disturb. One waits for the kernel, the others for the disk.
        able: dict[str, Scalar] = {}
        trying = Background(lambda: _try_out(able) if elsewhere is None else None)
        trying.start()
        try:
            record.end_run(run_id, state)
            record.tidy()
        finally:
            trying.join()
        if elsewhere is not None:
            able |= elsewhere.describe_nodes(record, jobs_before)
        record.note_host(run_id, able)


def _try_out(able: dict[str, Scalar]) -> None:
    # The trials are over: what cannot be tried is not known, and spoils neither their end nor its message.
    with suppress(SteelyardError, OSError):
        able.update(capabilities())


def _finish(prepared: PreparedRun, directory: Path) -> End | None:
    """Tell how a record of this experiment ended; ``None`` if it has not or does not exist."""
    if not (directory / FILE).exists():
        return None
    with Record.open(directory) as record:
        record.refuse_edited()
        _refuse_other(record, prepared.experiment, prepared.identities)
        if prepared.elsewhere is None:
            prepared.identities += identify_modules(record, prepared.experiment.source)
        return find_end(record)


@contextmanager
def _record(prepared: PreparedRun, directory: Path, spec_text: str) -> Iterator[Record]:
    """Provide a new record, or the one that is there."""
    experiment, drawn = prepared.experiment, prepared.launches.treatments
    program = {identity.path: identity for identity in prepared.identities}
    if not (directory / FILE).exists():
        with Record.create(
            directory,
            experiment,
            treatments=drawn,
            metrics=metrics_of(experiment),
            spec_text=spec_text,
            program=program,
            trials=len(drawn) * experiment.design.replicates * experiment.design.blocks,
        ) as record:
            yield record
        return
    with Record.open(directory, write=True) as record:
        yield record


def _refuse_other(record: Record, experiment: Experiment, identities: Sequence[ProgramIdentity]) -> None:
    refuse_other_experiment(
        record,
        experiment,
        hint="measure into a new record: --output NAME.lab; or put the spec back to continue this one"
        f" ({_describe_alternative(record, experiment)})",
    )
    for identity in identities:
        if not record.program:
            raise RecordError(
                f"what program {record.directory} has measured so far was lost with a damaged record",
                hint="measure into a new record: --output NAME.lab",
            )
        if identity.library_of and not any(facts.get("library_of") for facts in record.program.values()):
            continue  # A record from before libraries were looked at.
        if identity.sha256 not in list_contents(record, identity.path, experiment.source):
            rebuilt = (
                "built elsewhere, it may have other paths in it (compilers leave them out with"
                " -ffile-prefix-map=OLD=NEW); "
                if experiment.build is not None and identity.path not in record.program
                else ""
            )
            raise RecordError(
                f"{identity.path} is not the {identity.kind} that {record.directory} has measured so far",
                hint=f"{rebuilt}put the old {identity.kind} back, or measure into a new record: --output"
                " NAME.lab",
            )


def _describe_alternative(record: Record, experiment: Experiment) -> str:
    """Describe what can be done with the record instead, which depends on what differs."""
    named = shlex.quote(str(record.directory))
    texts = differences(record, experiment)
    if all(line.startswith("claims:") for line in texts):
        return "steelyard check, with the spec, judges other claims without a new run"
    count = experiment.design.blocks - record.experiment.design.blocks
    if count > 0 and len(texts) == 1:
        return f"steelyard run {named} --extend {count} adds as many blocks, once it has ended"
    return f"steelyard run {named} continues it as it was"


def _conduct(record: Record, run_id: int, prepared: PreparedRun) -> End:
    launches = prepared.launches
    experiment = record.experiment
    launches.mark(record.id, metrics_file=record.directory / "metrics")
    measurer = Measurer(launches, read_reports)
    _note_host(record, run_id)
    _note_environment(record, run_id)
    _note_leftovers(record, run_id)
    _note_place(record, prepared, run_id)
    journal = record.journal_path(run_id)
    hooks = experiment.program
    take = partial(record.take, run_id)
    is_clean = False
    try:
        with Runner(journal, close_timeout_s=_close_timeout_s(experiment)) as runner:
            session = RunnerSession(launches, measurer, runner, journal, take)
            has_failed = True
            try:
                session.run_hooks("setup_once", hooks.setup_once)
                if prepared.elsewhere is None:
                    end = RunLoop(record, run_id, session, prepared.identities, prepared.watch).conduct()
                else:
                    session.store(())  # No trial comes here: the journals of jobs take its place.
                    end = _conduct_jobs(record, run_id, prepared, prepared.elsewhere, measurer)
                has_failed = False
                return end
            finally:
                # In the runner that ran setup_once, so that a server which that has started lives until now.
                if runner.accepts_work:
                    session.leave_levels()
                    is_clean = True
                    _clean_up_once(record, run_id, session, has_failed=has_failed)
                    _note_survivors(record, runner, run_id)
    finally:
        launches.remove_root()
        try:
            leave_levels(launches, journal)
        finally:
            if hooks.cleanup_once and not is_clean:
                # A runner of its own: the other one is gone, and this has to be done whatever happened.
                with Runner(journal) as runner:
                    session = RunnerSession(launches, measurer, runner, journal, take)
                    _clean_up_once(record, run_id, session, has_failed=True)


def _clean_up_once(record: Record, run_id: int, session: RunnerSession, *, has_failed: bool) -> None:
    """Run ``cleanup_once``; after a failure, its own must not hide why the run ended, and is a warning."""
    try:
        session.run_hooks("cleanup_once", record.experiment.program.cleanup_once)
    except ProgramError as error:
        if not has_failed:
            raise
        record.add_warning("cleanup_failed", f"after the run had failed, {error.message}", run_id)


def _conduct_jobs(
    record: Record, run_id: int, prepared: PreparedRun, elsewhere: Elsewhere, measurer: Measurer
) -> End:
    """Run the blocks in jobs on other machines."""
    elsewhere.note_shares(record)
    tell = partial(prepared.tell_jobs, "trials")
    queued = elsewhere.open_session(record, run_id, prepared.launches, measurer, tell)
    try:
        return RunLoop(record, run_id, queued, prepared.identities, prepared.watch).conduct()
    finally:
        elsewhere.note_nodes(record, run_id)


def _note_survivors(record: Record, runner: Runner, run_id: int) -> None:
    """Name processes that commands around blocks left; the runner ends them with itself."""
    if survivors := await_end_below(runner.pid):
        text = (
            "commands around blocks left processes, which were ended after the last block:"
            f" {', '.join(survivors)}"
        )
        record.add_warning("left_processes", text, run_id)


def _close_timeout_s(experiment: Experiment) -> float:
    """Seconds that an interrupted runner may take: it leaves each level it has entered, a minute for each."""
    return CLOSE_TIMEOUT_S + 60.0 * len({level.factor for level in experiment.levels if level.leave})


def _clear_up(record: Record, prepared: PreparedRun) -> None:
    """Clear up after an earlier run that was killed.

    Wait for its jobs, end its processes, take over what it measured, give up what it began before the machine
    restarted.
    """
    launches, elsewhere = prepared.launches, prepared.elsewhere
    if elsewhere is not None:
        elsewhere.attach(record, partial(prepared.tell_jobs, "jobs of an earlier run"))
    journals = record.journals()
    for journal in journals:
        # A runner that lives ends what it runs; ended from here, that would be a trial that failed.
        await_writer(journal.path)
    end_strays(record.id)
    measurer = Measurer(launches, read_reports)
    for journal in journals:
        raw_trials, offset = read_journal(journal.path, journal.moved_bytes)
        if elsewhere is not None:
            raw_trials = elsewhere.select_trials(raw_trials, journal, record)
        begun = [outcome.block for outcome in record.outcomes() if outcome.state == "planned"]
        record.take(journal.run, measurer.measure(raw_trials, begun), journal.name, offset)
        record.drop_journal(journal.name)
    for path in sorted((record.directory / "journal").glob(str(levels_file(Path("*"))))):
        leave_levels(launches, path.with_suffix(""))
    earlier = record.runs()
    # Before this run is noted: were it killed in between, the next one would find the same boot and not look.
    if earlier and earlier[-1].boot != boot_id():
        begun = [outcome.block for outcome in record.outcomes() if outcome.state == "planned"]
        record.set_block_states(
            {block.id: "incomplete" for block in begun if record.finished_trials(block.id)}
        )


def _note_place(record: Record, prepared: PreparedRun, run_id: int) -> None:
    """Another directory is a warning too: paths of another length move the stack."""
    moves = [("the spec", record.experiment.source, prepared.experiment.source)]
    places = {facts["sha256"]: path for path, facts in record.program.items()}
    for identity in prepared.identities:
        before, now = places.get(identity.sha256), Path(identity.path)
        if before and identity.path not in record.program and not now.is_relative_to(moves[0][2]):
            moves.append((now.name, str(Path(before).parent), str(now.parent)))
    for name, before, after in moves:
        if len(before) != len(after):
            text = (
                f"{name} was in {before} and is in {after}: blocks before and after differ in the length of"
                " paths"
            )
            record.add_warning("host_changed", text, run_id)


def _note_environment(record: Record, run_id: int) -> None:
    """Another length of what the shell hands on is a warning: the stack lies elsewhere since."""
    first, *later = record.runs()
    before = first.host.get(ENVIRONMENT)
    now = later[-1].host.get(ENVIRONMENT) if later else before
    if before is not None and now != before:
        text = (
            f"the environment of the shell had {before} bytes and has {now}: blocks before and after differ"
            " in where the stack lies; continue from a shell like the first"
        )
        record.add_warning("host_changed", text, run_id)


def _note_leftovers(record: Record, run_id: int) -> None:
    """Remove control groups that a killed run left, where this one makes its own, and name them."""
    if not any(find_event(name)[0].source == "tree" for name in record.experiment.program.counters):
        return
    base = find_control_groups().base
    removed = [] if base is None else remove_leftovers(base)
    if removed:
        text = f"removed control groups that a killed run left: {', '.join(map(str, removed))}"
        record.add_warning("left_groups", text, run_id)


def _note_host(record: Record, run_id: int) -> None:
    """Another machine, or other settings and limits of it, is a warning that stays with the samples."""
    first, *later = record.runs()
    if not later:
        return
    now = later[-1]
    for difference in compare_conditions(first.host, now.host):
        text = (
            f"{difference.name} was {difference.old} and is {difference.new}:"
            " blocks before and after differ in more than time"
        )
        record.add_warning("host_changed", text, run_id)
