"""Models as functions and formulas."""

from __future__ import annotations

import pytest

from steelyard.core.series import series_of
from steelyard.extensions.growth.formulas import format_latex, python
from steelyard.extensions.growth.scaling import Question, model_all


def modelled(name, at, values, parameter="p"):
    series = series_of(
        name, (parameter,), [(x,) for x in at], [[y] for y in values], metric="time_s", unit="s"
    )
    (result,) = model_all([series], Question())
    return result


LINE = modelled("a line", (1, 2, 4, 8, 16, 32), [1e-3 + 2e-4 * x for x in (1, 2, 4, 8, 16, 32)])


def test_the_function_of_a_model_computes_what_the_model_does():
    scope: dict = {}
    exec(compile(python([LINE, LINE]), "models.py", "exec"), scope)  # noqa: S102 -- what is tested
    for name in ("a_line_time_s", "a_line_time_s_2"):
        for x in (1, 3, 100):
            assert scope[name](x) == pytest.approx(LINE.at(x))
    assert "O(p)" in scope["a_line_time_s"].__doc__


def test_names_that_python_cannot_have_are_changed_and_nothing_of_them_is_run():
    hostile = modelled('x"""\nimport os', (1, 2, 4, 8, 16), [1, 2, 4, 8, 16], parameter="for")
    scope: dict = {}
    exec(compile(python([hostile]), "models.py", "exec"), scope)  # noqa: S102
    (function,) = [item for name, item in scope.items() if name.startswith("x_")]
    assert function(4) == pytest.approx(hostile.at(4))
    assert "os" not in scope


def test_the_formula_of_a_model_is_set_line_by_line():
    text = format_latex([LINE, LINE])
    assert r"\text{a line time\_s}(\mathit{p}) &= 0.001 + 0.0002\,\mathit{p}" in text
    assert text.count("&=") == 2
