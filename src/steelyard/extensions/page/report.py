"""Page, figures and tables of records and other answers, as one value that Python programs have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from steelyard.core.errors import RecordError, SteelyardError, UsageError
from steelyard.files.urls import is_url
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from steelyard.extensions.page.contents import PageContents, Shown
    from steelyard.store import Reading


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
        from steelyard.extensions.page.document import render

        return render(self.contents, title)

    def save(self, file: str | Path) -> Path:
        """Write the page."""
        place = Path(file)
        write_output(place, self.html())
        return place

    def figures(self, directory: str | Path, only: Sequence[str] = ()) -> list[Path]:
        """Write every chart, or those named, as SVG, PNG and PDF at the width of a column of a paper."""
        from steelyard.extensions.page.figures import write_figures

        self._refuse_edited()
        return write_figures(self.contents, Path(directory), only)

    def tables(self, directory: str | Path, only: Sequence[str] = ()) -> list[Path]:
        """Write every table, or those named, as Markdown, LaTeX and CSV, and models as Python and LaTeX."""
        from steelyard.extensions.page.tables import write_tables

        self._refuse_edited()
        return write_tables(self.contents, Path(directory), only)

    def _refuse_edited(self) -> None:
        """Refuse files that would not say that their numbers were edited, as the page does.

        Raises
        ------
        RecordError
        """
        from steelyard.extensions.page.contents import PageContents

        for contents in self.contents:
            if not isinstance(contents, PageContents):
                continue
            proof = contents.portrait.proof
            if proof is not None and proof.refuted:
                raise RecordError(
                    f"{contents.portrait.status.record} was {proof.words}",
                    hint="its page says so first; tables and figures would not",
                )

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
        from steelyard.extensions.page.archive import choose_name, describe_experiment
        from steelyard.extensions.page.contents import PageContents
        from steelyard.extensions.page.sources import collect_sources
        from steelyard.extensions.page.zip_file import read_members, write_archive
        from steelyard.lab.run.existing_record import experiment_here
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
        from steelyard.extensions.page.contents import PageContents
        from steelyard.report.page.answer_page import make_answer_page

        names = (
            content.portrait.status.record
            if isinstance(content, PageContents)
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


def save_page(file: Path, *answers: str | Path | Reading | Shown, **chosen: Any) -> None:
    """Write the page of records and of answers that are no record, one below the other; as ``report``."""
    _show(answers, chosen).save(file)


def save_figures(directory: Path, *answers: str | Path | Reading | Shown, **chosen: Any) -> list[Path]:
    """Write every chart of records and of answers that are no record; as ``report``."""
    return _show(answers, chosen).figures(directory)


def _show(answers: Sequence[str | Path | Reading | Shown], chosen: Mapping[str, Any]) -> Report:
    contents: list[Shown] = []
    for entry in answers:
        contents += [entry] if isinstance(entry, msgspec.Struct) else report(entry, **chosen).contents
    return Report(contents)


def report(
    *records: str | Path | Reading,
    metric: str | None = None,
    observation: msgspec.Struct | None = None,
    **chosen: Any,
) -> Report:
    """Make page, figures and tables of records, of which each stands below the one before.

    Parameters
    ----------
    records
        Directories ``NAME.lab``, or their specs; also while they are still running. Places that ``steelyard
        export --to`` wrote, as directories or URLs; and open records.
    observation : Struct, optional
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
    from steelyard.lab.places.asking import opened

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

    from steelyard.extensions.exchange.export import export
    from steelyard.store import Record

    with tempfile.TemporaryDirectory() as temporary, Record.open(directory) as record:
        file = Path(temporary, "trials.csv")
        export(record, file, "csv")
        return file.read_bytes()


def _make_contents(record: Reading, metric: str | None, chosen: Mapping[str, Any]) -> PageContents:
    """Collect everything that a page shows of one record, which is open."""
    from steelyard.core.errors import RecordError
    from steelyard.extensions.page.contents import PageContents
    from steelyard.extensions.page.portrait import portrait
    from steelyard.lab.answer.analyze import analyze, analyze_by_context
    from steelyard.lab.answer.check import check

    about = portrait(record, metric=metric)
    parts = _collect_parts(record, metric or record.experiment.analysis.metric)
    try:
        answer = analyze(record, metric=metric, **chosen)
    except RecordError as error:
        if about.status.blocks_done and not record.experiment.keeps_failures:
            raise
        return PageContents(about, None, why=error.message, parts=parts)
    declared = metric is None and not chosen.get("protocol")
    several = len({tuple(context.items()) for context in about.contexts.values()}) > 1
    return PageContents(
        about,
        answer,
        by_context=analyze_by_context(record, metric=metric) if several else None,
        checked=check(record) if record.experiment.claims and declared else None,
        parts=parts,
    )


def _collect_parts(record: Reading, metric: str) -> dict[str, object]:
    """Collect what extensions answer from a record; one that cannot leaves the page without its section.

    Of a record that was edited there are none, since nothing is judged by it.
    """
    from steelyard.core.extension import list_parts, load

    parts: dict[str, object] = {}
    if record.prove_briefly().refuted:
        return parts
    for name, place in list_parts().items():
        with suppress(SteelyardError):
            if (part := load(place)(record, metric)) is not None:
                parts[name] = part
    return parts
