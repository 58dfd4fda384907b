"""Sentences about printed ranks, recomputed from the tables of DOI 10.1109/TPDS.2019.2896993.

A sentence that sums up cells is decided by the cells as they are printed. Whether a cell comes out here is a
row of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from declarations import Answer, Data, Declaration, Judge, Rows
from parts import SIGNS

from steelyard.api.scaling import Growth, half_deviation, parse_growth, rank_growth

PRINTED: Final = "../scalability-validation/published.csv"
"""Relative to a study."""
FAR: Final = 2.0**40
"""A number of ranks at which a leading term is what grows."""


def declare_printed(name: str, rule: str, judge: Judge, remark: str = "") -> Declaration:
    """Declare a sentence that the paper's own tables decide."""
    return Declaration(
        name,
        "recomputed",
        (PRINTED,),
        rule,
        judge,
        "as printed",
        judge,
        origin="the authors' data",
        remark=remark,
    )


def beside_printed(printed: Judge, ours: Judge) -> Judge:
    """The answer of the print, with what our data give written beside it."""

    def judge(data: Data) -> Answer:
        answer = printed(data)
        return answer._replace(text=f"{answer.text}; here {ours(data).text}")

    return judge


def all_of(*judges: Judge) -> Judge:
    """Whether each of several holds."""

    def judge(data: Data) -> Answer:
        answers = [item(data) for item in judges]
        text = "; ".join(answer.text for answer in answers)
        return Answer(text, "holds" if all(answer.verdict == "holds" for answer in answers) else "fails")

    return judge


def cells(data: Data, table: str, systems: Iterable[str] = (), functions: Iterable[str] = ()) -> Rows:
    """Printed cells, of all systems and functions unless some are named."""
    chosen, named = {*systems}, {*functions}
    rows = [
        row
        for row in data.table(PRINTED)
        if row["table"] == table
        and (not chosen or row["system"] in chosen)
        and (not named or row["function"] in named)
    ]
    if not rows:
        raise LookupError(f"Table {table} has no cell of {', '.join([*chosen, *named]) or 'any system'}")
    return rows


def write_cell(row: dict[str, str]) -> str:
    """A cell as it is printed."""
    return f"{row['function']} {SIGNS[row['rank']]} O({row['model']})"


def ranks_are(table: str, systems: Sequence[str], functions: Sequence[str], allowed: Sequence[str]) -> Judge:
    """Whether each of some cells has one of these ranks."""

    def judge(data: Data) -> Answer:
        rows = cells(data, table, systems, functions)
        text = "; ".join(f"{row['system']} {write_cell(row)}" for row in rows)
        return Answer(text, "holds" if all(row["rank"] in allowed for row in rows) else "fails")

    return judge


def rank_counts(table: str, system: str, rank: str, least: int, most: int) -> Judge:
    """Whether so many cells of a system have a rank."""

    def judge(data: Data) -> Answer:
        rows = cells(data, table, [system])
        named = [row["function"] for row in rows if row["rank"] == rank]
        text = f"{SIGNS[rank]} {len(named)} of {len(rows)}: {', '.join(named) or 'none'}"
        return Answer(text, "holds" if least <= len(named) <= most else "fails")

    return judge


def terms_are(table: str, systems: Sequence[str], functions: Sequence[str], terms: Sequence[str]) -> Judge:
    """Whether each of some cells has one of these leading terms."""
    allowed = [parse_growth(term, "p") for term in terms]

    def judge(data: Data) -> Answer:
        rows = cells(data, table, systems, functions)
        beyond = [row for row in rows if _model(row) not in allowed]
        text = f"{len(rows) - len(beyond)} of {len(rows)}"
        text += f", not {'; '.join(map(write_cell, beyond))}" if beyond else ""
        return Answer(text, "fails" if beyond else "holds")

    return judge


def no_term(table: str, systems: Sequence[str], functions: Sequence[str], term: str) -> Judge:
    """Whether none of some cells has this leading term."""
    growth = parse_growth(term, "p")

    def judge(data: Data) -> Answer:
        rows = cells(data, table, systems, functions)
        alike = [row for row in rows if _model(row) == growth]
        text = f"{len(rows) - len(alike)} of {len(rows)} have another term than O({term})"
        return Answer(text, "fails" if alike else "holds")

    return judge


def breaks_on(whole: str, parts: Sequence[str], system: str) -> Judge:
    """Whether an operation grows faster than the operations that do the same on this system alone."""

    def judge(data: Data) -> Answer:
        texts, broken = [], []
        for name in dict.fromkeys(row["system"] for row in cells(data, "4")):
            mine, *rest = (_model(cells(data, "4", [name], [op])[0]) for op in (whole, *parts))
            grows = all((mine / part).at(FAR) > (mine / part).at(FAR**0.5) for part in rest)
            broken += [name] if grows else []
            texts.append(f"{name}: {mine.big_o('p')} {'>' if grows else '≤'} its parts")
        return Answer("; ".join(texts), "holds" if broken == [system] else "fails")

    return judge


def differ_by(table: str, functions: Sequence[str], term: str) -> Judge:
    """Whether the models of two systems differ by this factor for each function."""
    factor = parse_growth(term, "p")

    def judge(data: Data) -> Answer:
        ratios = {}
        for function in functions:
            first, second = (_model(row) for row in cells(data, table, (), [function]))
            ratios[function] = first / second
        text = "; ".join(f"{name} {ratio.big_o('p')}" for name, ratio in ratios.items())
        return Answer(text, "holds" if all(ratio == factor for ratio in ratios.values()) else "fails")

    return judge


def follow_rule(*tables: str) -> Judge:
    """Whether each printed δ is the model over its expectation, and each rank that of its limits."""

    def judge(data: Data) -> Answer:
        rows = [row for table in tables for row in cells(data, table)]
        beyond = [row for row in rows if not _follows(row)]
        text = f"{len(rows) - len(beyond)} of {len(rows)} cells"
        named = "; ".join(f"{row['system']} {write_cell(row)}" for row in beyond)
        text += f", not {named}" if beyond else ""
        return Answer(text, "fails" if beyond else "holds")

    return judge


def expects(table: str, function: str, term: str) -> Judge:
    """Whether a function has this expectation in a table."""

    def judge(data: Data) -> Answer:
        stated = {row["expectation"] for row in cells(data, table, (), [function])}
        text = f"O({', '.join(sorted(stated))}) in Table {table}, O({term}) in Table 1"
        return Answer(text, "holds" if stated == {term} else "fails")

    return judge


def begin_higher(functions: Sequence[str], high: str, low: str, times: float) -> Judge:
    """Whether printed constants of Table 5, in bytes, are this many times as large on one system."""

    def judge(data: Data) -> Answer:
        texts, ratios = [], []
        for function in functions:
            large, small = (
                float(cells(data, "5", [system], [function])[0]["constant_bytes"]) for system in (high, low)
            )
            texts.append(f"{function} {large:,.0f} against {small:,.0f} B")
            ratios.append(large / small)
        return Answer("; ".join(texts), "holds" if min(ratios) >= times else "fails")

    return judge


def _model(row: dict[str, str]) -> Growth:
    return parse_growth(row["model"], row["parameter"])


def _follows(row: dict[str, str]) -> bool:
    parameter = row["parameter"]
    model, expectation = (parse_growth(row[name], parameter) for name in ("model", "expectation"))
    deviation = parse_growth(row["deviation"], parameter) if row["deviation"] else half_deviation(expectation)
    is_ranked = rank_growth(model, expectation, deviation) == row["rank"]
    return is_ranked and model / expectation == parse_growth(row["divergence"], parameter)
