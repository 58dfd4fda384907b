from __future__ import annotations

import click
import pytest

from steelyard.cli.options import fraction


@pytest.mark.parametrize(
    ("text", "number"), [("0.02", 0.02), ("2%", 0.02), ("2 %", 0.02), (" .5", 0.5), (0.01, 0.01)]
)
def test_a_fraction_is_a_number_or_a_percentage(text, number):
    assert fraction(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["2", "0", "1", "100%", "-1%", "nan", "inf", "two", "%", ""])
def test_other_text_is_answered_with_an_example(text):
    with pytest.raises(click.BadParameter, match=r"such as 0\.02 or 2%"):
        fraction(text)
