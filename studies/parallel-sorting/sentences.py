"""Sentences of README.md with numbers, and the data that give them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from charts import value
from kept_values import kept
from readme_tables import rows_of

if TYPE_CHECKING:
    from prose import Sentence

    from steelyard.api.text import Scalar

HERE: Final = Path(__file__).parent
GIVEN: Final = (
    r"on the flat machine|p = 4 … 512",
    r"n/p is 1,000 \(radix k = 8: 100; mini: 1\), where the paper has 10\^7",
    r"Table 9 goes to 2\^16 processes",
    r"one sort of 512 ranks takes a minute",
    r"from 128 ranks on",
    r"p = 64, n/p = 1,000",
    r"1 \+ ε = 1\.05",
    r"Up to 128 ranks",
    r"passes 65,472 bytes, from which",
    r"takes 11\.6 times its latency for 3\.5 times before, at 16,368 keys",
    r"10\^6 keys, quiet",
    r"To 1,024 ranks|to 1,024 ranks|to 512, approx|at 1,024 ranks, some 10\^8",
    r"from p ≤ 128|both ways at 256|to p = 1,024, 512",
    r"5/12|p\^0\.5",
    r"55 simulations, 40 minutes",
    r"48 simulations in half a minute",
    r"10,000 keys a process|1,000 and 10,000 keys",
    r"p ≤ 128",
    r"with 64 of a splitter in a round",
    r"paper's 10\^7 keys a process|machine, n/p = 1,000, in",
    r"on 4 to 64 ranks of|at 10\^6 keys|at 512, is not|up to 64 ranks",
    r"13 simulations, 23 minutes|80 simulations, 3 minutes|1,024 on the flat machine from p",
    r"at p = 2\^14 and k = 8|to 64 ranks and is|to 128 ranks alone|the 256 of \(a\)",
    r"leaves its node of 16 ranks|With 10\^7 keys a process computing",
)
"""Settings of the specs, and facts of SimGrid's network."""
RANKS: Final = (4, 8, 16, 32, 64, 128)


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured."""
    (predicted,) = (
        row["predicted (95 %)"]
        for row in rows_of(HERE, "(a)", 2)
        if row["claim"] == "exact, sequential: splitters, flat"
    )
    at, low, high = (float(number) for number in re.findall(r"([\d.]+) s", predicted))
    yield (
        "splitters are predicted to take {} s at p = 1,024 on the flat machine (95 %: {} to {} s)",
        *(at, low, high),
    )
    yield from splitters()
    judged = [row["rank (probability)"] for row in rows_of(HERE, "(d)", 2)]
    yield (
        "does not grow holds in {} of {} series",
        sum(rank.startswith("✓") for rank in judged),
        len(judged),
    )
    cases = {
        algorithm: sum(
            cell != ""
            for row in rows_of(HERE, "(d)", 1)
            if row["algorithm"] == algorithm
            for cell in ranks(row)
        )
        for algorithm in ("sample", "histogram")
    }
    yield "hold** in all {} cases each", cases["sample"]
    yield from changes()
    yield from rounds()
    yield from long()
    yield from gaussian()
    yield from one_after_the_other()
    yield from memory_and_shares()


def ranks(row: dict[str, str]) -> list[str]:
    """The cells of a row over ranks."""
    return [text for name, text in row.items() if name.startswith("p = ")]


def splitters() -> Iterator[Sentence]:
    """Part (c), which has no table."""
    result = kept(HERE, "splitters")

    def of(metric: str, schedule: str, **filters: str) -> float:
        levels = {"schedule": schedule, **filters}
        (values,) = (
            sample.values[0] for sample in result.samples(metric) if levels.items() <= sample.levels.items()
        )
        return values

    phase = {"phase": "splitters"}
    seconds, counts, messages = (
        {item: of(metric, item, **where) for item in ("sequential", "batched")}
        for metric, where in (("phase_s", phase), ("rounds", {}), ("phase_messages", phase))
    )
    yield (
        "Sequential {} ms in {} rounds and {} messages, batched {} ms in {} rounds and {}: the claim",
        *(
            number
            for text in ("sequential", "batched")
            for number in (1e3 * seconds[text], counts[text], messages[text])
        ),
    )
    yield "**holds**, {} ×", seconds["sequential"] / seconds["batched"]


def changes() -> Iterator[Sentence]:
    """Part (f): between which lengths the growth changes, as its model says."""
    (row,) = rows_of(HERE, "(f)", 1)
    keys = sorted(int(name.removeprefix("keys = ")) for name in row if name.startswith("keys = "))
    model = next(row["model"] for row in rows_of(HERE, "(f)", 2))
    start = value(model.partition("from ")[2]) or 0.0
    yield "The change is found between {} and {},", max(k for k in keys if k < start), start


def rounds() -> Iterator[Sentence]:
    """Part (j)."""
    by = ("distribution", "probes", "input")
    counts, times = (
        {
            tuple(row[name] for name in by): [value(row[f"p = {p}"]) or 0.0 for p in RANKS]
            for row in rows_of(HERE, "(j)", place)
        }
        for place in (1, 2)
    )
    few = [count for (_, probes, _), counts_of in counts.items() if probes == "64" for count in counts_of]
    yield "two are enough in all {} cases", sum(count <= 2 for count in few)
    kinds, seeds = (
        sum(
            first_count != second_count
            for probes, of_other in product(("4", "64"), levels)
            for first_count, second_count in zip(
                counts[first(probes, of_other)], counts[second(probes, of_other)], strict=True
            )
        )
        for levels, first, second in (
            (
                ("1", "2"),
                lambda probes, seed: ("uniform", probes, seed),
                lambda probes, seed: ("gaussian", probes, seed),
            ),
            (
                ("uniform", "gaussian"),
                lambda probes, kind: (kind, probes, "1"),
                lambda probes, kind: (kind, probes, "2"),
            ),
        )
    )
    yield "differ in {} of {} pairs; two seeds of one distribution differ in {}", kinds, len(few), seeds
    slower = [
        times[kind, "64", seed][-1] / times[kind, "4", seed][-1]
        for kind, seed in product(("uniform", "gaussian"), ("1", "2"))
    ]
    yield (
        "up to {} ranks only: at {}, 64 probes take {} to {} times as long",
        faster_up_to(times),
        RANKS[-1],
        min(slower),
        max(slower),
    )


def faster_up_to(times: dict[tuple[str, ...], list[float]]) -> int:
    """The most ranks on which 64 probes find splitters sooner, whatever the keys."""
    return max(
        p
        for i, p in enumerate(RANKS)
        if all(
            times[kind, "64", seed][i] < times[kind, "4", seed][i]
            for kind, seed in product(("uniform", "gaussian"), ("1", "2"))
        )
    )


def times(part: str, metric: str, *by: str, phase: str = "") -> dict[tuple[Scalar, ...], float]:
    """Simulated seconds of a part, by factors; of a phase or of the whole."""
    return {
        tuple(sample.levels[name] for name in by): sample.values[0]
        for sample in kept(HERE, part).samples(metric)
        if str(sample.levels.get("phase", "")) == phase
    }


def long() -> Iterator[Sentence]:
    """Part (k), at a million keys a rank."""
    totals = times("long", "time_s", "keys", "p", "algorithm")
    splitters = times("long", "phase_s", "keys", "p", "algorithm", phase="splitters")
    few, many = (
        [1e3 * time_s for (keys, p, _), time_s in totals.items() if (keys, p) == (1_000_000, ranks)]
        for ranks in (4, 64)
    )
    yield (
        "all three take {} to {} ms on 4 ranks and {} to {} on 64",
        *(min(few), max(few), min(many), max(many)),
    )
    yield (
        "Splitters take {} % of it at most",
        max(100 * time_s / totals[key] for key, time_s in splitters.items() if key[0] == 1_000_000),
    )


def gaussian() -> Iterator[Sentence]:
    """Part (l): the most that times of two distributions differ by."""
    by = times("gaussian", "time_s", "algorithm", "p", "distribution")
    most: dict[Scalar, float] = {}
    for (algorithm, p, distribution), time_s in by.items():
        if distribution == "uniform":
            ratio = time_s / by[algorithm, p, "gaussian"]
            most[algorithm] = max(most.get(algorithm, 0), 100 * (max(ratio, 1 / ratio) - 1))
    yield (
        "histogram sort differ by at most {} %, those of exact splitting by {}, of the others by {}",
        *(most["histogram"], most["exact"], max(most["sample"], most["radix"])),
    )


def one_after_the_other() -> Iterator[Sentence]:
    """Part (m): the splitters at 1,024 ranks, as (i) and (m) predict them."""
    claim = "exact, sequential: splitters, flat"
    seconds = [
        float(number)
        for part in ("(i)", "(m)")
        for row in rows_of(HERE, part, 2)
        if row["claim"] == claim
        for number in re.findall(r"([\d.]+) s", row["predicted (95 %)"])
    ]
    yield "from p ≤ 128, {} s (95 %: {} to {}), is predicted as {} s ({} to {}) from 512", *seconds


def memory_and_shares() -> Iterator[Sentence]:
    """Parts (n) and (o)."""
    kept_bytes = {
        (levels["bits"], levels["p"]): sample.values[0]
        for sample in kept(HERE, "memory").samples("step_bytes")
        if (levels := sample.levels)["exchange"] == "alltoallv"
    }
    a_value = (kept_bytes[8, 4] - kept_bytes[4, 4]) / (2**8 - 2**4)
    a_rank = (kept_bytes[8, 64] - kept_bytes[8, 4]) / (64 - 4)
    yield "{} bytes a value of a digit and {} a rank", a_value, a_rank
    yield "{} kB a rank at p = 2^14", (a_value * 2**8 + a_rank * (2**14 + 1)) / 1000
    by = times("shares", "time_s", "machine", "algorithm", "bits", "p", "computing")
    shares = [
        time_s / by[*key, "calibrated"]
        for (*key, computing), time_s in by.items()
        if computing == "off" and int(str(key[-1])) >= 8
    ]
    yield "all there is: {} of the time or more from 8 ranks on", min(shares)
    jumps = [
        by["torus", "radix", bits, 32, "calibrated"] / by["torus", "radix", bits, 16, "calibrated"]
        for bits in (4, 8)
    ]
    yield "its time grows by a factor of {} (k = 4) and {} (k = 8)", *jumps
