"""Steps that commands share which measure: run with progress, answer, exit code."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import replace

from steelyard.cli.terminal import show, terminal_width
from steelyard.core.errors import InterruptedRunError, ProgramError, SteelyardError
from steelyard.core.estimand import Estimand, IntervalKind
from steelyard.spec.experiment import Experiment

if TYPE_CHECKING:
    from steelyard.claims.verdict import Checked
    from steelyard.report.text.line import Line
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import Comparison
    from steelyard.results.samples import Described
    from steelyard.store import Reading


class Shown(msgspec.Struct, frozen=True):
    """How an answer is shown.

    Attributes
    ----------
    time_unit : {"microsecond", "millisecond", "second"} or None
        Of the table; ``None`` for what suits the values.
    by_mean : bool
        Treatments in the order of their means instead of that of the design.
    metrics : tuple of str
        Shown beside the primary one, each with its ratio.
    """

    details: bool = False
    time_unit: str | None = None
    by_mean: bool = False
    metrics: tuple[str, ...] = ()


@contextmanager
def pointing_to(directory: Path, *, answers: bool = False) -> Iterator[None]:
    """Tell where the measurements are when a command is stopped or fails after complete blocks.

    It may be stopped while its record is closed or analysed. With ``answers``, print the answer so far of a
    run that is stopped.
    """
    try:
        yield
    except InterruptedRunError:
        if answers and _has_blocks(directory):
            with suppress(SteelyardError):
                print_answer(directory, Shown(), as_json=False, strict=False)
        raise
    except KeyboardInterrupt:
        from steelyard.lab.run.extending import count_ended_blocks

        if count_ended_blocks(directory) is None:
            raise
        named = shlex.quote(str(_resolve_from_here(directory)))
        raise InterruptedRunError(
            f"interrupted; the record {named} is complete",
            hint=f"steelyard analyze {named}",
        ) from None
    except ProgramError as error:
        if not _has_blocks(directory):
            raise
        place = shlex.quote(str(_resolve_from_here(directory)))
        text = f"steelyard analyze {place} answers from the measurements so far"
        raise ProgramError(error.message, hint=f"{error.hint}; {text}" if error.hint else text) from error


def _has_blocks(directory: Path) -> bool:
    """Whether a record can be read and has a block that is complete."""
    from steelyard.store import Record

    try:
        with Record.open(directory) as record:
            return record.progress().blocks.get("complete", 0) > 0
    except SteelyardError:
        return False


def run_with_progress(
    experiment: Experiment, directory: Path, *, spec_text: str = "", extend: int | None = None
) -> None:
    """Run to the end, with a line of progress on a terminal; say so if the record is finished already."""
    from steelyard.lab.run.extending import count_ended_blocks
    from steelyard.lab.run.process import Background
    from steelyard.lab.run.run import run
    from steelyard.report.text.progress import ProgressLine

    blocks = None if extend else count_ended_blocks(directory)
    line = ProgressLine(sys.stderr)
    # Closing a record is waiting for the disk; meanwhile, when no trial runs any more, the answer is loaded.
    loading = Background(_load_analysis)
    try:
        run(
            experiment,
            directory,
            spec_text=spec_text,
            watch=line.update,
            at_end=loading.start,
            extend=extend,
        )
    finally:
        line.clear()
        loading.join()
    if blocks is not None:
        named = shlex.quote(str(_resolve_from_here(directory)))
        click.echo(
            f"{named} is finished, with {blocks} blocks; nothing was run, and this is its answer.\n"
            f"To measure more: steelyard run {named} --extend {blocks}\n",
            err=True,
        )


def _load_analysis() -> None:
    from steelyard.lab.run.process import one_thread

    with one_thread():
        import steelyard.lab.answer.analyze  # noqa: F401


def _resolve_from_here(directory: Path) -> Path:
    """Shorten a path to what one would type here."""
    try:
        return directory.relative_to(Path.cwd())
    except (ValueError, FileNotFoundError):
        return directory


def print_answer(
    directory: Path,
    output: Shown,
    *,
    as_json: bool,
    strict: bool,
    protocol: str | None = None,
    is_temporary: bool = False,
) -> int:
    """Print what the record in a directory says, as ``print_answer_of``, and return the exit code."""
    _load_analysis()
    from steelyard.store import Record

    with Record.open(directory) as record:
        return print_answer_of(
            record,
            output,
            as_json=as_json,
            strict=strict,
            protocol=protocol,
            is_temporary=is_temporary,
        )


def print_answer_of(
    record: Reading,
    style: Shown,
    *,
    as_json: bool,
    strict: bool,
    metric: str | None = None,
    protocol: str | None = None,
    against: str | None = None,
    estimand: Estimand | None = None,
    interval: IntervalKind | None = None,
    budget: bool = False,
    is_temporary: bool = False,
) -> int:
    """Print what the record says, and return the exit code.

    It is 1 where a claim of its spec fails, 3 under ``strict`` where something is left open. With another
    metric or a protocol, claims are not judged, which is said. A temporary record, of several that were
    merged, is named nowhere.
    """
    _load_analysis()
    from steelyard.lab.answer.analyze import analyze

    answer = analyze(
        record,
        metric=metric,
        beside=style.metrics,
        protocol=protocol,
        against=against,
        estimand=estimand,
        interval=interval,
    )
    # Claims are about the metrics that they name, by the default protocol.
    declared = metric is None and protocol is None
    checked = _check(record) if record.experiment.claims and declared else None
    if checked is not None and is_temporary:
        checked = replace(checked, record=None)
    if not declared:
        tell_unjudged(record, is_temporary=is_temporary)
    return show_answer(answer, style, checked, as_json=as_json, strict=strict, budget=budget)


def show_answer(
    answer: Answer,
    output: Shown,
    checked: Checked | None = None,
    *,
    as_json: bool,
    strict: bool,
    budget: bool = False,
) -> int:
    """Print an answer, with verdicts on claims, and return the exit code, as ``print_answer``."""
    if output.by_mean:
        answer = _sort_by_mean(answer)
    if strict and checked is not None:
        checked = checked.strictly()

    def document() -> str:
        from steelyard.report.answer.document import render

        return render(answer, _get_claims_entries(checked))

    def lines(width: int) -> list[Line]:
        from steelyard.report.answer.text import lines

        text = lines(answer, width, details=output.details, time_unit=output.time_unit, beside=output.metrics)
        return [*text, *(_render_budget_lines(answer) if budget else []), *_render_claims_lines(checked)]

    show(document, lines, as_json=as_json)
    if checked is not None and (code := checked.exit_code(strict=strict)) in (1, ProgramError.exit_code):
        return code
    # What was chosen after the run settles nothing.
    unresolved = any(
        comparison.verdict == "not_resolved" or comparison.exploratory for comparison in answer.judged
    )
    if answer.protocol is not None:  # whose verdicts were asked for
        unresolved = not answer.protocol.is_resolved
    unresolved |= checked is not None and checked.exit_code(strict=True) == 3
    ended = answer.design.state not in ("precision_not_reached", "interrupted", "running")
    return 3 if strict and (unresolved or not ended) else 0


def _sort_by_mean(answer: Answer) -> Answer:
    """Return the same answer with the treatments of the primary metric in the order of their means."""
    means = {
        sample.treatment.id: sample.summary.mean
        for sample in answer.samples
        if sample.metric.name == answer.metric.name and sample.summary.mean is not None
    }

    def mean(result: Described | Comparison) -> float:
        return means.get(result.treatment.id, math.inf)

    return replace(
        answer,
        samples=tuple(sorted(answer.samples, key=mean)),
        comparisons=tuple(sorted(answer.comparisons, key=mean)),
    )


def tell_unjudged(record: Reading, *, is_temporary: bool = False) -> None:
    """Tell on stderr that the claims of a record, if any, have not been judged, and what judges them."""
    if record.experiment.claims:
        judge = f"check {shlex.quote(str(_resolve_from_here(record.directory)))}"
        if is_temporary:
            judge = "merge, of the same records"
        click.echo(f"hint: claims are judged by the declared analysis only: steelyard {judge}", err=True)


def _render_budget_lines(answer: Answer) -> list[Line]:
    from steelyard.report.answer.budget import render_budgets

    return [(), *render_budgets(answer, terminal_width())]


def _check(record: Reading) -> Checked:
    from steelyard.lab.answer.check import check

    return check(record)


def _get_claims_entries(checked: Checked | None) -> list[dict[str, Any]]:
    if checked is None:
        return []
    from steelyard.report.claims.document import entries_of

    return entries_of(checked)


def _render_claims_lines(checked: Checked | None) -> list[Line]:
    if checked is None:
        return []
    from steelyard.report.claims.text import lines
    from steelyard.report.text.line import Span

    return [(), (Span("Claims", "heading"),), *lines(checked.verdicts, checked.alpha, terminal_width())]
