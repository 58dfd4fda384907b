"""What a page is made of, by hand: portraits of records that nobody ran, with their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from answers.made import BLOCKS, make, noisy
from answers.strata import on_instances
from steelyard.claims.verdict import Checked, Instance, Verdict
from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures, Sample
from steelyard.core.units import Scalar
from steelyard.extensions.page.contents import PageContents
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.results.interval import Interval
from steelyard.results.portrait import Disturbed, Excluded, Portrait
from steelyard.results.status import State, Status
from steelyard.stats.answer import answer
from steelyard.stats.compare.judgement import Outcome

HOSTILE = "<script>alert('x')</script>"
ESCAPES = "\x1b[31mred\x1b[0m\u202e"


def portrait(
    samples: Sequence[Sample],
    *,
    name: str = "made up",
    excluded: Sequence[Excluded] = (),
    disturbed: Sequence[Disturbed] = (),
    contexts: Iterable[tuple[int, Mapping[str, Scalar]]] = (),
    state: State = "complete",
) -> Portrait:
    treatments = {sample.treatment.id: sample.treatment for sample in samples}
    blocks = len({block for item in samples for block in item.blocks})
    return Portrait(
        status=Status(name, "made.lab", state, len(treatments), blocks, 30, sum(map(len, samples)), 12.5),
        id="0123456789abcdef",
        created="2026-11-22 12:00 UTC",
        treatments=tuple(treatments.values()),
        samples=tuple(samples),
        excluded=tuple(excluded),
        disturbed=tuple(disturbed),
        contexts=dict(contexts),
        host={"cpu": "A processor", "memory_bytes": 8 * 10**9, "clock_step_s": 1e-9},
        program={"commands": {"": ["prog", "-O2"]}, "sha256": "ab" * 32},
        spec='name = "made up"\n\n[program]\ncommand = ["prog"]\n',
    )


def without_runs(found: Answer) -> PageContents:
    """An answer of which only itself is known."""
    treatments = {sample.treatment.id: sample.treatment for sample in found.samples}
    return PageContents(replace(portrait([]), treatments=tuple(treatments.values())), found)


def page_of(
    samples: Sequence[Sample], facts: DesignFacts = BLOCKS, declared: Analysis | None = None, **options: Any
) -> PageContents:
    result = answer("made up", samples, facts, declared or Analysis())
    return PageContents(portrait(samples, **options), result)


def interleaved(samples: Sequence[Sample]) -> list[Sample]:
    """The samples with trials numbered as if blocks had run one after the other."""
    from array import array

    count = len(samples)
    return [
        replace(item, trials=array("q", [i * count + place for i in range(len(item))]))
        for place, item in enumerate(samples, 1)
    ]


def two_treatments() -> PageContents:
    samples = interleaved([make(noisy(1), label="old"), make(noisy(2, at=0.8e-3), 2, "new")])
    return page_of(
        samples,
        excluded=[
            Excluded(61, 1, 31, "timed_out", "it ran longer than 1 s", 1.0),
            Excluded(62, 2, 31, "ok", "in a block that lacks another run", 0.8e-3),
        ],
        disturbed=[Disturbed(7, 1, 4, 0.31)],
    )


def hostile() -> PageContents:
    names = (HOSTILE, ESCAPES, "</script><!--", '"quoted" & \\')
    samples = [make(noisy(i, at=1e-3 * i), i, name) for i, name in enumerate(names, 1)]
    return page_of(interleaved(samples), name=HOSTILE)


def one_treatment() -> PageContents:
    return page_of([make(noisy(1), label="only")])


def still_running() -> PageContents:
    return page_of(interleaved([make(noisy(1, 12), label="old"), make(noisy(2, 12), 2, "new")]),
                   DesignFacts("randomized-blocks", 12, 1, state="running"), state="running")  # fmt: skip


def all_failed() -> PageContents:
    empty = [make([], t, name, failures=Failures(5, 5, 0)) for t, name in ((1, "a"), (2, "b"))]
    lost = [Excluded(i, 1 + i % 2, 1 + i // 2, "failed", "exit code 1", 1e-3) for i in range(10)]
    about = portrait(empty, excluded=lost, state="failed")
    return PageContents(about, None, why="made.lab has no complete block to analyze yet")


def in_contexts() -> PageContents:
    return page_of(
        interleaved([make(noisy(30 + t, at=1e-2 / t), t, f"-O{t}", contexts=range(1, 31)) for t in (2, 3)]),
        DesignFacts("randomized-blocks", 30, 1, contexts=30),
        contexts=[(i, {"env_bytes": 16 * i}) for i in range(1, 31)],
    )


def swept() -> PageContents:
    samples = [
        make(noisy(10 * p + k, at=1e-3 / p * (1 + k / 5)), 2 * i + k, f"{kind}, p={p}",
             levels={"kind": kind, "p": p})
        for i, p in enumerate((1, 2, 4, 8))
        for k, kind in enumerate(("eager", "lazy"), 1)
    ]  # fmt: skip
    declared = Analysis(baseline={"kind": "eager"}, strata=("p",))
    return page_of(interleaved(samples), declared=declared)


def with_instances() -> PageContents:
    samples, design, declared = on_instances()
    return page_of(interleaved(samples), design, declared)


def weak_scaling() -> PageContents:
    """Two orders of work on 4, 8 and 16 ranks, whose problem grows with them, on four runtimes."""
    cells = [
        (runtime, order, p, scale)
        for runtime in ("am++", "hpx-5", "plain", "threads")
        for p, scale in ((4, 12), (8, 13), (16, 14))
        for order in ("kla", "delta")
    ]
    samples = [
        make(
            noisy(500 + i, 8, at=1e-3 * p * (1 if order == "kla" else 0.8)),
            i,
            f"runtime={runtime}, order={order}, p={p}, scale={scale}",
            levels={"runtime": runtime, "order": order, "p": p, "scale": scale},
        )
        for i, (runtime, order, p, scale) in enumerate(cells, 1)
    ]
    declared = Analysis(
        baseline={"order": "kla"},
        strata=("runtime", "p", "scale"),
        estimand="ratio_of_means",
        uncertainty="sample",
    )
    return page_of(interleaved(samples), DesignFacts("randomized-blocks", 8, seed=1), declared)


def held_to_a_rule() -> PageContents:
    """Three operations over ranks and sizes: Allreduce takes too long at 4 ranks and 1,024 bytes."""
    from steelyard.extensions.growth.evidence import RulePointEvidence
    from steelyard.extensions.growth.rule_claim import Rule

    places = [{"bytes": size, "p": p} for size in (8, 1024) for p in (2, 4, 8)]
    ratios = (0.5, 0.9, 1.06, 0.8, 2.5, 0.97)
    outcomes: tuple[Outcome, ...] = ("holds", "holds", "not_resolved", "holds", "fails", "holds")
    points = [
        RulePointEvidence(
            "latency_s", "allreduce", "reduce + bcast", ratio, Interval(0.9 * ratio, 1.1 * ratio), 0.05, 0.05,
            0.01, "block-log-ratio-t", 30, "block",
        )
        for ratio in ratios
    ]  # fmt: skip
    instances = tuple(Instance(*item) for item in zip(places, outcomes, points, strict=True))
    rule = Rule("allreduce <= reduce + bcast", "op", parameter="p")
    checked = Checked("made up", None, 0.05, (Verdict(rule, "fails", instances),))
    return replace(swept(), checked=checked)


def many_runs(treatments: int = 40, each: int = 2500) -> list[Sample]:
    samples = [
        make(noisy(t, each, at=1e-3 * (1 + t / 100), spread=0.03), t, f"n={t}", blocks=range(1, each + 1))
        for t in range(1, treatments + 1)
    ]
    return interleaved(samples)


PAGES = (
    two_treatments,
    hostile,
    one_treatment,
    still_running,
    all_failed,
    in_contexts,
    swept,
    with_instances,
    weak_scaling,
)
