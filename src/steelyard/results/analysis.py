"""``Answer``: everything that is presented of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import msgspec

from steelyard.core.analysis import Analysis, Family
from steelyard.core.look_schedule import Until
from steelyard.core.units import Metric
from steelyard.results.comparison import Comparison, SpeedupRatio
from steelyard.results.contexts import ContextFinding
from steelyard.results.document import Lines
from steelyard.results.effects import Factorial
from steelyard.results.notice import Notice
from steelyard.results.proof import Proof
from steelyard.results.protocol import ProtocolResult
from steelyard.results.samples import Described

Order = Literal["randomized-blocks", "sequential"]
State = Literal["complete", "running", "interrupted", "precision_not_reached"]


class Pace(msgspec.Struct, frozen=True):
    """Seconds of the experiment's time.

    Attributes
    ----------
    block_s : float
        A complete block, with all that happened beside: what failed, what was discarded, what was stored.
    context_s : float
        What a new block costs beyond its runs, where it has a context: hooks, and setting that up.
    runs : int
        Of each treatment in a block.
    """

    block_s: float
    context_s: float = 0.0
    runs: int = 1

    @property
    def run_s(self) -> float:
        """One run of every treatment."""
        return max(0.0, self.block_s - self.context_s) / self.runs


class DesignFacts(msgspec.Struct, frozen=True):
    """Design and course of the runs that gave the values.

    Attributes
    ----------
    blocks : int
        Complete ones that are not discarded; in a sequential order a block is all there is, and samples tell
        how many launches.
    contexts : int
        Different ones visited; 0 where the experiment declares none, so that all blocks share one.
    state : {"complete", "running", "interrupted", "precision_not_reached"}
    looks : tuple of int
        Blocks at which a stop rule looked.
    extended_from : tuple of int
        Blocks that the record had at each of its extensions.
    idle : tuple of int
        Those of ``looks`` that could not have ended the run, since an interval was too wide.
    closed : int or None
        Blocks at the look that a limit of time or blocks made the last one of the stop rule, whatever it
        showed.
    decided : bool
        The stop rule may end the run because of what a look showed, so that p-values and intervals hold
        over all looks.
    until : {"size", "verdict"}
        Of a rule that asks for verdicts: whether their intervals were to be narrow as well.
    strict : bool
        The stop rule looked late enough to cost no coverage.
    target : float or None
        Relative half-width that the stop rule wanted.
    reached : float or None
        The widest one at the last look.
    cap : str or None
        What ended the run before the target: ``"max_blocks"`` or ``"max_time"``.
    layout_per_launch : bool
        Address randomisation was on, so that each launch drew a layout of its own and no context is one.
    code_varied : bool
        Link order or padding differ between contexts, so that the layout of the code is one of their kinds.
    default_context : int or None
        The context of somebody who changes nothing, where it was among those drawn.
    drawn_before : Mapping[int, int]
        Contexts that are the same for a program as an earlier one, by their ids: all settings had been drawn,
        and came again.
    machines : Mapping[int, str]
        Names of the machines on which blocks ran, by the id of the context that stands for each in samples;
        empty where all ran on one. Machines are the contexts then, whatever else was drawn.
    pace : Pace or None
        What blocks took; ``None`` where that is not known.
    unknown_contexts : bool
        Whether runs may have had several contexts that nobody noted: those of other tools, whose environment
        may be drawn (as by hyperfine 2), and of two records.
    """

    order: Order
    blocks: int
    seed: int
    contexts: int = 0
    passes: int = 1
    state: State = "complete"
    looks: tuple[int, ...] = ()
    target: float | None = None
    reached: float | None = None
    cap: Literal["max_blocks", "max_time"] | None = None
    layout_per_launch: bool = False
    default_context: int | None = None
    pace: Pace | None = None
    extended_from: tuple[int, ...] = ()
    strict: bool = False
    code_varied: bool = False
    decided: bool = False
    until: Until = "size"
    closed: int | None = None
    idle: tuple[int, ...] = ()
    drawn_before: Mapping[int, int] = msgspec.field(default_factory=dict)
    machines: Mapping[int, str] = msgspec.field(default_factory=dict)
    unknown_contexts: bool = False
    __lines__: ClassVar[Lines] = (
        *("order", "blocks", "contexts", "passes", "seed", "state", "looks", "target", "reached", "cap"),
        *("strict", "decided", "until", "extended_from"),
    )


class Answer(msgspec.Struct, frozen=True):
    """Everything that an experiment says.

    Attributes
    ----------
    metric : Metric
        The primary one, whose comparisons carry verdicts.
    samples : tuple of Described
        Of every metric.
    comparisons : tuple of Comparison
        Of the primary metric first; those of others have no verdict.
    warnings, unobserved : tuple of Notice
        What may be wrong, and what could not be seen.
    contexts : tuple of ContextFinding
        What contexts do to each comparison of the primary metric; empty where the experiment has none.
    protocol : ProtocolResult or None
        What the protocol that was asked for says of the same pairs.
    effects : tuple of Factorial
        Of the primary metric, one a stratum; empty where no two factors are crossed.
    effects_beside : tuple of Factorial
        Of the other metrics, without verdicts, where the design is about effects.
    proof : Proof or None
        Whether the record is as it was measured; ``None`` where the answer is from no record, or from two.
    """

    experiment: str
    design: DesignFacts
    declared: Analysis
    metric: Metric
    samples: tuple[Described, ...]
    comparisons: tuple[Comparison, ...]
    warnings: tuple[Notice, ...] = ()
    unobserved: tuple[Notice, ...] = ()
    contexts: tuple[ContextFinding, ...] = ()
    protocol: ProtocolResult | None = None
    effects: tuple[Factorial, ...] = ()
    speedup_ratios: tuple[SpeedupRatio, ...] = ()
    effects_beside: tuple[Factorial, ...] = ()
    proof: Proof | None = None
    __lines__: ClassVar[Lines] = (
        *("experiment", "metric", "alpha=declared.alpha", "margin=declared.margin"),
        *(
            "family",
            "family_over=declared.family_over",
            "error_rate=declared.error_rate",
            "interval=declared.interval",
            "uncertainty=declared.uncertainty",
        ),
        *("design", "samples", "comparisons", "warnings", "unobserved", "contexts", "protocol"),
        *("effects", "effects_beside", "speedup_ratios", "simulated", "proof"),
    )

    @property
    def judged(self) -> tuple[Comparison, ...]:
        """Comparisons of the primary metric."""
        return tuple(
            comparison for comparison in self.comparisons if comparison.metric.name == self.metric.name
        )

    @property
    def family(self) -> Family:
        """Comparisons that Holm adjusts over, within each stratum."""
        return self.declared.family or "baseline"

    @property
    def simulated(self) -> bool:
        """Whether values are those of a simulated machine."""
        return any(sample.provenance == "simulated" for sample in self.samples)
