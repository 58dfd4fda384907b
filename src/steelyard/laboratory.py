"""``Laboratory``: the command line for Python programs and notebooks.

Methods return a ``Result``: its ``value`` is the typed answer, printing it prints what the command prints, a
notebook shows the same in colour, and ``json()`` is the document of ``--json``. docs/python.md has
examples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec.structs import fields

from steelyard.report.text.line import Line

if TYPE_CHECKING:
    from steelyard.answers.analysis import Answer
    from steelyard.answers.plan import Preview
    from steelyard.claims.verdict import Checked
    from steelyard.lab.answer.model import Modelled
    from steelyard.lab.run.run_loop import Watch
    from steelyard.lab.run.stop_rule import End
    from steelyard.sample import Sample
    from steelyard.series import Series
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

    def __str__(self) -> str:
        from steelyard.report.text.line import plain

        return plain(self._lines()).rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        from steelyard.report.text.line import html

        return html(self._lines())

    def json(self) -> str:
        """The document that ``--json`` prints."""
        return self._json()


class Laboratory:
    """One experiment and its record.

    Parameters
    ----------
    what : path or Experiment
        A spec (``NAME.toml``), a record (``NAME.lab``), or an experiment made by ``steelyard.spec``.
    record : path, optional
        Where the record is; by default beside the spec, for an experiment in its ``source``.

    Raises
    ------
    SteelyardError
        The spec or the record cannot be used.
    """

    def __init__(self, what: str | Path | Experiment, *, record: str | Path | None = None) -> None:
        from steelyard.lab.compare.arguments import refuse_no_laboratory
        from steelyard.spec.experiment import Experiment

        refuse_no_laboratory(what)
        self.spec_text = ""
        if isinstance(what, Experiment):
            self.experiment = what
            self.directory = Path(record) if record else Path(what.source, f"{what.name}.lab")
            return
        path = Path(what)
        if path.is_dir() or path.name == "record.sqlite":
            from steelyard.lab.run.existing_record import find_record

            self.directory = find_record(path)
            with self.open() as opened:
                self.experiment = opened.experiment
            return
        from steelyard.lab.run.existing_record import record_of_spec
        from steelyard.spec import load

        self.experiment = load(path)
        self.spec_text = path.read_text(encoding="utf-8")
        self.directory = Path(record) if record else record_of_spec(path)

    @classmethod
    def compare(cls, *commands: str, record: str | Path, **options: Any) -> Laboratory:
        """Make the experiment of ``steelyard compare``: each command against the first.

        Parameters
        ----------
        options
            Fields of ``steelyard.lab.compare.compare.CompareRequest``.

        Raises
        ------
        UsageError
            Unknown field, or a value that it cannot have.
        """
        from steelyard.lab.compare.arguments import refuse_unknown
        from steelyard.lab.compare.compare import CompareRequest

        refuse_unknown(options, [each.name for each in fields(CompareRequest)], "Laboratory.compare")
        return cls(CompareRequest(commands=commands, **options).experiment(), record=record)

    def __repr__(self) -> str:
        return f"Laboratory({self.experiment.name!r}, record={str(self.directory)!r})"

    def open(self) -> Record:
        """Open the record for reading; close it afterwards."""
        from steelyard.store import Record

        return Record.open(self.directory)

    def plan(self) -> Preview:
        """Preview what would run and what the design cannot separate; runs nothing."""
        from steelyard.lab.run.plan import preview

        return preview(self.experiment, self.directory)

    def run(self, watch: Watch | None = None, *, extend: int | None = None) -> End:
        """Run to the end, or continue where a run stopped.

        Parameters
        ----------
        watch : callable, optional
            Called between batches with the progress.
        extend : int, optional
            Number of blocks to add to a finished record.
        """
        from steelyard.lab.compare.arguments import refuse_no_count
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

        refuse_unknown(chosen, ("metric", "protocol", "against", "estimand", "interval"), "analyze")
        with self.open() as record:
            answer = analyze(record, metric=metric, **chosen)
        return Result(answer, lambda: text.lines(answer, WIDTH), lambda: json.render(answer))

    def check(self, claims: Sequence[Claim | Mapping[str, Any]] | None = None) -> Result[Checked]:
        """Judge the claims of the spec, or others: each as in a spec's ``[[claims]]``, or typed."""
        from steelyard.lab.answer.check import check
        from steelyard.report.claims import document as verdicts_json
        from steelyard.report.claims import text as verdicts
        from steelyard.spec import claims_of

        wanted = self.experiment.claims if claims is None else claims_of(claims, self.experiment)
        with self.open() as record:
            found = check(record, wanted)
        code = found.exit_code(strict=False)
        return Result(
            found,
            lambda: verdicts.lines(found.verdicts, found.alpha, WIDTH),
            lambda: verdicts_json.render([found], code),
        )

    def model(
        self,
        *parameters: str,
        metrics: Sequence[str] = (),
        expect: str | Mapping[str, str] = "",
        rules: Sequence[str] = (),
        at: Mapping[str, float] | None = None,
    ) -> Result[Modelled]:
        """Model how metrics grow with factors or labels; ``expect`` is big-O text, for all or by name."""
        from steelyard.lab.answer.series_of_record import series_of_record
        from steelyard.lab.compare.arguments import refuse_one_text

        refuse_one_text("metrics", metrics)
        refuse_one_text("rules", rules)
        with self.open() as record:
            series = series_of_record(record, parameters, metrics)
        return model(series, parameters[0] if parameters else None, expect=expect, rules=rules, at=at)


def model(
    series: Sequence[Series],
    parameter: str | None = None,
    *,
    expect: str | Mapping[str, str] = "",
    rules: Sequence[str] = (),
    at: Mapping[str, float] | None = None,
) -> Result[Modelled]:
    """Model series from anywhere: ``steelyard.scaling.series_of_frame`` makes them of a data frame,
    ``steelyard.exchange.files.read_series`` of a file.

    Raises
    ------
    UsageError
        An expectation or a rule cannot be understood.
    """
    from steelyard.lab.answer.model import ModelRequest, model_series
    from steelyard.report.models import document as models_json
    from steelyard.report.models import text as models
    from steelyard.scaling import Expectation, Question

    stated = {"*": expect} if isinstance(expect, str) else expect
    question = Question(
        expectations={name: Expectation(text) for name, text in stated.items() if text},
        parameter=parameter,
        scale=at or {},
    )
    found = model_series(ModelRequest(series, question, rules))
    parts = (found.models, found.failed, found.rules, found.causes)
    return Result(found, lambda: models.lines(*parts, width=WIDTH), lambda: models_json.render(*parts))
