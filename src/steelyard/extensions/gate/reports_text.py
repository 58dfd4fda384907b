"""Words of a gate over reports: the verdict first, then a row for each variable of each test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from steelyard.claims.evidence import RatioEvidence
from steelyard.claims.verdict import Verdict
from steelyard.extensions.exchange.variable_claims import BENCHMARK
from steelyard.extensions.gate.reports import BASE, HEAD, ReportsGate, SideValue
from steelyard.report.claims.phrases import WORST, format_reason
from steelyard.report.claims.text import SIGNS, STYLES, notes
from steelyard.report.text.digits import percent, quantity, ratio
from steelyard.report.text.label import join_names, plural, printable
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.spec.claims.ratio import NotSlower
from steelyard.spec.text.origin import visible
from steelyard.stats.compare.judgement import Outcome

MOST_NAMED: Final = 5
"""Variables that a sentence names."""

_WORDS: Final[dict[Outcome, str]] = {
    "fails": "worse",
    "holds": "passes",
    "not_resolved": "open",
    "not_judged": "not judged",
}


def list_report_lines(answer: ReportsGate, width: int) -> list[Line]:
    """Return the verdict in a line, all variables, the worst first, and what is in no verdict."""
    outcome, sentence = _head(answer)
    head = f"{SIGNS[outcome]} {sentence}"
    out = [*render_paragraph(head, width, style=STYLES[outcome], rest="  ", only_first=True), ()]
    ordered = sorted(answer.checked.verdicts, key=lambda verdict: WORST[verdict.outcome])
    out += table(_list_columns(answer, ordered), width)
    out.append(())
    for text in [*_list_reasons(answer, ordered), *_list_others(answer)]:
        out += render_paragraph(text, width, first="- ", rest="  ")
    return out + notes(answer.checked, width)


def _head(answer: ReportsGate) -> tuple[Outcome, str]:
    outcomes = Counter(verdict.outcome for verdict in answer.checked.verdicts)
    number = len(answer.checked.verdicts)
    of_all = f"of {number} variables" if number > 1 else "of 1 variable"
    extra = [
        *([f"{plural(answer.failures, 'run')} failed"] if answer.failures else []),
        *([f"{plural(len(answer.gone), 'variable')} of base gone"] if answer.gone else []),
    ]
    rest = f"; {', '.join(extra)}" if extra else ""
    undecided = outcomes["not_resolved"] + outcomes["not_judged"]
    if outcomes["fails"]:
        return "fails", f"{outcomes['fails']} {of_all} worse, {undecided} open{rest}"
    if extra:
        return "fails", f"none {of_all} is shown to be worse, {undecided} open{rest}"
    if undecided or answer.unclear:
        return "not_resolved", f"{undecided} {of_all} open, and none is shown to be worse"
    return "holds", f"none {of_all} is worse by more than the margin"


def _list_columns(answer: ReportsGate, ordered: list[Verdict]) -> list[Column]:
    """Return a row for each verdict: ratios above 1 are worse, whichever way the variable is better.

    Where one has no ratio, the means of both sides stand in place of it.
    """
    evidences = [_get_evidence(verdict) for verdict in ordered]
    claims = [verdict.claim for verdict in ordered if isinstance(verdict.claim, NotSlower)]
    pairs = [_get_values(answer, verdict) for verdict in ordered if isinstance(verdict.claim, NotSlower)]
    has_ratios = all(evidence is not None and evidence.ratio is not None for evidence in evidences)
    return [
        Column(
            "", [Span(SIGNS[verdict.outcome], STYLES[verdict.outcome]) for verdict in ordered], right=False
        ),
        Column.words("test", (visible(str(claim.where[BENCHMARK])) for claim in claims), is_name=True),
        Column.words("variable", (str(claim.metric) for claim in claims), is_name=True),
        *([] if has_ratios else [Column.numbers("base → head", map(_format_values, pairs), give_way=3)]),
        Column.numbers("slowdown", (_format_ratio(evidence) for evidence in evidences)),
        Column.words("interval", (_format_interval(evidence) for evidence in evidences), give_way=1),
        Column.numbers(
            "reports",
            (_format_reports(evidence, pair) for evidence, pair in zip(evidences, pairs, strict=True)),
            give_way=2,
        ),
        Column.words("verdict", (_WORDS[verdict.outcome] for verdict in ordered)),
    ]


def _get_values(answer: ReportsGate, verdict: Verdict) -> tuple[SideValue | None, SideValue | None]:
    """Return the means of base and of head of the variable that a verdict is about."""
    claim = verdict.claim
    if not isinstance(claim, NotSlower):
        return None, None
    test, metric = str(claim.where[BENCHMARK]), str(claim.metric)
    return answer.values.get((BASE, test, metric)), answer.values.get((HEAD, test, metric))


def _get_evidence(verdict: Verdict) -> RatioEvidence | None:
    evidence = verdict.instances[0].evidence if verdict.instances else None
    return evidence if isinstance(evidence, RatioEvidence) else None


def _format_values(pair: Sequence[SideValue | None]) -> str:
    """Return the means of both sides, as in ``90 → 80 %``."""
    texts = [
        "–" if value is None else quantity(value.mean, value.unit, abs(value.mean) / 100) for value in pair
    ]
    number, _, unit = texts[0].rpartition(" ")
    is_shared = bool(number) and texts[1].endswith(f" {unit}")
    return " → ".join([number if is_shared else texts[0], texts[1]])


def _format_reports(evidence: RatioEvidence | None, pair: Sequence[SideValue | None]) -> str:
    """Return the reports behind a verdict; without one, those of both sides."""
    if evidence is not None and evidence.n:
        return str(evidence.n)
    return " + ".join(str(value.reports if value is not None else 0) for value in pair)


def _format_ratio(evidence: RatioEvidence | None) -> str:
    if evidence is None or evidence.ratio is None:
        return "–"
    return f"{ratio(evidence.ratio, evidence.interval)} ×"


def _format_interval(evidence: RatioEvidence | None) -> str:
    if evidence is None or evidence.interval is None or evidence.ratio is None:
        return "–"
    low, high = (ratio(bound, evidence.interval) for bound in (evidence.interval.low, evidence.interval.high))
    return f"{low} to {high}"


def _list_reasons(answer: ReportsGate, ordered: list[Verdict]) -> list[str]:
    """Say why variables are not judged, each reason once, and what keeps the rest open."""
    tests: dict[str, list[str]] = {}
    for verdict in ordered:
        evidence = _get_evidence(verdict)
        if verdict.outcome == "not_judged":
            reason = format_reason(evidence.reason) if evidence else ""
            tests.setdefault(reason or "no ratio can be made", []).append(str(verdict.claim.name))
    texts = [
        f"Not judged, since {reason}: {join_names([printable(name) for name in names], MOST_NAMED)}."
        for reason, names in tests.items()
    ]
    if any(
        value.reports == 1
        for verdict in ordered
        if verdict.outcome == "not_judged"
        for value in _get_values(answer, verdict)
        if value is not None
    ):
        texts.append(
            "One report of a side decides nothing, whatever the difference: put more into each folder."
        )
    undecided = [
        evidence
        for verdict in ordered
        if verdict.outcome == "not_resolved" and (evidence := _get_evidence(verdict)) is not None
    ]
    if waits := [evidence.runs_to_show for evidence in undecided if evidence.runs_to_show is not None]:
        texts.append(
            f"{plural(len(waits), 'variable')} would pass with {max(waits)} reports of each side:"
            " fewer may hide slow runs, up to twice as long, that carry the mean over the margin."
        )
    sizes = [
        evidence.resolvable
        for evidence in undecided
        if evidence.runs_to_show is None and evidence.resolvable is not None
    ]
    if sizes:
        bounds = dict.fromkeys(percent(size) for size in (min(sizes), max(sizes)))
        texts.append(
            f"{plural(len(sizes), 'variable')} {'varies' if len(sizes) == 1 else 'vary'} too much:"
            f" these reports would have shown a change of {' to '.join(bounds)}"
            " with 80 % power; more reports show smaller ones."
        )
    return texts


def _list_others(answer: ReportsGate) -> list[str]:
    """Say what is in no verdict, and what all verdicts assume."""
    lists = (
        (answer.gone, "Only base has"),
        (answer.new, "Only head has"),
        (answer.unclear, "Not judged, since units do not say which way is better (--better NAME=higher):"),
        (answer.documents, "No reports, by their names:"),
    )
    texts = [
        f"{text} {join_names([printable(name) for name in names], MOST_NAMED)}."
        for names, text in lists
        if names
    ]
    family = (
        "A slowdown above 1 is worse, whichever way the variable is better. All variables are one family,"
        " intervals included: any wrong verdict has a probability of at most"
        f" {answer.checked.alpha:g} (Holm), if nothing drifted between base and head."
    )
    return [*texts, family]
