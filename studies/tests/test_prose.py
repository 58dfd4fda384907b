"""Numbers in the prose of READMEs are those of the data, in the digits that the text has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import prose  # noqa: E402

README = "# Of 20\n\n| 31 |\n\nOn 32 ranks it takes\n4.32 ms, and 1,204 messages; .11 of 97 (p = 64).\n"


@pytest.mark.parametrize("study", [*prose.studies()], ids=lambda study: study.name)
def test_every_number_in_the_prose_of_a_readme_is_that_of_the_data(study, text_of):
    readme = text_of(study)
    sentences, constants = prose.declared(study)
    assert prose.write_numbers(readme, sentences) == readme, f"run python studies/prose.py {study.name}"
    assert prose.numbers_without_data(readme, sentences, constants) == []


def test_a_number_is_written_with_the_digits_of_the_one_before_across_lines():
    sentences = [("it takes {} ms, and {} messages; {} of", 12.346, 98765.4, 0.0561)]
    written = prose.write_numbers(README, sentences)
    assert "takes\n12.35 ms, and 98,765 messages; .06 of 97" in written


def test_a_number_that_neither_data_nor_the_settings_give_is_named_by_its_line():
    sentences = [("{} ms, and {} messages; {} of", 1.0, 2.0, 3.0)]
    (result,) = prose.numbers_without_data(README, sentences, ["On 32 ranks"])
    assert result == "97 in: 4.32 ms, and 1,204 messages; .11 of 97 (p = 64)."
    assert prose.numbers_without_data(README, sentences, ["On 32 ranks", "of 97"]) == []


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("of {} ranks", LookupError, "has 0 times"),
        ("{} ", LookupError, "has . times"),
        ("takes {} ms, and {} messages", ValueError, "2 places for 1 numbers"),
    ],
)
def test_a_sentence_that_is_not_there_once_with_its_numbers_is_an_error(text, error, message):
    with pytest.raises(error, match=message):
        prose.write_numbers(README, [(text, 1.0)])
