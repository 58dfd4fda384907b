"""Text for LaTeX, which obeys nothing of it."""

from __future__ import annotations

from typing import Final

_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "×": r"$\times$",
    "µ": r"\textmu{}",
    "→": r"$\rightarrow$",
    "≈": r"$\approx$",
    "≤": r"$\leq$",
    "✓": r"$\checkmark$",
    "✗": r"$\times$",
    "‡": r"\ddag{}",
    "†": r"\dag{}",
    "−": "$-$",
    "–": "--",
    "…": r"\ldots{}",
}


def format_latex_text(text: str) -> str:
    """Text with everything that LaTeX would obey written as what it shows."""
    return "".join(_LATEX.get(char, char) for char in text)
