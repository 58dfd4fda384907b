"""The badge of README: how many mutants the tests kill, as benchmarks/README.md says.

``python scripts/documentation/badge.py`` draws docs/pictures/mutants.svg.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PICTURE: Final = ROOT / "docs" / "pictures" / "mutants.svg"
_ROW: Final = re.compile(r"^\| \[mutation\].*?\| (\d+) of (\d+) as drawn", re.MULTILINE)
_LABEL: Final = "mutants killed"


def read_share(text: str) -> int:
    """Per cent of mutants that the last run killed, rounded down.

    Raises
    ------
    LookupError
        The page has no such row.
    """
    row = _ROW.search(text)
    if row is None:
        raise LookupError("benchmarks/README.md has no row of mutation with “N of M as drawn”")
    killed, drawn = map(int, row.groups())
    return 100 * killed // drawn


def draw(share: int) -> str:
    """Draw the badge: what it counts, and the figure."""
    words = f"{_LABEL}: {share} %"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="132" height="20" role="img" aria-label="{words}">'
        f"<title>{words}</title>"
        '<rect width="96" height="20" fill="#3d4450"/><rect x="96" width="36" height="20" fill="#1f6f8b"/>'
        '<g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="48" y="14">{_LABEL}</text><text x="114" y="14">{share} %</text></g></svg>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(read_share((ROOT / "benchmarks" / "README.md").read_text("utf-8"))), "utf-8")
