"""What the runs of the ten NAS programs say of each statement of Nogueira and Matias 2014.

By the paper's method: the protocol, runs one treatment after the other, by a clock that tells them. By ours:
the default analysis of randomised blocks.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from beside import Comparison, Outcome, read_statements
from chance import Agreement, compare_with_chance
from readme_tables import write_table

HERE: Final = Path(__file__).parent
TITLE: Final = "execution time variability"
PAPER: Final = (
    "P. E. Nogueira and R. Matias Jr., *A Quantitative Study on Execution Time Variability in Computing"
    " Experiments*, 2014."
)
ABOUT: Final = (
    "Ours: the paper's ten programs, from the reference tree of NPB 3.3.1 (OpenMP) by gfortran and "
    "gcc 12, of the smallest class that runs for 20 ms (S, and W for MG), on two virtual CPUs. The "
    "paper's method is its protocol on runs in its order, one treatment after the other; ours is the "
    "default analysis of randomised blocks. The paper had 32 cores. The response that decides is "
    "`elapsed_s` by `time`, the paper's. It has steps of 10 ms and is to be trusted to 1 % from a second on"
    " ([timing-procedures](../timing-procedures/README.md)); most of these runs take less than a tenth of"
    " that, which was our choice, so that many values are equal and pairs count as the same. `wall_s`, the"
    " runner's clock, stands beside. Percentages within 15 points count "
    "as the same: with ten programs a cell has steps of 10. LU is left out of experiment 3, since its"
    " threads spin for seconds where they outnumber the CPUs; random sizes and waiting threads are "
    "those of our five kernels ([workloads/npb](../../workloads/README.md#npb), class W)."
)
TOLERANCE: Final = 15
"""Percentage points within which a share of pairs counts as the published one."""
CLOCKS: Final = {"nas": "elapsed_s", "npb": "elapsed_s"}
"""The response that decides, by programs: the paper's, in steps of 10 ms, of runs of 30 ms and more."""
PROGRAMS: Final = 10
PLACEMENTS: Final = {"SA": "none", "CP": "compact", "SC": "scatter"}
TREATMENTS: Final = {
    "RL3O2": "none,O2",
    "RL3O3": "none,O3",
    "RL5O2": "cpu x2 10%,O2",
    "RL5O3": "cpu x2 10%,O3",
} | {f"{short}{n}TH": f"{n},{name}" for short, name in PLACEMENTS.items() for n in (2, 4, 6)}


class Cell(NamedTuple):
    """Programs whose treatments differ, of so many."""

    programs: int
    before: int
    after: int


def measured(part: str, metric: str = "") -> dict[tuple[str, str, str], Cell]:
    """Cells of a part, by optimisation and the two treatments in the order of their names."""
    programs = part.partition("-")[0]
    with (HERE / f"{programs}-measured.csv").open(newline="", encoding="utf-8") as file:
        return {
            (line["stratum"], *sorted((line["first"], line["second"]))): Cell(
                int(line["programs"]), int(line["before"]), int(line["after"])
            )
            for line in csv.DictReader(file)
            if line["part"] == part and line["metric"] == (metric or CLOCKS[programs])
        }


def published(table: str, opt: str = "") -> dict[tuple[str, str], float]:
    """Percentages of a table of the paper."""
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        return {
            (line["first"], line["second"]): float(line["percent"])
            for line in csv.DictReader(file)
            if line["table"] == table and line["opt"] == opt
        }


@cache
def read_parts(programs: str) -> dict[str, Any]:
    """What was found of every part, by metric."""
    parts: dict[str, Any] = json.loads((HERE / f"{programs}-summary.json").read_text(encoding="utf-8"))
    return parts


def summary() -> dict[str, Any]:
    """Counts, tests and effects of every part, by the clock of its programs."""
    return {
        name: part[clock]
        for programs, clock in CLOCKS.items()
        for name, part in read_parts(programs).items()
        if clock in part
    }


def percent(part: int, whole: int) -> float:
    """A share in percent."""
    return 100 * part / whole


def of(part: int, whole: int) -> str:
    """A share with its counts."""
    return f"{part} of {whole} ({percent(part, whole):.0f} %)"


def near(stated: float, found: float) -> Outcome:
    """Judge a percentage against the published one."""
    return "reproduced" if abs(stated - found) <= TOLERANCE else "not resolved"


def compare() -> dict[str, Comparison]:
    """All statements that the runs say something about."""
    every = summary()
    return {**_tables(), **_sentences(every), **_tests(every), **_removed(every), **_procedures()}


def _tables() -> dict[str, Comparison]:
    result = {
        "table-1": Comparison(
            "two processes that work 1 of each 10 ms, or none; -O2 and -O3",
            "the same, in blocks",
            "not resolved",
            "services of a runlevel were not stopped: services-built.toml says how",
        ),
        "table-2": Comparison(
            "2, 4, 6 threads; none, compact, scatter",
            "the same, in blocks",
            "not resolved",
            "on two CPUs 4 and 6 threads are oversubscribed, and compact and scatter are one placement",
        ),
        "figure-2": Comparison(
            "drawn: two cores of one virtual package (README)",
            "the same",
            "not resolved",
            "the machine is another one: 4 processors of 8 cores there",
        ),
        "figure-1": Comparison(
            "`steelyard analyze --protocol 2014`",
            "paired by block, Student's t of log ratios",
            "reproduced",
            "the protocol is part of the laboratory and was applied as drawn",
        ),
    }
    for name, table, opt, part, holm in (
        ("table-3", "3", "", "services", False),
        ("table-4", "4", "", "services", True),
        ("table-5-O2", "5", "O2", "environment", False),
        ("table-5-O3", "5", "O3", "environment", False),
        ("table-6-O2", "6", "O2", "environment", True),
        ("table-6-O3", "6", "O3", "environment", True),
        ("table-7", "7", "", "affinity", False),
        ("table-8", "8", "", "affinity", True),
    ):
        stated = list(published(table, opt).values())
        mean = sum(stated) / len(stated)
        rows = _total(measured(f"nas-{part}-rows"), opt)
        blocks = _total(measured(f"nas-{part}-blocks"), opt)
        null = _total(measured("nas-environment-null-rows"), "")
        ours, in_blocks, of_null = (item.after if holm else item.before for item in (rows, blocks, null))
        why = f"the paper: {mean:.0f} % on average, {min(stated):.0f} to {max(stated):.0f} %"
        if part == "environment":
            why += f"; one treatment eight times in the same order: {of(of_null, null.programs)}"
        why += f"; {_beside(part, opt, holm=holm)}"
        outcome = near(mean, percent(ours, rows.programs))
        if part == "affinity" and outcome == "not resolved":
            why += "; two CPUs have fewer placements than 32 cores"
        result[name] = Comparison(
            of(ours, rows.programs), of(in_blocks, blocks.programs) + " in blocks", outcome, why
        )
    return result


def _beside(part: str, opt: str, *, holm: bool) -> str:
    """The same by the runner's clock, and of our five kernels, whose runs are longer."""
    texts = []
    for name, kind, metric in (
        ("by `wall_s`", "nas", "wall_s"),
        ("five kernels of ours, class W, by `elapsed_s`", "npb", "elapsed_s"),
    ):
        total = _total(measured(f"{kind}-{part}-rows", metric), opt)
        texts.append(f"{name}: {of(total.after if holm else total.before, total.programs)}")
    return "; ".join(texts)


def _total(cells: Mapping[tuple[str, str, str], Cell], opt: str) -> Cell:
    chosen = [cell for key, cell in cells.items() if key[0] == opt or not opt or key[0] == ""]
    return Cell(*(sum(column) for column in zip(*chosen, strict=True)))


def _sentences(every: Mapping[str, Any]) -> dict[str, Comparison]:
    rows, blocks = every["nas-environment-rows"], every["nas-environment-blocks"]
    null = every["nas-environment-null-rows"]
    services, affinity = measured("nas-services-rows"), measured("nas-affinity-rows")
    changed = [cell for key, cell in services.items() if key[1][-2:] != key[2][-2:]]
    level = [cell for key, cell in services.items() if key[1][-2:] == key[2][-2:]]
    sizes = measured("nas-environment-rows")
    speeds = {
        name.upper(): effects["opt"]
        for name, effects in every["nas-services-blocks"]["effects"].items()
        if effects.get("opt", {}).get("resolved")
    }
    faster = ", ".join(f"{name} {its['ratio']:.2f} ×" for name, its in speeds.items())
    least = {opt: min(c.before for k, c in sizes.items() if k[0] == opt) for opt in ("O2", "O3")}
    random = every["npb-environment-random-blocks"]
    stack = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    stacks = stack["environment-built-random-blocks"]["cpu_s"]["programs"]
    split = [its for name, its in stacks.items() if name.startswith("stack")]
    split_pairs, split_after = sum(i["pairs"] for i in split), sum(i["after"] for i in split)
    both = [sizes[opt, "0", "2048"] for opt in ("O2", "O3")]
    result = {
        "runs": Comparison("31, the first discarded", "30 blocks", "reproduced"),
        "stack": Comparison(
            f"{rows['after']} of {rows['pairs']} pairs after Holm, where a null has {null['after']} of"
            f" {null['pairs']}",
            f"NAS programs: {blocks['default']} of {blocks['pairs']} pairs; `stack_split`, built for it, at"
            f" random sizes: {split_after} of {split_pairs}",
            "reproduced",
            "at sizes that are no multiples of 64; the paper's eight cannot show it",
        ),
        "holm": Comparison(
            "one treatment eight times, in the paper's order: after Holm"
            f" {_count_families(null)} of {len(null['programs'])} programs, each a family, keep a"
            f" false finding",
            f"in blocks, sizes: {random['before']} of {random['pairs']} before Holm, {random['after']} after",
            "contradicted",
            "in the paper's order Holm cannot correct what drifts; in random order it holds",
        ),
        "prevented": Comparison(
            f"{of(null['after'], null['pairs'])} of pairs of one and the same treatment stay different",
            f"{blocks['after']} of {blocks['pairs']}",
            "contradicted",
            "Holm corrects for many tests, each of which must be right by itself",
        ),
        "sizes-matter": Comparison(
            f"{of(rows['before'], rows['pairs'])} before Holm, {of(rows['after'], rows['pairs'])} after; one"
            f" treatment eight times: {of(null['before'], null['pairs'])} and"
            f" {of(null['after'], null['pairs'])}",
            f"{of(blocks['before'], blocks['pairs'])} before Holm, {blocks['after']} after",
            "contradicted",
            f"the percentages come again without any difference of size; in blocks {blocks['after']} is left",
        ),
        "optimisation": Comparison(
            of(sum(c.before for c in changed), sum(c.programs for c in changed)),
            f"resolved in {len(speeds)} of {PROGRAMS} programs: {faster}",
            near(90, percent(sum(c.before for c in changed), sum(c.programs for c in changed))),
            "gcc 12 in place of 4.7",
        ),
        "services": Comparison(
            of(sum(c.before for c in level), sum(c.programs for c in level)),
            "two processes at 10 %: resolved in "
            + _resolved(every["nas-services-blocks"]["effects"], "background_load"),
            near(50, percent(sum(c.before for c in level), sum(c.programs for c in level))),
            "background_load in place of a runlevel",
        ),
        "holm-1": Comparison(
            _fewer(every["nas-services-rows"]),
            _fewer(every["nas-services-blocks"]),
            "reproduced" if _programs_changed(every["nas-services-rows"]) == 1 else "not resolved",
        ),
        "over-20": Comparison(
            f"at least {least['O2']} of {PROGRAMS} at -O2, {least['O3']} at -O3",
            f"at most {max(c.before for c in measured('nas-environment-blocks').values())} of"
            f" {PROGRAMS} in blocks",
            "reproduced" if min(least.values()) >= 2 else "not resolved",
        ),
        "0-2048": Comparison(
            f"{both[0].before} and {both[1].before} of {PROGRAMS}",
            " and ".join(
                str(measured("nas-environment-blocks")[opt, "0", "2048"].before) for opt in ("O2", "O3")
            )
            + f" of {PROGRAMS} in blocks",
            "reproduced" if both[1].before - both[0].before >= 3 else "not resolved",
            "two cells of 56: others of ours differ as much",
        ),
        "over-60": Comparison(
            _span(affinity),
            _span(measured("nas-affinity-blocks")) + " in blocks",
            "not resolved",
            "on two CPUs; the lowest cells are 6 threads against 6 threads on the same two",
        ),
        "holm-3": Comparison(
            _fewer(every["nas-affinity-rows"]),
            _fewer(every["nas-affinity-blocks"]),
            "not resolved",
            "differences are smaller here, so that more of them hang on the level",
        ),
        "affinity-matters": Comparison(
            of(every["nas-affinity-rows"]["after"], every["nas-affinity-rows"]["pairs"]),
            of(every["nas-affinity-blocks"]["default"], every["nas-affinity-blocks"]["pairs"]),
            "reproduced",
            "in blocks, too",
        ),
        "services-matter": Comparison(
            of(sum(c.after for c in level), sum(c.programs for c in level)),
            "resolved in " + _resolved(every["nas-services-blocks"]["effects"], "background_load"),
            "reproduced",
            "as a load of 10 % on both CPUs",
        ),
    }
    for opt, stated in (("O2", 26), ("O3", 23)):
        its = [cell for key, cell in sizes.items() if key[0] == opt]
        lower = sum(cell.after < cell.before for cell in its)
        result[f"holm-2-{opt}"] = Comparison(
            f"{lower} of {len(its)} pairs of sizes",
            f"in blocks {blocks['before'] - blocks['after']} of {blocks['before']} findings go",
            "reproduced" if abs(lower - stated) <= 4 else "not resolved",
            "Holm can lower only pairs that differ before it",
        )
    return result


def _resolved(effects: Mapping[str, Any], factor: str) -> str:
    named = [
        f"{name.upper()} ({its[factor]['ratio']:.3f})"
        for name, its in effects.items()
        if its.get(factor, {}).get("resolved")
    ]
    return f"{len(named)} of {len(effects)} programs: {', '.join(named)}"


def _count_families(part: Mapping[str, Any]) -> int:
    """Programs, each a family of pairs, of which a pair is called different after Holm."""
    return sum(row["after"] > 0 for row in part["programs"].values())


def _programs_changed(part: Mapping[str, Any]) -> int:
    return sum(program["after"] < program["before"] for program in part["programs"].values())


def _fewer(part: Mapping[str, Any]) -> str:
    changed = _programs_changed(part)
    lost = part["before"] - part["after"]
    return f"{lost} of {part['pairs']} pairs, of {changed} of {len(part['programs'])} programs"


def _span(cells: Mapping[tuple[str, str, str], Cell]) -> str:
    values = [cell.before for cell in cells.values()]
    return f"{min(values)} to {max(values)} of {max(cell.programs for cell in cells.values())}"


def _tests(every: Mapping[str, Any]) -> dict[str, Comparison]:
    result = {}
    for name, part, stated in (("tests-1", "services", 90), ("tests-2", "environment", 70)):
        rows, blocks = (_used(every[f"nas-{part}-{order}"]) for order in ("rows", "blocks"))
        share = percent(rows["mann-whitney"], rows.total())
        result[name] = Comparison(
            _list(rows), _list(blocks), "reproduced" if share >= stated else "contradicted"
        )
    rows, blocks = _used(every["nas-affinity-rows"]), _used(every["nas-affinity-blocks"])
    result["tests-3"] = Comparison(
        _list(rows),
        _list(blocks),
        "not resolved",
        "most samples have outliers, which no test of normality lets pass",
    )
    both = _used(every["nas-services-rows"]) + _used(every["nas-environment-rows"])
    result["not-gaussian"] = Comparison(
        _list(both), _list(_used(every["nas-environment-blocks"])), "reproduced", "as in tests of § 4.1"
    )
    return result


def _used(part: Mapping[str, Any]) -> Counter[str]:
    total = Counter[str]()
    for program in part["programs"].values():
        total.update(program["tests"])
    return total


def _list(tests: Counter[str]) -> str:
    return ", ".join(f"{name} {percent(n, tests.total()):.0f} %" for name, n in tests.most_common())


def _removed(every: Mapping[str, Any]) -> dict[str, Comparison]:
    """What Holm removes of each program's findings, by both clocks; without findings there is no share."""
    rows = every["nas-environment-rows"]["programs"]
    null = every["nas-environment-null-rows"]["programs"]
    parts = read_parts("nas")
    by_clock = parts["nas-environment-rows"]["wall_s"]["programs"]
    stated = _stated_removed()
    result = {}
    for name, share in stated.items():
        removed = _share_removed(rows[name])
        kernel, opt = name.split()
        result[f"false-{kernel}-{opt}"] = Comparison(
            f"{_format_removed(rows[name])}; by `wall_s` {_format_removed(by_clock[name])}",
            f"{every['nas-environment-blocks']['programs'][name]['before']} → 0 in blocks",
            "not resolved" if removed is None else near(share, removed),
            f"one treatment eight times: {_format_removed(null[name]) if name in null else 'at -O2 only'}",
        )
    shares = {name: share for name in stated if (share := _share_removed(rows[name])) is not None}
    worst = max(shares, key=lambda name: shares[name])
    result["up-to-100"] = Comparison(
        f"at most {shares[worst]:.0f} % ({worst.upper()})",
        f"in blocks {_format_removed(every['nas-environment-blocks'])}",
        near(100, shares[worst]),
    )
    return result


def _stated_removed() -> dict[str, float]:
    """What Holm removes of each program's findings, as published, in percent."""
    return {
        " ".join(statement.id.split("-")[1:]): float(statement.published.removesuffix("%"))
        for statement, reason in read_statements(HERE)
        if statement.id.startswith("false-") and not reason
    }


def _share_removed(row: Mapping[str, Any]) -> float | None:
    """Percent of the findings that Holm removes; ``None`` without findings."""
    return percent(row["before"] - row["after"], row["before"]) if row["before"] else None


def _format_removed(row: Mapping[str, Any]) -> str:
    share = _share_removed(row)
    return "no findings" if share is None else f"{row['before']} → {row['after']}: {share:.0f} %"


TABLES_OF_PAIRS: Final = (
    ("3", "", "services", False),
    ("4", "", "services", True),
    ("5", "O2", "environment", False),
    ("5", "O3", "environment", False),
    ("6", "O2", "environment", True),
    ("6", "O3", "environment", True),
    ("7", "", "affinity", False),
    ("8", "", "affinity", True),
)
"""Table, optimisation, part, and whether Holm's procedure is applied."""


def grids() -> dict[str, str]:
    """Cells of Tables 3 to 8, published beside ours in the paper's order."""
    result = {}
    for table, opt, part, holm in TABLES_OF_PAIRS:
        stated = published(table, opt)
        clocks = [measured(f"nas-{part}-rows", metric) for metric in ("elapsed_s", "wall_s")]
        names = list(dict.fromkeys(name for pair in stated for name in pair))
        rows = []
        for i, first in enumerate(names[:-1]):
            row = [first]
            for j, second in enumerate(names[1:], 1):
                if j <= i:
                    row.append("")
                    continue
                pair = sorted(TREATMENTS.get(name, name) for name in (first, second))
                cells = [clock[opt, pair[0], pair[1]] for clock in clocks]
                values = [percent(cell.after if holm else cell.before, cell.programs) for cell in cells]
                row.append(" / ".join(f"{value:.0f}" for value in (stated[first, second], *values)))
            rows.append(row)
        table_of = f"Table {table}{f', -{opt}' if opt else ''}"
        title = f"{table_of}, percent of programs: published / ours by `elapsed_s` / by `wall_s`, in rows"
        result[title] = write_table(["", *names[1:]], rows)
    return result


def agreements() -> Iterator[Agreement]:
    """Percentages of Tables 3 to 8 beside ours by the paper's response, and beside ours shuffled; then what
    Holm removes of each program's findings.
    """

    def agrees(stated: float, ours: float) -> bool:
        return near(stated, ours) == "reproduced"

    for table, opt, part, holm in TABLES_OF_PAIRS:
        stated, by_time = published(table, opt), measured(f"nas-{part}-rows", "elapsed_s")
        cells = []
        for pair, share in stated.items():
            cell = by_time[opt, *sorted(TREATMENTS.get(name, name) for name in pair)]
            cells.append((share, percent(cell.after if holm else cell.before, cell.programs)))
        title = f"Table {table}{f', -{opt}' if opt else ''}, percent ± {TOLERANCE}, by `elapsed_s`"
        yield compare_with_chance(title, cells, agrees)
    rows = summary()["nas-environment-rows"]["programs"]
    shares = [
        (stated_share, removed)
        for name, stated_share in _stated_removed().items()
        if (removed := _share_removed(rows[name])) is not None
    ]
    yield compare_with_chance(f"Holm's shares by program, ± {TOLERANCE}", shares, agrees)


def _procedures() -> dict[str, Comparison]:
    """What timing-procedures found of ``time`` and of six others, on runs of 1 to 1,000 ms."""
    file = HERE.parent / "timing-procedures" / "summary.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    lengths = sorted(map(int, document["time"]))
    first = {
        name: next((f"{us / 1000:g} ms" for us in lengths if its[str(us)]["trusted"] == "holds"), "none")
        for name, its in document.items()
    }
    step_ms = document["time"][str(lengths[0])]["step"] * lengths[0] / 1000
    return {
        "time-program": Comparison(
            f"`elapsed_s` by `time`, in steps of {step_ms:.0f} ms",
            f"to be trusted to 1 % from {first['time']} on",
            "reproduced",
            "the procedure; our programs run for 0.04 to 1.5 s, the paper does not say how long its"
            " runs took",
        ),
        "procedures": Comparison(
            "`time` cuts off, and reads 0 for a run of a millisecond",
            "bias, s and step within 1 % from: " + ", ".join(f"{name} {at}" for name, at in first.items()),
            "reproduced",
            "answered by [timing-procedures](../timing-procedures/README.md), on one machine",
        ),
    }


def head() -> list[str]:
    """What stands on top of the README: pairs called different, by the paper's response."""
    every = summary()
    rows = []
    for name, part in (
        ("services × optimisation", "services"),
        ("environment × optimisation", "environment"),
        ("… with random sizes, five kernels of ours, `elapsed_s`", "environment-random"),
        ("… **null: one treatment, eight times**", "environment-null"),
        ("affinity × threads", "affinity"),
        ("… of these, compact against scatter, which are the same", "compact"),
        ("waiting × neighbour, five kernels of ours, `elapsed_s`", "waiting"),
    ):
        kind = "npb" if part in {"environment-random", "waiting"} else "nas"
        its = [
            same_placement(order) if part == "compact" else every.get(f"{kind}-{part}-{order}")
            for order in ("rows", "blocks")
        ]
        pairs = next(each["pairs"] for each in its if each)
        counts = [str(item[key]) if item else "" for item in its for key in ("before", "after")]
        default = str(its[1]["default"]) if its[1] and "default" in its[1] else ""
        rows.append([name, str(pairs), *counts, default])
    table = write_table(
        (
            *(
                "NAS programs, by `elapsed_s`",
                "pairs",
                "in rows, as the paper",
                "Holm",
                "in blocks",
                "after Holm",
            ),
            "default analysis of the blocks",
        ),
        rows,
    )
    parts = read_parts("nas")
    sizes, null = (parts[f"nas-environment-{part}"] for part in ("rows", "null-rows"))
    texts = {
        clock: f"{of(part['before'], part['pairs'])} of pairs, {of(part['after'], part['pairs'])} after Holm"
        for clock, part in {
            "null": null["elapsed_s"],
            "sizes": sizes["elapsed_s"],
            "null by the runner": null["wall_s"],
            "sizes by the runner": sizes["wall_s"],
        }.items()
    }
    return [
        table,
        (
            f"**In the paper's order, one treatment eight times differs from itself in {texts['null']}; eight"
            f" sizes of the environment differ in {texts['sizes']}.** So what that order calls an effect of"
            " the environment is there without one. That is by `elapsed_s` of `time`, the paper's response,"
            " whose steps of 10 ms do not tell many of these runs of 30 ms to 1.4 s apart. By `wall_s`, the"
            f" runner's clock, it is {texts['null by the runner']}, and {texts['sizes by the runner']}."
        ),
        "The machine (`topology.txt`, in place of the paper's Figure 2):",
        "```text\n" + (HERE / "topology.txt").read_text(encoding="utf-8").rstrip() + "\n```",
    ]


def same_placement(order: str) -> dict[str, int]:
    """Pairs of compact and scatter at the same number of threads, one placement by two names on two CPUs."""
    cells_of = measured(f"nas-affinity-{order}")
    chosen = [cells_of["", f"{n},compact", f"{n},scatter"] for n in (2, 4, 6)]
    return {
        "pairs": sum(cell.programs for cell in chosen),
        "before": sum(cell.before for cell in chosen),
        "after": sum(cell.after for cell in chosen),
    }


def findings() -> list[str]:
    """What the paper did not know."""
    every = summary()
    rows, null = every["nas-environment-rows"], every["nas-environment-null-rows"]
    blocks = every["nas-environment-blocks"]
    return [
        (
            "Execution time variability: in the published order of runs, eight copies of **one**"
            " treatment give"
            f" {percent(null['before'], null['pairs']):.0f} % of pairs as different"
            f" ({percent(null['after'], null['pairs']):.0f} % after Holm), where eight sizes of the"
            " environment"
            f" give {percent(rows['before'], rows['pairs']):.0f} %"
            f" ({percent(rows['after'], rows['pairs']):.0f} %); in randomised blocks"
            f" {percent(blocks['before'], blocks['pairs']):.0f} % and {blocks['after']}. The order, not the"
            " environment, makes most of its Table 5 on this machine."
        )
    ]
