"""Files of an archive beside its record: the answer, the machine, how to cite and to repeat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard import __version__
from steelyard.report.answer import document

if TYPE_CHECKING:
    from steelyard.report.page.contents import PageContents

PAGE: Final = "page.html"


def describe_experiment(contents: PageContents, page: str, authors: Sequence[str]) -> dict[str, bytes]:
    """Write the files of an archive that are made of the answer, by their names.

    Parameters
    ----------
    page : str
        The page as HTML.
    authors : sequence of str
        Names for ``CITATION.cff``; without any it is not written, since that format demands one.
    """
    portrait = contents.portrait
    texts = {
        PAGE: page,
        "spec.toml": portrait.spec,
        "host.json": _write_json(portrait.host),
        "program.json": _write_json(portrait.program),
        "README.md": _explain(contents, cited=bool(authors)),
    }
    if contents.answer is not None:
        texts["answer.json"] = document.render(contents.answer)
    if authors:
        texts["CITATION.cff"] = _cite(contents, authors)
    return {name: text.encode() for name, text in texts.items()}


def _write_json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"


def _cite(contents: PageContents, authors: Sequence[str]) -> str:
    """Write a citation file, version 1.2.0; texts are quoted as JSON, which YAML reads."""
    portrait = contents.portrait
    lines = [
        "cff-version: 1.2.0",
        "type: dataset",
        "message: Please cite these measurements as below.",
        f"title: {json.dumps(f'Record of the performance experiment {portrait.status.experiment}')}",
        "authors:",
        *(f"  - name: {json.dumps(author)}" for author in authors),
        f"date-released: {portrait.created[:10]}",
        "identifiers:",
        f"  - {{type: other, value: {json.dumps(portrait.id)}, description: identifier of the record}}",
    ]
    return "\n".join(lines) + "\n"


def _explain(contents: PageContents, *, cited: bool) -> str:
    status = contents.portrait.status
    citation = ["- `CITATION.cff`: how to cite it"] if cited else []
    measured = f"Measured {contents.portrait.created}: {status.trials_done:,} trials."
    lines = [
        f"# {status.experiment}",
        "",
        f"{measured} Archived by Steelyard {__version__}.",
        "",
        f"- `{PAGE}`: the answer with every run; it opens in any browser, offline",
        "- `answer.json`: the same for programs",
        "- `trials.csv`: every trial",
        "- `record.lab/`: the record itself; `steelyard analyze record.lab` answers again",
        "- `spec.toml`: the experiment; `steelyard run spec.toml` repeats it",
        "- `host.json`, `program.json`: the machine and the program",
        *citation,
        "- `SHA256SUMS`: `sha256sum --check SHA256SUMS`",
    ]
    return "\n".join(lines) + "\n"
