from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.spec.text.expression import DEEPEST, LONGEST, EvaluationError, SpecExpression, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.5e3", 1500),
        (".5 + 1.", 1.5),
        ("1 - 2 - 3", -4),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("24 / 4 / 2", 3),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("--2", 2),
        ("-+-2", 2),
        ("3 - -2", 5),
        ("min(3, 1, 2) + max(4)", 5),
        ("sqrt(16) + abs(-3)", 7),
        ("log(exp(2))", 2),
        ("log2(8)", 3),
        ("edges / wall_s", 40),
        ("2*edges", 20),
        ("min / max", 3),
    ],
)
def test_arithmetic_is_that_of_paper(text, value):
    assert parse(text).evaluate({"edges": 10, "wall_s": 0.25, "min": 6, "max": 2}) == pytest.approx(
        value, rel=1e-15
    )


def test_names_are_what_an_expression_needs():
    assert parse("edges / (wall_s - max(a, 2) * a1)").names == {"edges", "wall_s", "a", "a1"}
    assert parse("1 + 2").names == set()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'column 1 of "": expected a number, a name or a parenthesis, but the text ends'),
        ("1 +", 'column 4 of "1 +": expected a number, a name or a parenthesis, but the text ends'),
        ("1 2", 'column 3 of "1 2": expected an operator or the end, but found 2'),
        ("(1", 'column 3 of "(1": expected a closing parenthesis, but the text ends'),
        ("1)", 'column 2 of "1)": expected an operator or the end, but found )'),
        ("a % b", 'column 3 of "a % b": "%" is not allowed here'),
        ("a.b", 'column 2 of "a.b": "." is not allowed here'),
        ("a * * b", 'column 5 of "a * * b": expected a number, a name or a parenthesis, but found *'),
        ("f(1)", 'column 1 of "f(1)": unknown function f'),
        ("1 + sqrt(1, 2)", 'column 5 of "1 + sqrt(1, 2)": sqrt takes one operand, not 2'),
        ("sqrt()", 'column 6 of "sqrt()": expected a number, a name or a parenthesis, but found )'),
        ("max(1,)", 'column 7 of "max(1,)": expected a number, a name or a parenthesis, but found )'),
        ("__import__('os')", "column 12 of \"__import__('os')\": \"'\" is not allowed here"),
        ("a; b", 'column 2 of "a; b": ";" is not allowed here'),
        ("1_000", 'column 2 of "1_000": expected an operator or the end, but found _000'),
        ("1 + 1e999", 'column 5 of "1 + 1e999": 1e999 is too large'),
        ("٣", 'column 1 of "٣": "٣" is not allowed here'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_column(text, message):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "mapping", "why"),
    [
        ("a / b", {"a": 1, "b": 0}, "division by zero in 'a / b'"),
        ("0 ** -1", {}, "** of 0, -1 is undefined"),
        ("log(a)", {"a": 0}, "log of 0 is undefined"),
        ("sqrt(a)", {"a": -1}, "sqrt of -1 is undefined"),
        ("(-8) ** 0.5", {}, "** of -8, 0.5 is undefined"),
        ("exp(1000)", {}, "overflow in"),
        ("1e308 * 10", {}, "overflow in"),
        ("10 ** 400", {}, "overflow in"),
        ("a", {"a": math.nan}, "a is nan, which is not finite"),
        ("a", {"a": math.inf}, "a is inf, which is not finite"),
        ("a", {"a": 10**400}, "not finite"),
        ("a", {"a": "O2"}, "a is 'O2', which is not a number"),
        ("a", {"a": True}, "a is True, which is not a number"),
    ],
)
def test_what_has_no_value_says_why(text, mapping, why):
    with pytest.raises(EvaluationError) as caught:
        parse(text).evaluate(mapping)
    assert why in str(caught.value)


def test_an_evaluation_error_is_an_arithmetic_error():
    assert issubclass(EvaluationError, ArithmeticError)


def test_a_name_without_a_value_is_a_key_error():
    with pytest.raises(KeyError, match="edges"):
        parse("edges").evaluate({})


@pytest.mark.parametrize("text", ["(" * 5000, "-" * 5000 + "1", "1" + "+1" * 5000])
def test_a_text_that_is_too_long_is_refused(text):
    with pytest.raises(UsageError, match=f"longer than {LONGEST}"):
        parse(text)


@pytest.mark.parametrize("deep", ["(" * 60 + "1" + ")" * 60, "2**" * 60 + "1", "sqrt(" * 60 + "1" + ")" * 60])
def test_a_text_that_is_too_deep_is_refused(deep):
    with pytest.raises(UsageError, match=f"more than {DEEPEST} levels deep"):
        parse(deep)


def test_many_operands_in_a_row_are_not_deep():
    assert parse("+".join(["1"] * 500)).evaluate({}) == 500
    assert parse("-" * 999 + "1").evaluate({}) == -1


@st.composite
def expressions(draw, depth=3):
    """An expression as text, fully parenthesised, and its value by Python."""
    if depth == 0 or draw(st.booleans()):
        number = draw(st.integers(0, 20))
        return str(number), float(number)
    operand, a = draw(expressions(depth=depth - 1))
    right, b = draw(expressions(depth=depth - 1))
    operator = draw(st.sampled_from("+-*"))
    value = {"+": a + b, "-": a - b, "*": a * b}[operator]
    return f"({operand}) {operator} ({right})", value


@given(expressions())
def test_the_value_is_that_of_python(expression):
    text, value = expression
    assert parse(text).evaluate({}) == value


@given(st.lists(st.sampled_from(["+", "-", "*", "**", " ", "2", "3"]), max_size=12).map("".join))
def test_precedence_is_that_of_python(text):
    # As floats: a power of powers of whole numbers would keep Python busy for ever.
    floats = re.sub(r"\d+", r"\g<0>.0", text)
    try:
        result = float(eval(floats, {"__builtins__": {}}))  # noqa: S307 - the witness, on numbers and operators
    except (SyntaxError, ArithmeticError, TypeError):
        return
    assert parse(text).evaluate({}) == pytest.approx(result, rel=1e-12) or math.isinf(result)


@given(st.text(max_size=60) | st.text(" ()+-*/,.019ea", max_size=20))
def test_any_text_is_parsed_or_refused_with_a_cure(text):
    try:
        parsed = parse(text)
    except UsageError as error:
        parsed = error
    assert isinstance(parsed, SpecExpression) or parsed.hint


def test_the_deepest_text_that_is_allowed_is_parsed():
    nested = DEEPEST - 1
    assert parse("(" * nested + "1" + ")" * nested).evaluate({}) == 1
    with pytest.raises(UsageError, match="levels deep"):
        parse("(" * DEEPEST + "1" + ")" * DEEPEST)


@pytest.mark.parametrize("part", ["(1)", "1**1", "sqrt(1)", "max(1,1)"])
def test_what_stands_side_by_side_is_not_deep(part):
    assert parse("*".join([part] * (DEEPEST + 10))).evaluate({}) == 1


@pytest.mark.parametrize("name", ["lambda", "pass", "yield", "None"])
def test_a_keyword_of_python_is_a_name_as_any_other(name):
    assert parse(f"2 * {name} ** 2").evaluate({name: 3}) == 18
