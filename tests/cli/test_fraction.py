from __future__ import annotations

import click
import pytest

from steelyard.cli.fraction import share


@pytest.mark.parametrize(
    ("text", "number"), [("0.02", 0.02), ("2%", 0.02), ("2 %", 0.02), (" .5", 0.5), (0.01, 0.01)]
)
def test_a_share_is_a_number_or_a_percentage(text, number):
    assert share(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["2", "0", "1", "100%", "-1%", "nan", "inf", "two", "%", ""])
def test_what_is_none_is_shown_how_one_is_written(text):
    with pytest.raises(click.BadParameter, match=r"write 0\.02 or 2%"):
        share(text)
