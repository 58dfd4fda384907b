"""``steelyard check``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.declared import DataOptions, Options, declare, declare_argument, take
from steelyard.cli.options import declare_file, json_option, strict_option
from steelyard.cli.paths import InputPath, InputPlace, PathCommand
from steelyard.cli.terminal import terminal_width
from steelyard.core.errors import InterruptedRunError, ProgramError, SteelyardError, UsageError
from steelyard.core.extension import find_data_judge, load
from steelyard.files.writing import write_output
from steelyard.lab.answer.series_of_file import holds_series
from steelyard.lab.places.place import is_place

if TYPE_CHECKING:
    from steelyard.claims.verdict import Checked
    from steelyard.spec.experiment import Experiment

_DATA = find_data_judge()
Name = Path | str
"""A file or a directory, or the URL of a place of records."""


class CheckOptions(Options):
    """Options of ``steelyard check``."""

    names: Sequence[Name] = declare_argument(
        "SPEC|RECORD|PLACE|DATA...", type=InputPlace(), nargs=-1, required=True
    )
    no_run: bool = declare("Judge existing records, without running anything.")
    baseline: Path | None = declare(
        "Judge the claims of this spec too, as of the branch that a change is for; the change cannot loosen"
        " them.",
        "--baseline-spec",
        metavar="SPEC",
        type=InputPath(),
    )
    strata: bool = declare("Also print a line for each stratum.")
    junit: Path | None = declare_file("Also write the verdicts as JUnit XML, for build servers.")
    sarif: Path | None = declare_file(
        "Also write failed and unresolved claims as SARIF, for code hosts and editors."
    )
    markdown: Path | None = declare_file("Also write the verdicts as Markdown, for a comment on the change.")
    github: bool = declare(
        "Also annotate the change in GitHub Actions, on stderr, with failed and unresolved claims."
    )
    as_json: bool = json_option
    strict: bool = strict_option


@click.command(
    cls=PathCommand,
    short_help="Judge the claims of specs and records: what holds, fails, or is not resolved.",
)
@take(CheckOptions, DataOptions if _DATA is None else load(_DATA.options))
@click.pass_context
def command(ctx: click.Context, options: CheckOptions, about: DataOptions) -> None:
    """Judge the claims of each SPEC or RECORD (a directory NAME.lab), or the expected growth of DATA.

    A PLACE is a directory or URL that steelyard export --to wrote; its records of one spec are judged as one.
    DATA is what `steelyard model` reads. The options from --at-most on are about DATA.

    A spec whose record is not finished is run first. Exits with 1 if a claim fails, with 3 under --strict if
    one is not resolved or not judged, growth is only approximately as stated, or the run has not ended, with
    5 if a program fails or, of several arguments, one could not be judged.
    """
    files = {"--junit": options.junit, "--markdown": options.markdown, "--sarif": options.sarif}
    if options.baseline is not None and len({*options.names}) > 1:
        raise UsageError(
            f"--baseline-spec {options.baseline}: the baseline of one spec, not of {len({*options.names})}",
            hint="check each spec with its own baseline",
        )
    checked, broken = _check_all(
        options.names, about, run=not options.no_run, strict=options.strict, baseline=options.baseline
    )
    for flag, file in files.items():
        if file is not None:
            write_output(file, _render(flag, checked, broken, strict=options.strict))
    if options.github:
        for name in options.names:
            text = (
                _format_annotations(name, checked[name], strict=options.strict)
                if name in checked
                else _annotate_broken(name, broken[name])
            )
            click.echo(text, nl=False, err=True)
    if broken and len(options.names) == 1:
        raise broken[options.names[0]]
    # Over several experiments, what fails beats what is open, and what broke beats both.
    codes = [code for verdicts in checked.values() if (code := verdicts.exit_code(strict=options.strict))]
    code = ProgramError.exit_code if broken or ProgramError.exit_code in codes else min(codes, default=0)
    if options.as_json:
        from steelyard.report.claims.document import render

        click.echo(render([*checked.values()], code, broken), nl=False)
    else:
        from steelyard.report.text.undecided import write_undecided

        verdicts = [*checked.values()]
        if not broken and verdicts and all(judged.is_undecided for judged in verdicts):
            click.echo(f"? {write_undecided(strict=options.strict)}")
        _print(verdicts, strata=options.strata, headed=len(options.names) > 1)
    for name, error in broken.items():
        hint = f"\nhint: {error.hint}\n" if error.hint else ""
        place = "" if error.message.startswith(f"{name}:") else f"{name}: "
        click.echo(f"error: {place}{error.message}\n{hint}", err=True)
    ctx.exit(code)


def _check_all(
    names: Sequence[Name], about: DataOptions, *, run: bool, strict: bool, baseline: Path | None
) -> tuple[dict[Name, Checked], dict[Name, SteelyardError]]:
    """Return what could be judged, and what broke; one that breaks keeps no other from being judged."""
    checked: dict[Name, Checked] = {}
    broken: dict[Name, SteelyardError] = {}
    judged_together = {} if about.has_any() else _judge_by_spec(names, baseline)
    for name in dict.fromkeys(names):
        try:
            judged = judged_together.get(name) or _check(name, about, run=run, baseline=baseline)
            checked[name] = judged.strictly() if strict else judged
        except InterruptedRunError:
            raise
        except SteelyardError as error:
            broken[name] = error
    return checked, broken


def _judge_by_spec(names: Sequence[Name], baseline: Path | None) -> dict[Name, Checked]:
    """Verdicts of records that have a spec in common, whose claims are one family.

    Those that cannot be read are left out, and found again when they are read alone.
    """
    records = [
        name
        for name in dict.fromkeys(names)
        if isinstance(name, Path) and _is_record(name) and not is_place(name) and not holds_series(name)
    ]
    if len(records) < 2:
        return {}
    from steelyard.lab.answer.check import Drafted, judge_together, prepare_claims
    from steelyard.lab.merge.merging import get_comparable
    from steelyard.lab.run.existing_record import find_record
    from steelyard.spec import load
    from steelyard.store import Record

    declared = None if baseline is None else load(baseline)
    families: dict[str, list[tuple[Name, Drafted]]] = {}
    with ExitStack() as stack:
        for name in records:
            with suppress(SteelyardError):
                record = stack.enter_context(Record.open(find_record(name)))
                spec = str(get_comparable(record.experiment))
                families.setdefault(spec, []).append((name, prepare_claims(record, None, declared)))
        checked: dict[Name, Checked] = {}
        for members in families.values():
            if len(members) > 1:
                verdicts = judge_together([member for _, member in members])
                checked |= zip([name for name, _ in members], verdicts, strict=True)
        return checked


def _check(name: Name, about: DataOptions, *, run: bool, baseline: Path | None) -> Checked:
    about_data = about.has_any()
    if isinstance(name, str) or is_place(name):
        return _judge_place(name, about, baseline)
    if name.suffix == ".toml" and about_data:
        raise UsageError(
            f"{name} states its own expectations in [[claims]]",
            hint="leave out the options about data, or add to [[claims]]",
        )
    recorded = name.is_dir() and not holds_series(name)
    if about_data or not (recorded or name.suffix == ".toml" or name.name == "record.sqlite"):
        if baseline is not None:
            raise UsageError(
                f"--baseline-spec: {name} is data, whose expectations stand in no spec",
                hint="keep them in a file: --expectations FILE",
            )
        return _judge_data(name, about)
    from steelyard.lab.answer.check import check
    from steelyard.lab.run.existing_record import find_record, record_of_spec
    from steelyard.spec import load, read_spec
    from steelyard.store import Record

    declared = None if baseline is None else load(baseline)
    if name.is_dir() or name.name == "record.sqlite":
        with Record.open(find_record(name)) as record:
            return check(record, baseline=declared)
    experiment = load(name)
    if not experiment.claims and declared is None:
        raise UsageError(
            f"{name} has no claims to check",
            hint="add to it: [[claims]], and below: faster = { … }, than = { … }",
        )
    directory = record_of_spec(name)
    if run:
        _run(experiment, directory, read_spec(name))
    with Record.open(find_record(name)) as record:
        if not run:
            from steelyard.lab.run.existing_record import refuse_other_experiment, take_recorded_claims
            from steelyard.lab.run.nodes import resolve_nodes

            refuse_other_experiment(
                record,
                take_recorded_claims(resolve_nodes(experiment, directory), directory),
                hint=f"check what was run (steelyard check {record.directory}), or put the spec back",
            )
        return check(record, experiment.claims, declared)


def _judge_place(place: Name, about: DataOptions, baseline: Path | None) -> Checked:
    """Verdicts of all records at a place of records, as of one."""
    if about.has_any():
        raise UsageError(
            f"{place} is a place of records, whose spec states the expectations",
            hint="leave out the options about data, or add to [[claims]]",
        )
    from steelyard.lab.answer.check import check
    from steelyard.lab.places.asking import opened
    from steelyard.spec import load

    declared = None if baseline is None else load(baseline)
    with opened([place]) as (record, _):
        return check(record, baseline=declared)


def _judge_data(name: Path, about: DataOptions) -> Checked:
    if _DATA is None:
        raise UsageError(f"{name} is neither a spec nor a record", hint="no extension judges other data")
    checked: Checked = load(_DATA.judge)(name, about)
    return checked


def _run(experiment: Experiment, directory: Path, spec_text: str) -> None:
    """Run the spec to its end with a line of progress, silently if it has ended already."""
    from steelyard.lab.run.existing_record import take_recorded_claims
    from steelyard.lab.run.run import run
    from steelyard.report.text.progress import ProgressLine

    line = ProgressLine(sys.stderr)
    try:
        run(take_recorded_claims(experiment, directory), directory, spec_text=spec_text, watch=line.update)
    finally:
        line.clear()


def _print(checked: Sequence[Checked], *, strata: bool, headed: bool) -> None:
    from steelyard.report.claims.text import lines, notes, tell_family
    from steelyard.report.text.line import Line, Span, write

    width = terminal_width()
    out: list[Line] = []
    for verdicts in checked:
        if headed:
            out += [*([()] if out else []), (Span(verdicts.experiment, "heading"),)]
        out += lines(verdicts.verdicts, verdicts.alpha, width, strata=strata)
        out += notes(verdicts, width)
    write([*out, *tell_family(checked, width)], sys.stdout)


def _format_annotations(name: Name, checked: Checked, *, strict: bool) -> str:
    from steelyard.report.claims.github import render

    file = None if _is_record(name) else _name_checkout(name)
    return render(checked, file, _format_spec_text(name), strict=strict)


def _annotate_broken(name: Name, error: SteelyardError) -> str:
    from steelyard.report.claims.github import render_error

    return render_error(str(name), None if _is_record(name) else str(name), error.message)


def _is_record(name: Name) -> bool:
    return isinstance(name, str) or name.is_dir() or name.name == "record.sqlite"


def _name_checkout(name: Name) -> str:
    """Name a file as code hosts know it: by its place in what was checked out, wherever a step works."""
    if isinstance(name, str):
        return name
    top = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    inside = name.resolve().is_relative_to(top)
    return str(name.resolve().relative_to(top) if inside else name)


def _format_spec_text(name: Name) -> str:
    from steelyard.spec import read_spec

    return read_spec(name) if isinstance(name, Path) and name.suffix == ".toml" else ""


def _render(
    option: str, checked: Mapping[Name, Checked], broken: Mapping[Name, SteelyardError], *, strict: bool
) -> str:
    """Return the text of a file with the verdicts, in the form that an option asks for."""
    from steelyard.report.claims import junit, markdown, sarif

    if option == "--sarif":
        judged = [
            sarif.Judged(verdicts, _name_checkout(name), _format_spec_text(name))
            for name, verdicts in checked.items()
        ]
        reasons = {_name_checkout(name): error.message for name, error in broken.items()}
        return sarif.render(judged, reasons, strict=strict)
    render = {"--junit": junit.render, "--markdown": markdown.render}[option]
    return render(
        [*checked.values()], {str(name): error.message for name, error in broken.items()}, strict=strict
    )
