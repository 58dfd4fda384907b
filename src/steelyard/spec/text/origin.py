"""Origin of a spec: every error says file, line, key and cure."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from steelyard.core.errors import SpecError, UsageError
from steelyard.spec.text.toml import toml_key

Path = tuple[str | int, ...]
"""Keys and positions (from 0) from the top of the spec to a value."""

_HEADER = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?")


class Origin(msgspec.Struct, frozen=True):
    """A spec as it was given.

    Attributes
    ----------
    file : str
        What errors call it.
    text : str
        Empty where the spec came from keyword arguments; then errors have no line.
    """

    file: str
    text: str = ""

    def error(self, path: Path, problem: str, hint: str) -> SpecError:
        """Return the error to raise: ``file:line: key.path: what``."""
        line = self.line(path)
        place = f"{self.file}:{line}" if line else self.file
        return SpecError(
            visible(f"{place}: {format_path(path)}: {problem}" if path else f"{place}: {problem}"),
            hint=visible(hint),
        )

    def place_error(self, path: Path, error: UsageError) -> SpecError:
        """Return the error of a room that knows nothing of specs, with its place."""
        return self.error(path, error.message, error.hint or "")

    def unknown(self, path: Path, kind: str, name: str, names: Iterable[str]) -> SpecError:
        """Return the error for a name that is not among ``names``; its hint is the nearest."""
        return self.error(path, f"unknown {kind} {name}", suggest(name, names, f"{kind}s"))

    def line(self, path: Path) -> int | None:
        """Return the line (from 1) of the deepest key of ``path`` that can be found in the text.

        Found by its look, since ``tomllib`` keeps no places: the header of the table, then the key at the
        start of a line, then keys within a value. A text in which a string looks like a key can lead it
        astray, by some lines and to no harm.
        """
        keys = [key for key in path if isinstance(key, str)]
        lines = ["" if line.lstrip().startswith("#") else line for line in self.text.splitlines()]
        second = path[1] if len(path) > 1 else 0
        place_of, end, depth = _compute_table(lines, keys, second if isinstance(second, int) else 0)
        for key in keys[depth:]:
            assignment = re.compile(rf"""(?:^|[\s{{,.])["']?{re.escape(key)}["']?\s*[=.]""")
            place = next((i for i in range(max(place_of, 0), end) if assignment.search(lines[i])), None)
            if place is None:
                break
            place_of = place
        return place_of + 1 if place_of >= 0 else None


def _compute_table(lines: list[str], keys: list[str], place: int = 0) -> tuple[int, int, int]:
    """Line (from 0) of the deepest table header that leads to ``keys``, line of the next, and its depth.

    Of several headers ``[[name]]``, it is that of number ``place``.
    """
    headers = [(i, match[1].split(".")) for i, line in enumerate(lines) if (match := _HEADER.fullmatch(line))]
    starts = [*(i for i, _ in headers), len(lines)]
    # Keys before the first header are in no table.
    at_line, end, depth = -1, starts[0], 0
    repeated = 0
    for (line, names), next_line in zip(headers, starts[1:], strict=True):
        header = [name.strip().strip("\"'") for name in names]
        if lines[line].lstrip().startswith("[[") and header == keys[:1]:
            repeated += 1
            if repeated <= place:
                continue
        if depth < len(header) <= len(keys) and header == keys[: len(header)]:
            at_line, end, depth = line, next_line, len(header)
    return at_line, end, depth


def format_path(path: Path) -> str:
    """``factors.opt[2]``; positions count from 1, as a person does."""
    text = ""
    for key in path:
        text += f"[{key + 1}]" if isinstance(key, int) else ("." if text else "") + toml_key(key)
    return text


def visible(text: str) -> str:
    """``text`` on one line; what a terminal would not show as it is, as Python writes it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def nearest(word: str, every: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that ``word`` was probably meant to be: one that is at least so similar."""
    import difflib

    words = list(every)
    folded = {text.lower().replace("-", "_"): text for text in words}
    close = difflib.get_close_matches(word.lower().replace("-", "_"), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def suggest(word: str, every: Iterable[str], noun: str) -> str:
    """Return a hint: the nearest known word, or all of them."""
    words = list(every)
    close = nearest(word, words)
    if close:
        return f"did you mean {close}?"
    return f"name one of the {noun}: {', '.join(words)}" if words else f"remove it: the spec has no {noun}"
