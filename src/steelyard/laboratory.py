"""``Laboratory``: the command line for Python programs and notebooks.

Methods return a ``Result``: its ``value`` is the typed answer, printing it prints what the command prints, a
notebook shows the same in colour, and ``json()`` is the document of ``--json``. docs/python.md has
examples.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec.structs import fields

from steelyard.core.errors import InterruptedRunError, UsageError
from steelyard.report.text.line import Line

if TYPE_CHECKING:
    from steelyard.claims.verdict import Checked
    from steelyard.core.estimand import Estimand
    from steelyard.core.sample import Sample
    from steelyard.core.series import Series
    from steelyard.extensions.growth.model import Modelled
    from steelyard.extensions.history.results import History
    from steelyard.extensions.page.report import Report
    from steelyard.extensions.plan.results import Preview
    from steelyard.lab.run.run_loop import Watch
    from steelyard.lab.run.stop_rule import End
    from steelyard.results.analysis import Answer
    from steelyard.spec.claims.claim import Claim
    from steelyard.spec.experiment import Experiment
    from steelyard.store import Record

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
            ``until``, ``max_time``, ``parameter_list``, ``prepare``, ``margin``, ``metric``, ``contexts``, …

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
        from steelyard.extensions.plan import text
        from steelyard.extensions.plan.preview import preview

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
        from steelyard.extensions.page.report import report

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
    from steelyard.extensions.pytest.measure import measure as timed
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

    ``series_of_frame`` of ``steelyard.api.scaling`` makes them of a data frame, ``read_series`` there of a
    file.

    Parameters
    ----------
    at_most, expect, at_least : str or mapping, optional
        Big-O text for all functions, or by name: an upper bound of growth, growth that is expected and no
        other, or a lower bound of a rate.
    deviation : str, optional
        Factor within which growth is still approximately as stated; one logarithm by default, ``"half"`` as
        published by Shudler et al. 2019.

    Raises
    ------
    UsageError
        An expectation or a rule cannot be understood, or both kinds are about one function.
    """
    from steelyard.extensions.growth.document import render
    from steelyard.extensions.growth.frame import list_rows
    from steelyard.extensions.growth.model import ModelRequest, model_series
    from steelyard.extensions.growth.rule_words import render_rules
    from steelyard.extensions.growth.scaling import Question
    from steelyard.extensions.growth.scaling.question import expectations_of
    from steelyard.extensions.growth.text import lines

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
