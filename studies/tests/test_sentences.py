"""Sentences of the studies' READMEs are as short as those of the documentation."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
SCRIPT = HOUSE.parent / "scripts" / "documentation" / "prose.py"
PAGES = sorted([HOUSE / "README.md", *HOUSE.glob("*/README.md")])


def test_there_are_pages():
    assert len(PAGES) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOUSE)))
def test_sentences_of_every_page_are_short(page):
    spec = importlib.util.spec_from_file_location("documentation_prose", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    assert module.measure(page.read_text(encoding="utf-8")).is_short
