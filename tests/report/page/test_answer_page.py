"""Parts of the page for answers that are no record."""

from __future__ import annotations

import msgspec
import pytest
from answers.histories import a_regression_that_stands

from steelyard.core.errors import UsageError
from steelyard.report.page.answer_page import make_answer_page

pytestmark = pytest.mark.extensions("history")


class NotShown(msgspec.Struct):
    """An answer for which nothing has a page."""


def test_an_extension_lays_out_its_own_answer():
    page = make_answer_page(a_regression_that_stands())
    assert page.name == "gate"
    assert page.findings[0].style == "bad"
    assert "steelyard bisect" in page.commands


def test_an_answer_without_a_page_is_refused_by_the_name_of_its_type():
    with pytest.raises(UsageError, match="answer of type NotShown"):
        make_answer_page(NotShown())
