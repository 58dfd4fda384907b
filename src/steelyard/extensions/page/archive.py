"""Files of an archive beside its record: the answer, the machine, how to cite and to repeat."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from steelyard import __version__
from steelyard.extensions.page.zip_file import name_checksums
from steelyard.report.answer import document

if TYPE_CHECKING:
    from steelyard.extensions.page.contents import PageContents

PAGE: Final = "page.html"
README: Final = "README.md"
ANSWER: Final = "answer.json"
CITATION: Final = "CITATION.cff"


SPEC: Final = "spec.toml"


def describe_experiment(
    contents: PageContents,
    page: str,
    authors: Sequence[str],
    sources: Collection[str],
    omissions: Sequence[str],
) -> dict[str, bytes]:
    """Write the files of an archive that are made of the answer, by their names.

    Parameters
    ----------
    page : str
        The page as HTML.
    authors : sequence of str
        Names for ``CITATION.cff``; without any it is not written, since that format demands one.
    sources : collection of str
        Files that the spec names; a file of the archive that has such a name gets another.
    omissions : sequence of str
        What the spec needs and the archive lacks.
    """
    portrait = contents.portrait
    texts = {
        PAGE: page,
        SPEC: portrait.spec,
        "host.json": _write_json(portrait.host),
        "program.json": _write_json(portrait.program),
    }
    if contents.answer is not None:
        texts[ANSWER] = document.render(contents.answer)
    if authors:
        texts[CITATION] = _cite(contents, authors)
    names = {name: choose_name(name, sources) for name in (*texts, README, "trials.csv")}
    texts[README] = _explain(contents, names, sources, omissions)
    return {names[name]: text.encode() for name, text in texts.items()}


def choose_name(name: str, sources: Collection[str]) -> str:
    """Return the name of a file in an archive, which is another one where a source has it."""
    return f"steelyard-{name}" if name in sources else name


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


def _tell_proof(contents: PageContents) -> list[str]:
    proof = contents.portrait.proof
    if proof is None or not proof.head:
        return []
    return [
        f"The record is {proof.words}; head {proof.head}. `steelyard verify --head {proof.head} record.lab`",
        "says whether that still holds.",
        "",
    ]


def _explain(
    contents: PageContents, names: Mapping[str, str], sources: Collection[str], omissions: Sequence[str]
) -> str:
    status = contents.portrait.status
    spec, sums = names[SPEC], name_checksums(sources)
    citation = [f"- `{names[CITATION]}`: how to cite it"] if CITATION in names else []
    answer = [f"- `{names[ANSWER]}`: the same for programs"] if ANSWER in names else []
    measured = f"Measured {contents.portrait.created}: {status.trials_done:,} trials."
    lines = [
        f"# {status.experiment}",
        "",
        f"{measured} Archived by Steelyard {__version__}.",
        "",
        *_tell_proof(contents),
        f"- `{names[PAGE]}`: the answer with every run; it opens in any browser, offline",
        *answer,
        f"- `{names['trials.csv']}`: every trial",
        "- `record.lab/`: the record itself; `steelyard analyze record.lab` answers again",
        f"- `{spec}`: the experiment; `steelyard run {spec}` repeats it, and with `--output record.lab`",
        "  and `--extend 10` it goes on with the record, where programs are the same",
        f"- `{names['host.json']}`, `{names['program.json']}`: the machine and the program",
        *citation,
        f"- `{sums}`: `sha256sum --check {sums}`",
        "",
        "## Sources",
        "",
        f"Files that the spec names, where it looks for them: {len(sources):,}. Unpack them with `unzip`,",
        "which keeps execute permission.",
        "",
        *(f"- `{name}`" for name in sorted(sources)),
        "",
        "Not in this archive:",
        "",
        *(f"- {text}" for text in omissions),
        "- files that no text of the spec names, such as modules that a script imports",
    ]
    return "\n".join(lines) + "\n"
