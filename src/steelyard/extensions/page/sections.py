"""The sections of a page, in the order in which a reader asks."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from steelyard.core.extension import find_protocol, find_section, load
from steelyard.core.units import format_duration, format_quantity
from steelyard.extensions.page import comparisons, contexts, factors, instances, runs, sweeps
from steelyard.extensions.page.columns import MOST_MARKS, RunColumns
from steelyard.extensions.page.contents import PageContents, Shown
from steelyard.report.answer.notices import sentences
from steelyard.report.answer.notices import sentences as edited_sentences
from steelyard.report.answer.presentation import Presentation
from steelyard.report.answer.text import caption, collect_findings, render_headline, stopping, tally
from steelyard.report.answer.words import Finding, names
from steelyard.report.claims.text import SIGNS, STYLES
from steelyard.report.claims.text import words as claim_words
from steelyard.report.page.answer_page import make_answer_page
from steelyard.report.page.chart import WIDE, Section
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import plain
from steelyard.report.text.table import Column
from steelyard.spec.claims.claim import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from steelyard.claims.verdict import Checked, Verdict
    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.status import State

MOST_LEADING: Final = 3
"""Findings up to which the first one leads; of more, the counts of verdicts do."""
_MOST_MODULES: Final = 20
"""Rows of code that programs loaded while they ran; a program in Python has hundreds."""
_STATES: Final[Mapping[State, str]] = {
    "planned": "has not begun to run",
    "running": "still running",
    "interrupted": "interrupted; steelyard run continues it",
    "complete": "complete",
    "precision_not_reached": "ended before the precision that was wanted",
    "failed": "ended because a program failed",
}


def name_treatments(contents: PageContents) -> Names:
    """Short names of the treatments, as sentences, tables and charts have them.

    Those of an answer have other labels where problem instances are taken together.
    """
    treatments = list(contents.portrait.treatments)
    treatments += [sample.treatment for sample in contents.answer.samples] if contents.answer else []
    return names(dict.fromkeys(treatment.label for treatment in treatments))


def headline(contents: PageContents) -> tuple[list[Finding], str]:
    """Return the answer: its findings, or one sentence on many, which the chart below it shows."""
    if contents.answer is None:
        return [Finding(f"Nothing can be said yet: {contents.why}", "", "open")], ""
    answer = contents.answer
    edited = [notice for notice in answer.warnings if notice.kind == "edited"]
    if edited:
        first, *_ = edited_sentences(edited, name_treatments(contents))
        return [Finding(first, "", "bad")], ""
    if by_protocol := render_headline(answer, WIDE):
        claim, _, evidence = " ".join(plain(by_protocol).split()).partition(" (")
        return [Finding(claim, evidence.removesuffix(")"), "")], ""
    findings, omitted = collect_findings(Presentation(answer, WIDE), name_treatments(contents))
    if len(findings) > MOST_LEADING and answer.judged:
        counts, _, power = tally(answer.judged).partition("; ")
        return [Finding(counts, power, "")], ""
    return [_render_short(finding) for finding in findings], omitted


def _render_short(finding: Finding) -> Finding:
    """Return what a run would take that decides is evidence here, where the claim is set large."""
    claim, _, rest = finding.claim.partition("; ")
    return Finding(claim, "; ".join(filter(None, (rest, finding.evidence))), finding.style)


def claims(contents: PageContents) -> list[Finding]:
    """Return the claims of the spec, judged."""
    if contents.checked is None:
        return []
    return [
        Finding(f"{SIGNS[verdict.outcome]} {claim_words(verdict)}", "", STYLES[verdict.outcome])
        for verdict in contents.checked.verdicts
    ]


def state(contents: PageContents) -> str:
    """How far the record is."""
    status = contents.portrait.status
    text = (
        f" of {status.blocks_planned:,}"
        if status.blocks_planned and status.state in ("running", "interrupted")
        else ""
    )
    return (
        f"{_STATES[status.state]}, {status.blocks_done:,}{text}"
        f" {'block' if status.blocks_done == 1 else 'blocks'}"
    )


def sections_of(contents: Shown, most: int = MOST_MARKS) -> list[Section]:
    """Return the sections of a part of the page; ``most`` runs are drawn one by one."""
    if isinstance(contents, PageContents):
        return sections(contents, RunColumns(contents.portrait, name_treatments(contents), most))
    return [*make_answer_page(contents).sections]


def sections(contents: PageContents, columns: RunColumns) -> list[Section]:
    """Everything below the answer."""
    answer, short = contents.answer, name_treatments(contents)
    drawn: list[Section | None] = []
    every_run = runs.section(contents.portrait, answer, short, columns)
    if answer is None:
        drawn = [*_draw_parts(contents.parts), every_run]
    else:
        drawn = [
            comparisons.section(answer, short),
            every_run,
            contexts.section(answer, contents.by_context, short),
            instances.section(answer, short),
            factors.section(answer),
            _draw_protocol(answer),
            *_draw_claims(contents.checked),
            *_draw_parts(contents.parts),
            *sweeps.sections(answer, short),
            _draw_notices(contents, short),
        ]
    return [
        *(section for section in drawn if section is not None),
        _draw_design(contents),
        _draw_machine(contents),
    ]


def _draw_parts(parts: Mapping[str, object]) -> list[Section | None]:
    places = {name: find_section(name) for name in parts}
    return [load(place)(parts[name]) for name, place in places.items() if place is not None]


def _draw_claims(checked: Checked | None) -> list[Section | None]:
    """Return the sections of kinds of claims that have one."""
    by_section: dict[str, list[Verdict]] = {}
    for verdict in () if checked is None else checked.verdicts:
        if place := kind_of(verdict.claim).section:
            by_section.setdefault(place, []).append(verdict)
    return [load(place)(verdicts) for place, verdicts in by_section.items()]


def _draw_protocol(answer: Answer) -> Section | None:
    if answer.protocol is None:
        return None
    section: Section | None = load(find_protocol(answer.declared.protocol).section)(answer)
    return section


def _draw_notices(contents: PageContents, short: Names) -> Section | None:
    answer = contents.answer
    if answer is None or not (answer.warnings or answer.unobserved):
        return None
    warned = tuple(f"Warning: {text}" for text in sentences(answer.warnings, short))
    unseen = tuple(f"Not observed: {text}" for text in sentences(answer.unobserved, short))
    return Section("limits", "Warnings and limitations", notes=(*warned, *unseen))


def _draw_design(contents: PageContents) -> Section:
    """Return what was run, in which order, and where it stopped."""
    it, answer = contents.portrait, contents.answer
    facts: list[tuple[str, str]] = [
        ("experiment", printable(it.status.experiment)),
        ("record", f"{it.id}, made {it.created}"),
        ("state", state(contents)),
        ("treatments", f"{len(it.treatments):,}"),
        ("trials", f"{it.status.trials_done:,} in {format_duration(it.status.spent_s)}"),
    ]
    if answer is not None:
        design = answer.design
        facts.append(("metric and order", caption(answer)))
        facts.append(("level of the tests", f"{answer.declared.alpha:g}"))
        if design.machines:
            facts.append(("machines", ", ".join(map(printable, design.machines.values()))))
        elif design.contexts:
            facts.append(
                (
                    "contexts",
                    f"{plural(design.contexts, 'context')} in {plural(design.passes, 'pass')}",
                )
            )
        if text := stopping(design):
            facts.append(("stop rule", text))
    return Section("design", "Design", tables=(("Design of the experiment", _render_facts(facts), ()),))


def _draw_machine(contents: PageContents) -> Section:
    portrait = contents.portrait
    host = [
        (key.replace("_", " "), printable(_format_fact(key, value))) for key, value in portrait.host.items()
    ]
    if portrait.proof is not None and portrait.proof.head:
        host.append(("last digest of the record", portrait.proof.head))
    modules = {
        path: facts
        for path, facts in portrait.program.items()
        if isinstance(facts, dict) and facts.get("mapped")
    }
    rest = {path: facts for path, facts in portrait.program.items() if path not in modules}
    program = [
        (".".join(filter(None, path)), printable(value))
        for path, value in _get_flat(rest)
        if value not in ("", "None")
    ]
    program += [
        (path, printable(str(facts.get("sha256", ""))))
        for path, facts in islice(modules.items(), _MOST_MODULES)
    ]
    if len(modules) > _MOST_MODULES:
        program.append(("more modules", f"{len(modules) - _MOST_MODULES}, in the record"))
    tables = [
        (title, _render_facts(facts), ())
        for title, facts in (("Machine", host), ("Program", program))
        if facts
    ]
    return Section("machine", "Machine and program", tables=tuple(tables))


def _format_fact(key: str, value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if key.endswith("_bytes"):
            return format_quantity(value, "B")
        if key.endswith("_s"):
            return format_quantity(value, "s")
    return str(value)


def _render_facts(facts: Sequence[tuple[str, str]]) -> tuple[Column, ...]:
    return (
        Column.words("fact", (key for key, _ in facts)),
        Column.words("value", (value for _, value in facts)),
    )


def _get_flat(value: object, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """Nested facts, one a line."""
    if isinstance(value, dict):
        return [group for key, inner in value.items() for group in _get_flat(inner, (*path, str(key)))]
    if isinstance(value, list):
        if all(not isinstance(inner, dict | list) for inner in value):
            return [(path, " ".join(map(str, value)))]
        return [group for i, inner in enumerate(value) for group in _get_flat(inner, (*path, str(i)))]
    return [(path, str(value))]
