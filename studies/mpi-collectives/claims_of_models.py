"""Rules and claims on models of latencies and of heaps: simulated, the authors', of real libraries."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import simulated
import study
from declarations import Answer, Cause, Data, Judge
from msgspec.structs import replace
from rank_claims import judge_ranks
from ranking import grows_more
from scipy.stats import binomtest

from steelyard.api.claims import RULE_TOLERANCE
from steelyard.api.scaling import ScalingModel, judge_rule, parse_rule

HERE: Final = Path(__file__).resolve().parent
SIMULATED: Final = "simulated.csv"
AUTHORS: Final = "../scalability-validation/authors.csv"
HEAPS: Final = "values/memory.csv"
RUN: Final = ".venv/bin/python studies/mpi-collectives/study.py "
MACHINES: Final = {"torus": "Juqueen", "fat-tree": "Juropa", "dragonfly": "Piz Daint"}
SELECTORS: Final = {"impi": "Intel MPI", "ompi": "Open MPI"}
PARTS: Final = {**dict.fromkeys(MACHINES, "topologies"), **dict.fromkeys(SELECTORS, "selectors")}
IDLE: Final = Cause("stand-in", "an idle simulated machine", RUN + "noise")
AGAIN: Final = Cause(
    "too few runs", "five points of one launch each", ".venv/bin/steelyard model DATA --suggest"
)
LATER: Final = Cause("stand-in", "a later measurement than Table 6, of five points", AGAIN.command)
BEYOND: Final = 0.05


class Both(NamedTuple):
    """The model of an operation by the paper's method and by ours, and its points in seconds by p."""

    by_paper: ScalingModel
    by_ours: ScalingModel
    points: dict[int, float]


def rows_of(data: Data, part: str) -> list[simulated.Row]:
    """What was simulated of a part."""
    return [
        simulated.Row(
            row["part"],
            row["of"],
            row["op"],
            int(row["p"]),
            float(row["latency_s"]) if row["latency_s"] else None,
        )
        for row in data.table(SIMULATED)
        if row["part"] == part
    ]


def modelled(data: Data, of: str) -> dict[str, Both]:
    """Operations of a machine or selector."""

    def make() -> dict[str, Both]:
        series = [
            series_
            for series_ in simulated.series_in(rows_of(data, PARTS.get(of, "topologies")))
            if of in (str(label) for label in series_.labels.values())
        ]
        theirs = study.by_their_method(series)
        ours = {model.name: model for model, _ in study.ranked(series)}
        return {
            series_.name: Both(
                theirs[series_.name], ours[series_.name], {int(p.at[0]): p.values[0] for p in series_.points}
            )
            for series_ in series
        }

    return data.remember(("modelled", of), make)


def heap_models(data: Data) -> dict[tuple[str, str], tuple[ScalingModel, ScalingModel]]:
    """Models of the heap of an object, by the paper's method and by ours; by library and object."""

    def make() -> dict[tuple[str, str], tuple[ScalingModel, ScalingModel]]:
        with data.rebuilt("memory") as record:
            series = study.series_of_record(record, ("p",), ("heap_mean_bytes",))
        named = [replace(series_, name=str(series_.labels["op"])) for series_ in series]
        return {
            (str(series_.labels["implementation"]), series_.name): (
                study.heaps.model_heap(series_, method="seed001"),
                study.heaps.model_heap(series_, method="posterior"),
            )
            for series_ in named
            if series_.name in study.heaps.EXPECTED
        }

    return data.remember("heaps", make)


def say_rank(model: ScalingModel) -> str:
    """Rank and growth of a model by the paper's method."""
    return f"{study.parts.SIGNS[study.rank_text(model)]} {model.growth()}"


def say_sure(model: ScalingModel) -> str:
    """Rank with its probability, and growth."""
    return f"{study.rank_of(model)} {model.growth()}"


Models = Callable[[Data], Mapping[str, ScalingModel]]


def ranked(
    models: Models, allowed: Sequence[str], command: str, *, sure: bool, is_more: bool | None = None
) -> Judge:
    """Whether each of several models has one of these ranks; open where one is undecided.

    A rank of none counts where growth is faster than expected, an approximate one on the side that
    ``is_more`` names.
    """

    def judge(data: Data) -> Answer:
        cause = Cause("too few runs", "a rank is undecided", command)
        say = say_sure if sure else say_rank
        return judge_ranks(models(data), allowed, cause, say, is_more=is_more)

    return judge


def of_machines(machines: Iterable[str], operations: Iterable[str], *, ours: bool) -> Models:
    """Models of operations on machines, by one method."""
    chosen = [(machine, operation) for machine in machines for operation in operations]

    def models(data: Data) -> dict[str, ScalingModel]:
        result = {}
        for machine, operation in chosen:
            both = modelled(data, machine)[operation]
            name = "" if len(chosen) == 1 else f"{machine} {operation}:"
            result[name] = both.by_ours if ours else both.by_paper
        return result

    return models


def of_heaps(libraries: Iterable[str], name: str, *, ours: bool) -> Models:
    """Models of the heap of an object in libraries, by one method."""
    chosen = [*libraries]

    def models(data: Data) -> dict[str, ScalingModel]:
        return {f"{library}:": heap_models(data)[library, name][ours] for library in chosen}

    return models


def _authors(data: Data, system: str) -> dict[str, dict[str, str]]:
    return {row["operation"]: row for row in data.table(AUTHORS) if row["system"] == system}


def authors_rank(system: str, operation: str, printed: str, *, ours: bool) -> Judge:
    """Whether the authors' own measurements give the published rank, by one method."""
    suffix = "" if ours else "_by_paper"

    def judge(data: Data) -> Answer:
        row = _authors(data, system)[operation]
        rank, growth = row[f"rank{suffix}"], row[f"growth{suffix}"]
        text = f"{study.parts.SIGNS[rank]} {growth}" + (
            f" (inside {float(row['inside']):.2f})" if ours else ""
        )
        if rank == "undecided":
            return Answer(text, "not resolved", AGAIN)
        is_same = rank == printed and (rank != "none" or row[f"faster{suffix}"] == "1")
        return Answer(text, "holds" if is_same else "fails")

    return judge


def _count_none(data: Data, system: str, suffix: str) -> list[str]:
    return [
        operation
        for operation, row in _authors(data, system).items()
        if row[f"rank{suffix}"] == "none" and row[f"faster{suffix}"] == "1"
    ]


def authors_fail(system: str, least: int, most: int, *, ours: bool) -> Judge:
    """Whether so many operations of a library are beyond their expectations, on the authors' measurements.

    By ours it is open while undecided ranks could change the answer.
    """
    suffix = "" if ours else "_by_paper"

    def judge(data: Data) -> Answer:
        failing = _count_none(data, system, suffix)
        rows = _authors(data, system)
        undecided = [operation for operation, row in rows.items() if row[f"rank{suffix}"] == "undecided"]
        text = f"✗ {len(failing)} of {len(rows)}: {', '.join(failing) or 'none'}"
        text += f"; ? {len(undecided)}" if ours else ""
        if least <= len(failing) and len(failing) + len(undecided) <= most:
            return Answer(text, "holds")
        if len(failing) > most or len(failing) + len(undecided) < least:
            return Answer(text, "fails")
        return Answer(text, "not resolved", AGAIN)

    return judge


def on_par(column: str, most: float) -> Judge:
    """Whether Intel MPI's Barrier and Reduce take at most so much longer than Open MPI's."""

    def judge(data: Data) -> Answer:
        rows = _authors(data, "Intel MPI")
        ratios = {operation: float(rows[operation][column]) for operation in ("barrier", "reduce")}
        text = ", ".join(f"{operation} {ratio:.2f} ×" for operation, ratio in ratios.items())
        return Answer(f"{text} Open MPI's", "holds" if max(ratios.values()) <= most else "fails")

    return judge


def fewer_beyond(data: Data) -> Answer:
    """Whether fewer operations of Open MPI than of Intel MPI are beyond their expectations."""
    intel, open_mpi = (len(_count_none(data, system, "_by_paper")) for system in SELECTORS.values())
    text = f"✗ {intel} of Intel MPI, {open_mpi} of Open MPI"
    return Answer(text, "holds" if open_mpi < intel else "fails")


def grows_less(data: Data) -> Answer:
    """Whether Intel MPI's latencies grow more than Open MPI's from p = 32 to 512 (sign test)."""
    changes = {name: float(row["change_over_open"]) for name, row in _authors(data, "Intel MPI").items()}
    steeper = [name for name, change in changes.items() if change > 1]
    p = binomtest(len(steeper), len(changes), alternative="greater").pvalue
    text = f"{len(steeper)} of {len(changes)} grow more, {', '.join(steeper) or 'none'}; p = {p:.2g}"
    if p <= BEYOND:
        return Answer(text, "holds")
    return Answer(text, "not resolved", AGAIN)


def same_terms(*, exactly: bool) -> Judge:
    """Whether means of all repetitions and the least of them have one leading term, by the paper's method.

    In most series; ``exactly``: as the 95 % interval of their share says.
    """

    def judge(data: Data) -> Answer:
        rows = data.table(AUTHORS)
        alike = sum(row["growth_of_means"] == row["growth_of_least"] for row in rows)
        ends = binomtest(alike, len(rows)).proportion_ci(0.95)
        interval = f" [{100 * ends.low:.0f}, {100 * ends.high:.0f}] %" if exactly else ""
        text = f"{alike} of {len(rows)} series{interval}"
        if exactly:
            low, high = ends.low, ends.high
        else:
            low = high = alike / len(rows)
        if low > 0.5:
            return Answer(text, "holds")
        return Answer(text, "fails") if high <= 0.5 else Answer(text, "not resolved", AGAIN)

    return judge


def node_needs(stated: float, processes: int, ranks: int) -> Judge:
    """Whether processes of a node need so many GB, within 5 %, by the model that Figure 4 i prints."""

    def judge(data: Data) -> Answer:
        (text,) = (row["statement"] for row in data.table("statements.csv") if row["id"] == "figure-4i")
        fixed, slope = (float(number) for number in re.findall(r"([\d.]+) MB", text))
        needed = processes * (fixed + slope * ranks) / 1024
        close = abs(needed / stated - 1) <= BEYOND
        return Answer(
            f"{processes} × ({fixed:g} + {slope:g} · {ranks:,}) MB = {needed:.1f} GB",
            "holds" if close else "fails",
        )

    return judge


def no_single_model(data: Data) -> Answer:
    """Whether Gather is no match in either library, on the authors' measurements."""
    ranks = {system: _authors(data, system)["gather"] for system in SELECTORS.values()}
    text = "; ".join(
        f"{s}: {study.parts.SIGNS[r['rank_by_paper']]} {r['growth_by_paper']}" for s, r in ranks.items()
    )
    return Answer(
        text, "holds" if all(row["rank_by_paper"] != "match" for row in ranks.values()) else "fails"
    )


def segments(data: Data) -> Answer:
    """Whether our models find two segments of Gather in either library; five points are few for two."""
    by_system = {system: _authors(data, system)["gather"]["segments"] == "1" for system in SELECTORS.values()}
    text = ", ".join(f"{system} {'two' if two else 'one'}" for system, two in by_system.items()) + " segments"
    if any(by_system.values()):
        return Answer(text, "holds")
    return Answer(
        text, "not resolved", Cause("too few runs", "eight points tell two segments apart", AGAIN.command)
    )


def matches(machine: str, least: int, *, ours: bool) -> Judge:
    """Whether at least so many operations match; by ours open while undecided ranks could change that."""

    def judge(data: Data) -> Answer:
        printed = study.published(MACHINES[machine])
        both = {operation: modelled(data, machine)[operation] for operation in printed}
        ranks = {
            op: study.rank_text(models.by_ours if ours else models.by_paper) for op, models in both.items()
        }
        match = [operation for operation, rank in ranks.items() if rank == "match"]
        undecided = sum(rank == "undecided" for rank in ranks.values())
        text = f"{len(match)} of {len(ranks)} match: {', '.join(match)}"
        if len(match) >= least:
            return Answer(text, "holds")
        if len(match) + undecided < least:
            return Answer(text, "fails")
        cause = Cause("too few runs", f"{undecided} ranks are undecided", RUN + "topologies")
        return Answer(text, "not resolved", cause)

    return judge


def no_logarithm(machines: Iterable[str], operations: Iterable[str]) -> Judge:
    """Whether no operation grows as log p by the paper's method."""
    chosen = [(machine, operation) for machine in machines for operation in operations]

    def judge(data: Data) -> Answer:
        growths = {key: str(modelled(data, key[0])[key[1]].by_paper.growth()) for key in chosen}
        deviants = sum(growth != "O(log p)" for growth in growths.values())
        text = f"{deviants} of {len(growths)} are not O(log p)"
        return Answer(text, "holds" if deviants == len(growths) else "fails")

    return judge


def slower_tree(*, everywhere: bool) -> Judge:
    """Whether a binomial tree by hand is slower than Bcast on the torus, on the most ranks or at every p."""

    def judge(data: Data) -> Answer:
        both = modelled(data, "torus")
        litmus, bcast = both["litmus"].points, both["bcast"].points
        ratios = {p: litmus[p] / bcast[p] for p in sorted(bcast) if p in litmus}
        chosen_ratios = ratios.values() if everywhere else [ratios[max(ratios)]]
        text = f"{min(chosen_ratios):.3f} × Bcast's time" + (
            " or more" if everywhere else f" at p = {max(ratios)}"
        )
        return Answer(text, "holds" if min(chosen_ratios) > 1 + BEYOND else "fails")

    return judge


def noise_lengthens(data: Data) -> Answer:
    """Whether a tenth of every core makes Barrier of 512 ranks longer."""
    rows = rows_of(data, "noise")
    quiet, busy = (
        statistics.median(
            row.latency_s or 0 for row in rows if (row.of, row.op, row.p) == (machine, "barrier", 512)
        )
        for machine in ("links=0 hosts=0", "links=0 hosts=0.1")
    )
    text = f"Barrier of 512 ranks {1e6 * quiet:.1f} → {1e6 * busy:.1f} µs"
    return Answer(text, "holds" if busy > (1 + BEYOND) * quiet else "fails")


def noise_changes_growth(data: Data) -> Answer:
    """Whether it also takes Barrier beyond its expectation."""
    series = [
        series_
        for series_ in simulated.series_in(rows_of(data, "noise"))
        if series_.name == "barrier" and (series_.labels["links"], series_.labels["hosts"]) == ("0", "0.1")
    ]
    ((model, _),) = study.ranked(series)
    rank = study.rank_text(model)
    if rank == "undecided":
        cause = Cause("too few runs", "a rank is undecided", RUN + "noise")
        return Answer(say_sure(model), "not resolved", cause)
    return Answer(say_sure(model), "holds" if rank == "none" and grows_more(model) else "fails")


def scattered_is_slower(*, all_days: bool) -> Judge:
    """Whether Allgather on scattered hosts is slower than on packed ones: medians, or every day."""

    def judge(data: Data) -> Answer:
        values = {
            placement: [
                1e3 * row.latency_s
                for row in rows_of(data, "allocations")
                if row.of.startswith(f"machine=dragonfly-tapered placement={placement}")
                and (row.op, row.p) == ("allgather", 1024)
                and row.latency_s is not None
            ]
            for placement in ("packed", "scattered")
        }
        packed, scattered = values["packed"], values["scattered"]
        text = f"packed {max(packed):.3g} ms, scattered {min(scattered):.3g} to {max(scattered):.3g} ms"
        if all_days:
            return Answer(text, "holds" if min(scattered) > max(packed) else "fails")
        slower = statistics.median(scattered) > (1 + BEYOND) * statistics.median(packed)
        return Answer(text, "holds" if slower else "fails")

    return judge


class Ratio(NamedTuple):
    """The worst ratio of an operation to its replacement, and at how many points it breaks the rule."""

    worst: float
    at: int
    broken: int
    points: int


def ratio_of(data: Data, of: str, left: str, first: str) -> Ratio:
    """An operation beside its replacement followed by Bcast."""
    result = modelled(data, of)
    ratios = {
        p: latency / (result[first].points[p] + result["bcast"].points[p])
        for p, latency in result[left].points.items()
    }
    at = max(ratios, key=lambda p: ratios[p])
    return Ratio(ratios[at], at, sum(ratio > 1 + RULE_TOLERANCE for ratio in ratios.values()), len(ratios))


def growth_rule(data: Data, of: str, text: str) -> str:
    """What the leading terms of the paper's method say of a rule."""
    models = {operation: both.by_paper for operation, both in modelled(data, of).items()}
    return judge_rule(parse_rule(text), models, 16, 1024).verdict


def rule_breaks(of: str, left: str, first: str) -> Judge:
    """Whether it is broken at points, and at the most ranks."""

    def judge(data: Data) -> Answer:
        ratio = ratio_of(data, of, left, first)
        text = (
            f"{of}: broken at {ratio.broken} of {ratio.points} points,"
            f" by up to {ratio.worst:.2f} × at p = {ratio.at}"
        )
        return Answer(text, "holds" if ratio.broken else "fails")

    return judge


def only_on(machine: str, *, by_growth: bool) -> Judge:
    """Whether Allgather breaks its rule on one machine alone: by leading terms, or at points."""

    def judge(data: Data) -> Answer:
        if by_growth:
            verdicts = {
                topology: growth_rule(data, topology, "allgather <= gather + bcast") for topology in MACHINES
            }
            text = "; ".join(
                f"{topology}: {verdict.replace('_', ' ')}" for topology, verdict in verdicts.items()
            )
            broken = {topology for topology, verdict in verdicts.items() if verdict == "fails"}
        else:
            ratios = {topology: ratio_of(data, topology, "allgather", "gather") for topology in MACHINES}
            text = "; ".join(
                f"{topology}: at {ratio.broken} of {ratio.points}, up to {ratio.worst:.1f} ×"
                for topology, ratio in ratios.items()
            )
            broken = {topology for topology, ratio in ratios.items() if ratio.broken}
        return Answer(text, "holds" if broken == {machine} else "fails")

    return judge


def grows_by(library: str, name: str, bytes_a_rank: float, *, surely: bool) -> Judge:
    """Whether a heap grows by so many bytes a rank, within a factor of two, from 4,096 to 8,192 ranks."""

    def judge(data: Data) -> Answer:
        model = heap_models(data)[library, name][surely]
        slope = (model.at(8192) - model.at(4096)) / 4096
        text = f"{library} {say_sure(model) if surely else say_rank(model)}, {slope:,.0f} B a rank"
        near = bytes_a_rank / 2 <= slope <= 2 * bytes_a_rank
        return Answer(f"{text} from p = 4,096 to 8,192", "holds" if near else "fails")

    return judge


def begins_at(name: str) -> Judge:
    """Heap of an object of two ranks, by library."""

    def judge(data: Data) -> Answer:
        first: dict[str, list[float]] = {}
        for row in data.table(HEAPS):
            if (row["op"], row["p"]) == (name, "2") and row["heap_mean_bytes"]:
                first.setdefault(row["implementation"], []).append(float(row["heap_mean_bytes"]))
        medians = {library: statistics.median(values) for library, values in first.items()}
        return Answer(", ".join(f"{library} {value:.0f} B" for library, value in medians.items()), "holds")

    return judge


def connections_need(statement: str, processes: int) -> Judge:
    """Whether connections of a node's processes need more than its memory, by the numbers of a sentence."""

    def judge(data: Data) -> Answer:
        (row,) = (row for row in data.table("statements.csv") if row["id"] == statement)
        each, ranks = re.findall(r"[\d.,]+\d", row["statement"])
        has = float(re.findall(r"of ([\d.]+) GB", row["published"])[0])
        needed = processes * float(each) * float(ranks.replace(",", "")) / 1024
        text = f"{processes} × {each} MB × {ranks} = {needed:.1f} GB of {has:g}"
        return Answer(text, "holds" if needed > has else "fails")

    return judge


def wall(ranks: int, most_bytes: float, processes: int, *, surely: bool) -> Judge:
    """Whether so many processes of a node need more than it has, with all ranks, in every library."""

    def judge(data: Data) -> Answer:
        texts, reached = [], True
        for library in ("openmpi", "mpich", "impi"):
            model = heap_models(data)[library, "mpi_init"][surely]
            need = processes * model.at(ranks)
            texts.append(f"{library} {need / 1e9:.2g} GB")
            reached &= need > most_bytes
        return Answer(", ".join(texts), "holds" if reached else "fails")

    return judge
