"""Expressions of Vega, the part that charts use: literals, fields, operators, five functions. No ``eval``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from steelyard.extensions.page.drawing.numerals import format_number

Scope = Mapping[str, Any]
"""``datum`` and the signals."""
Evaluator = Callable[[Scope], Any]

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|(?P<text>"(?:[^"\\]|\\.)*"|'[^']*')"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<sign>&&|\|\||[=!<>]=|[-+*/%<>!?:.,()\[\]]))"""
)
_BINDS: Final = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4} | {
    sign: 5 + (sign in "*/%") for sign in "+-*/%"
}


def is_valid(value: object) -> bool:
    """Whether a value can be drawn: neither missing nor not a number."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _find(values: list[Any], value: Any) -> int:
    return values.index(value) if value in values else -1


def _replace(text: str, pattern: str, by: str) -> str:
    return re.sub(pattern, re.sub(r"\$(\d)", r"\\\1", by), text, count=1)


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "format": format_number,
    "indexof": _find,
    "isValid": is_valid,
    "regexp": str,
    "replace": _replace,
}
_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": lambda a, b: f"{a}{b}" if isinstance(a, str) or isinstance(b, str) else a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": math.fmod,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


@lru_cache(maxsize=256)
def compile_expression(text: str) -> Evaluator:
    """Compile an expression.

    Raises
    ------
    ValueError
        It uses something that no chart needs.
    """
    parser = _Parser(text)
    evaluator = parser.parse_choice()
    if parser.token != ("", ""):
        raise ValueError(f"{text!r}: {parser.token[1]!r} is not understood")
    return evaluator


class _Parser:
    """Recursive descent, with binding powers for operators of two sides."""

    def __init__(self, text: str) -> None:
        self.tokens = self._split(text)
        self.token = next(self.tokens)

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise ValueError(f"{text!r} is not understood at {text[place : place + 20]!r}")
            yield match.lastgroup, match[match.lastgroup]
            place = match.end()
        while True:
            yield "", ""

    def _take(self) -> str:
        text = self.token[1]
        self.token = next(self.tokens)
        return text

    def _require(self, sign: str) -> None:
        if self._take() != sign:
            raise ValueError(f"expected {sign!r}")

    def parse_choice(self) -> Evaluator:
        """Parse ``a ? b : c``, or anything that binds more tightly."""
        test = self._parse_binary(0)
        if self.token != ("sign", "?"):
            return test
        self._take()
        then = self.parse_choice()
        self._require(":")
        fallback = self.parse_choice()
        return lambda scope: then(scope) if test(scope) else fallback(scope)

    def _parse_binary(self, least: int) -> Evaluator:
        first = self._parse_unary()
        while self.token[0] == "sign" and _BINDS.get(self.token[1], 0) > least:
            sign = self._take()
            first = _join(sign, first, self._parse_binary(_BINDS[sign]))
        return first

    def _parse_unary(self) -> Evaluator:
        if self.token == ("sign", "!"):
            self._take()
            value = self._parse_unary()
            return lambda scope: not value(scope)
        if self.token == ("sign", "-"):
            self._take()
            number = self._parse_unary()
            return lambda scope: -number(scope)
        return self._parse_members(self._parse_value())

    def _parse_value(self) -> Evaluator:
        kind, text = self.token[0], self._take()
        if kind == "number":
            number = float(text)
            return lambda _: number
        if kind == "text":
            literal = json.loads(text) if text[0] == '"' else text[1:-1]
            return lambda _: literal
        if kind == "name":
            if self.token == ("sign", "("):
                return _call(text, self._parse_items(")"))
            return lambda scope: scope[text]
        if text == "(":
            inside = self.parse_choice()
            self._require(")")
            return inside
        if text == "[":
            values = self._parse_items("]", opened=True)
            return lambda scope: [value(scope) for value in values]
        raise ValueError(f"{text!r} is not understood")

    def _parse_items(self, end: str, *, opened: bool = False) -> list[Evaluator]:
        if not opened:
            self._take()
        values: list[Evaluator] = []
        while self.token[1] != end or self.token[0] != "sign":
            values.append(self.parse_choice())
            if self.token == ("sign", ","):
                self._take()
        self._take()
        return values

    def _parse_members(self, value: Evaluator) -> Evaluator:
        while self.token in (("sign", "."), ("sign", "[")):
            if self._take() == ".":
                value = _get_field(value, self._take())
            else:
                place = self.parse_choice()
                self._require("]")
                value = _get_item(value, place)
        return value


def _call(name: str, values: list[Evaluator]) -> Evaluator:
    if name not in _FUNCTIONS:
        raise ValueError(f"the function {name!r} is not understood")
    function = _FUNCTIONS[name]
    return lambda scope: function(*(value(scope) for value in values))


def _join(sign: str, first: Evaluator, second: Evaluator) -> Evaluator:
    if sign == "&&":
        return lambda scope: first(scope) and second(scope)
    if sign == "||":
        return lambda scope: first(scope) or second(scope)
    operator = _OPERATORS[sign]
    return lambda scope: operator(first(scope), second(scope))


def _get_field(value: Evaluator, name: str) -> Evaluator:
    return lambda scope: value(scope).get(name)


def _get_item(value: Evaluator, place: Evaluator) -> Evaluator:
    def get(scope: Scope) -> Any:
        values, at = value(scope), int(place(scope))
        return values[at] if 0 <= at < len(values) else None

    return get
