"""Gate a change: blocks of processes of base and head until each benchmark is decided or time is up."""

from __future__ import annotations

import math
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import InterruptedRunError, NoReportError, ProgramError, UsageError
from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.allocation import BenchmarkOutlook, choose_next
from steelyard.extensions.gate.layouts import link_anew, refuse_one_layout, split_into_blocks
from steelyard.extensions.gate.plan import Plan, PlannedProgram, Tell, make_plan
from steelyard.extensions.gate.request import ALPHA, GateRequest
from steelyard.extensions.gate.results import Gate, GatedBenchmark, Qualification, Reason, TypicalChange
from steelyard.extensions.gate.revisions import identify
from steelyard.extensions.gate.sides import SIDES, GateSides
from steelyard.extensions.gate.suite import (
    LEAST,
    BenchmarkEvidence,
    BenchmarkJudgement,
    SideValues,
    change_interval,
    compare_sides,
    count_blocks_to_show,
    estimate_blocks,
    judge,
    look_again,
    read_values,
)
from steelyard.extensions.gate.tally import ProcessTally
from steelyard.extensions.gate.trials import Measured, TrialBatch, is_complete, measure
from steelyard.lab.repository.repository import Repository
from steelyard.lab.repository.trees import DIGITS
from steelyard.lab.run.process import interruptible
from steelyard.lab.run.run_loop import Watch
from steelyard.results.comparison import TypicalRatio
from steelyard.results.status import Progress
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.slow_mode import find_slow_runs, runs_to_trust
from steelyard.stats.sequential.looks import Looks

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


class BenchmarkOfSuite(msgspec.Struct):
    """A benchmark of both sides, with what is known of it so far."""

    program: int
    name: str
    title: str
    base: list[float] = []
    head: list[float] = []
    looks: tuple[int, ...] = ()
    closed: int | None = None
    """Blocks at the look that the budget made the last."""
    evidence: BenchmarkEvidence = BenchmarkEvidence()
    is_open: bool = True
    is_next: bool = True
    """Whether it runs until the next look: the budget may be too short for all that are open."""


def gate(
    request: GateRequest,
    repository: Repository | None,
    directory: Path,
    *,
    watch: Watch = lambda _: None,
    tell: Tell = lambda _: None,
    qualification: Qualification | None = None,
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

    Raises
    ------
    UsageError
        An unknown revision, an unrecognised harness, or a budget for fewer than three blocks.
    ProgramError
        A build or a run fails.
    NoReportError
        Nothing can be judged: nothing was printed, it cannot be read, or no benchmark is on both sides.
    InterruptedRunError
        The same call goes on.
    """
    notes = []
    if repository is not None and repository.dirty:
        notes.append("Uncommitted changes are not measured.")
    suite = measure_suite(request, repository, directory, watch=watch, tell=tell)
    return suite.answer(notes, qualification)


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
            suite.measure(watch, tell)
            if request.explain:
                suite.explain(watch, tell)
    except (KeyboardInterrupt, InterruptedRunError):
        # Trees stay, so that the same programs go on.
        raise InterruptedRunError(
            f"interrupted; measurements so far are in {directory}",
            hint=f"the same command goes on, with -o {shlex.quote(str(directory))}",
        ) from None
    except ProgramError:
        # Trees stay, so that what failed can be run in them again.
        raise
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
        self.benchmarks = [
            BenchmarkOfSuite(number, name, self.plan.make_title(program, name))
            for number, program in enumerate(self.plan.programs)
            for name in program.common
        ]
        self.measured_s = 0.0
        self.is_out_of_time = False
        self.reasons: dict[str, Reason] = {}
        """By title, of benchmarks that are slower."""
        self._tally = ProcessTally(request.allow_failures)
        self._sides = sides
        self._directory = directory
        self._pair_s = [entry.pair_s / max(1, len(entry.common)) for entry in self.plan.programs]
        """Seconds of a block for each benchmark that runs in it."""

    @property
    def max_time_s(self) -> float:
        """The budget."""
        if self.request.max_time_s is not None:
            return self.request.max_time_s
        by_defaults_s = (
            SLACK * 2 * sum(map(self.plan.get_default_s, (entry.program for entry in self.benchmarks)))
        )
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

    def measure(self, watch: Watch, tell: Tell) -> None:
        """Run blocks until every benchmark is decided or the budget is spent."""
        total = len(self.benchmarks)
        done = 0
        tell(
            f"{total} benchmark{'s' * (total != 1)} by {self.plan.harness}, at most"
            f" {self.max_time_s:.3g} s of measurement"
        )
        for number, look in enumerate(looks_from(FIRST_LOOK), start=1):
            blocks = self._limit_blocks(look - done, is_first=not done)
            if done + blocks < LEAST:
                break
            is_last = blocks < look - done
            if not blocks:
                break
            for place, program in enumerate(self.plan.programs):
                self._measure_program(number, place, program, blocks, watch)
            done += blocks
            self._judge(is_last=is_last)
            watch(Progress(total - len(self.open), total, self.measured_s, None, "benchmarks decided"))
            if is_last or not self.open:
                break
            self._choose_next()
        if not done:
            raise UsageError(
                f"{self.max_time_s:.3g} s is too short: {LEAST} blocks of this suite take about"
                f" {(LEAST + 1) * self._block_s():.3g} s",
                hint="give it more: --max-time",
            )
        self.is_out_of_time = bool(self.open)

    def _block_s(self) -> float:
        """Seconds of one block of what runs next."""
        if self.plan.chosen.can_filter:
            return sum(self._pair_s[entry.program] for entry in self.next)
        busy = {entry.program for entry in self.next}
        return sum(self._pair_s[entry] * len(self.plan.programs[entry].common) for entry in busy)

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

    def _limit_blocks(self, blocks: int, *, is_first: bool) -> int:
        """Blocks that fit into what is left of the budget, a discarded one before the first included."""
        left_s = self.max_time_s - self.measured_s
        fits = math.floor(left_s / max(self._block_s(), 1e-9)) - is_first
        return max(0, min(blocks, fits))

    def _estimate_outlook(self, benchmark: BenchmarkOfSuite) -> BenchmarkOutlook:
        mean = float(compute_differences(benchmark, self.plan).mean()) if benchmark.base else 0.0
        is_beyond = mean > math.log1p(self.request.margin)
        return BenchmarkOutlook(self.estimate_needed_s(benchmark), is_beyond)

    def _measure_program(
        self, number: int, place: int, program: PlannedProgram, blocks: int, watch: Watch
    ) -> None:
        members = [entry for entry in self.next if entry.program == place]
        if not members:
            return
        record = self._directory / f"{number:03}-{place + 1}.lab"
        names = tuple(entry.name for entry in members) if self.plan.chosen.can_filter else ()
        seed = (self.request.seed or 0) + 1000 * number + place
        batch = TrialBatch(
            self.plan,
            program,
            names,
            record,
            blocks,
            discard=int(number == 1),
            seed=seed,
            timeout_s=self.request.timeout_s,
        )
        for part in split_into_blocks(batch) if self.request.layout else [batch]:
            if self.request.layout and not is_complete(part.directory):
                link_anew(part, self.request, self._sides)
            measured = measure(part, self._sides, watch)
            self.measured_s += measured.seconds
            self._tally.add(measured, part.directory)
            ran = len(members) if names else len(program.common)
            self._pair_s[place] = measured.block_s / max(1, ran)
            for entry in members:
                self._add(entry, measured)

    def _add(self, benchmark: BenchmarkOfSuite, measured: Measured) -> None:
        pairs = measured.pair_values(benchmark.name)
        if not pairs and not benchmark.base:
            raise NoReportError(
                f"{benchmark.title} was reported by one process, and by none of {measured.blocks} blocks",
                hint="run the harness by itself, twice; does it choose its benchmarks by chance?",
            )
        missing = measured.count_missing(benchmark.name)
        if missing:
            # What is left are the blocks in which it went well.
            raise NoReportError(
                f"{benchmark.title}: head did not report it in {missing} of {measured.blocks} blocks",
                hint="see why it is skipped or fails at times; a filter of the harness leaves it out",
            )
        benchmark.base += [base for base, _ in pairs]
        benchmark.head += [head for _, head in pairs]

    def _judge(self, *, is_last: bool) -> None:
        for entry in self.open:
            n = len(entry.base)
            if n < LEAST or (entry.looks and n <= entry.looks[-1]):
                continue
            entry.looks = (*entry.looks, n)
            looks = Looks(entry.looks, n if is_last else None)
            values = get_values(entry, self.plan)
            entry.evidence = look_again(entry.evidence, values, looks, self.request.margin)
            entry.closed = n if is_last else None
        for entry, judged in zip(
            self.benchmarks, judge([entry.evidence for entry in self.benchmarks], ALPHA), strict=True
        ):
            entry.is_open = judged.decision == "open"

    def explain(self, watch: Watch, tell: Tell) -> None:
        """Look for the functions that make benchmarks slower, the slowest first."""
        from steelyard.extensions.gate.explaining import MOST_EXPLAINED, explain_benchmark

        judged = judge([entry.evidence for entry in self.benchmarks], ALPHA)
        slower = [
            entry
            for entry, verdict in zip(self.benchmarks, judged, strict=True)
            if verdict.decision == "slower"
        ]
        slower.sort(key=lambda entry: -float(compute_differences(entry, self.plan).mean()))
        for number, entry in enumerate(slower[:MOST_EXPLAINED], start=1):
            tell(f"explaining {entry.title}")
            self.reasons[entry.title] = explain_benchmark(
                self.plan,
                self.plan.programs[entry.program],
                entry.name,
                self._sides,
                self._directory / f"explained-{number}.lab",
                seed=(self.request.seed or 0) + number,
                watch=watch,
                tell=tell,
            )

    def answer(self, notes: Sequence[str], qualification: Qualification | None) -> Gate:
        """Return what became of every benchmark."""
        request = self.request
        judged = judge([entry.evidence for entry in self.benchmarks], ALPHA)
        entries = [
            describe_benchmark(entry, verdict, self)
            for entry, verdict in zip(self.benchmarks, judged, strict=True)
        ]
        for program in self.plan.programs:
            for side, verdict in zip(SIDES, ("gone", "new"), strict=True):
                entries += [
                    GatedBenchmark(self.plan.make_title(program, name), verdict)  # type: ignore[arg-type]
                    for name in program.list_only(side)
                ]
        return Gate(
            base=request.base if request.are_directories else request.base[:DIGITS],
            head=request.head if request.are_directories else request.head[:DIGITS],
            harness=self.plan.harness,
            command=shlex.join(request.words),
            metric=self.plan.metric,
            unit=self.plan.unit,
            margin=request.margin,
            alpha=ALPHA,
            measured_s=self.measured_s,
            max_time_s=self.max_time_s,
            out_of_time=self.is_out_of_time,
            benchmarks=tuple(entries),
            notes=(*notes, *self._list_notes()),
            qualification=qualification,
        )

    def _list_notes(self) -> list[str]:
        """Return what a reader has to know of the two sides beside verdicts."""
        notes = [*self._note_equal_programs(), *self._note_installed(), *self._note_skipped()]
        if self.request.origin:
            notes.insert(0, self.request.origin)
        if self.request.layout:
            notes.append("Both sides were linked anew for each block, in an order drawn for it.")
        return [*notes, *self._tally.list_notes()]

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
            for name, sides in program.list_skipped().items():
                names = "both sides" if len(sides) == len(SIDES) else sides[0]
                why = program.probes[sides[-1]].skipped[name]
                title = self.plan.make_title(program, name)
                notes.append(
                    f"{title} failed or was skipped on {names} and is not judged{f': {why}' if why else ''}"
                )
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
        blocks = estimate_blocks(
            compute_differences(benchmark, self.plan), self.request.margin, ALPHA / max(1, len(self.open))
        )
        return None if blocks is None else blocks * self._pair_s[benchmark.program]


def get_values(benchmark: BenchmarkOfSuite, plan: Plan) -> SideValues:
    """Return the values of both sides, of all blocks."""
    return read_values(benchmark.base, benchmark.head, is_higher_better=plan.is_higher_better)


def compute_differences(benchmark: BenchmarkOfSuite, plan: Plan) -> Floats:
    """Logarithms of head over base, above 0 where head is worse."""
    return get_values(benchmark, plan).differences


def describe_benchmark(
    benchmark: BenchmarkOfSuite, judged: BenchmarkJudgement, suite: GatedSuite
) -> GatedBenchmark:
    """Return what the answer says of one benchmark."""
    if not benchmark.base:
        return GatedBenchmark(benchmark.title, "open")
    values, margin = get_values(benchmark, suite.plan), suite.request.margin
    compared = compare_sides(values, margin, _choose_looks(benchmark))
    ratio, mean, blocks = compared.speedup, float(values.differences.mean()), values.base.size
    described = GatedBenchmark(
        name=benchmark.title,
        verdict=judged.decision,
        blocks=blocks,
        base=float(np.exp(np.log(benchmark.base).mean())),
        head=float(np.exp(np.log(benchmark.head).mean())),
        change=math.expm1(mean),
        ci95=None if isinstance(ratio, Undefined) else change_interval(ratio),
        p_worse=judged.adjusted.worse,
        p_better=judged.adjusted.better,
        p_equivalent=judged.adjusted.equivalent,
        decided_by=judged.by,
        typical=describe_typical(values, compared.beside),
        reason=suite.reasons.get(benchmark.title),
    )
    if judged.decision != "open":
        return described
    slow = compared.slow if "slow_mode" in compared.flags else None
    return replace(
        described,
        needed_s=suite.estimate_needed_s(benchmark),
        blocks_to_show=count_blocks_to_show(mean, margin, blocks),
        slow_side=None if slow is None else str(slow.treatment.levels["side"]),
        slow_runs=0 if slow is None else slow.runs,
    )


def _choose_looks(benchmark: BenchmarkOfSuite) -> Looks | None:
    """Return the looks at a benchmark, today's included: others of its program may have kept it running."""
    blocks = len(benchmark.base)
    if not benchmark.looks:
        return None
    closed = benchmark.closed if benchmark.closed == blocks else None
    return Looks(tuple(sorted({*benchmark.looks, blocks})), closed)


def describe_typical(values: SideValues, beside: TypicalRatio | None) -> TypicalChange | None:
    """Return what the answer says of a typical run."""
    if beside is None:
        return None
    slow = find_slow_runs(values.base, values.head)
    counts = [int(is_slow.sum()) for is_slow in slow or ()]
    logs = values.differences
    return TypicalChange(
        change=1 / beside.ratio.value - 1,
        ci95=change_interval(beside.ratio),
        slower=int((logs > 0).sum()),
        faster=int((logs < 0).sum()),
        slow_side=SIDES[counts.index(max(counts))] if counts else None,
        slow_runs=max(counts, default=0),
    )
