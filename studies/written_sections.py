"""Sections of a README that a study's ``sections.py`` writes, each between two marks with its name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pages

FILE: Final = "sections.py"
BEGIN: Final = "<!-- written by sections.py: {} -->"
END: Final = "<!-- end of what sections.py writes -->"
Sections = Mapping[str, Callable[[], str]]
"""What writes each section, by its name."""


def renew(readme: str, sections: Sections) -> str:
    """The text with its sections written again.

    Raises
    ------
    LookupError
        It has no place for a section.
    """
    for name, write in sections.items():
        head, begin, rest = readme.partition(BEGIN.format(name))
        _, end, tail = rest.partition(END)
        if not end:
            raise LookupError(f"README.md has no place for {name!r}: {BEGIN.format(name)} … {END}")
        readme = f"{head}{begin}\n{write()}\n{end}{tail}"
    return readme


def main(study: Path, sections: Sections) -> int:
    """Write the README's sections, or with ``--check`` say whether they are as their data are."""
    text = pages.read(study)
    written = renew(text, sections)
    if "--check" in sys.argv[1:]:
        return int(written != text)
    pages.write(study, written)
    return 0
