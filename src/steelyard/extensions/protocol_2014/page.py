"""All pairs by the protocol of Nogueira and Matias (2014): Tables 3 to 8, and a row for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from steelyard.extensions.protocol_2014.programs import format_levels_within
from steelyard.extensions.protocol_2014.results import ProtocolAnswer
from steelyard.extensions.protocol_2014.text import headline, pair_columns
from steelyard.report.page.chart import ACCENT, INK, WIDE, Chart, Section, data, name_shared, tooltip
from steelyard.report.page.forest import Estimated, forest, rows
from steelyard.report.page.marks import mark, name_axis, opacity_scale
from steelyard.report.text.label import format_level_text, named_levels, plural, printable
from steelyard.report.text.line import plain
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from steelyard.extensions.protocol_2014.results import Cell, ProtocolPair, StratumTable
    from steelyard.report.text.line import Style
    from steelyard.results.analysis import Answer

MOST_PAIRS: Final = 60
MOST_TABLES: Final = 12


def section(answer: Answer) -> Section | None:
    """Return what the protocol says; ``None`` where it was not asked for."""
    protocol = answer.protocol
    if not isinstance(protocol, ProtocolAnswer) or not protocol.pairs:
        return None
    text = " ".join(plain(headline(answer, WIDE)).split())
    several = protocol.programs is not None and len({row.program for row in protocol.programs.rows}) > 1
    tables = protocol.programs.tables[:MOST_TABLES] if protocol.programs is not None and several else ()
    charts = tuple(_draw_triangle(table, i) for i, table in enumerate(tables, 1))
    pairs = _draw_pairs(answer, protocol)
    return Section("pairs", "All pairs, with Holm", (text,), (*charts, pairs))


def _draw_triangle(table: StratumTable, i: int) -> Chart:
    text = named_levels(table.stratum)
    cells: list[dict[str, Any]] = [
        {
            "first": printable(cell.first),
            "second": printable(cell.second),
            "share": cell.after / cell.programs if cell.programs else 0.0,
            "says": _describe_cell(cell),
            "before": f"{cell.before} of {cell.programs}",
            "after": f"{cell.after} of {cell.programs}",
        }
        for cell in table.cells
    ]  # fmt: skip
    bare = {
        "title": None,
        "labelColor": INK,
        "labelLimit": 110,
        "grid": False,
        "domain": False,
        "ticks": False,
    }
    x = name_axis("second", axis=bare | {"orient": "top", "labelAngle": -40})
    y = name_axis("first", axis=bare)
    hover = tooltip(first="first", second="second", before="differ before Holm", after="after Holm")
    shared = {"x": x, "y": y, "tooltip": hover}
    share = {**shared, "fillOpacity": opacity_scale("share", 0.04, 0.6)}
    layers = [
        mark("rect", share, color=ACCENT, cornerRadius=2),
        mark("text", {**shared, "text": {"field": "says"}}),
    ]
    return Chart(
        name=f"programs-that-differ-{i}",
        title=f"Programs whose pair differs after Holm{f' ({text})' if text else ''}",
        about=f"{table.before} of {plural(table.comparisons, 'comparison')} before Holm,"
        f" {table.after} after. * Fewer after Holm than before.",
        spec={"data": data("rows"), "height": {"step": 26}, "layer": layers},
        data={"rows": cells},
        columns=(
            Column.words("first", (cell["first"] for cell in cells)),
            Column.words("second", (cell["second"] for cell in cells)),
            Column.numbers("differ before Holm", (cell["before"] for cell in cells)),
            Column.numbers("after Holm", (cell["after"] for cell in cells)),
        ),
    )


def _describe_cell(cell: Cell) -> str:
    if not cell.programs:
        return "–"
    return f"{100 * cell.after / cell.programs:.0f}%{'*' if cell.dropped else ''}"


def _draw_pairs(answer: Answer, protocol_answer: ProtocolAnswer) -> Chart:
    estimates = [row for pair in protocol_answer.pairs if (row := _make_row(pair)) is not None]
    text = (
        f" The first {MOST_PAIRS} of {len(estimates)}; the table has all."
        if len(estimates) > MOST_PAIRS
        else ""
    )
    chart = Chart(
        name="pairs",
        title="Each pair",
        about="Ratio of arithmetic means, right of 1 where the first is better; blue and orange differ after"
        f" Holm, grey does not.{text}",
        spec=forest(estimates[:MOST_PAIRS], "ratio of means"),
        data={"rows": rows(estimates[:MOST_PAIRS])},
        columns=tuple(pair_columns(answer, protocol_answer, protocol_answer.pairs, WIDE)),
        rows_of=tuple(pair.treatment.label for pair in protocol_answer.pairs),
        empty="" if estimates else "No pair has a ratio; the table says why.",
    )
    return name_shared(chart, [row.name for row in estimates[:MOST_PAIRS]])


def _make_row(pair: ProtocolPair) -> Estimated | None:
    means = pair.effects.ratio_of_means if pair.effects else None
    if means is None:
        return None
    style: Style = {"faster": "good", "slower": "bad"}.get(pair.difference, "open")  # type: ignore[assignment]
    text = ", ".join(f"{printable(name)}={format_level_text(level)}" for name, level in pair.stratum.items())
    new, old = (
        format_levels_within(treatment, pair.stratum) if pair.stratum else treatment.label
        for treatment in (pair.treatment, pair.baseline)
    )
    name = f"{text + ': ' if text else ''}{printable(new)}  against  {printable(old)}"
    return Estimated(name, means.value, means.ci95, style, treatment=pair.treatment.label)
