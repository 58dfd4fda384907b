"""Rules between functions: left side over right side at every measured point, broken cells marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from steelyard.extensions.growth.evidence import RulePointEvidence
from steelyard.report.claims.claim import format_claim_text, format_evidence_words
from steelyard.report.claims.text import STYLES, WORDS
from steelyard.report.page.chart import BETTER, GRID, INK, PAGE, WORSE, Chart, Section, data, tooltip
from steelyard.report.page.marks import colour_scale, mark, name_axis
from steelyard.report.text.label import format_level_text, named_levels, printable
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steelyard.claims.verdict import Instance, Verdict

MOST: Final = 24
"""Rules with a picture; the words of the claims have all."""
CELL_PX: Final = 34
_COLOURS: Final = {"holds": BETTER, "not resolved": GRID, "not judged": GRID, "fails": WORSE}
"""By outcome in words."""


def section(verdicts: Sequence[Verdict]) -> Section | None:
    """Return a picture for each rule that has points; ``None`` without any."""
    judged = [(verdict, points) for verdict in verdicts if (points := _get_points(verdict))]
    if not judged:
        return None
    rest = (f"The first {MOST} of {len(judged)} rules are drawn.",) if len(judged) > MOST else ()
    charts = tuple(_draw_chart(verdict, points, i) for i, (verdict, points) in enumerate(judged[:MOST], 1))
    return Section("rules", "Rules", rest, charts)


def _get_points(verdict: Verdict) -> list[Instance]:
    return [instance for instance in verdict.instances if isinstance(instance.evidence, RulePointEvidence)]


def _draw_chart(verdict: Verdict, points: Sequence[Instance], i: int) -> Chart:
    """Cells over the parameter and the other levels.

    Orange is broken, and crossed out for readers who see no colours.
    """
    along = _format_along(verdict, points)
    rows: list[dict[str, Any]] = [
        {
            "x": format_level_text(point.stratum[along]) if along else "",
            "y": named_levels({name: level for name, level in point.stratum.items() if name != along}),
            "outcome": WORDS[point.outcome],
            "ratio": _format_ratio(point),
            "says": format_evidence_words(verdict.claim, point),
        }
        for point in points
    ]
    columns, lines = (list(dict.fromkeys(row[name] for row in rows)) for name in ("x", "y"))
    x = name_axis("x", title=printable(along) if along else None, axis={"labelAngle": 0, "grid": False})
    x |= {"type": "ordinal", "sort": columns}
    y = name_axis("y", title=None) | {"type": "ordinal", "sort": lines}
    is_open = {"test": "datum.outcome == 'not resolved' || datum.outcome == 'not judged'", "value": INK}
    hover = tooltip(x=along or "point", y="at", outcome="outcome", says="left over right")
    outcome = {"x": x, "y": y, "color": colour_scale("outcome", _COLOURS), "tooltip": hover}
    says = {"x": x, "y": y, "text": {"field": "ratio"}, "color": {"condition": is_open, "value": PAGE}}
    layers = [mark("rect", outcome, stroke=PAGE, strokeWidth=2), mark("text", says, fontWeight=600)]
    return Chart(
        name=f"rule-{i}",
        title=f"{format_claim_text(verdict.claim)}: {WORDS[verdict.outcome]}",
        about="Time of the left side over time of the right side. Orange with ✗: broken; grey: not resolved.",
        spec={"data": data("rows"), "height": max(2, len(lines)) * CELL_PX, "layer": layers},
        data={"rows": rows},
        columns=(
            Column.words("at", (named_levels(point.stratum) for point in points)),
            Column.words("left over right", (row["says"] for row in rows)),
            Column(
                "verdict",
                [
                    Span(row["outcome"], STYLES[instance.outcome])
                    for row, instance in zip(rows, points, strict=True)
                ],
            ),
        ),
    )


def _format_along(verdict: Verdict, points: Sequence[Instance]) -> str | None:
    """Return the parameter of the claim, or the last level that varies."""
    names = list(points[0].stratum)
    named = getattr(verdict.claim, "parameter", None)
    if named in names:
        return str(named)
    varied = [name for name in names if len({point.stratum.get(name) for point in points}) > 1]
    return varied[-1] if varied else (names[-1] if names else None)


def _format_ratio(point: Instance) -> str:
    evidence = point.evidence
    if not isinstance(evidence, RulePointEvidence) or evidence.ratio is None:
        return "–"
    return f"{'✗ ' if point.outcome == 'fails' else ''}{evidence.ratio:.3g} ×"
