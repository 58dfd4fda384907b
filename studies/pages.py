"""The text of a study: README.md, and RESULTS.md where its results are too long for one page.

Tables, numbers and figures are written wherever they stand; for what writes them, both files are one text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

README: Final = "README.md"
RESULTS: Final = "RESULTS.md"
SEAM: Final = "<!-- here begins RESULTS.md -->\n"


def read(study: Path) -> str:
    """Read the README, and the results behind ``SEAM`` where they have a file of their own."""
    text = (study / README).read_text(encoding="utf-8")
    results = study / RESULTS
    return f"{text}{SEAM}{results.read_text(encoding='utf-8')}" if results.exists() else text


def write(study: Path, text: str) -> None:
    """Write what ``read`` returned, each part into its file.

    Raises
    ------
    LookupError
        The study has a file of results, and the text lost its place.
    """
    readme, seam, results = text.partition(SEAM)
    if (study / RESULTS).exists() != bool(seam):
        raise LookupError(f"{study.name}: the text and {RESULTS} do not belong together")
    (study / README).write_text(readme, encoding="utf-8")
    if seam:
        (study / RESULTS).write_text(results, encoding="utf-8")
