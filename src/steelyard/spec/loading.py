"""Load an ``Experiment`` from a spec in TOML or in Python; both pass the same checks."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import SpecError, UsageError
from steelyard.files.reading import read_text
from steelyard.spec.check.analysis import read_analysis
from steelyard.spec.check.contexts import read_contexts
from steelyard.spec.check.cross_references import check_references
from steelyard.spec.check.design import check_restarts, read_design
from steelyard.spec.check.factors import read_factors, read_level_commands
from steelyard.spec.check.hosts import draw_hosts
from steelyard.spec.check.launch import check_jobs, read_launch
from steelyard.spec.check.metrics import read_metrics
from steelyard.spec.check.nodes import check_nodes
from steelyard.spec.check.program import check_confinement, check_counters_of_jobs, read_build, read_program
from steelyard.spec.claims.claim import Claim
from steelyard.spec.experiment import Experiment
from steelyard.spec.layout import cells_of, lay_out
from steelyard.spec.names import check_experiment_name
from steelyard.spec.tables.launch import QueueLaunch
from steelyard.spec.tables.spec import SpecTable
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin
from steelyard.spec.text.origin import Path as KeyPath

LARGEST: Final = 1_000_000
"""Bytes of a spec; the largest sensible one has some thousands."""

DEEPEST_KEY: Final = 5000
"""Parts of a dotted key, each a level; ``tomllib`` needs 0.2 s for as many."""


def load(path: str | os.PathLike[str], *, allow_many: bool = False) -> Experiment:
    """Return the experiment in a TOML file.

    Parameters
    ----------
    path : path
        Its directory is the ``source`` of the experiment; its stem is the name where the spec gives none.
    allow_many : bool
        Accept more than 10,000 treatments.

    Raises
    ------
    SpecError
        The file cannot be read, is larger than 1 MB, or says what cannot be done; with file, line, key, value
        and cure.
    """
    file = os.fspath(path)
    text = read_spec(file)
    return _parse(text, Path(file).absolute().parent, file, Path(file).stem, allow_many=allow_many)


def loads(
    text: str, *, source: str | os.PathLike[str], name: str = "spec", allow_many: bool = False
) -> Experiment:
    """Return the experiment in a text.

    Parameters
    ----------
    text : str
        TOML.
    source : path
        Where relative paths start.
    name : str
        What errors call the text; also the name of the experiment where the text gives none.
    allow_many : bool
        Accept more than 10,000 treatments.

    Raises
    ------
    SpecError
        The text is not a spec, as ``load`` says.
    """
    if len(text) > LARGEST:
        raise _refuse_size(name)
    return _parse(text, Path(source).absolute(), name, name, allow_many=allow_many)


def experiment(
    *,
    name: str = "experiment",
    source: str | os.PathLike[str] | None = None,
    allow_many: bool = False,
    **tables: object,
) -> Experiment:
    """Return the experiment of a Python program: the keys of a spec as keyword arguments.

    ``experiment(program={"command": ["sleep", "{t}"]}, factors={"t": [0.1, 0.2]})``

    Parameters
    ----------
    name, tables
        As in a spec.
    source : path, optional
        Where relative paths start; by default the current directory.
    allow_many : bool
        Accept more than 10,000 treatments.

    Raises
    ------
    SpecError
        The text is not a spec, as ``load`` says.
    """
    origin = Origin("experiment()")
    tables_of = {"name": name, **tables}
    _check_plain(tables_of, (), origin)
    directory = Path(source if source is not None else os.curdir).absolute()
    return _make_compose(tables_of, origin, directory, name, allow_many=allow_many)


def claims_of(claims: Sequence[object], about: Experiment) -> tuple[Claim, ...]:
    """Claims of a Python program about an experiment: each typed already, or the keys of ``[[claims]]``.

    Raises
    ------
    UsageError
        Something that is neither; as ``experiment`` where a claim does not fit.
    """
    import tomllib

    from steelyard.spec.dumping import dumps

    origin = Origin("check()")
    tables = [claim for claim in claims if not isinstance(claim, Claim)]
    if isinstance(claims, (Mapping, str)) or any(not isinstance(table, dict) for table in tables):
        raise UsageError(
            f"claims are a list of dictionaries, or of claims of a spec, not {claims!r}",
            hint='claims=[{"faster": {"opt": "O3"}, "than": {"opt": "O2"}}]',
        )
    _check_plain(tables, (), origin)
    spec = tomllib.loads(dumps(msgspec.structs.replace(about, claims=()))) | {"claims": tables}
    read = iter(_make_compose(spec, origin, Path(about.source), about.name, allow_many=True).claims)
    return tuple(claim if isinstance(claim, Claim) else next(read) for claim in claims)


def _check_plain(value: object, path: KeyPath, origin: Origin) -> None:
    """Refuse values that TOML cannot express; a set above all, whose order changes from run to run."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise origin.error(path, f"the key {key!r} must be text", "use keys of type str")
            _check_plain(item, (*path, key), origin)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            _check_plain(item, (*path, i), origin)
    elif value is not None and type(value) not in (str, bool, int, float):
        kind = type(value).__name__
        hint = "use str, bool, int, float, and lists and dictionaries of them"
        raise origin.error(path, f"is of type {kind}, which a spec cannot hold", hint)


def read_spec(path: str | os.PathLike[str]) -> str:
    """Return the text of a spec.

    Raises
    ------
    SpecError
        The file cannot be read, is larger than 1 MB, or is not UTF-8.
    """
    try:
        return read_text(Path(path), hint="give the path of a TOML file, saved as UTF-8", largest=LARGEST)
    except UsageError as error:
        raise SpecError(error.message, hint=error.hint) from None


def _refuse_size(file: str) -> SpecError:
    return SpecError(
        f"{file}: is larger than {LARGEST:,} bytes",
        hint="this is hardly a spec; give the path of a TOML file",
    )


def _parse(text: str, source: Path, file: str, name: str, *, allow_many: bool) -> Experiment:
    import tomllib

    if _compute_longest_dotted_key(text) > DEEPEST_KEY:
        raise _refuse_depth(file)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.fullmatch(
            r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL
        )
        position = f"{file}:{place[2]}:{place[3]}" if place and place[2] else f"{file}: at its end"
        raise SpecError(
            f"{position}: {place[1] if place else error}", hint=_describe_syntax(text, place)
        ) from None
    except RecursionError:
        raise _refuse_depth(file) from None
    except ValueError as error:
        # A number of thousands of digits, which Python will not read.
        raise SpecError(f"{file}: {error}", hint="write a smaller number, or text in quotes") from None
    return _make_compose(tables, Origin(file, text), source, name, allow_many=allow_many)


def _compute_longest_dotted_key(text: str) -> int:
    """Count at least the parts of the longest key such as ``a.b.c``.

    ``tomllib`` takes the square of that in time.
    """
    longest = length = 0
    for part in text.split("."):
        length = length + 1 if part.replace("-", "_").isidentifier() else 0
        longest = max(longest, length)
    return longest


def _refuse_depth(file: str) -> SpecError:
    return SpecError(f"{file}: values are nested too deeply", hint="a spec is two levels deep")


def _describe_syntax(text: str, place: re.Match[str] | None) -> str:
    line = text.splitlines()[int(place[2]) - 1].strip() if place and place[2] and text.strip() else ""
    excerpt = line if len(line) <= 60 else f"{line[:59]}…"
    if not place or not excerpt:
        return "see https://toml.io for the syntax"
    if place[1].startswith("Cannot declare") and re.fullmatch(r"\[\w+\]", line):
        return f"write each table once; one of several, as of claims, is [{line}]"
    column = int(place[3]) - 1
    if place[1] == "Invalid value" and text.splitlines()[int(place[2]) - 1][column : column + 1].isalpha():
        return f"strings need quotes; correct this line: {excerpt}"
    return f"correct this line: {excerpt}"


def _make_compose(
    tables: Mapping[str, object], origin: Origin, source: Path, name: str, *, allow_many: bool
) -> Experiment:
    try:
        spec = msgspec.convert(tables, SpecTable)
    except msgspec.ValidationError:
        # Imported late: only a wrong spec needs it.
        from steelyard.spec.hints.did_you_mean import read_levels
        from steelyard.spec.hints.type_errors import type_errors

        wrong = type_errors(SpecTable, tables, origin, levels=read_levels(tables))
        ErrorCollector(wrong).refuse()
        raise
    title = name if spec.name is None else spec.name
    gathered = ErrorCollector()
    gathered(check_experiment_name, title, origin, ("name",))
    program = gathered(read_program, spec.program, origin)
    build = None if spec.build is None else gathered(read_build, spec.build, origin)
    varied = gathered(read_factors, spec.factors, tuple(spec.program.commands or ()), origin)
    if program is None or varied is None:
        # All else names them: what is wrong with them would be told again wherever they are used.
        return gathered.raise_refused()
    factors, zips = varied
    contexts = None if spec.contexts is None else gathered(read_contexts, spec.contexts, factors, origin)
    metrics = gathered(read_metrics, spec.metrics, factors, program, origin)
    levels = gathered(read_level_commands, spec.levels, factors, origin)
    launch = gathered(read_launch, spec.launch, factors, origin)
    if launch is not None:
        contexts = gathered(draw_hosts, contexts, launch, spec.design, origin)
    design = gathered(read_design, spec.design, factors, zips, contexts, origin, allow_many=allow_many)
    if metrics is None or levels is None or launch is None or design is None:
        return gathered.raise_refused()
    gathered(check_references, program, build, factors, zips, contexts, metrics, levels, launch, origin)
    gathered(check_restarts, program, design, origin)
    gathered(check_nodes, contexts, launch, design, origin)
    gathered(check_counters_of_jobs, program, launch, origin)
    gathered(check_confinement, program, launch, origin)
    gathered(check_jobs, launch, factors, contexts, design, origin)
    analysis = gathered(read_analysis, spec.analysis, program, metrics, factors, zips, design, origin)
    gathered.refuse()
    if analysis is None:
        return gathered.raise_refused()
    if isinstance(launch, QueueLaunch) and levels:
        text = "levels are entered by commands on this machine, and trials run in a queue"
        raise origin.error(("levels",), text, "put the commands into prepare, or into the job script")
    question = Experiment(
        name=title,
        source=str(source),
        program=program,
        build=build,
        factors=factors,
        zips=zips,
        contexts=contexts,
        design=design,
        metrics=metrics,
        analysis=analysis,
        launch=launch,
        levels=levels,
    )
    return question if not spec.claims else _add_claims(question, spec.claims, origin)


def _add_claims(about: Experiment, tables: Sequence[Mapping[str, object]], origin: Origin) -> Experiment:
    # Few specs have claims, and each kind of them has a reader of its own.
    from steelyard.spec.claims.question import ClaimNames, metrics_known
    from steelyard.spec.claims.reading import read_claims

    layout = lay_out(about.factors, about.zips, about.design, about.analysis.baseline)
    question = ClaimNames(
        factors=about.factors,
        zips=about.zips,
        analysis=about.analysis,
        metrics=metrics_known(about.program.counters, about.metrics),
        labelled=frozenset(metric.name for metric in about.metrics if metric.is_written),
        treatments=tuple(cells_of(layout, about.factors, about.design.exclude)),
    )
    return msgspec.structs.replace(about, claims=read_claims(tables, question, origin))
