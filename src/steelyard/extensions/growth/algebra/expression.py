"""Big-O text to algebra: ``O(n/p log(n/p) + p^2 log p)``, reduced for the parameter that varies.

Grammar (juxtaposition multiplies and binds like ``*``; whitespace separates)::

    sum     := product (("+" | "-") product)*
    product := power (("*" | "·" | "/" | nothing) power)*
    power   := atom ("^" exponent)?                       also "**"
    atom    := number | name | "(" sum ")" | log | root
    log     := ("log" | "log2" | "ln" | "lg" | "ld") ("^" exponent)? atom-with-power
    root    := ("sqrt" | "√") atom
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, NoReturn

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra.term import CONSTANT, Growth

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/^(){}·√]))"
)
_SCIENTIFIC = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)[eE][-+]?\d+")
_LOGS = frozenset({"log", "log2", "ln", "lg", "ld"})

Polynomial = dict[Growth, Fraction]
"""Growth of one parameter to its coefficient; coefficients matter only inside an exponent."""


class _Node(msgspec.Struct, frozen=True):
    kind: str
    at: int
    value: Fraction = Fraction(0)
    name: str = ""
    parts: tuple[_Node, ...] = ()


class Expression(msgspec.Struct, frozen=True):
    """A parsed expectation, still with all its parameters."""

    text: str
    parameters: tuple[str, ...]
    _root: _Node

    def growth(self, parameter: str, along: Mapping[str, str] | None = None) -> Growth:
        """Return the leading term as ``parameter`` grows and the others stay.

        ``along`` names parameters that grow with it: ``{"n": "p"}`` is weak scaling, n ∝ p.

        Raises
        ------
        UsageError
            The growth has no place in this algebra (log log p, 3^p); the message points at it.
        """
        return max(self.terms(parameter, along))

    def terms(self, parameter: str, along: Mapping[str, str] | None = None) -> tuple[Growth, ...]:
        """All terms of the sum for one parameter, fastest first; what only other parameters move is O(1)."""
        linked = {name for name, leader in (along or {}).items() if leader == parameter} | {parameter}
        reduced = _Reduction(self.text, frozenset(linked)).polynomial(self._root)
        return tuple(sorted(reduced, reverse=True))


def parse(text: str) -> Expression:
    """Read big-O text; the ``O( )`` around it may be left out.

    Raises
    ------
    UsageError
        The text is not an expectation; the message points at the column.
    """
    return _Parser(text).expression()


def parse_growth(text: str, parameter: str = "p") -> Growth:
    """Return the leading term of ``text`` in ``parameter``."""
    return parse(text).growth(parameter)


def parse_deviation(text: str, parameter: str) -> Growth:
    """Return the leading term of a deviation D in ``parameter``.

    It grows, so that E/D is below E and E·D above.

    Raises
    ------
    UsageError
        It falls or grows with nothing.
    """
    read = parse(text)
    growth = read.growth(parameter)
    if growth < CONSTANT or all(read.growth(name) <= CONSTANT for name in read.parameters):
        raise UsageError(
            f"deviation {text!r} does not grow",
            hint='write a factor that grows, as in "O(log p)" or "O(p^0.25)"',
        )
    return growth


HALF: Final = "half"
"""The deviation of Shudler et al. 2019 by name."""

_HINT = 'write it as in "O(p^0.5 log^2 p)", "O(k^3 2^k)" or "O(1)"'


def _fail(text: str, at: int, problem: str, hint: str = _HINT) -> NoReturn:
    raise UsageError(
        f"expectation {text!r}, column {at + 1}: {problem}\n    {text}\n    {' ' * at}^", hint=hint
    )


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.place = 0
        self.names: dict[str, None] = {}
        self.depth = 0
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                skipped = len(text[at:]) - len(text[at:].lstrip())
                _fail(text, at + skipped, f"{text[at + skipped]!r} means nothing here")
            kind = match.lastgroup or ""
            if kind == "number" and (scientific := _SCIENTIFIC.match(text, match.start(kind))):
                hint = "write the number out (20 for 2e1), and a blank before a parameter named e"
                _fail(text, match.start(kind), f"{scientific[0]!r} is in scientific notation", hint)
            self.tokens.append((kind, match[kind].replace("{", "(").replace("}", ")"), match.start(kind)))
            at = match.end()

    def expression(self) -> Expression:
        if not self.tokens:
            _fail(self.text, 0, "it is empty")
        if self.tokens[0][1] == "O" and len(self.tokens) > 1 and self.tokens[1][1] == "(":
            self.place = 1
        root = self.sum()
        if self.place < len(self.tokens):
            _, word, at = self.tokens[self.place]
            _fail(self.text, at, f"{word!r} is not expected here")
        return Expression(self.text, tuple(self.names), root)

    def peek(self) -> str:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def at(self) -> int:
        return self.tokens[self.place][2] if self.place < len(self.tokens) else len(self.text)

    def take(self, word: str) -> bool:
        if self.peek() == word:
            self.place += 1
            return True
        return False

    def sum(self) -> _Node:
        at = self.at()
        parts = [self.parse_signed(minus=self.take("-"))]
        while self.peek() in ("+", "-"):
            minus = self.peek() == "-"
            self.place += 1
            parts.append(self.parse_signed(minus=minus))
        return parts[0] if len(parts) == 1 else _Node("sum", at, parts=tuple(parts))

    def parse_signed(self, *, minus: bool) -> _Node:
        part = self.product()
        return (
            _Node("product", part.at, parts=(_Node("number", part.at, Fraction(-1)), part)) if minus else part
        )

    def product(self) -> _Node:
        at = self.at()
        parts = [self.power()]
        while self.peek() not in ("", "+", "-", ")"):
            if self.take("/"):
                below = self.power()
                parts.append(_Node("power", below.at, Fraction(-1), parts=(below,)))
                continue
            if not self.take("*"):
                self.take("·")
            parts.append(self.power())
        return parts[0] if len(parts) == 1 else _Node("product", at, parts=tuple(parts))

    def power(self) -> _Node:
        base = self.atom()
        at = self.at()
        if not (self.take("^") or self.take("**")):
            return base
        if base.kind == "number":
            return _Node("exponential", base.at, base.value, parts=(self.atom(),))
        return _Node("power", at, self.exponent(), parts=(base,))

    def exponent(self) -> Fraction:
        at = self.at()
        sign = -1 if self.take("-") else 1
        value = _make_number(self.atom())
        if value is None:
            _fail(self.text, at, "an exponent must be a number here")
        return sign * value

    def atom(self) -> _Node:
        self.depth += 1
        if self.depth > 100:
            _fail(self.text, self.at(), "it is nested too deeply")
        try:
            return self._parse_atom()
        finally:
            self.depth -= 1

    def _parse_atom(self) -> _Node:
        at = self.at()
        if self.place >= len(self.tokens):
            _fail(self.text, at, "it ends too early")
        kind, word, _ = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            return _Node("number", at, Fraction(word))
        if word == "(":
            inside = self.sum()
            if not self.take(")"):
                _fail(self.text, self.at(), "a closing parenthesis is missing")
            return inside
        if word in ("√", "sqrt"):
            return _Node("power", at, Fraction(1, 2), parts=(self.atom(),))
        if word in _LOGS:
            exponent = self.exponent() if self.take("^") or self.take("**") else Fraction(1)
            bracketed = self.peek() == "("
            # log(p)^2 squares the logarithm, log p^2 is the logarithm of a square.
            argument = self.atom() if bracketed else self.power()
            inner = _Node("log", at, parts=(argument,))
            return inner if exponent == 1 else _Node("power", at, exponent, parts=(inner,))
        if kind == "name":
            self.names[word] = None
            return _Node("name", at, name=word)
        _fail(self.text, at, f"{word!r} is not expected here")


def _make_number(node: _Node) -> Fraction | None:
    """Return the value of a node made of numbers only."""
    if node.kind == "number":
        return node.value
    values = [_make_number(part) for part in node.parts]
    numbers = [value for value in values if value is not None]
    if not numbers or len(numbers) < len(values):
        return None
    if node.kind == "sum":
        return sum(numbers, Fraction(0))
    if node.kind == "product":
        result = Fraction(1)
        for value in numbers:
            result *= value
        return result
    if node.kind == "power" and node.value.denominator == 1 and (numbers[0] or node.value > 0):
        return Fraction(numbers[0] ** int(node.value))
    return None


class _Reduction(msgspec.Struct, frozen=True):
    """Algebra in the one parameter that varies; everything else is a constant of unknown positive size."""

    text: str
    moving: frozenset[str]

    def polynomial(self, node: _Node) -> Polynomial:
        ways: dict[str, Callable[[_Node], Polynomial]] = {
            "number": lambda n: {CONSTANT: n.value} if n.value else {},
            "name": lambda n: {Growth.make(1) if n.name in self.moving else CONSTANT: Fraction(1)},
            "sum": self._sum,
            "product": self._expand_product,
            "power": self._expand_power,
            "log": self._log,
            "exponential": self._expand_exponential,
        }
        return ways[node.kind](node) or {CONSTANT: Fraction(0)}

    def _sum(self, node: _Node) -> Polynomial:
        total: Polynomial = {}
        for part in node.parts:
            for growth, coefficient in self.polynomial(part).items():
                total[growth] = total.get(growth, Fraction(0)) + coefficient
        return {growth: coefficient for growth, coefficient in total.items() if coefficient}

    def _expand_product(self, node: _Node) -> Polynomial:
        total: Polynomial = {CONSTANT: Fraction(1)}
        for part in node.parts:
            factor = self.polynomial(part)
            if len(total) * len(factor) > 10_000:
                hint = "write only the terms that grow fastest"
                _fail(self.text, part.at, "it expands to too many terms", hint)
            product: Polynomial = {}
            for a, number in total.items():
                for b, right in factor.items():
                    product[a * b] = product.get(a * b, Fraction(0)) + number * right
            total = product
        return total

    def _expand_power(self, node: _Node) -> Polynomial:
        base = self.polynomial(node.parts[0])
        lead = max(base)
        if not base[lead]:
            _fail(self.text, node.at, "a power of zero says nothing about growth")
        # Only the leading term of a power of a sum is kept: that is all that big-O text can mean.
        exact = node.value.denominator == 1
        return {lead**node.value: Fraction(base[lead] ** int(node.value)) if exact else Fraction(1)}

    def _log(self, node: _Node) -> Polynomial:
        inside = self.polynomial(node.parts[0])
        lead = max(inside)
        if lead.exp2:
            return {Growth.make(1): abs(lead.exp2)}
        if lead.power:
            return {Growth.make(0, 1): abs(lead.power)}
        if lead.log:
            _fail(
                self.text, node.at, "the logarithm of a logarithm has no place here", "treat log log as O(1)"
            )
        return {CONSTANT: Fraction(1)}

    def _expand_exponential(self, node: _Node) -> Polynomial:
        exponent = self.polynomial(node.parts[0])
        lead = max(exponent)
        if lead.is_constant:
            return {CONSTANT: Fraction(1)}
        doublings = node.value.numerator.bit_length() - 1
        if node.value.denominator != 1 or node.value < 2 or node.value != 2**doublings:
            text = f"only powers of 2 can be a base, not {node.value}"
            _fail(self.text, node.at, text, "write 3^k as 2^(1.585 k)")
        if lead == Growth.make(1):
            return {Growth.make(0, 0, exponent[lead] * doublings): Fraction(1)}
        if lead == Growth.make(0, 1):
            return {Growth.make(exponent[lead] * doublings): Fraction(1)}
        _fail(self.text, node.at, f"2 to the {lead.text('x')} grows faster than this algebra reaches")
