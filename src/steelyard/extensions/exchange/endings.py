"""What became of each row of a table, by the columns that say it: a status in words, an exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.outcomes import Ending, read_ending, read_exit_code

_STATUS: Final = frozenset(
    {"status", "statuses", "outcome", "outcomes", "result", "state", "states", "job_state", "exit_status"}
)
_CODES: Final = frozenset(
    [
        "exit",
        "exit_code",
        "exit_codes",
        "exitcode",
        "exit_status",
        "returncode",
        "returncodes",
        "return_code",
        "retcode",
        "rc",
    ]
)
"""Names by which columns are known, in lower case, with underscores for blanks and hyphens."""

Row = Mapping[str, str]


class StatusColumns(msgspec.Struct, frozen=True):
    """The columns that say what became of a row.

    Attributes
    ----------
    words, codes : tuple of str
        Columns of words, and of exit codes.
    accepted : frozenset of str
        Words of runs that went well, beside those that are usual; with any, an unknown word is of a run that
        failed.
    """

    words: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    accepted: frozenset[str] = frozenset()

    def read(self, row: Row, line: str) -> tuple[Ending, str]:
        """Return what became of a row, and the text that says so.

        Raises
        ------
        UsageError
            A text is not known.
        """
        for name in self.words:
            text = row[name]
            # Nothing said of a run that has a value is nothing bad; without one, it failed all the same.
            ending = "ok" if text in self.accepted or not text else read_ending(text)
            if ending is None and self.accepted:
                ending = "failed"
            if ending is None:
                raise UsageError(
                    f"{line}: the {name} {text!r} is not known",
                    hint="write ok, timeout or failed; or name the words of runs that went well: --ok WORD",
                )
            if ending != "ok":
                return ending, text
        for name in self.codes:
            is_good = row[name] in self.accepted or not row[name]
            ending = "ok" if is_good else read_exit_code(row[name])
            if ending is None:
                raise UsageError(
                    f"{line}: the {name} {row[name]!r} is no exit code",
                    hint="repair that line, or name another column: --status COLUMN",
                )
            if ending != "ok":
                return ending, f"{name} {row[name]}"
        return "ok", ""


def find_status(
    names: Sequence[str],
    rows: Sequence[Row],
    assigned: Sequence[str],
    chosen: str | None,
    accepted: Sequence[str],
) -> StatusColumns:
    """Return the columns that say what became of rows: the chosen one, or those with usual names.

    A column with a usual name counts where one of its cells is a word for an outcome, or all are exit codes:
    a column ``result`` may hold results.

    Parameters
    ----------
    assigned : sequence of str
        Columns that have another role.
    """
    words = frozenset(accepted)
    if chosen is not None:
        is_code = _holds_codes(rows, chosen)
        return StatusColumns(() if is_code else (chosen,), (chosen,) if is_code else (), words)
    free = [name for name in names if name not in assigned]
    codes = tuple(name for name in free if _normalise(name) in _CODES and _holds_codes(rows, name))
    texts = tuple(
        name
        for name in free
        if name not in codes
        and _normalise(name) in _STATUS
        and any(row[name] in words or read_ending(row[name]) is not None for row in rows)
    )
    return StatusColumns(texts, codes, words)


def _holds_codes(rows: Sequence[Row], name: str) -> bool:
    """Whether a column has exit codes; runs that went well may have none."""
    cells = [row[name] for row in rows if row[name]]
    return bool(cells) and all(read_exit_code(cell) is not None for cell in cells)


def _normalise(name: str) -> str:
    return "_".join(name.lower().replace("-", " ").split())
