"""``Gate``: what became of every benchmark of a suite, base against head.

Its document is ``steelyard/gate``. History: version 1, the first; ``reason`` came later. Version 2 has
several metrics, and a change has the sign of its metric: a throughput that falls is below 0; ``shard`` and
``scope`` came later.
"""

from __future__ import annotations

import datetime as dt
from typing import Final, Literal

import msgspec

from steelyard.core.units import BUILTIN, Better
from steelyard.results.comparison import Decider
from steelyard.results.document import Format
from steelyard.results.interval import Interval

Scope = Literal["builds", "layouts", "session"]
"""Whose an error rate is: of the two builds that were measured, of layouts that were drawn for each block,
or, where both sides are the same file, of the session."""
Verdict = Literal["slower", "faster", "equivalent", "open", "new", "gone", "reported", "waived", "identical"]
"""``slower``, ``faster``: worse and better, of a metric that is no time. ``equivalent``: within the margin.
``open``: not decided when time was up. ``new`` and ``gone``: only head or only base has the benchmark.
``reported``: of a metric that is only shown. ``waived``: worse, and accepted on purpose.
``identical``: both sides are the same program, byte for byte, and no file that it could read differs."""

ORDER: Final[tuple[Verdict, ...]] = (
    "slower",
    "gone",
    "open",
    "waived",
    "faster",
    "new",
    "equivalent",
    "identical",
    "reported",
)
"""Verdicts, those that a reader has to act on first."""


class GatedMetric(msgspec.Struct, frozen=True):
    """A metric of a gate.

    Attributes
    ----------
    name, unit : str
    better : {"lower", "higher", "neither"}
    margin : float
        Changes up to this are equivalent; 0 of a count that may not change.
    is_reported : bool
        It is only shown, and decides nothing.
    """

    name: str
    unit: str
    better: Better
    margin: float = 0.0
    is_reported: bool = False

    @property
    def is_count(self) -> bool:
        """Whether a harness counted it, so that it may repeat to the digit: no time, and no rate."""
        return self.unit != "s" and not self.unit.endswith("/s") and self.name not in BUILTIN


class Waiver(msgspec.Struct, frozen=True):
    """A change for the worse that is accepted on purpose.

    Attributes
    ----------
    benchmark, metric : str
        As the file of waivers spells them.
    ceiling : float
        Relative change up to which it is accepted: 0.2 is a time 20 % above that of base.
    reason : str
    until : date
        The last day on which it holds.
    """

    benchmark: str
    metric: str
    ceiling: float
    reason: str
    until: dt.date


class TypicalChange(msgspec.Struct, frozen=True):
    """The change of a typical run of one benchmark, which no single far run can turn over.

    Attributes
    ----------
    change : float
        Of the metric, as that of the mean.
    ci95 : Interval or None
        Of this benchmark alone; ``None`` of too few blocks.
    slower, faster : int
        Blocks in which head took longer, and less.
    slow_side, slow_runs : str or None, int
        ``base`` or ``head`` where one of both has slow runs and the other none, and how many.
    """

    change: float
    ci95: Interval | None
    slower: int
    faster: int
    slow_side: str | None = None
    slow_runs: int = 0


class ExplainedFunction(msgspec.Struct, frozen=True):
    """A function that makes a benchmark slower or faster.

    Attributes
    ----------
    place : str
        File and line, or library.
    value : float
        What it adds, as a fraction of the time of base.
    ci95 : Interval or None
        Given that it is named.
    """

    name: str
    place: str
    value: float
    ci95: Interval | None


class Reason(msgspec.Struct, frozen=True):
    """Why a benchmark is slower.

    Attributes
    ----------
    text : str
        What sampling did; or why no function is named.
    functions : tuple of ExplainedFunction
        The largest first.
    validations : tuple of str
        With ``--validate``: what became of each that was put to the test.
    """

    text: str
    functions: tuple[ExplainedFunction, ...] = ()
    validations: tuple[str, ...] = ()


class GatedBenchmark(msgspec.Struct, frozen=True):
    """One benchmark of the suite.

    Attributes
    ----------
    name : str
        As the harness spells it; behind the name of its program where there are several.
    blocks : int
        In which both revisions ran it.
    base, head : float or None
        Geometric means in the unit of the metric; of counts of which one is 0, arithmetic ones; ``None``
        where there is none.
    change : float or None
        Of the metric, head relative to base: 0.06 is a time 6 % slower, -0.06 a throughput that fell by 6 %.
        ``None`` where base is 0.
    ci95 : Interval or None
        Of ``change``, of this benchmark alone.
    p_worse, p_better, p_equivalent : float or None
        Adjusted over looks and over the suite (Holm): of "not slower by more than the margin", "not faster by
        more than it", "not within it".
    needed_s : float or None
        Of one that is open: seconds of further measurement that would probably decide it.
    decided_by : {"mean", "typical"} or None
        What decided; ``None`` where nothing did.
    typical : TypicalChange or None
        ``None`` where nothing was measured.
    reason : Reason or None
        With ``--explain``, of one that is slower.
    blocks_to_show : int or None
        Of one that is open, lies within the margin and has fewer blocks: those from which on a mode of slow
        runs that carries it over the margin would have shown.
    slow_side, slow_runs : str or None, int
        Of one that slow runs of unknown share leave open: the side that has them, and how many.
    metric : str
        Of the metrics of the gate.
    margin : float
        With which it was judged: that of the metric, or of times where a count without margin varies.
    is_exact : bool
        It was the same number in all processes of a side, so that the change is no estimate.
    processes : int
        Of one that is exact: of each side, in which it was that number.
    trouble : str or None
        Why one that is open cannot be judged.
    waiver : Waiver or None
        Of one that is waived.
    """

    name: str
    verdict: Verdict
    blocks: int = 0
    base: float | None = None
    head: float | None = None
    change: float | None = None
    ci95: Interval | None = None
    p_worse: float | None = None
    p_better: float | None = None
    p_equivalent: float | None = None
    needed_s: float | None = None
    decided_by: Decider | None = None
    typical: TypicalChange | None = None
    reason: Reason | None = None
    blocks_to_show: int | None = None
    slow_side: str | None = None
    slow_runs: int = 0
    metric: str = ""
    margin: float = 0.0
    is_exact: bool = False
    processes: int = 0
    trouble: str | None = None
    waiver: Waiver | None = None


class Qualification(msgspec.Struct, frozen=True):
    """What the gate does on this machine with two builds of one source, measured as in a gate.

    Benchmarks of one session share its minutes: bounds count sessions, and not verdicts.

    Attributes
    ----------
    machine : str
        Digest of the facts by which a machine is known.
    margin : float
        With which it was measured.
    red : int
        Sessions in which some benchmark was "slower", so that the gate was red.
    red_bound : float
        Upper 95 % confidence bound of the rate of red gates.
    verdicts : int
        Benchmarks times sessions.
    alarms : int
        Verdicts "slower" or "faster", all of which are wrong.
    alarm_sessions : int
        Sessions that had one.
    alarm_bound : float
        Upper 95 % confidence bound of the probability of a wrong verdict in one gate.
    floor : float
        95 % quantile of the differences between the two sides that the sessions showed, as a magnitude.
    is_same_build : bool
        Both sides were the same file in all sessions: then ``floor`` is the noise of runs, and says nothing
        of builds.
    slow_down : float
        Planted in each value of head.
    detected : int
        Verdicts "slower" with the slow-down planted.
    full_sessions : int
        Sessions in which it was detected in all benchmarks.
    detected_bound : float
        Lower 95 % confidence bound of the probability to detect it in all benchmarks of a gate.
    session_s : float
        Mean seconds that a session measured.
    """

    machine: str
    date: str
    harness: str
    margin: float
    sessions: int
    red: int
    red_bound: float
    verdicts: int
    alarms: int
    alarm_sessions: int
    alarm_bound: float
    floor: float
    is_same_build: bool
    slow_down: float
    detected: int
    full_sessions: int
    detected_bound: float
    session_s: float


class Shard(msgspec.Struct, frozen=True):
    """One job of several that gate a suite together.

    Attributes
    ----------
    number, count : int
        Which of how many, from 1.
    suite : int
        Benchmarks of all shards together, those of one side alone included; 0 in a request.
    rows : int
        Benchmarks of this shard, each of which has a row; 0 in a request.
    unmatched : tuple of str
        Waivers of benchmarks that are in no row of this shard.
    """

    number: int
    count: int
    suite: int = 0
    rows: int = 0
    unmatched: tuple[str, ...] = ()


class Gate(msgspec.Struct, frozen=True):
    """The outcome of ``steelyard gate``.

    Attributes
    ----------
    base, head : str
        Commits, or directories.
    harness, command : str
        The harness that was recognised, and what was asked for.
    metrics : tuple of GatedMetric
        Those that are judged come first.
    margin : float
        Changes of a time up to this are equivalent.
    alpha : float
        Probability of any wrong "slower" or "faster" over the suite and all looks, and the same of any wrong
        "equivalent".
    measured_s, max_time_s : float
        Time that processes of the harness took, and the budget.
    out_of_time : bool
        Whether the budget ended the search while benchmarks were open.
    benchmarks : tuple of GatedBenchmark
        In the order of the harness, for each metric.
    notes : tuple of str
        Sentences that stand with the answer.
    qualification : Qualification or None
        The last one of this machine.
    shard : Shard or None
        Of a gate that is one of several; ``alpha`` is then its part of the level.
    scope : Scope
        What ``alpha`` and intervals hold for.
    unchanged : bool
        What is better than the margin fails, too.
    """

    base: str
    head: str
    harness: str
    command: str
    metrics: tuple[GatedMetric, ...]
    margin: float
    alpha: float
    measured_s: float
    max_time_s: float
    out_of_time: bool
    benchmarks: tuple[GatedBenchmark, ...]
    notes: tuple[str, ...] = ()
    qualification: Qualification | None = None
    shard: Shard | None = None
    scope: Scope = "session"
    unchanged: bool = False

    @property
    def failing(self) -> tuple[Verdict, ...]:
        """Verdicts that no gate passes."""
        return ("slower", "faster") if self.unchanged else ("slower",)

    def select(self, verdict: Verdict) -> tuple[GatedBenchmark, ...]:
        """Benchmarks with this verdict."""
        return tuple(entry for entry in self.benchmarks if entry.verdict == verdict)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing was decided: all that both sides have is open."""
        verdicts = {entry.verdict for entry in self.benchmarks}
        return "open" in verdicts <= {"open", "new", "reported"}

    def find_metric(self, entry: GatedBenchmark) -> GatedMetric:
        """Return the metric of a benchmark."""
        return next(metric for metric in self.metrics if metric.name == entry.metric)

    @property
    def worst(self) -> Verdict:
        """The verdict that a reader has to act on first."""
        return next((verdict for verdict in (*self.failing, *ORDER) if self.select(verdict)), "equivalent")

    @property
    def has_times(self) -> bool:
        """Whether something is judged that is no count."""
        return not all(metric.is_count or metric.is_reported for metric in self.metrics)

    @property
    def is_unmeasured(self) -> bool:
        """Whether the budget was too short for a single look at any benchmark."""
        return self.is_undecided and not any(entry.blocks for entry in self.benchmarks)

    def exit_code(self, *, strict: bool) -> int:
        """1 where one fails, 6 where one is gone, 3 where nothing was measured; else 0.

        Under ``strict`` also 3 where one is open.
        """
        if any(map(self.select, self.failing)):
            return 1
        if self.select("gone"):
            return 6
        return 3 if self.is_unmeasured or (strict and self.select("open")) else 0


GATE: Final = Format("steelyard/gate", 2, Gate)
QUALIFICATION: Final = Format("steelyard/gate-qualification", 2, Qualification)
