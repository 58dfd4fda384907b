"""Arithmetic over metrics and factors, for ``derive``: parsed here, never handed to Python.

As in Python, ``**`` binds to the right and more strongly than a sign on its left: -2**2 is -4. Unlike there,
any identifier is a name, ``lambda`` and ``pass`` too (docs/decisions/questions/091-one-struct-a-table.md).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.spec.text.toml import format_value

LONGEST: Final = 1000
"""Characters."""
DEEPEST: Final = 50
"""Parentheses, powers and signs within each other, so that the parser stays far from Python's limit."""

_NUMBER = r"([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
_TOKEN = re.compile(rf"\s*(?:{_NUMBER}|([A-Za-z_][A-Za-z0-9_]*)|(\*\*|[-+*/(),]))")


_UNARY: Final = {"sqrt": math.sqrt, "log": math.log, "log2": math.log2, "exp": math.exp, "abs": math.fabs}
_OPERATIONS: Final[dict[str, Callable[..., float]]] = {
    "min": lambda *operands: min(operands),
    "max": lambda *operands: max(operands),
    **_UNARY,
    "negative": operator.neg,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    # Knows no complex numbers, unlike Python's **: (-8) ** 0.5 is a ValueError.
    "**": math.pow,
}
FUNCTIONS: Final = ("min", "max", *_UNARY)
_STRENGTH: Final = {"+": 0, "-": 0, "*": 1, "/": 1, "sign": 2, "**": 3}
"""How strongly an operator binds; a sign on the left more weakly than ``**``, on its right more strongly."""


class EvaluationError(ArithmeticError):
    """An expression that has no value for these operands; the message says why."""


class _Step(msgspec.Struct, frozen=True):
    """One step on a stack: push ``number``, push the value of ``name``, or apply ``name`` to ``operands``."""

    name: str
    operands: int = -1
    number: float = 0.0


class SpecExpression(msgspec.Struct, frozen=True):
    """A parsed expression.

    Attributes
    ----------
    text : str
        As written.
    names : frozenset of str
        What it needs values for.
    """

    text: str
    names: frozenset[str]
    _steps: tuple[_Step, ...]

    def evaluate(self, mapping: Mapping[str, Scalar]) -> float:
        """Return the value, finite.

        Raises
        ------
        EvaluationError
            Division by zero, a logarithm of what is not positive, an overflow, or an operand like "a".
        KeyError
            A name that ``mapping`` does not have.
        """
        stack: list[float] = []
        for step in self._steps:
            if step.operands < 0:
                stack.append(_compute_number(step.name, mapping[step.name]) if step.name else step.number)
                continue
            operands = stack[-step.operands :]
            del stack[-step.operands :]
            stack.append(self._apply(step.name, operands))
        return stack[0]

    def _apply(self, name: str, operands: list[float]) -> float:
        try:
            value = _OPERATIONS[name](*operands)
        except ZeroDivisionError:
            raise EvaluationError(f"division by zero in {self.text!r}") from None
        except OverflowError:
            raise EvaluationError(f"overflow in {self.text!r}") from None
        except ValueError:
            values = ", ".join(f"{operand:g}" for operand in operands)
            raise EvaluationError(f"{name} of {values} is undefined in {self.text!r}") from None
        if not math.isfinite(value):
            raise EvaluationError(f"overflow in {self.text!r}")
        return value


def parse(text: str) -> SpecExpression:
    """Parse ``text``.

    Raises
    ------
    UsageError
        With the column of what is wrong.
    """
    if len(text) > LONGEST:
        raise UsageError(
            f"an expression of {len(text)} characters is longer than {LONGEST}", hint="derive it in steps"
        )
    parser = _Parser(text)
    steps = tuple(parser.parse())
    return SpecExpression(
        text, frozenset(step.name for step in steps if step.name and step.operands < 0), steps
    )


def _compute_number(name: str, value: Scalar) -> float:
    if isinstance(value, (str, bool)):
        raise EvaluationError(f"{name} is {value!r}, which is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise EvaluationError(f"{name} is {value!r}, which is not finite")
    return number


class _Parser:
    """Precedence climbing over the tokens; gives the steps of the evaluation in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokenise(text)
        self._depth = 0

    def parse(self) -> list[_Step]:
        steps = self._parse_operation(0)
        if self._tokens[0][1]:
            raise self._make_unexpected("an operator or the end")
        return steps

    def _parse_operation(self, weakest: int) -> list[_Step]:
        """Return an operand, and the operators after it that bind at least as strongly as ``weakest``."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise _get_at(
                self._tokens[0][0], self._text, f"more than {DEEPEST} levels deep", "derive it in steps"
            )
        steps = self._parse_operand()
        while (strength := _STRENGTH.get(self._tokens[0][1], -1)) >= weakest:
            _, operator_ = self._tokens.pop(0)
            right = strength + 1 if operator_ != "**" else _STRENGTH["sign"]
            steps += [*self._parse_operation(right), _Step(operator_, 2)]
        self._depth -= 1
        return steps

    def _parse_operand(self) -> list[_Step]:
        column, word = self._tokens[0]
        if not word or word in ("*", "/", "**", ")", ","):
            raise self._make_unexpected("a number, a name or a parenthesis")
        self._tokens.pop(0)
        if word in ("+", "-"):
            negative = word == "-"
            while self._tokens[0][1] in ("+", "-"):
                negative ^= self._tokens.pop(0)[1] == "-"
            steps = self._parse_operation(_STRENGTH["sign"])
            return [*steps, _Step("negative", 1)] if negative else steps
        if word == "(":
            return self._parse_closed(self._parse_operation(0))
        if word[0].isdigit() or word[0] == ".":
            if math.isinf(float(word)):
                raise _get_at(column, self._text, f"{word} is too large", "write a smaller number")
            return [_Step("", number=float(word))]
        return self._call(column, word) if self._tokens[0][1] == "(" else [_Step(word)]

    def _call(self, column: int, name: str) -> list[_Step]:
        if name not in FUNCTIONS:
            listed = ", ".join(FUNCTIONS)
            raise _get_at(column, self._text, f"unknown function {name}", f"functions: {listed}")
        steps, count = [], 0
        while not count or self._tokens[0][1] == ",":
            self._tokens.pop(0)
            steps += self._parse_operation(0)
            count += 1
        if name in _UNARY and count != 1:
            raise _get_at(column, self._text, f"{name} takes one operand, not {count}", f"write {name}(x)")
        return self._parse_closed([*steps, _Step(name, count)])

    def _parse_closed(self, steps: list[_Step]) -> list[_Step]:
        if self._tokens[0][1] != ")":
            raise self._make_unexpected("a closing parenthesis")
        self._tokens.pop(0)
        return steps

    def _make_unexpected(self, expected: str) -> UsageError:
        column, token = self._tokens[0]
        text = f"found {token}" if token else "the text ends"
        return _get_at(column, self._text, f"expected {expected}, but {text}", "operators: + - * / **")


def _tokenise(text: str) -> list[tuple[int, str]]:
    tokens: list[tuple[int, str]] = []
    end = 0
    while text[end:].strip():
        match = _TOKEN.match(text, end)
        if not match:
            column = end + len(text[end:]) - len(text[end:].lstrip()) + 1
            problem = f"{format_value(text[column - 1])} is not allowed here"
            raise _get_at(
                column,
                text,
                problem,
                f"operators: + - * / ** and parentheses; functions: {', '.join(FUNCTIONS)}",
            )
        group = match.lastindex or 0
        tokens.append((match.start(group) + 1, match[group]))
        end = match.end()
    return [*tokens, (len(text) + 1, "")]


def _get_at(column: int, text: str, problem: str, hint: str) -> UsageError:
    return UsageError(f"column {column} of {format_value(text)}: {problem}", hint=hint)
