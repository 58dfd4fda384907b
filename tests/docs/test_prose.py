"""Sentences of the documentation are as short as those of a good manual."""

from __future__ import annotations

import pytest
from documentation.prose import measure, sentences
from release import find_changes, read_version

from docs import ROOT

FOLDERS = (
    *(".", "docs", "docs/tutorials", "examples", "benchmarks/*", "native/*"),
    "tests/extensions/exchange/importers/files",
)
PATTERNS = tuple(f"{folder}/*.md" for folder in FOLDERS)
PAGES = sorted(
    page
    for pattern in PATTERNS
    for page in ROOT.glob(pattern)
    if page.name != "CHANGELOG.md" and page.parent.name != "decisions"
)
"""Pages of documentation: changes and decisions are none."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_sentences_of_every_page_are_short(page):
    assert measure(page.read_text(encoding="utf-8")).is_short


def test_sentences_about_the_changes_of_this_version_are_short():
    assert measure(find_changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), read_version())).is_short


def test_code_tables_headings_and_comments_are_no_sentences():
    text = (
        "# A title.\n\nOne sentence.\n\n| a table. |\n|---|\n\n```sh\nit. runs.\n```\n<!-- not. this. -->\n"
    )
    assert sentences(text) == ["One sentence."]


def test_words_of_lists_links_and_code_are_counted():
    prose = measure("- Read [the long page](page.md) with `some code here`. Then stop!\n- A last one.\n")
    assert prose.words == (6, 2, 3)
    assert prose.median == 3


def test_a_sentence_of_31_words_is_long():
    assert measure(f"{'word ' * 30}end.").long_share == 1
    assert measure(f"{'word ' * 29}end.").long_share == 0
    assert measure("").median == 0
