"""``steelyard import``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from steelyard.cli.options import metric_option
from steelyard.cli.paths import InputPath, PathCommand, RecordDirectory
from steelyard.core.errors import UsageError


@click.command(cls=PathCommand, short_help="Make a record of what another tool measured.")
@click.argument("files", metavar="[NAME=]FILE...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=RecordDirectory(),
    metavar="NAME.lab",
    help="Directory of the record (default: named like the first file, beside it).",
)
@click.option(
    "-f",
    "--format",
    "form",
    metavar="FORMAT",
    help="Format of the files (default: detected); also one that another package adds.",
)
@metric_option("Primary metric (default: the first of the files).")
@click.option(
    "--compare",
    metavar="FACTOR",
    help="Factor whose levels are compared (default: the file, where there are several).",
)
@click.option("--against", metavar="LEVEL", help="Level with which they are compared (default: the first).")
@click.option(
    "--claims",
    type=InputPath(),
    metavar="FILE",
    help="TOML file with the [[claims]] that `steelyard check` is to judge.",
)
@click.option("--value", multiple=True, metavar="COLUMN", help="Tables: column of a metric. Repeatable.")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Tables: column that distinguishes treatments. Repeatable."
)
@click.option("--unit", metavar="UNIT", help="Tables: unit of the metrics, where the header says none.")
@click.option(
    "--better",
    type=click.Choice(("lower", "higher", "neither")),
    help="Tables: which way is better (default: lower).",
)
def command(
    files: tuple[str, ...],
    output: Path | None,
    form: str | None,
    metric: str | None,
    compare: str | None,
    against: str | None,
    claims: Path | None,
    value: tuple[str, ...],
    by: tuple[str, ...],
    unit: str | None,
    better: str | None,
) -> None:
    """Make a record of FILE..., to be analysed, checked, modelled and exported like any other.

    Reads the files of hyperfine, Google Benchmark, pyperf, pytest-benchmark, Criterion (the directory
    target/criterion), go test -bench, BenchmarkDotNet, JMH, ReFrame, nanobench, the Intel MPI Benchmarks and
    OSU's, and tables: CSV and what `jube result` prints.

    Several files are compared with the first. Files of the same NAME are further launches of the same:

      steelyard import old=a.json old=b.json new=c.json new=d.json -o change.lab

    Nothing in such a file pairs its values, so that tests are unpaired and assume that nothing drifted; a
    mean alone gets no verdict.
    """
    from steelyard.exchange.imported import import_files
    from steelyard.exchange.importers import Chosen
    from steelyard.exchange.recording import Selection

    chosen = None
    if value or by or unit is not None or better is not None:
        chosen = Chosen(value, by, unit, better or "lower")  # type: ignore[arg-type]  # click checked it
    sources = tuple(_source(text) for text in files)
    directory = output or sources[0].path.with_suffix(".lab")
    question = Selection(compare, against, metric, _get_claims(claims) if claims else ())
    with import_files(sources, directory, form=form, chosen=chosen, question=question) as record:
        progress, warnings = record.progress(), record.warnings()
        treatments = len(record.treatments)
    named = shlex.quote(str(directory))
    click.echo(f"{named}: {progress.trials:,} trials of {treatments:,} treatments")
    for warning in warnings:
        click.echo(f"- {warning.text}")
    click.echo(f"steelyard analyze {named}")


def _source(text: str) -> Any:
    from steelyard.exchange.imported import ImportSource

    name, sign, path = text.partition("=")
    if sign and name and not Path(text).exists():
        return ImportSource(name, Path(path))
    return ImportSource(Path(text).stem, Path(text))


def _get_claims(file: Path) -> list[Mapping[str, Any]]:
    import tomllib

    from steelyard.spec import read_spec

    try:
        found = tomllib.loads(read_spec(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}", hint="write [[claims]] in TOML, as in a spec") from None
    if set(found) != {"claims"} or not isinstance(found["claims"], list):
        others = ", ".join(sorted(set(found) - {"claims"})) or "nothing"
        raise UsageError(
            f"{file}: expected [[claims]] alone, got {others}", hint="docs/checking.md has all kinds"
        )
    claims: list[Mapping[str, Any]] = found["claims"]
    return claims
