"""Hints for common mistakes: the value that was probably meant.

Imported by what reads a wrong spec alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeGuard

import msgspec

from steelyard.core.units import Scalar, is_number
from steelyard.spec.text.origin import Path, nearest
from steelyard.spec.text.placeholders import format_level
from steelyard.spec.text.toml import toml_key, toml_value

Levels = Mapping[str, Sequence[Scalar]]
"""Factors and their levels, as far as the spec has them."""

_PERCENT: Final = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)\s*%")
_TIMES: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:x|×|times|fold)")
_RATIOS: Final = frozenset({"by", "least", "outcome_least"})
"""Keys whose number is a ratio: 10 % is 1.1 there."""

_SOURCES: Final = {
    "stdout": 'did you mean "stdout"? It is read by a pattern, or by json',
    "lines": 'did you mean "lines"? It reads what the program writes to the file $STEELYARD_METRICS,'
    " one JSON object a line",
    "counters": 'a counter needs no metric: write counters = ["instructions"] in [program]',
}
_CALLED: Final = {
    **dict.fromkeys(("output", "text", "pattern", "print", "regex", "regexp", "log"), "stdout"),
    **dict.fromkeys(("metrics", "metric", "steelyard_metrics", "file", "json", "jsonl", "program"), "lines"),
    **dict.fromkeys(("perf", "counter", "counters", "events"), "counters"),
}

_ESTIMANDS: Final = {"median": "median_ratio", "p9": "quantile", "geo": "geomean_ratio"}
"""By what the word has in it: "ratio of medians" looks more like ``ratio_of_means``."""


def suggest_option(path: Path, word: str, options: Sequence[str]) -> str | None:
    """Hint where a word stands that is none of the ``options``."""
    if path == ("analysis", "estimand"):
        for part, option in _ESTIMANDS.items():
            if part in word.lower():
                return f'did you mean "{option}"?'
    is_source = path[:1] == ("metrics",) and path[-1] == "source"
    if is_source and (ours := _CALLED.get(word.strip("${}").lower())):
        return _SOURCES[ours]
    if close := nearest(word, options):
        return f'did you mean "{close}"?'
    if not is_source:
        return None
    return (
        '"stdout" and "stderr" are read by a pattern or json, "lines" from the file $STEELYARD_METRICS;'
        ' "cachegrind" and "callgrind" count under valgrind; the others are formats of `import`'
    )


def suggest_number(expected: Any, key: str, value: Any) -> str | None:
    """Hint where text stands for a number, or one that is none of the ``expected`` share or ratio."""
    text = value.strip() if isinstance(value, str) else ""
    percent, times = _PERCENT.fullmatch(text), _TIMES.fullmatch(text)
    meant = Decimal(percent[1]) / 100 + (key in _RATIOS) if percent else None
    meant = Decimal(times[1]) if times else meant
    if meant is not None and _fits(expected, float(meant)):
        return f"write {key} = {meant.normalize():f}"
    if key in _RATIOS and text:
        return f"write a ratio: {key} = 1.02 is 2 %, {key} = 2 is twice"
    if not _fits(expected, 0.5) or _fits(expected, 1.5):
        return None
    if text:
        return f"write a fraction: {key} = 0.02 is 2 %"
    if is_number(value) and 1 <= value < 100 and _fits(expected, value / 100):
        return f"write {key} = {Decimal(str(value)) / 100}, which is {value} %"
    return None


def _fits(expected: Any, value: Scalar) -> bool:
    try:
        msgspec.convert(value, expected)
    except msgspec.ValidationError:
        return False
    return True


def suggest_levels(key: str, value: object, levels: Levels) -> str:
    """Hint where a table of levels is wanted, and something else stands there."""
    values = value if isinstance(value, list) else [value]
    cells = [cells_with(text, levels) for text in values]
    if len(cells) == 1 and cells[0]:
        return f"write {' or '.join(f'{key} = {toml_value(cell)}' for cell in cells[0])}"
    if cells and all(len(group) == 1 for group in cells):
        return f"write {key} = {toml_value({k: v for group in cells for k, v in group[0].items()})}"
    factor = value if isinstance(value, str) and value in levels else next(iter(levels), None)
    if factor is None or not levels[factor]:
        return f'write a factor and its level: {key} = {{ opt = "O3" }}'
    return f"write a factor and one of its levels: {key} = {toml_value({factor: levels[factor][0]})}"


def suggest_key(key: str, table: Any, keys: Iterable[str], levels: Levels) -> str | None:
    """Hint where a factor, or the key of another kind of claim, stands for a key of a claim."""
    value = table[key]
    if key in ("within", "margin") and "by" in keys and is_number(value) and 0 < value < 1:
        if "not_slower" in keys:
            return f"write by = {value}"
        return f"write by = {Decimal(str(value)) + 1}: it is a ratio"
    if key not in levels or not is_scalar(value) or "where" not in keys:
        return None
    return f"{key} is a factor: write where = {toml_value({key: value})}"


def suggest_level(expected: Any, path: Path, value: object, levels: Levels) -> str | None:
    """Hint where a factor or one level is wanted, and a table or a list of them stands there."""
    if isinstance(value, list) and len(value) == 1 and is_scalar(value[0]) and _fits(expected, value[0]):
        return f"write {_format_assigned(path, value[0])}"
    if not (isinstance(value, Mapping) and len(value) == 1):
        return None
    ((factor, level),) = value.items()
    if factor not in levels or not is_scalar(level):
        return None
    if path[-1:] == ("best",):
        return _format_best(factor, level)
    return f"write {_format_assigned(path, level)}" if path[-1:] == ("level",) else None


def suggest_factor(word: str, levels: Levels) -> str | None:
    """Hint where the name of a factor is wanted, and one of its levels stands there."""
    cells = cells_with(word, levels)
    return f"{toml_value(word)} is a level: write {' or '.join(map(toml_value, cells))}" if cells else None


def suggest_best(word: str, levels: Levels) -> str | None:
    """Hint where the factor is the one whose best level is claimed."""
    items = [item for cell in cells_with(word, levels) for item in cell.items()]
    if not items:
        return None
    return _format_best(*items[0])


def _format_best(factor: str, level: Scalar) -> str:
    return f"write best = {toml_value(factor)} and level = {toml_value(level)}"


def cells_with(value: Any, levels: Levels) -> list[dict[str, Scalar]]:
    """Return the factors that have this level, ``"O3"`` or ``"opt=O3"``, each with it."""
    if not is_scalar(value):
        return []
    name, equals, rest = str(value).partition("=")
    named_level = {name.strip(): rest.strip()} if equals and name.strip() in levels else None
    return [
        {factor: level}
        for factor, its_levels in levels.items()
        for level in its_levels
        if format_level(level) == (format_level(value) if named_level is None else named_level.get(factor))
    ]


def read_levels(tables: object) -> dict[str, list[Scalar]]:
    """Factors and levels of a spec that was not checked yet, where they are a list."""
    factors = tables.get("factors") if isinstance(tables, Mapping) else None
    if not isinstance(factors, Mapping):
        return {}
    return {
        name: [level for level in its_levels if is_scalar(level)]
        for name, its_levels in factors.items()
        if isinstance(its_levels, list)
    }


def is_scalar(value: Any) -> TypeGuard[Scalar]:
    """Whether it could be a level; dates, lists and tables could not, nor numbers beyond 64 bits."""
    if isinstance(value, int):
        return value.bit_length() <= 64
    return isinstance(value, str) or is_number(value)


def _format_assigned(path: Path, value: Scalar) -> str:
    key = path[-1] if path and isinstance(path[-1], str) else None
    return f"{toml_key(key)} = {toml_value(value)}" if key else toml_value(value)
