"""Numbers in a README's prose, written from data: ``python studies/prose.py [STUDY...]``.

A study has ``sentences.py`` with ``sentences()``: pieces of its README's text, ``{}`` in the place of each
number, and the numbers. Each piece stands in the README once, whatever its line breaks; its numbers are
written with the digits that they have there. ``GIVEN`` are regular expressions of numbers that no data
decide, such as settings.
"""

from __future__ import annotations

import argparse
import re
import runpy
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pages

HERE: Final = Path(__file__).resolve().parent
FILE: Final = "sentences.py"
NUMBER: Final = r"[-−]?(?:\d[\d,]*)?\.?\d+(?:e[-+]?\d+)?"
Sentence = tuple[str, *tuple[float, ...]]
"""A piece of text, and its numbers."""
_GENERATED: Final = r"<!-- written by.*?<!-- end of.*?-->"
_ALWAYS_GIVEN: Final = (
    r"```.*?```",
    _GENERATED,
    r"^(?:\||    |#).*?$",  # Tables have their own test; indented lines are commands.
    r"`[^`]*`",
    r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)",
    r"DOI\s+[\w./-]+",
    r"\b20\d\d(?:-\d\d-\d\d)?\b",
    r"(?:\b(?:Figures?|Tables?|Eq\.|[Dd]ecision|issue|[Ss]cale|p =|n =|k =|class)|§)\s*\d[\d./]*",
    r"\b95 %",
    r"\bT\d\w*\b",
    r"O\([^)]*\)",
)


def write_numbers(readme: str, sentences: Iterable[Sentence]) -> str:
    """The text with the numbers of the sentences.

    Raises
    ------
    LookupError
        A sentence does not stand in the text, or more than once.
    ValueError
        A sentence has another number of places than of numbers.
    """
    for text, *values in sentences:
        result = _find(readme, text)
        places = [result.span(i) for i in range(1, result.re.groups + 1)]
        if len(places) != len(values):
            raise ValueError(f"{text!r} has {len(places)} places for {len(values)} numbers")
        for (start, end), value in reversed(list(zip(places, values, strict=True))):
            readme = readme[:start] + write_as(value, readme[start:end]) + readme[end:]
    return readme


def _find(readme: str, text: str) -> re.Match[str]:
    pieces = [r"\s+".join(map(re.escape, re.split(r"\s+", piece))) for piece in text.split("{}")]
    generated = [result.span() for result in re.finditer(_GENERATED, readme, re.DOTALL)]
    matches = [
        it
        for it in re.finditer(f"({NUMBER})".join(pieces), readme)
        if not any(start < it.start() < end for start, end in generated)
    ]
    if len(matches) != 1:
        raise LookupError(f"README.md has {len(matches)} times: {text}")
    return matches[0]


def write_as(value: float, like: str) -> str:
    """A number with the decimals, the point alone, and the commas that another text has.

    >>> write_as(1234.5, "9,999"), write_as(-0.126, "-.11"), write_as(2, "1.90"), write_as(-3, "−4")
    ('1,234', '-.13', '2.00', '−3')
    """
    decimals = len(like.partition(".")[2])
    written = f"{value:,.{decimals}f}"
    if "," not in like and len(like.partition(".")[0].lstrip("-−")) > len("999"):
        written = written.replace(",", "")
    if like.lstrip("-−").startswith("."):
        written = re.sub(r"^(-?)0\.", r"\1.", written)
    return written.replace("-", "−") if like.startswith("−") else written


def numbers_without_data(readme: str, sentences: Iterable[Sentence], constants: Iterable[str]) -> list[str]:
    """Numbers of two digits or more that neither a sentence nor ``given`` has, each with its line."""
    rest = readme
    for text, *_ in sentences:
        rest = _without(rest, _find(readme, text).span())
    for pattern in (*_ALWAYS_GIVEN, *map(_over_lines, constants)):
        for result in re.finditer(pattern, readme, re.DOTALL | re.MULTILINE):
            rest = _without(rest, result.span())
    return [
        f"{number} in: {line.strip()}"
        for line, remainder in zip(readme.splitlines(), rest.splitlines(), strict=True)
        for number in re.findall(r"(?<![A-Za-z\d])(?:\.?\d[\d,.]*\d|\.\d)", remainder)
    ]


def _over_lines(pattern: str) -> str:
    """The pattern with spaces that stand for any white space: lines of a paragraph break where they will."""
    return re.sub(r"(?<!\\) ", r"\\s+", pattern)


def _without(text: str, span: tuple[int, int]) -> str:
    start, end = span
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def studies() -> Iterator[Path]:
    """Studies that have sentences."""
    return (file.parent for file in sorted(HERE.glob(f"*/{FILE}")))


def declared(study: Path) -> tuple[list[Sentence], list[str]]:
    """A study's sentences and what it is given."""
    path = runpy.run_path(str(study / FILE), run_name="sentences")
    return list(path["sentences"]()), list(path["GIVEN"])


def main() -> int:
    """Write numbers into READMEs, and name lines with numbers that come from nowhere."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    args = parser.parse_args()
    without = 0
    for study in [HERE / name for name in args.studies] or list(studies()):
        sentences, constants = declared(study)
        text = write_numbers(pages.read(study), sentences)
        pages.write(study, text)
        for number in numbers_without_data(text, sentences, constants):
            without += 1
            print(f"{study.name}: no data for {number}", file=sys.stderr)
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
