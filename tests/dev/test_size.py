"""``./dev size``: lines of code, and the files that one comparison calls."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from size import PACKAGE, count_code, count_parts, follow_comparison

TEXT = '''"""What it is."""

import os  # for its separator

#: A comment.
LONG = """two
lines"""


class Thing:
    """One."""

    width: int
    """As wide
    as this."""

    def act(self):
        """Two."""
        return (
            1 +

            2
        )
'''


def test_lines_of_code_are_neither_blank_nor_comments_nor_docstrings() -> None:
    # import, two of the text, class, width, def, and four of the sum.
    assert count_code(TEXT) == 10


def test_every_room_and_extension_is_counted_once() -> None:
    rooms, extensions, faces = count_parts()
    assert {"stats", "run", "spec"} < {*rooms}
    assert {"gate", "growth"} < {*extensions}
    assert {*faces} == {"api", "laboratory.py"}
    everything = sum(count_code(file.read_text()) for file in PACKAGE.rglob("*.py"))
    assert rooms.total() + extensions.total() + faces.total() == everything


def test_the_route_of_a_comparison_has_the_files_whose_functions_it_calls() -> None:
    files, loaded = follow_comparison()
    assert {"cli/compare.py", "lab/run/run.py", "store/writing.py", "stats/compare/comparison.py"} < {*files}
    assert "spec/claims/reading.py" not in files
    assert loaded > len(files) > 100
