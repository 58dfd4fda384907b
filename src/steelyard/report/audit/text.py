"""An audit as text: the finding, the table, a picture of each kind of context that matters, advice."""

from __future__ import annotations

from typing import Final

from steelyard.answers.audit import Audit, AuditedContext, Verdict
from steelyard.report.audit.picture import picture
from steelyard.report.audit.words import advice, effect, headline, level_of, missed, open_ended
from steelyard.report.text.digits import percent, probability
from steelyard.report.text.label import counted, printable, shorten, wrap
from steelyard.report.text.line import Line, Span, Style
from steelyard.report.text.table import Column, table
from steelyard.units import format_quantity

_VERDICTS: Final[dict[Verdict, tuple[str, Style]]] = {
    "moves": ("moves it", "bad"),
    "within": ("within {least}", "good"),
    "not_resolved": ("not resolved", "open"),
}


def lines(audit: Audit, width: int = 80) -> list[Line]:
    """Everything, in at most ``width`` columns."""
    found = any(finding.verdict == "moves" for finding in audit.findings)
    shown = _wrapped(headline(audit), width, "bad" if found else "good")
    shown += [(), *_wrapped(_caption(audit), width, "dim"), *_table(audit, width)]
    for finding in audit.findings:
        if finding.verdict == "moves" and len(finding.screened) > 1 and _is_number(finding):
            shown += [(), *picture(finding, width)]
    texts = [*(advice(each, audit) for each in audit.findings), open_ended(audit)]
    shown += _section("What to do", [text for text in texts if text], width)
    unseen = [text for each in audit.findings if (text := missed(each))]
    if unseen and not audit.thorough:
        unseen[-1] += "; --thorough visits every residue of a page"
    unseen += [f"{name}: {why}" for name, why in audit.left_out.items()]
    unseen.append("Link order and the layout of the code itself: a command is built already")
    return shown + _section("Not visited", [f"{text}." for text in unseen], width)


def _caption(audit: Audit) -> str:
    quantity = {"cpu_s": "CPU time", "wall_s": "elapsed time"}.get(audit.metric, audit.metric)
    screening = (
        f"{counted(audit.passes, 'pass').replace('passs', 'passes')} of screening, " if audit.passes else ""
    )
    return (
        f"{shorten(printable(audit.command), 40)}: {quantity}, typically"
        f" {format_quantity(audit.typical, audit.unit)}; {counted(audit.runs, 'run')}, {screening}"
        f"{counted(audit.blocks, 'block')} of replication, seed {audit.seed}; intervals and verdicts"
        f" together at {percent(1 - audit.alpha)}, least effect {percent(audit.least)}"
    )


def _table(audit: Audit, width: int) -> list[Line]:
    findings = audit.findings
    verdicts = [_VERDICTS[each.verdict] for each in findings]
    return table(
        [
            Column("context", [Span(each.context) for each in findings], right=False),
            Column("levels", [Span(_levels(each)) for each in findings], give_way=2),
            Column(
                "verdict",
                [Span(text.format(least=percent(audit.least)), style) for text, style in verdicts],
                right=False,
            ),
            Column(
                "largest effect, replicated", [Span(effect(each.extreme)) for each in findings], right=False
            ),
            Column(
                "where",
                [Span(level_of(each, each.extreme.level).removeprefix("at ")) for each in findings],
                right=False,
                give_way=1,
            ),
            Column("p Holm", [Span(probability(each.extreme.p_holm)) for each in findings], give_way=3),
        ],
        width,
    )


def _levels(finding: AuditedContext) -> str:
    if not finding.screened:
        return f"{finding.population}"
    return f"{len(finding.screened)} of {finding.population}"


def _is_number(finding: AuditedContext) -> bool:
    return all(isinstance(each.level, int | float) for each in finding.screened)


def _section(title: str, texts: list[str], width: int) -> list[Line]:
    if not texts:
        return []
    shown: list[Line] = [(), (Span(title, "heading"),)]
    for text in texts:
        shown += [(Span(line),) for line in wrap(text, width, first="- ", rest="  ")]
    return shown


def _wrapped(text: str, width: int, style: Style) -> list[Line]:
    return [(Span(line, style),) for line in wrap(text, width, rest="  ")]
