"""Gate a change: blocks of processes of base and head until each benchmark is decided or time is up."""

from __future__ import annotations

import datetime as dt
import math
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import InterruptedRunError, NoReportError, ProgramError
from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.allocation import BenchmarkOutlook, choose_next
from steelyard.extensions.gate.benchmark import REMOVED, BenchmarkOfSuite
from steelyard.extensions.gate.description import describe_benchmark
from steelyard.extensions.gate.disturbance import note_order, note_states, wait_quiet
from steelyard.extensions.gate.layouts import link_anew, refuse_one_layout, split_into_blocks
from steelyard.extensions.gate.plan import Plan, PlannedProgram, Tell, has_memory, make_plan
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import Gate, GatedBenchmark, Qualification, Reason, Verdict
from steelyard.extensions.gate.revisions import identify
from steelyard.extensions.gate.sides import SIDES, GateSides, Side
from steelyard.extensions.gate.suite import LEAST, BenchmarkJudgement, judge
from steelyard.extensions.gate.tally import ProcessTally
from steelyard.extensions.gate.trials import Measured, TrialBatch, is_complete, measure
from steelyard.extensions.gate.turns import TurnTally
from steelyard.extensions.gate.waivers import apply_waivers, load_accepted
from steelyard.extensions.repository.repository import Repository
from steelyard.extensions.repository.trees import DIGITS
from steelyard.lab.run.process import interruptible
from steelyard.lab.run.run_loop import Watch, watch_part
from steelyard.results.status import Progress
from steelyard.stats.compare.slow_mode import runs_to_trust

FIRST_LOOK: Final = 6
"""Blocks after which verdicts are looked at for the first time."""
SLACK: Final = 1.5
"""Default budget over what the harness takes for both sides by its own defaults."""
LEAST_S: Final = 20.0
"""The shortest default budget."""
LEAST_BLOCKS: Final = 20
"""Blocks for which a default budget is enough, if no more are needed to see slow runs."""
SPARE_BLOCKS: Final = 3
"""Beside those: the discarded one, and one more for a change that is not 0."""


def gate(
    request: GateRequest,
    repository: Repository | None,
    directory: Path,
    *,
    watch: Watch = lambda _: None,
    tell: Tell = lambda _: None,
    qualification: Qualification | None = None,
    notes: Sequence[str] = (),
) -> Gate:
    """Gate, or go on where a gate was interrupted.

    Parameters
    ----------
    repository : Repository or None
        ``None`` where the request names directories.
    directory : Path
        Where the records are kept, and the work trees until the end.
    qualification : Qualification or None
        To state with the answer.
    notes : sequence of str
        To state with it, too: what was chosen for the user.

    Raises
    ------
    UsageError
        An unknown revision, an unrecognised harness, a metric that no benchmark reports, or a file of waivers
        that is not understood.
    ProgramError
        A build or a run fails.
    NoReportError
        Nothing can be judged: nothing was printed, it cannot be read, or no benchmark is on both sides.
    InterruptedRunError
        The same call goes on.
    """
    is_dirty = repository is not None and repository.dirty
    accepted = load_accepted(request, repository)
    request = replace(request, renames=accepted.renames)
    suite = measure_suite(request, repository, directory, watch=watch, tell=tell)
    sentences = [*notes, *(["Uncommitted changes are not measured."] if is_dirty else [])]
    today = dt.datetime.now(dt.UTC).date()
    return apply_waivers(suite.answer(sentences, qualification), accepted.waivers, today)


def measure_suite(
    request: GateRequest, repository: Repository | None, directory: Path, *, watch: Watch, tell: Tell
) -> GatedSuite:
    """Measure, or go on where that was interrupted; errors are those of ``gate``."""
    request = identify(request, repository).keep_in(directory)
    with request.lock(directory):
        return _measure_in(directory, request, GateSides(request, repository, directory), watch, tell)


def _measure_in(
    directory: Path, request: GateRequest, sides: GateSides, watch: Watch, tell: Tell
) -> GatedSuite:
    try:
        with interruptible():
            suite = GatedSuite(request, sides, directory, tell)
            if request.wait_quiet_s is not None and suite.open:
                suite.not_quiet = wait_quiet(request.wait_quiet_s, tell)
            suite.measure(watch, tell)
            if request.explain:
                suite.explain(watch, tell)
    except (KeyboardInterrupt, InterruptedRunError):
        # Trees stay, so that the same programs go on.
        raise InterruptedRunError(
            f"interrupted; measurements so far are in {directory}",
            hint=f"the same command goes on, with -o {shlex.quote(str(directory))}",
        ) from None
    except (NoReportError, ProgramError) as error:
        # Trees stay, so that what failed can be run in them again.
        hints = [*([error.hint] if error.hint else []), f"to remove the trees: {sides.describe_removal()}"]
        raise type(error)(error.message, hint="\n      ".join(hints)) from None
    except BaseException:
        sides.remove()
        raise
    sides.remove()
    for built in ("cache", "programs"):
        shutil.rmtree(directory / built, ignore_errors=True)
    return suite


class GatedSuite:
    """The benchmarks of a gate; its state is what its records hold."""

    def __init__(self, request: GateRequest, sides: GateSides, directory: Path, tell: Tell) -> None:
        self.request = request
        self.plan: Plan = make_plan(request, sides, directory, tell)
        if request.layout:
            refuse_one_layout(request, self.plan.chosen)
        self.benchmarks = _list_benchmarks(self.plan, request.margin)
        self.measured_s = 0.0
        self.is_out_of_time = False
        self.reasons: dict[str, Reason] = {}
        """By title, of benchmarks that are slower."""
        self.not_quiet: str | None = None
        """What to say of a machine that was never quiet before the gate began."""
        self._unexplained: str | None = None
        self._tally = ProcessTally(request.allow_failures)
        self._turns = TurnTally()
        self._sides = sides
        self._directory = directory
        self._pair_s = [
            entry.pair_s / max(1, len(self.plan.list_common(place)))
            for place, entry in enumerate(self.plan.programs)
        ]
        """Seconds of a block for each benchmark that runs in it."""

    @property
    def max_time_s(self) -> float:
        """The budget."""
        if self.request.max_time_s is not None:
            return self.request.max_time_s
        programs = [program for program, _ in {(entry.program, entry.name) for entry in self.benchmarks}]
        by_defaults_s = SLACK * 2 * sum(map(self.plan.get_default_s, programs))
        blocks = max(LEAST_BLOCKS, SPARE_BLOCKS + runs_to_trust(math.log1p(self.request.margin)))
        blocks_s = blocks * sum(entry.pair_s for entry in self.plan.programs)
        return max(LEAST_S, by_defaults_s, blocks_s)

    @property
    def open(self) -> list[BenchmarkOfSuite]:
        """Benchmarks that are not decided."""
        return [entry for entry in self.benchmarks if entry.is_open]

    @property
    def next(self) -> list[BenchmarkOfSuite]:
        """Benchmarks that run until the next look."""
        return [entry for entry in self.open if entry.is_next]

    @property
    def judged(self) -> list[BenchmarkOfSuite]:
        """Benchmarks of metrics that decide; others are only shown."""
        return [entry for entry in self.benchmarks if not entry.metric.is_reported]

    def measure(self, watch: Watch, tell: Tell) -> None:
        """Run blocks until every benchmark is decided or the budget is spent."""
        total = len(self.benchmarks)
        done = 0
        tell(
            f"{total} benchmark{'s' * (total != 1)} by {self.plan.harness}, at most"
            f" {self.max_time_s:.3g} s of measurement"
        )
        self._judge(is_last=False)
        for number, look in enumerate(looks_from(FIRST_LOOK), start=1):
            if not self.open:
                break
            if not done:
                self._choose_first()
            if not self.next:
                break
            confirming = 0 if done else self._count_confirming()
            planned = confirming or look - done
            blocks = self._limit_blocks(planned, discard=int(not done and not confirming))
            if done + blocks < min(LEAST, done + planned):
                break
            is_last = blocks < planned
            if not blocks:
                break
            for place, program in enumerate(self.plan.programs):
                self._measure_program(
                    number, place, program, blocks, watch, discard=int(not done and not confirming)
                )
            done += blocks
            self._judge(is_last=is_last)
            watch(Progress(total - len(self.open), total, self.measured_s, None, "benchmarks decided"))
            if is_last:
                break
            self._choose_next()
        self.is_out_of_time = bool(self.open)

    def _count_confirming(self) -> int:
        """Count the blocks that confirm counts which differ; 0 where anything else is open, too.

        A count has no warm-up, so none of these blocks is discarded.
        """
        if not all(entry.is_exact for entry in self.open):
            return 0
        suite = len(self.judged)
        return max((entry.estimate_needed(suite, self.request.alpha) or 0 for entry in self.open), default=0)

    def _choose_first(self) -> None:
        """Choose as many as have a look within the budget, first come first.

        Counts that differ and repeat come before all others, where that is all that fits: few processes
        confirm them, whatever times need.
        """
        if not self.plan.chosen.can_filter:
            return
        differing = {(entry.program, entry.name) for entry in self.open if entry.is_exact}
        if differing and (FIRST_LOOK + 1) * self._block_s() > self.max_time_s:
            for entry in self.open:
                entry.is_next = (entry.program, entry.name) in differing
            return
        block_s = self.max_time_s / (LEAST + 1)
        chosen: set[tuple[int, str]] = set()
        for entry in self.open:
            cost_s = 0.0 if (entry.program, entry.name) in chosen else self._pair_s[entry.program]
            entry.is_next = cost_s <= block_s
            if entry.is_next:
                block_s -= cost_s
                chosen.add((entry.program, entry.name))

    def _block_s(self) -> float:
        """Seconds of one block of what runs next."""
        if self.plan.chosen.can_filter:
            return sum(
                self._pair_s[program] for program, _ in {(entry.program, entry.name) for entry in self.next}
            )
        busy = {entry.program for entry in self.next}
        return sum(self._pair_s[place] * len(self.plan.list_common(place)) for place in busy)

    def _choose_next(self) -> None:
        """Choose what runs until the next look; all that is open where the harness cannot filter."""
        if not self.plan.chosen.can_filter:
            return
        entries = self.open
        chosen = choose_next(
            [self._estimate_outlook(entry) for entry in entries], self.max_time_s - self.measured_s
        )
        for entry, is_next in zip(entries, chosen, strict=True):
            entry.is_next = is_next

    def _limit_blocks(self, blocks: int, *, discard: int) -> int:
        """Blocks that fit into what is left of the budget, beside those that are discarded."""
        left_s = self.max_time_s - self.measured_s
        fits = math.floor(left_s / max(self._block_s(), 1e-9)) - discard
        return max(0, min(blocks, fits))

    def _estimate_outlook(self, benchmark: BenchmarkOfSuite) -> BenchmarkOutlook:
        if not benchmark.is_exact and len(benchmark.base) < LEAST:
            return BenchmarkOutlook(FIRST_LOOK * self._pair_s[benchmark.program], is_waiting=True)
        return BenchmarkOutlook(self.estimate_needed_s(benchmark), benchmark.seems_worse)

    def _measure_program(
        self, number: int, place: int, program: PlannedProgram, blocks: int, watch: Watch, *, discard: int
    ) -> None:
        members = [entry for entry in self.next if entry.program == place]
        if not members:
            return
        record = self._directory / f"{number:03}-{place + 1}.lab"
        common = self.plan.list_common(place)
        names = tuple(dict.fromkeys(entry.name for entry in members))
        names = names if self.plan.chosen.can_filter else ()
        # Counts that repeat are held against every process that has them.
        beside = [
            entry
            for entry in self.benchmarks
            if entry.program == place and entry.is_exact and entry not in members
        ]
        ran = {*(names or common)}
        seed = (self.request.seed or 0) + 1000 * number + place
        batch = TrialBatch(
            self.plan,
            program,
            names,
            record,
            blocks,
            discard=discard,
            seed=seed,
            timeout_s=self.request.timeout_s,
            metrics=tuple(
                metric for metric in self.plan.metrics if not ran.isdisjoint(program.list_common(metric.name))
            ),
            has_memory=has_memory(self.request),
        )
        parts = split_into_blocks(batch) if self.request.layout else [batch]
        for done, part in enumerate(parts):
            if self.request.layout and not is_complete(part.directory):
                link_anew(part, self.request, self._sides)
            measured = measure(part, self._sides, watch_part(watch, done, len(parts)))
            self.measured_s += measured.seconds
            self._tally.add(measured, part.directory)
            self._turns.add(place, measured.samples)
            self._pair_s[place] = measured.block_s / max(1, len(ran))
            for entry in (*members, *(entry for entry in beside if entry.name in ran)):
                self._add(entry, measured)

    def _add(self, benchmark: BenchmarkOfSuite, measured: Measured) -> None:
        pairs = measured.pair_values(benchmark.metric.name, benchmark.name)
        if not pairs and not benchmark.base:
            raise NoReportError(
                f"{benchmark.title} was reported by one process, and by none of {measured.blocks} blocks",
                hint="run the harness by itself, twice; does it choose its benchmarks by chance, or report"
                " nan?",
            )
        missing = measured.count_missing(benchmark.metric.name, benchmark.name)
        if missing:
            # What is left are the blocks in which it went well.
            raise NoReportError(
                f"{benchmark.title}: head did not report it in {missing} of {measured.blocks} blocks",
                hint="see why it is skipped or fails at times; a filter of the harness leaves it out",
            )
        benchmark.add(pairs)

    def _judge(self, *, is_last: bool) -> None:
        for entry in self.judged:
            entry.look(is_last=is_last)
        for entry, verdict in zip(self.judged, self.judge(), strict=True):
            entry.is_open = verdict.decision == "open" and entry.trouble is None
        for entry in self.benchmarks:
            if entry.metric.is_reported and entry.is_open:
                entry.is_open = not entry.is_exact and len(entry.base) < FIRST_LOOK

    def judge(self) -> list[BenchmarkJudgement]:
        """Return verdicts of all that are judged, one family over the metrics, in the order of ``judged``."""
        return judge([entry.evidence for entry in self.judged], self.request.alpha)

    def explain(self, watch: Watch, tell: Tell) -> None:
        """Look for the functions that make benchmarks slower, the slowest first."""
        from steelyard.extensions.gate.explaining import MOST_EXPLAINED, explain_benchmark

        slower = [
            entry
            for entry, verdict in zip(self.judged, self.judge(), strict=True)
            if verdict.decision == "slower" and entry.has_ratio and entry.metric.unit == "s"
        ]
        if not slower:
            is_open = any(verdict.decision == "open" for verdict in self.judge())
            cure = "; what is open is not: give it more time, --max-time" if is_open else ""
            self._unexplained = f"--explain: only slower benchmarks are explained, and none is slower{cure}."
        slower.sort(key=lambda entry: -float(entry.differences.mean()))
        for number, entry in enumerate(slower[:MOST_EXPLAINED], start=1):
            tell(f"explaining {entry.title}")
            self.reasons[entry.title] = explain_benchmark(
                self.plan,
                entry.metric,
                self.plan.programs[entry.program],
                entry.name,
                self._sides,
                self._directory / f"explained-{number}.lab",
                gate=self.request,
                seed=(self.request.seed or 0) + number,
                watch=watch,
                tell=tell,
            )

    def answer(self, notes: Sequence[str], qualification: Qualification | None) -> Gate:
        """Return what became of every benchmark."""
        request = self.request
        verdicts = iter(self.judge())
        entries = []
        for benchmark in self.benchmarks:
            verdict = None if benchmark.metric.is_reported else next(verdicts)
            described = describe_benchmark(benchmark, verdict)
            needed_s = self.estimate_needed_s(benchmark) if described.verdict == "open" else None
            reason = self.reasons.get(benchmark.title) if benchmark.metric.unit == "s" else None
            entries.append(replace(described, needed_s=needed_s, reason=reason))
        entries += [*_list_identical(self.plan), *_list_unpaired(self.plan), *_list_troubles(self.plan)]
        return Gate(
            base=request.base if request.are_directories else request.base[:DIGITS],
            head=request.head if request.are_directories else request.head[:DIGITS],
            harness=self.plan.harness,
            command=shlex.join(request.words),
            metrics=self.plan.metrics,
            margin=request.margin,
            alpha=request.alpha,
            measured_s=self.measured_s,
            max_time_s=self.max_time_s,
            out_of_time=self.is_out_of_time,
            benchmarks=tuple(entries),
            notes=(*notes, *self._list_notes()),
            qualification=qualification,
            shard=self.plan.shard,
            unchanged=request.unchanged,
            scope="layouts" if self.request.layout else "session" if self.is_same_build else "builds",
        )

    def _list_notes(self) -> list[str]:
        """Return what a reader has to know of the two sides beside verdicts."""
        notes = [*self._note_equal_programs(), *self._note_installed(), *self._note_skipped()]
        if self.plan.is_first:
            notes.append("base has no benchmark that this command chooses: all are new, none is compared.")
        notes += self.plan.note_renames(self.request.renames)
        if self.request.origin:
            notes.insert(0, self.request.origin)
        if self._unexplained is not None:
            notes.append(self._unexplained)
        if self.request.layout:
            notes.append("Both sides were linked anew for each block, in an order drawn for it.")
        if self.open and not any(entry.base for entry in self.benchmarks):
            notes.append(
                f"{self.max_time_s:.3g} s is too short: {LEAST} blocks of this suite take about"
                f" {(LEAST + 1) * sum(entry.pair_s for entry in self.plan.programs):.3g} s; give it more:"
                " --max-time."
            )
        notes += self._turns.list_notes(self._make_title)
        undecided = [entry for entry in self.judged if entry.is_open]
        if self.not_quiet is not None:
            notes.append(self.not_quiet)
        return [*notes, *self._tally.list_notes(), *note_states(undecided), *note_order(undecided)]

    def _make_title(self, program: int, name: str) -> str:
        """Return the title of a benchmark, or of those of a process that is measured itself."""
        titles = [name] if name else self.plan.list_common(program)
        return ", ".join(self.plan.make_title(self.plan.programs[program], title) for title in titles)

    def _note_installed(self) -> list[str]:
        names = dict.fromkeys(entry.installed for entry in self.plan.programs if entry.installed)
        return [
            f"{name} is installed, and one program for base and head: they differ only in what it reads from"
            f" their trees. One that is built there is named by its path: ./{Path(name).name}"
            for name in names
        ]

    def _note_skipped(self) -> list[str]:
        notes = []
        for program in self.plan.programs:
            for name, reasons in program.list_skipped().items():
                sides, why = _name_sides(reasons)
                title = self.plan.make_title(program, name)
                notes.append(
                    f"{title} failed or was skipped on {sides} and is not judged{f': {why}' if why else ''}"
                )
            metrics = (metric.name for metric in self.plan.metrics)
            for (name, metric), reasons in program.list_numberless(metrics).items():
                sides, why = _name_sides(reasons)
                title = self.plan.make_title(program, name)
                notes.append(f"{title} is not judged by {metric}: {why} on {sides}")
        return notes

    @property
    def is_same_build(self) -> bool:
        """Whether all programs of both sides are the same files, linked once."""
        return not self.request.layout and all(program.is_same_file for program in self.plan.programs)

    def _note_equal_programs(self) -> list[str]:
        equal = [entry.name or self.plan.harness for entry in self.plan.programs if entry.is_same]
        if not equal or self.request.is_null:
            return []
        names = ", ".join(equal)
        text = (
            f"{names}: base and head built the same file, byte by byte; if their sources differ in what is"
            " measured, see whether the build takes them up."
        )
        return [text]

    def estimate_needed_s(self, benchmark: BenchmarkOfSuite) -> float | None:
        """Seconds that would probably decide a benchmark that is open."""
        blocks = benchmark.estimate_needed(len(self.open), self.request.alpha)
        return None if blocks is None else blocks * self._pair_s[benchmark.program]


def _list_benchmarks(plan: Plan, varying_margin: float) -> list[BenchmarkOfSuite]:
    """Return every metric of every benchmark of both sides; a time of 0 is one that cannot be judged."""
    benchmarks = []
    for place, program in enumerate(plan.programs):
        if program.is_identical:
            continue
        names = [(name, metric) for name in plan.list_common(place) for metric in plan.metrics]
        for name, metric in names:
            if name not in program.list_common(metric.name):
                continue
            base, head = (program.probes[side].values[metric.name][name] for side in SIDES)
            title = plan.make_title(program, name)
            entry = BenchmarkOfSuite(place, name, title, metric, varying_margin, (base, head))
            if not metric.is_count and any(value is not None and value <= 0 for value in (base, head)):
                entry.refuse(REMOVED)
            benchmarks.append(entry)
    return benchmarks


def _name_sides(reasons: Mapping[Side, str]) -> tuple[str, str]:
    """Return the sides of reasons in words, and the last reason."""
    sides = [*reasons]
    return "both sides" if len(sides) == len(SIDES) else sides[0], reasons[sides[-1]]


def _list_identical(plan: Plan) -> list[GatedBenchmark]:
    """Return benchmarks of programs that are one on both sides, once each: nothing of them is measured."""
    metric = plan.metrics[0]
    return [
        GatedBenchmark(plan.make_title(program, name), "identical", metric=metric.name, margin=metric.margin)
        for place, program in enumerate(plan.programs)
        if program.is_identical
        for name in plan.list_common(place)
    ]


def _list_unpaired(plan: Plan) -> list[GatedBenchmark]:
    """Return what only one side reports: a benchmark once, where all of its metrics are on one side."""
    verdicts: tuple[Verdict, Verdict] = ("gone", "new")
    entries = []
    for place, program in enumerate(plan.programs):
        common = plan.list_common(place)
        for side, verdict in zip(SIDES, verdicts, strict=True):
            listed = set(common)
            for metric in plan.metrics:
                names = program.list_only(metric.name, side)
                entries += [
                    GatedBenchmark(plan.make_title(program, name), verdict, metric=metric.name)
                    for name in names
                    if not metric.is_reported and (name in common or name not in listed)
                ]
                listed.update(names)
    return entries


def _list_troubles(plan: Plan) -> list[GatedBenchmark]:
    """Return programs that cannot run: each is open, and named; of several shards, by the first."""
    metric = plan.metrics[0]
    if plan.shard is not None and plan.shard.number > 1:
        return []
    return [
        GatedBenchmark(
            program.name, "open", metric=metric.name, margin=metric.margin, trouble=program.trouble
        )
        for program in plan.programs
        if program.trouble is not None
    ]
