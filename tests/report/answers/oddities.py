"""What little, broken or hostile there can be to present."""

from __future__ import annotations

from answers.made import BLOCKS, PROTOCOL, make, noisy
from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.results.notice import Notice
from steelyard.stats.answer import answer


def failing_runs() -> Answer:
    samples = [
        make(noisy(1), 1, "old"),
        make(noisy(2, at=0.5e-3), 2, "new", failures=Failures(33, 3, 1)),
        make([], 3, "never", failures=Failures(3, 3, 0)),
    ]
    return answer("failing", samples, BLOCKS, Analysis())


def one_treatment() -> Answer:
    return answer("alone", [make(noisy(1), 1, "ls -l")], BLOCKS, Analysis())


def one_run() -> Answer:
    return answer(
        "once", [make([0.25], 1, "sleep .25")], DesignFacts("randomized-blocks", 1, seed=1), Analysis()
    )


def zeros() -> Answer:
    samples = [
        make([0.0] * 30, 1, "old", metric="major_faults"),
        make([2.0] * 30, 2, "new", metric="major_faults"),
    ]
    return answer("zeros", samples, BLOCKS, Analysis(metric="major_faults"))


def hostile_names() -> Answer:
    samples = [
        make(noisy(1), 1, "a\nfake line: verified\x1b[31m"),
        make(noisy(2), 2, "\u202etxt.exe {who} 测试测试测试测试测试测试测试测试 \udcff"),
    ]
    return answer("hostile \x07", samples, BLOCKS, Analysis())


def a_run_that_was_cut_short() -> Answer:
    facts = DesignFacts(
        "randomized-blocks",
        8,
        seed=1,
        state="precision_not_reached",
        looks=(10, 12),
        target=0.005,
        reached=0.0123,
        cap="max_time",
    )
    samples = [make(noisy(1, 8), 1, "old"), make(noisy(2, 8), 2, "new")]
    text = [Notice("note", fields={"text": "The kernel changed between the runs of this record."})]
    unseen = [Notice("counters", fields={"names": "cycles, instructions"}), Notice("queue_wait")]
    return answer("cut short", samples, facts, Analysis(), warnings=text, unobserved=unseen)


def everything_odd() -> Answer:
    values = noisy(50)
    values[7] = 8.7e-3
    levels = [{"o": 2, "n": 1}, {"o": 3, "n": 1}, {"o": 3, "n": 2}, {"o": 2, "n": 3}]
    ticks = [round(x, 2) for x in noisy(52, at=1.0, spread=0.01)]
    rows = [values, noisy(51, drift=0.3), ticks, [float("nan"), *noisy(53, 29)]]
    samples = [
        make(row, t, f"t{t}", levels=level)
        for t, (row, level) in enumerate(zip(rows, levels, strict=True), 1)
    ]
    samples += [make([0.004] * 30, t, f"t{t}", metric="user_s", levels=levels[t - 1]) for t in (1, 2)]
    facts = DesignFacts("randomized-blocks", 30, seed=1, state="interrupted")
    return answer("odd", samples, facts, Analysis(baseline={"o": 2}))


def the_protocol_on_odd_samples() -> Answer:
    samples = [
        make(noisy(1), 1, "old"),
        make(noisy(2, spread=0.3), 2, "wide"),
        make([1e-3] * 30, 3, "constant"),
        make([2e-3] * 30, 4, "twice that"),
        make([float("nan"), *noisy(3, 29)], 5, "not finite"),
    ]
    declared = Analysis(family="all-pairs", protocol=PROTOCOL, ks_policy="veto")
    return answer("odd", samples, DesignFacts("sequential", 1, seed=3), declared)
