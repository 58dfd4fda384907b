"""Verdicts as text: one line a claim, worst first, with the numbers of the stratum that decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from steelyard.claims.verdict import Checked, Instance, Reservation, Verdict
from steelyard.core.units import format_quantity
from steelyard.report.claims.cautions import format_cautions
from steelyard.report.claims.claim import format_claim_text, format_evidence_words, format_summary
from steelyard.report.claims.limit import format_breaks_words
from steelyard.report.claims.phrases import WORST
from steelyard.report.text.digits import percent
from steelyard.report.text.label import join_names, named_levels, printable, wrap
from steelyard.report.text.line import Line, Span, Style
from steelyard.stats.compare.judgement import Outcome

SIGNS: Final[dict[Outcome, str]] = {"holds": "✓", "fails": "✗", "not_resolved": "?", "not_judged": "–"}
"""Of each outcome."""
STYLES: Final[dict[Outcome, Style]] = {
    "holds": "good",
    "fails": "bad",
    "not_resolved": "open",
    "not_judged": "open",
}
WORDS: Final[dict[Outcome, str]] = {
    "holds": "holds",
    "fails": "fails",
    "not_resolved": "not resolved",
    "not_judged": "not judged",
}

FEWEST_BY_MODELS: Final = 4
MOST_NUMBERS: Final = 8
"""Of claims that are named by their number."""
MOST_DEPARTURES: Final = 4
"""Differences from a baseline that a sentence lists."""


def words(verdict: Verdict) -> str:
    """Return the verdict in one sentence, without its sign.

    It says what is claimed, what decides, and in how many strata.
    """
    return f"{format_claim(verdict)}: {_format_verdict(verdict)}"


def format_claim(verdict: Verdict) -> str:
    """Return the claim in words, bounds with the unit of their metric."""
    return format_claim_text(verdict.claim, _format_unit(verdict))


def lines(
    verdicts: tuple[Verdict, ...], alpha: float, width: int = 80, *, strata: bool = False
) -> list[Line]:
    """One line a claim; with ``strata`` one for each stratum of it too."""
    out: list[Line] = []
    ordered = sorted(verdicts, key=lambda verdict: WORST[verdict.outcome])
    for verdict in ordered:
        out += _mark(verdict.outcome, words(verdict), width)
        if strata and len(verdict.instances) > 1:
            for instance in sorted(verdict.instances, key=lambda instance: WORST[instance.outcome]):
                text = f"{named_levels(instance.stratum)}: {format_evidence_words(verdict.claim, instance)}"
                out += _mark(instance.outcome, text, width, indent="    ")
    if texts := format_cautions([(format_claim(verdict), verdict) for verdict in ordered]):
        out += [(), (Span("Warnings about models", "heading"),)]
        out += [(Span(line),) for text in texts for line in wrap(text, width, first="- ", rest="  ")]
    for text in filter(None, (_format_family(ordered, alpha), _count_by_models(ordered))):
        out += [*([()] if texts else []), *((Span(line, "dim"),) for line in wrap(text, width))]
        texts = []
    return out


def _count_by_models(ordered: Sequence[Verdict]) -> str:
    """How many of many verdicts by probabilities are expected to be wrong; empty where there are few."""
    values = [
        wrong
        for verdict in ordered
        for instance in verdict.instances
        if (wrong := _compute_doubt(instance)) is not None
    ]
    if len(values) < FEWEST_BY_MODELS:
        return ""
    share = percent(sum(values) / len(values))
    return (
        f"Of {len(values)} verdicts by models, {share} are expected to be wrong:"
        " what their probabilities leave"
    )


def _compute_doubt(instance: Instance) -> float | None:
    """Return the probability that a verdict by a model is wrong; ``None`` without one, or by a test."""
    fails = instance.evidence.failure_probability
    if fails is None or instance.outcome in ("not_resolved", "not_judged"):
        return None
    return fails if instance.outcome == "holds" else 1 - fails


def _format_family(ordered: Sequence[Verdict], alpha: float) -> str:
    """Which of the claims are tests, as they are counted from above; empty where at most one is."""
    members = [str(i) for i, verdict in enumerate(ordered, 1) if verdict.family is not None]
    texts = [str(i) for i, verdict in enumerate(ordered, 1) if verdict.family is None]
    if len(members) < 2:
        return ""
    if not texts:
        text = f"{len(members)} claims are"
    elif len(members) <= MOST_NUMBERS:
        text = f"Claims {join_names(members, MOST_NUMBERS)} of these {len(ordered)} are tests and"
    else:
        text = f"{len(members)} of these {len(ordered)} claims, all but {join_names(texts)}, are tests and"
    return (
        f"{text} one family: any wrong verdict among them has a probability of at most {alpha:g} (Holm), and"
        " each interval has the coverage at which its claim was judged"
    )


_RESERVATIONS: Final[dict[Reservation, str]] = {
    "failed": "The run ended because a program failed; these verdicts use the blocks before that.",
    "unfinished": "The run has not ended: these verdicts rest on the blocks so far.",
    "imprecise": "The run ended before the precision that the spec wants was reached.",
    "afterwards": "Exploratory: the claims are not those with which the record was run. Values do not confirm"
    " what was claimed after seeing them; nothing that holds here counts under --strict.",
}


def reservations(checked: Checked) -> list[tuple[Outcome, str]]:
    """Sentences about what keeps verdicts from counting, each with the outcome that it is itself."""
    words = {
        **_RESERVATIONS,
        "departing": _format_departing(checked.departures),
        "edited": f"The record was {checked.edited}. Nothing is judged by it.",
    }
    return [(outcome, words[name]) for name, outcome in checked.reservations.items()]


def _format_departing(departures: Sequence[str]) -> str:
    text = "; ".join(departures[:MOST_DEPARTURES])
    rest = f"; and {len(departures) - MOST_DEPARTURES} more" if len(departures) > MOST_DEPARTURES else ""
    return f"The experiment differs from the baseline, whose claims these are: {text}{rest}."


def notes(checked: Checked, width: int) -> list[Line]:
    """Cautions for a reader of the verdicts."""
    texts = [*(text for _, text in reservations(checked)), *map(printable, checked.notes)]
    return [(Span(line),) for text in texts for line in wrap(text, width, first="- ", rest="  ")]


def tell_family(checked: Sequence[Checked], width: int) -> list[Line]:
    """Tell that the claims of records of one spec are one family, and how they become one answer."""
    if (count := max((judged.records for judged in checked), default=1)) < 2:
        return []
    text = (
        f"The claims of {count} records of one spec are one family (Holm over all of them). One verdict over"
        " the machines that made them: steelyard merge."
    )
    return [(), *((Span(line),) for line in wrap(text, width))]


def _mark(outcome: Outcome, text: str, width: int, indent: str = "") -> list[Line]:
    first, *rest = wrap(text, width, first=f"{indent}  ", rest=f"{indent}    ")
    head = (Span(f"{indent}{SIGNS[outcome]}", STYLES[outcome]), Span(first[len(indent) + 1 :]))
    return [head, *((Span(line),) for line in rest)]


def _format_verdict(verdict: Verdict) -> str:
    if not verdict.instances:
        return f"{WORDS[verdict.outcome]}; nothing was measured that it is about"
    if (summary := format_summary(verdict)) is not None:
        return f"{WORDS[verdict.outcome]}; {summary}"
    instance = deciding(verdict)
    text = f"{WORDS[verdict.outcome]}{_count(verdict)}; "
    if len(verdict.instances) > 1 and instance.stratum:
        text += f"at {named_levels(instance.stratum)} "
    text += format_evidence_words(verdict.claim, instance)
    if verdict.breaks:
        first = min(verdict.breaks, key=lambda evidence: (evidence.at is None, evidence.at or 0.0))
        text += f"; {format_breaks_words(first, _bound(verdict))}"
    return text


def _bound(verdict: Verdict) -> str:
    bound = getattr(verdict.claim, "max", None)
    return "the limit" if bound is None else format_quantity(bound, _format_unit(verdict))


def _format_unit(verdict: Verdict) -> str:
    return next((unit for instance in verdict.instances if (unit := instance.evidence.bound_unit)), "")


def deciding(verdict: Verdict) -> Instance:
    """Return the stratum that decides, or leaves it open.

    It is the one that fails most surely, or holds least surely.
    """

    def rank(instance: Instance) -> tuple[int, float]:
        p: float | None = getattr(instance.evidence, "p", None)
        sure = 1.0 if p is None else p
        return WORST[instance.outcome], sure if instance.outcome == "fails" else -sure

    return min(verdict.instances, key=rank)


def _count(verdict: Verdict) -> str:
    if len(verdict.instances) < 2:
        return ""
    counts = Counter(instance.outcome for instance in verdict.instances)
    count = len(verdict.instances)
    if verdict.outcome == "holds":
        return f" in all {count} strata"
    held = f", holds in {counts['holds']}" if counts["holds"] else ""
    return f" in {counts[verdict.outcome]} of {count} strata{held}"
