"""Scaling models as functions of Python and as formulas of LaTeX."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from steelyard.report.page.latex import format_latex_text
from steelyard.report.text.digits import share

if TYPE_CHECKING:
    from steelyard.extensions.growth.algebra import Growth
    from steelyard.extensions.growth.results import Curve
    from steelyard.extensions.growth.scaling.model import ScalingModel, Segment, Term


def write_files(parts: Sequence[Sequence[Curve]]) -> dict[str, str]:
    """Write the models of all records as ``models.py`` and ``models.tex``."""
    models = [curve.model for curves in parts for curve in curves]
    return {"models.py": python(models), "models.tex": format_latex(models)}


def python(models: Sequence[ScalingModel]) -> str:
    """Return a module with a function for each model."""
    used: dict[str, int] = {}
    functions = [_format_function(model, _name(f"{model.name}_{model.metric}", used)) for model in models]
    return '"""Scaling models, as Steelyard found them."""\n\nfrom math import log2\n\n\n' + "\n\n".join(
        functions
    )


def _name(text: str, used: dict[str, int]) -> str:
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "model"
    if name[0].isdigit() or keyword.iskeyword(name):
        name = f"f_{name}"
    used[name] = used.get(name, 0) + 1
    return name if used[name] == 1 else f"{name}_{used[name]}"


def _format_parameters(model: ScalingModel) -> tuple[str, ...]:
    used: dict[str, int] = {"log2": 1}
    return tuple(_name(name, used) for name in model.parameters)


def _format_function(model: ScalingModel, name: str) -> str:
    parameters = _format_parameters(model)
    unit = f" in {model.unit}" if model.unit else ""
    probability = model.growth_probability
    sure = "" if probability is None else f", {share(probability)} sure"
    text = f"{model.growth()}{sure}; {model.points} points{unit}."
    lines = [f"def {name}({', '.join(parameters)}):", f"    {_format_docstring(text)}"]
    for piece in model.segments[:-1]:
        lines += [
            f"    if {parameters[0]} <= {piece.end!r}:",
            f"        return {_sum(piece, parameters, rate=model.rate)}",
        ]
    return "\n".join([*lines, f"    return {_sum(model, parameters, rate=model.rate)}"]) + "\n"


def _format_docstring(text: str) -> str:
    return '"""' + text.replace("\\", "\\\\").replace('"', "'") + '"""'


def _sum(model: ScalingModel | Segment, parameters: tuple[str, ...], *, rate: bool) -> str:
    total = " + ".join([repr(model.constant), *(_format_product(term, parameters) for term in model.terms)])
    return f"1 / ({total})" if rate else total


def _format_product(term: Term, parameters: tuple[str, ...]) -> str:
    factors = [repr(term.coefficient)]
    for growth, name in zip(term.growth, parameters, strict=True):
        if growth.power:
            factors.append(f"{name} ** {_format_fraction(growth.power)}")
        if growth.log:
            factors.append(f"log2({name}) ** {_format_fraction(growth.log)}")
        if growth.exp2:
            factors.append(f"2 ** ({_format_fraction(growth.exp2)} * {name})")
    return " * ".join(factors)


def _format_fraction(value: Fraction | int) -> str:
    exact = Fraction(value)
    return str(exact) if exact.denominator == 1 and exact >= 0 else f"({exact})"


def format_latex(models: Sequence[ScalingModel]) -> str:
    """Return an aligned equation with a line for each model."""
    lines = []
    for model in models:
        name = format_latex_text(" ".join(filter(None, (model.name, model.metric))))
        over = ", ".join(rf"\mathit{{{format_latex_text(parameter)}}}" for parameter in model.parameters)
        lines.append(rf"  \text{{{name}}}({over}) &= {_format_latex_sum(model)}")
    return "% needs \\usepackage{amsmath}\n\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def _format_latex_sum(model: ScalingModel) -> str:
    terms = [_format_latex_term(term, model.parameters) for term in model.terms]
    constant = [_format_scientific(model.constant)] if model.constant or not terms else []
    total = " + ".join([*constant, *terms]).replace("+ -", "- ")
    return rf"\frac{{1}}{{{total}}}" if model.rate else total


def _format_latex_term(term: Term, parameters: tuple[str, ...]) -> str:
    factors = [_format_scientific(term.coefficient)]
    for growth, name in zip(term.growth, parameters, strict=True):
        factors += _format_latex_growth(growth, rf"\mathit{{{format_latex_text(name)}}}")
    return r"\,".join(factors)


def _format_latex_growth(growth: Growth, name: str) -> list[str]:
    factors = []
    if growth.power:
        factors.append(name if growth.power == 1 else f"{name}^{{{growth.power}}}")
    if growth.log:
        exponent = "" if growth.log == 1 else f"^{{{growth.log}}}"
        factors.append(rf"\log_2{exponent} {name}")
    if growth.exp2:
        factors.append(f"2^{{{name}}}" if growth.exp2 == 1 else f"2^{{{growth.exp2}\\,{name}}}")
    return factors


def _format_scientific(value: float) -> str:
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
