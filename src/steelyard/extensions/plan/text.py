"""A plan as text: runs, their order and time, and effects that the design cannot separate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.factorial.signs import SignTable, main_effects
from steelyard.core.sample import Treatment
from steelyard.core.units import format_duration, format_quantity
from steelyard.extensions.plan import outlook_words
from steelyard.extensions.plan.question import build_words, format_claims_words, format_where
from steelyard.extensions.plan.results import PLAN, PlannedTreatment, Preview, Refusal
from steelyard.report.text.cells import note_omitted
from steelyard.report.text.digits import percent
from steelyard.report.text.factor_columns import render_treatment_columns, varying
from steelyard.report.text.label import format_level_text, join_names, plural, printable
from steelyard.report.text.line import Line, Span, Style, plain, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.spec.experiment import Experiment

MOST_TREATMENTS: Final = 20
MOST_REFUSED: Final = 10
MOST_NODES: Final = 12


def render(preview: Preview, experiment: Experiment, width: int = 80) -> str:
    """Render as plain text."""
    return plain(lines(preview, experiment, width))


def lines(preview: Preview, experiment: Experiment, width: int = 80, *, signs: bool = False) -> list[Line]:
    """Line by line; the sign table where it is asked for."""
    output: list[Line] = [(Span(printable(preview.experiment), "heading"),)]
    facts = {
        "design": _format_design(preview),
        "stops": _format_stops(preview),
        "time": _format_time(preview),
        "simulations": _describe_simulations(preview),
        "where": format_where(experiment.launch, experiment.factors),
        "nodes": _tell_nodes(preview),
        "build": build_words(experiment, preview.builds),
        "first block": _choose_first(preview),
    }
    for title, fact in facts.items():
        if fact:
            output += render_paragraph(fact, width, first=f"  {title:<13}", rest=" " * 15)
    treatments = preview.treatments[:MOST_TREATMENTS]
    output += [
        (),
        *table(
            [
                Column.numbers("id", (str(treatment.id) for treatment in treatments)),
                *render_treatment_columns(
                    _convert_treatments(treatments), _format_factors(preview), width // 2
                ),
                Column.words(
                    "command", (printable(treatment.command) for treatment in treatments), is_name=True
                ),
            ],
            width,
        ),
    ]
    output += note_omitted(len(preview.treatments) - MOST_TREATMENTS, "")
    if preview.signs is not None and signs:
        output += [(), *sign_lines(preview.signs, width)]
    if preview.outlook is not None:
        output += [(), *outlook_words.lines(preview.outlook, width)]
    output += _render_sentences("Claimed", format_claims_words(experiment), width)
    output += _render_sentences("Changed here", preview.changes_here, width)
    output += _render_sentences("Cannot be separated", preview.inseparable, width)
    output += _render_sentences("Not asked", _tell_unasked(preview), width)
    return output + _render_refusals(preview.refused, width)


def _tell_unasked(preview: Preview) -> Sequence[str]:
    cure = "a run asks before it measures. To ask now, by the ssh of the spec: steelyard plan SPEC --ask"
    return (f"{join_names(preview.unasked)}: {cure}",) if preview.unasked else ()


def _render_refusals(refused: Sequence[Refusal], width: int) -> list[Line]:
    """Last, where it is seen; each with what cures it."""
    if not refused:
        return []
    output: list[Line] = [(), (Span("Run on this machine, it would be refused", "heading"),)]
    for refusal in refused[:MOST_REFUSED]:
        output += render_paragraph(printable(refusal.error), width, first="- ", rest="  ")
        if refusal.hint:
            output += render_paragraph(printable(refusal.hint), width, first="  hint: ", rest="  ")
    return output + note_omitted(len(refused) - MOST_REFUSED, "")


def _render_sentences(title: str, sentences: Sequence[str], width: int) -> list[Line]:
    if not sentences:
        return []
    output: list[Line] = [(), (Span(title, "heading"),)]
    for sentence in sentences:
        output += render_paragraph(printable(sentence), width, first="- ", rest="  ")
    return output


def document(preview: Preview, experiment: Experiment) -> str:
    """Return the document ``steelyard/plan``, version 1."""
    build = experiment.build
    return PLAN.text(
        preview,
        trials=preview.trials,
        launch={"kind": experiment.launch.kind, "words": format_where(experiment.launch, experiment.factors)},
        build=None if build is None else {"command": build.command, "programs": preview.builds},
        claims=format_claims_words(experiment),
    )


def _format_design(preview: Preview) -> str:
    count = plural(len(preview.treatments), "treatment")
    if preview.order == "sequential":
        per_treatment = len(preview.first_block) * preview.blocks // max(1, len(preview.treatments))
        parts = [f"{count}, {plural(per_treatment, 'run')} of each, one treatment after the other"]
    else:
        times = f" × {preview.replicates}" if preview.replicates > 1 else ""
        parts = [f"{count}{times} in each of {plural(preview.blocks, 'block')}, in random order"]
    if preview.contexts:
        passes = f", each visited {preview.passes} times" if preview.passes > 1 else ""
        parts.append(f"{plural(preview.contexts, 'context')}{passes}")
    if preview.discard and preview.in_rows:
        parts.append(f"{plural(preview.discard, 'warm-up run')} of each (discarded)")
    elif preview.discard:
        parts.append(f"{plural(preview.discard, 'warm-up block')} (discarded)")
    return "; ".join([*parts, f"{plural(preview.trials, 'run')}, seed {preview.seed}"])


def _format_stops(preview: Preview) -> str:
    parts = []
    if preview.decided:
        narrow = " and its interval narrow against the effect" if preview.until == "size" else ""
        parts.append(f"when every verdict is decided{narrow}")
    if preview.target is not None:
        parts.append(f"when every interval reaches at most {percent(preview.target)} to either side")
    if preview.most_blocks is not None:
        parts.append(f"after {preview.most_blocks} blocks at the latest")
    if preview.max_time_s is not None:
        parts.append(f"after {format_duration(preview.max_time_s)} at the latest")
    return ", ".join(parts)


def _format_time(preview: Preview) -> str:
    if preview.estimated_s is None:
        return "not known before the first runs"
    return f"about {format_duration(preview.estimated_s)}"


def _tell_nodes(preview: Preview) -> str:
    """How many nodes, and how many blocks on each."""
    if not preview.nodes:
        return ""
    count = len(preview.nodes)
    few, many = min(preview.nodes.values()), max(preview.nodes.values())
    blocks = plural(few, "block") if few == many else f"{few} to {plural(many, 'block')}"
    named = join_names([printable(name) for name in sorted(preview.nodes, key=_measure_name)], MOST_NODES)
    return f"{plural(count, 'node')}, {blocks} on each, one job for each node and look: {named}"


def _measure_name(name: str) -> tuple[int, str]:
    return len(name), name


def _describe_simulations(preview: Preview) -> str:
    """Return the most that a simulation to come takes, beside what this machine has."""
    if not preview.simulations:
        return ""
    simulations = [simulation for simulation in preview.simulations if simulation.memory_bytes is not None]
    unknown = len(preview.simulations) - len(simulations)
    text = (
        f"{plural(unknown, 'simulation')} with nothing smaller in the record to go by: memory and time are"
        " not known before; run small ones first"
        if unknown
        else ""
    )
    if not simulations:
        return text
    largest = max(simulations, key=lambda simulation: simulation.memory_bytes or 0.0)
    longest = max(simulations, key=lambda simulation: simulation.wall_s or 0.0)
    from_ = " and ".join(f"{ranks:,}" for ranks in largest.basis)
    words = (
        f"up to {format_quantity(largest.memory_bytes or 0.0, 'B', 2)} ({printable(largest.label)}) and"
        f" {format_duration(longest.wall_s or 0.0)} ({printable(longest.label)}) each, going on as from"
        f" {from_} ranks"
    )
    memory_available_bytes = preview.memory_available_bytes
    if memory_available_bytes is not None and (largest.memory_bytes or 0.0) > memory_available_bytes:
        words += (
            f"; this machine has {format_quantity(memory_available_bytes, 'B', 2)} left: it would be killed"
        )
    return f"{words}; {text}" if text else words


def _convert_treatments(treatments: Sequence[PlannedTreatment]) -> list[Treatment]:
    return [Treatment(treatment.id, treatment.label, treatment.levels) for treatment in treatments]


def _format_factors(preview: Preview) -> tuple[str, ...]:
    return varying(_convert_treatments(preview.treatments))


def _choose_first(preview: Preview) -> str:
    labels = [printable(label) for label in preview.first_block]
    if _format_factors(preview):  # labels of several factors hold commas themselves
        ids = {printable(treatment.label): str(treatment.id) for treatment in preview.treatments}
        labels = [ids.get(label, label) for label in labels]
        labels[0] = f"treatments {labels[0]}"
    text = f", … ({len(labels):,} runs)" if len(labels) > MOST_TREATMENTS else ""
    return ", ".join(labels[:MOST_TREATMENTS]) + text


_SIGNS: Final[dict[int, tuple[str, Style]]] = {1: ("+", ""), -1: ("−", "dim")}


def sign_lines(signs: SignTable, width: int) -> list[Line]:
    """Names of A, B, …, then a row for each treatment; interactions as far as there is room."""
    output: list[Line] = [(Span("Signs, in the order of Yates", "heading"),)]
    for letter, axis in zip((e for e in main_effects(signs).effects), signs.axes, strict=True):
        low, high = (" ".join(map(format_level_text, step.values())) for step in axis.steps)
        text = f"{letter} is {printable(axis.name)}: − {low}, + {high}"
        output += render_paragraph(text, width, first="  ", rest="    ")
    columns = _sign_columns(signs)
    short = sum(column.width + 2 for column in columns) - 2 > width
    output += [(), *table(_sign_columns(main_effects(signs)) if short else columns, width)]
    if short:
        output.append((Span("Signs of interactions are the products of these."),))
    return output


def _sign_columns(signs: SignTable) -> list[Column]:
    columns = [
        Column.numbers("id", (str(row.treatment) for row in signs.rows)),
        Column.words("treatment", (row.name for row in signs.rows)),
    ]
    for place, effect in enumerate(signs.effects):
        columns.append(Column(effect, [Span(*_SIGNS[row.signs[place]]) for row in signs.rows]))
    return columns
