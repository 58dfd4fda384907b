"""``Laboratory``: the command line for Python programs and notebooks.

Methods return a ``Result``: its ``value`` is the typed answer, printing it prints what the command prints, a
notebook shows the same in colour, and ``json()`` is the document of ``--json``. docs/python.md has
examples.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec.structs import fields

from steelyard.core.errors import InterruptedRunError, SteelyardError, UsageError
from steelyard.files.urls import is_url
from steelyard.files.writing import write_output
from steelyard.report.text.line import Line

if TYPE_CHECKING:
    from steelyard.claims.verdict import Checked
    from steelyard.core.estimand import Estimand
    from steelyard.core.sample import Sample
    from steelyard.core.series import Series
    from steelyard.extensions.history.results import History
    from steelyard.extensions.observe.results import Observation
    from steelyard.lab.answer.model import Modelled
    from steelyard.lab.run.run_loop import Watch
    from steelyard.lab.run.stop_rule import End
    from steelyard.report.page.contents import PageContents, Shown
    from steelyard.results.analysis import Answer
    from steelyard.results.plan import Preview
    from steelyard.spec.claims.claim import Claim
    from steelyard.spec.experiment import Experiment
    from steelyard.store import Reading, Record

T = TypeVar("T")
WIDTH = 100
"""Columns of what is printed."""


class Result(msgspec.Struct, Generic[T], frozen=True):
    """An answer that can be printed, shown in a notebook, or written as JSON.

    Attributes
    ----------
    value : object
        The typed answer.
    """

    value: T
    _lines: Callable[[], Sequence[Line]]
    _json: Callable[[], str]
    _rows: Callable[[], Sequence[Mapping[str, Any]]] | None = None

    def __str__(self) -> str:
        from steelyard.report.text.line import plain

        return plain(self._lines()).rstrip("\n")

    def __repr__(self) -> str:
        first = next((text for text in str(self).splitlines() if text), "")
        return f"Result({type(self.value).__name__}: {first})"

    def to_frame(self) -> Any:
        """Lay the result out as a data frame of pandas.

        A row is a comparison of an answer (a sample where nothing is compared), a function of a model, or a
        record in a series of a history.

        Raises
        ------
        UsageError
            The result has no rows, or pandas is not installed.
        """
        if self._rows is None:
            raise UsageError(
                f"a result of type {type(self.value).__name__} has no rows",
                hint="json() has the whole document",
            )
        try:
            import pandas as pd  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise UsageError("to_frame needs pandas", hint="pip install pandas") from None
        return pd.DataFrame(self._rows())

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        from steelyard.report.text.line import html

        return html(self._lines())

    def json(self) -> str:
        """Return the document that ``--json`` prints."""
        return self._json()


class Laboratory:
    """One experiment and its record.

    Parameters
    ----------
    question : path or Experiment
        A spec (``NAME.toml``), a record (``NAME.lab``), or an experiment made by ``steelyard.spec``.
    record : path, optional
        Where the record is; by default beside the spec, for an experiment in its ``source``.

    Raises
    ------
    SteelyardError
        The spec or the record cannot be used.
    """

    def __init__(self, question: str | Path | Experiment, *, record: str | Path | None = None) -> None:
        from steelyard.lab.compare.argument_checks import refuse_no_laboratory
        from steelyard.spec.experiment import Experiment

        refuse_no_laboratory(question)
        self.spec_text = ""
        if isinstance(question, Experiment):
            self.experiment = question
            self.directory = Path(record) if record else Path(question.source, f"{question.name}.lab")
            return
        path = Path(question)
        if path.is_dir() or path.suffix == ".lab" or path.name == "record.sqlite":
            from steelyard.lab.run.existing_record import experiment_here, find_record

            self.directory = find_record(path)
            with self.open() as opened:
                self.experiment = experiment_here(opened)
            return
        from steelyard.lab.run.existing_record import record_of_spec
        from steelyard.spec import load, read_spec

        self.experiment = load(path)
        self.spec_text = read_spec(path)
        self.directory = Path(record) if record else record_of_spec(path)

    @classmethod
    def compare(cls, *commands: str, record: str | Path, **options: Any) -> Laboratory:
        """Make the experiment of ``steelyard compare``: each command against the first.

        Parameters
        ----------
        options
            As on the command line: ``name``, ``warmup``, ``runs``, ``min_runs``, ``max_runs``, ``precision``,
            ``max_time``, ``parameter_list``, ``prepare``, ``margin``, ``metric``, ``contexts``, ``seed``, …

        Raises
        ------
        UsageError
            Unknown option, or a value that it cannot have.
        """
        from steelyard.lab.compare.arguments import fields_of, make_experiment
        from steelyard.lab.compare.compare import CompareRequest

        texts = [field.name for field in fields(CompareRequest)]
        arguments = fields_of(options, texts, "compare")
        return cls(make_experiment(CompareRequest(commands=commands, **arguments), options), record=record)

    def __repr__(self) -> str:
        return f"Laboratory({self.experiment.name!r}, record={str(self.directory)!r})"

    def open(self) -> Record:
        """Open the record for reading; close it afterwards."""
        from steelyard.store import Record

        return Record.open(self.directory)

    def plan(self, *, ask: bool = False) -> Result[Preview]:
        """Preview what would run and what the design cannot separate.

        Runs nothing; ``ask`` asks the hosts of ``[launch]``, by the ssh that it names.
        """
        from steelyard.lab.run.plan import preview
        from steelyard.report.plan import text

        plan = preview(self.experiment, self.directory, ask=ask)
        return Result(
            plan,
            lambda: text.lines(plan, self.experiment, WIDTH),
            lambda: text.document(plan, self.experiment),
        )

    def run(self, watch: Watch | None = None, *, extend: int | None = None) -> End:
        """Run to the end, or continue where a run stopped.

        Parameters
        ----------
        watch : callable, optional
            Called between batches with the progress.
        extend : int, optional
            Number of blocks to add to a finished record.
        """
        from steelyard.lab.compare.argument_checks import refuse_no_count
        from steelyard.lab.run.run import run

        if extend is not None:
            refuse_no_count("extend", extend)
        quiet: Watch = watch or (lambda _: None)
        return run(self.experiment, self.directory, spec_text=self.spec_text, watch=quiet, extend=extend)

    def samples(self, *metrics: str) -> list[Sample]:
        """Read the samples: by default those of the primary metric."""
        with self.open() as record:
            return record.samples(*(metrics or (self.experiment.analysis.metric,)))

    def analyze(self, metric: str | None = None, **chosen: Any) -> Result[Answer]:
        """Answer with effects, intervals and verdicts.

        Parameters
        ----------
        chosen
            ``protocol``, ``against``, ``estimand``, ``interval``: as in ``lab.answer.analyze.analyze``.
        """
        from steelyard.lab.answer.analyze import analyze
        from steelyard.lab.compare.arguments import refuse_unknown
        from steelyard.report.answer import document as json
        from steelyard.report.answer import text
        from steelyard.report.answer.frame import list_rows

        refuse_unknown(chosen, ("metric", "protocol", "against", "estimand", "interval"), "analyze")
        with self.open() as record:
            answer = analyze(record, metric=metric, **chosen)
        return Result(
            answer, lambda: text.lines(answer, WIDTH), lambda: json.render(answer), lambda: list_rows(answer)
        )

    def check(self, claims: Sequence[Claim | Mapping[str, Any]] | None = None) -> Result[Checked]:
        """Judge the claims of the spec, or others: each as in a spec's ``[[claims]]``, or typed."""
        from steelyard.lab.answer.check import check
        from steelyard.report.claims import document as verdicts_json
        from steelyard.report.claims import text as verdicts
        from steelyard.spec import claims_of

        chosen = self.experiment.claims if claims is None else claims_of(claims, self.experiment)
        with self.open() as record:
            checked = check(record, chosen)
        code = checked.exit_code(strict=False)
        return Result(
            checked,
            lambda: verdicts.lines(checked.verdicts, checked.alpha, WIDTH),
            lambda: verdicts_json.render([checked], code),
        )

    def report(self, metric: str | None = None, **chosen: Any) -> Report:
        """Make the page, figures and tables; ``chosen`` as for ``analyze``."""
        return report(self.directory, metric=metric, **chosen)

    def model(
        self,
        *parameters: str,
        metrics: Sequence[str] = (),
        at_most: str | Mapping[str, str] = "",
        expect: str | Mapping[str, str] = "",
        deviation: str | None = None,
        rules: Sequence[str] = (),
        at: Mapping[str, float] | None = None,
        at_least: str | Mapping[str, str] = "",
    ) -> Result[Modelled]:
        """Model how metrics grow with factors or labels, as the function ``model`` does."""
        from steelyard.lab.answer.series_of_record import series_of_record
        from steelyard.lab.compare.argument_checks import refuse_one_text

        refuse_one_text("metrics", metrics)
        refuse_one_text("rules", rules)
        with self.open() as record:
            series = series_of_record(record, parameters, metrics)
        return model(
            series,
            parameters[0] if parameters else None,
            at_most=at_most,
            expect=expect,
            deviation=deviation,
            rules=rules,
            at=at,
            at_least=at_least,
        )


class Report:
    """Page, figures and tables of one record or several, or of a history: ``Report([history(…).value])``.

    A notebook shows the page.

    Attributes
    ----------
    contents : tuple of Shown
        What is shown, one below the other.
    """

    def __init__(self, contents: Sequence[Shown]) -> None:
        self.contents = tuple(contents)

    def html(self, title: str = "") -> str:
        """Return the page: one document that fetches nothing."""
        from steelyard.report.page.document import render

        return render(self.contents, title)

    def save(self, file: str | Path) -> Path:
        """Write the page."""
        place = Path(file)
        write_output(place, self.html())
        return place

    def figures(self, directory: str | Path, only: Sequence[str] = ()) -> list[Path]:
        """Write every chart, or those named, as SVG, PNG and PDF at the width of a column of a paper."""
        from steelyard.report.page.figures import write_figures

        return write_figures(self.contents, Path(directory), only)

    def tables(self, directory: str | Path, only: Sequence[str] = ()) -> list[Path]:
        """Write every table, or those named, as Markdown, LaTeX and CSV, and models as Python and LaTeX."""
        from steelyard.report.page.tables import write_tables

        return write_tables(self.contents, Path(directory), only)

    def archive(
        self, file: str | Path, authors: Sequence[str] = (), *, tell: Callable[[str], object] | None = None
    ) -> Path:
        """Write one ZIP file of the record, spec, sources, host, page, trials and checksums.

        Parameters
        ----------
        authors : sequence of str
            Names for its ``CITATION.cff``, which is left out without any.
        tell : callable, optional
            Called with each source that the spec needs and the archive lacks, and the reason; its README has
            them too.

        Raises
        ------
        UsageError
            There are several records, or the record is still being written.
        """
        from steelyard.files.archive import read_members, write_archive
        from steelyard.lab.run.existing_record import experiment_here
        from steelyard.lab.run.sources import collect_sources
        from steelyard.report.archive import choose_name, describe_experiment
        from steelyard.report.page.contents import PageContents
        from steelyard.store import Record

        contents, *rest = self.contents
        if rest or not isinstance(contents, PageContents):
            raise UsageError("an archive is of one record", hint="archive each record by itself")
        status = contents.portrait.status
        if status.state == "running":
            raise UsageError(
                f"{status.record} is still being written", hint="wait for its end, or interrupt the run"
            )
        directory = Path(status.record)
        with Record.open(directory) as record:
            before = record.experiment.source
            sources = collect_sources(experiment_here(record), record.program, before)
        members = describe_experiment(contents, self.html(), authors, sources.files, sources.omissions)
        members[choose_name("trials.csv", sources.files)] = _write_trials(directory)
        contents_of_record = read_members(directory, leave_out=("lock",))
        members |= {f"record.lab/{name}": content for name, content in contents_of_record.items()}
        place = Path(file)
        write_archive(
            place,
            directory.name.removesuffix(".lab"),
            members | dict(sources.files),
            executable=sources.executable,
            directories=sources.directories,
        )
        for text in sources.omissions:
            if tell is not None:
                tell(text)
        return place

    def __repr__(self) -> str:
        from steelyard.report.page.answer_page import make_answer_page
        from steelyard.report.page.contents import PageContents, PageModels

        names = (
            content.portrait.status.record
            if isinstance(content, PageContents)
            else content.name
            if isinstance(content, PageModels)
            else make_answer_page(content).name
            for content in self.contents
        )
        return f"Report({', '.join(names)})"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own: its scripts see nothing of the notebook."""
        from html import escape

        return (
            '<iframe sandbox="allow-scripts" style="width: 100%; height: 48rem; border: 0" '
            f'srcdoc="{escape(self.html())}"></iframe>'
        )


def report(
    *records: str | Path | Reading,
    metric: str | None = None,
    observation: Observation | None = None,
    **chosen: Any,
) -> Report:
    """Make page, figures and tables of records, of which each stands below the one before.

    Parameters
    ----------
    records
        Directories ``NAME.lab``, or their specs; also while they are still running. Places that ``steelyard
        export --to`` wrote, as directories or URLs; and open records.
    observation : Observation, optional
        What ``steelyard observe`` found from these records.
    chosen
        As for ``Laboratory.analyze``.

    Raises
    ------
    RecordError
        A record is damaged, or is none.
    UsageError
        The record has no such metric.
    """
    from steelyard.lab.compare.arguments import refuse_unknown
    from steelyard.lab.lake.asking import opened

    refuse_unknown(chosen, ("metric", "protocol", "against", "estimand", "interval"), "report")
    contents = []
    for place in records:
        if isinstance(place, str | Path):
            named = place if isinstance(place, str) and is_url(place) else Path(place)
            with opened([named]) as (record, _):
                contents.append(_make_contents(record, metric, chosen))
        else:
            contents.append(_make_contents(place, metric, chosen))
    parts = {} if observation is None else {"observation": observation}
    return Report([msgspec.structs.replace(part, parts={**part.parts, **parts}) for part in contents])


def _write_trials(directory: Path) -> bytes:
    """Every trial of a record as CSV."""
    import tempfile

    from steelyard.exchange.export import export
    from steelyard.store import Record

    with tempfile.TemporaryDirectory() as temporary, Record.open(directory) as record:
        file = Path(temporary, "trials.csv")
        export(record, file, "csv")
        return file.read_bytes()


def _make_contents(record: Reading, metric: str | None, chosen: Mapping[str, Any]) -> PageContents:
    """Collect everything that a page shows of one record, which is open."""
    from steelyard.core.errors import RecordError
    from steelyard.lab.answer.analyze import analyze, analyze_by_context
    from steelyard.lab.answer.check import check
    from steelyard.lab.answer.curves import curves
    from steelyard.lab.answer.portrait import portrait
    from steelyard.report.page.contents import Curve, PageContents

    about = portrait(record, metric=metric)
    try:
        answer = analyze(record, metric=metric, **chosen)
    except RecordError as error:
        if about.status.blocks_done and not record.experiment.keeps_failures:
            raise
        return PageContents(about, None, why=error.message, parts=_collect_parts(record))
    declared = metric is None and not chosen.get("protocol")
    several = len({tuple(context.items()) for context in about.contexts.values()}) > 1
    return PageContents(
        about,
        answer,
        by_context=analyze_by_context(record, metric=metric) if several else None,
        checked=check(record) if record.experiment.claims and declared else None,
        curves=tuple(Curve(*curve) for curve in curves(record, metric)),
        parts=_collect_parts(record),
    )


def _collect_parts(record: Reading) -> dict[str, object]:
    """Collect what extensions answer from a record; one that cannot leaves the page without its section."""
    from steelyard.core.extension import list_parts, load

    parts: dict[str, object] = {}
    for name, place in list_parts().items():
        with suppress(SteelyardError):
            if (part := load(place)(record)) is not None:
                parts[name] = part
    return parts


def compare(*commands: str, record: str | Path | None = None, **options: Any) -> Result[Answer]:
    """Run commands as ``steelyard compare`` does, and answer; Ctrl-C answers with what there is.

    Parameters
    ----------
    record : path, optional
        Where the record is; by default under the user's state directory.
    options
        As ``Laboratory.compare``; ``seed`` is random by default, and recorded.

    Raises
    ------
    SteelyardError
        As the command line would end.
    """
    import os

    from steelyard.files.user_directories import propose_record
    from steelyard.report.text.progress import ProgressLine

    place = Path(record) if record else propose_record(os.environ, "compare").with_suffix(".lab")
    lab = Laboratory.compare(*commands, record=place, **{"seed": _choose_seed(place), **options})
    line = ProgressLine(sys.stderr)
    try:
        lab.run(line.update)
    except InterruptedRunError:
        with lab.open() as opened:
            if not opened.progress().blocks.get("complete", 0):
                raise
    finally:
        line.clear()
    return lab.analyze()


def measure(
    *functions: Callable[[], object],
    names: Sequence[str] = (),
    precision: float | None = None,
    max_time: float | str | None = None,
    margin: float | None = None,
    estimand: Estimand = "median_ratio",
    seed: int | None = None,
) -> Result[Answer]:
    """Time functions of this process, and compare each with the first.

    Calibrated loops run in randomised blocks, with the garbage collector held back, until the comparison is
    answered.

    Parameters
    ----------
    functions : callable
        Called without arguments: ``measure(lambda: f(data), lambda: g(data))``.
    names : sequence of str
        What to call them; their own names where empty.
    precision : float, optional
        Relative half-width of every interval; by default it ends when every verdict is decided and its
        interval narrow.
    max_time : float or str, optional
        Seconds, or ``"1 min"``; a block that would probably end later is not begun. By default 10 s, or until
        each function has been timed often enough for a verdict.
    estimand : str
        The median of the blocks' ratios, which interruptions of the machine hardly move; ``"geomean_ratio"``
        or ``"ratio_of_means"`` where a function's own rare slow calls are to count.

    Raises
    ------
    UsageError
        Something that cannot be called, or names that are not as many or not different.
    """
    from steelyard.core.units import parse_duration
    from steelyard.lab.measure import measure as timed
    from steelyard.report.answer import document as json
    from steelyard.report.answer import text
    from steelyard.report.answer.frame import list_rows

    labels = list(names) or [getattr(function, "__name__", repr(function)) for function in functions]
    if not names and len(set(labels)) < len(labels):
        labels = [f"{label} #{place}" for place, label in enumerate(labels, 1)]
    if len(labels) != len(functions) or len(set(labels)) < len(labels):
        raise UsageError(
            f"{len(labels)} names for {len(functions)} functions, or not all different: {', '.join(labels)}",
            hint="names=['old', 'new'], one for each function",
        )
    answer = timed(
        dict(zip(labels, functions, strict=True)),
        precision_wanted=precision,
        max_time_s=None if max_time is None else parse_duration(max_time),
        margin=margin,
        estimand=estimand,
        seed=_choose_seed(None) if seed is None else seed,
    )
    return Result(
        answer, lambda: text.lines(answer, WIDTH), lambda: json.render(answer), lambda: list_rows(answer)
    )


def _choose_seed(record: Path | None) -> int:
    """Return the seed of a record that goes on, else a random one."""
    import secrets

    from steelyard.lab.run.existing_record import existing_seed

    recorded = None if record is None else existing_seed(record)
    return secrets.randbits(31) if recorded is None else recorded


def model(
    series: Sequence[Series],
    parameter: str | None = None,
    *,
    at_most: str | Mapping[str, str] = "",
    expect: str | Mapping[str, str] = "",
    deviation: str | None = None,
    rules: Sequence[str] = (),
    at: Mapping[str, float] | None = None,
    at_least: str | Mapping[str, str] = "",
) -> Result[Modelled]:
    """Model series from anywhere.

    ``steelyard.scaling.series_of_frame`` makes them of a data frame, ``steelyard.exchange.files.read_series``
    of a file.

    Parameters
    ----------
    at_most, expect, at_least : str or mapping, optional
        Big-O text for all functions, or by name: an upper bound of growth, growth that is expected and no
        other, or a lower bound of a rate.
    deviation : str, optional
        Factor within which growth is still approximately as stated; one logarithm by default, ``"half"`` as
        published by seed 001.

    Raises
    ------
    UsageError
        An expectation or a rule cannot be understood, or both kinds are about one function.
    """
    from steelyard.lab.answer.model import ModelRequest, model_series
    from steelyard.report.claims.text import render_rules
    from steelyard.report.models.document import render
    from steelyard.report.models.frame import list_rows
    from steelyard.report.models.text import lines
    from steelyard.scaling import Question
    from steelyard.scaling.question import expectations_of

    question = Question(
        expectations=expectations_of(
            _index_by_name(at_most), _index_by_name(expect), deviation, _index_by_name(at_least)
        ),
        parameter=parameter,
        scale=at or {},
    )
    answers = model_series(ModelRequest(series, question, rules))
    models, failed, verdicts, causes = answers.models, answers.failed, answers.rules, answers.causes
    return Result(
        answers,
        lambda: lines(models, failed, render_rules(verdicts, WIDTH), causes, WIDTH),
        lambda: render(models, failed, verdicts, causes),
        lambda: list_rows(answers.models, answers.failed),
    )


def _index_by_name(stated: str | Mapping[str, str]) -> dict[str, str]:
    named = {"*": stated} if isinstance(stated, str) else stated
    return {name: text for name, text in named.items() if text}


def history(*names: str | Path, **options: Any) -> Result[History]:
    """Find what changed over records of many commits: records, directories of them, or files of summaries.

    Parameters
    ----------
    options
        Fields of ``steelyard.extensions.history.history.HistoryRequest``.

    Raises
    ------
    UsageError, RecordError
        As ``steelyard.extensions.history.history.history``.
    """
    from steelyard.extensions.history.frame import list_rows
    from steelyard.extensions.history.history import HistoryRequest
    from steelyard.extensions.history.history import history as over
    from steelyard.extensions.history.results import HISTORY
    from steelyard.extensions.history.text import lines
    from steelyard.lab.compare.arguments import refuse_unknown

    refuse_unknown(options, [field.name for field in fields(HistoryRequest)], "history")
    result = over(HistoryRequest(names=tuple(map(Path, names)), **options))
    return Result(
        result, lambda: lines(result, WIDTH), lambda: HISTORY.text(result), lambda: list_rows(result)
    )
