"""Tables of README.md, from ``values/*.csv``: ``tables.py`` writes them into tables.csv and README.md."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import kept_values  # noqa: E402 -- what studies share lies beside them
import parts  # noqa: E402
import ranking  # noqa: E402
import readme_tables  # noqa: E402
from claims_of_phases import SPACE  # noqa: E402

Rows = list[dict[str, str]]
"""Of a table, by its columns."""
PHASES: Final = ("gen", "dedup", "pcount", "unjoin")
COUNTED: Final = {"pairs": "gen", "comparisons": "dedup", "words": "pcount", "subsequences": "unjoin"}
"""What a phase counts."""
CLUSTERS: Final = 3
OVERLAPS: Final = (("0", "0"), ("2", "0"), ("4", "0"), ("1", "0.1"), ("4", "0.1"), ("4", "0.5"))
"""Shared dimensions, and how far boxes are shifted in these."""
THEIR_PHASES: Final = {
    "gen": ("split", "gen_s"),
    "dedup": ("split", "dedup_s"),
    "gen and dedup": ("theirs", "gen_s"),
    "pcount": ("theirs", "pcount_s"),
    "unjoin": ("theirs", "unjoin_s"),
}
"""What the paper's code times: whose clock, and the metric."""
EXPECTED: Final = {"gen": "O(k³ 2^k)", "dedup": "O(k⁴ 2^k)", "pcount": "O(k 2^k)", "unjoin": "O(k³ 2^k)"}
NOT_COUNTED: Final = "– (hashing: a comparison or two a merge)"


def medians(part: str, metric: str, **filters: str) -> dict[int, float]:
    """Medians of a metric by k."""
    return {
        int(str(sample.levels["k"])): statistics.median(sample.values)
        for sample in kept_values.kept(HERE, part).samples(metric)
        if all(str(sample.levels.get(name)) == level for name, level in filters.items())
    }


def least(metric: str) -> dict[int, float]:
    """The least value of all runs, by k."""
    return {
        int(str(sample.levels["k"])): min(sample.values)
        for sample in kept_values.kept(HERE, "phases").samples(metric)
    }


def times_and_counts() -> Rows:
    """A row for each k: medians of times, counts, closed forms, the worst of what was found."""
    times = {phase: medians("phases", "phase_s", phase=phase) for phase in PHASES}
    counts = {name: medians("phases", "phase_operations", phase=phase) for name, phase in COUNTED.items()}
    counts["merges"] = medians("phases", "merges")
    result, recall, precision = (least(metric) for metric in ("planted_found", "recall", "precision"))
    peak = medians("phases", "peak_bytes")
    return [
        {
            "k": str(k),
            **{"gen, ms" if phase == "gen" else phase: f"{1e3 * times[phase][k]:.3g}" for phase in PHASES},
            **{name: f"{by_k[k]:,.0f}" for name, by_k in counts.items()},
            "3 k(k−1) 2^(k−3)": f"{closed_form(k):,}",
            "found": f"{result[k]:g}",
            "recall": f"{recall[k]:.3f}",
            "precision": f"{precision[k]:.4f}",
            "peak, MB": f"{peak[k] / 1e6:.0f}",
        }
        for k in sorted(result)
    ]


def closed_form(k: int) -> int:
    """Merges of clusters with one window a dimension."""
    return CLUSTERS * k * (k - 1) * (1 << k) // 8


def growth(part: str) -> Rows:
    """What each claim of growth came to."""
    with kept_values.rebuilt(HERE, part) as record:
        (table,) = readme_tables.read_tables(parts.growth(record))
    return table.rows


def ranks(part: str) -> dict[str, str]:
    """Rank, model and probability of each claim of growth."""
    result = {}
    for row in growth(part):
        sign, probability = row["rank (probability)"].split()
        result[row["claim"]] = f"{sign} {row['model']} {probability}"
    return result


def table_7() -> Rows:
    """The cells of Table 7, and ours of times and counts."""
    published = parts.published("7")
    ours = ranks("phases")
    return [
        {
            "phase": phase,
            "Table 7 expects": EXPECTED[phase],
            "published": next(iter(published[phase].values())),
            "time here": ours[f"{phase}: time as Table 7 expects"],
            "operations here": ours.get(f"{phase}: operations", NOT_COUNTED),
        }
        for phase in PHASES
    ]


def overlaps() -> Rows:
    """What is found of clusters that overlap, and the units that are dense."""
    rows = []
    for shared, shift in OVERLAPS:
        result, recall, clusters, dense = (
            medians("overlap", metric, shared=shared, shift=shift)
            for metric in ("planted_found", "recall", "clusters", "dense_units")
        )
        last = max(dense)
        rows.append(
            {
                "shared": shared,
                "shift": shift,
                "found, of 3": _range(result.values()),
                "least recall": f"{min(recall.values()):.3f}",
                "clusters": _range(clusters.values()),
                "dense units at k = 14": f"{dense[last]:,.0f}",
                "3 (2^k−1) − 2 (2^shared−1)": f"{3 * ((1 << last) - 1) - 2 * ((1 << int(shared)) - 1):,}",
            }
        )
    return rows


def _range(values: Iterable[float]) -> str:
    low, high = min(values := list(values)), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def their_times(phase: str) -> dict[int, float]:
    """Medians of the paper's code by k, in seconds."""
    clock, metric = THEIR_PHASES[phase]
    return medians("paper-code", metric, clock=clock)


def paper_code() -> Rows:
    """Table 7 on the code that it is about, by both methods."""
    published = parts.published("7")
    ours = ranks("paper-code")
    rows = []
    for phase in THEIR_PHASES:
        times = their_times(phase)
        expected = EXPECTED["dedup" if phase == "gen and dedup" else phase]
        by_paper = ranking.model_points(times, _plain(expected), parameter="k", method="seed001", space=SPACE)
        rows.append(
            {
                "phase": phase,
                "Table 7 expects": expected,
                "published": next(iter(published.get(phase, {"": "–"}).values())),
                "by the paper's method": ranking.describe(by_paper),
                "by ours": ours[phase],
                "k = 3, ms": f"{1e3 * times[3]:.3g}",
                "k = 16, ms": f"{1e3 * times[16]:,.0f}",
            }
        )
    return rows


def _plain(formula: str) -> str:
    return formula.replace("³", "^3").replace("⁴", "^4")


def tables() -> Iterator[tuple[str, int, Rows]]:
    """Every table: the heading that it stands under, its place there, its rows."""
    yield "(a) Times and counts", 1, times_and_counts()
    yield "(a) Times and counts", 2, table_7()
    yield "(b) Naive ways, caught", 1, growth("naive")
    yield "(d) Clusters that overlap", 1, overlaps()
    yield "(d) Clusters that overlap", 2, growth("overlap")
    yield "(e) The paper's own code", 1, paper_code()


def cells() -> list[readme_tables.Cell]:
    """All cells that the study keeps."""
    return readme_tables.make_cells(tables())


if __name__ == "__main__":
    readme_tables.write(HERE, cells())
