"""The text of a study is one, in whichever file a part of it stands; READMEs are short."""

from __future__ import annotations

import re
from pathlib import Path

import pages
import pytest

STUDIES = Path(__file__).parents[1]
MOST_WORDS = 3000


@pytest.mark.parametrize("readme", sorted(STUDIES.glob("*/README.md")), ids=lambda file: file.parent.name)
def test_a_readme_of_a_study_has_at_most_3000_words(readme):
    assert len(readme.read_text(encoding="utf-8").split()) <= MOST_WORDS


@pytest.mark.parametrize("results", sorted(STUDIES.glob("*/RESULTS.md")), ids=lambda file: file.parent.name)
def test_a_readme_leads_to_the_results_and_back(results):
    assert "(RESULTS.md)" in (results.parent / "README.md").read_text(encoding="utf-8")
    assert "(README.md)" in results.read_text(encoding="utf-8")


@pytest.mark.parametrize("results", [None, "# Results\n\n5\n"])
def test_what_is_read_is_written_into_the_same_files(tmp_path, results):
    (tmp_path / "README.md").write_text("# A\n\n4\n")
    if results is not None:
        (tmp_path / "RESULTS.md").write_text(results)
    pages.write(tmp_path, pages.read(tmp_path).replace("4", "6").replace("5", "7"))
    assert (tmp_path / "README.md").read_text() == "# A\n\n6\n"
    assert (tmp_path / "RESULTS.md").exists() == (results is not None)
    if results is not None:
        assert (tmp_path / "RESULTS.md").read_text() == "# Results\n\n7\n"


def test_a_text_that_lost_the_place_of_the_results_is_an_error(tmp_path):
    (tmp_path / "README.md").write_text("# A\n")
    (tmp_path / "RESULTS.md").write_text("# Results\n")
    with pytest.raises(LookupError, match="do not belong together"):
        pages.write(tmp_path, "# A\n")
    assert (tmp_path / "RESULTS.md").read_text() == "# Results\n"


COMMAND = re.compile(r"\(`((?:NPB_ROOT=\S+ )?\.venv/bin/python (studies/\S+\.py)([^`]*))`\)")


@pytest.mark.parametrize("page", sorted(STUDIES.glob("*/PAPER.md")), ids=lambda page: page.parent.name)
def test_a_command_that_would_decide_is_one_that_its_program_knows(page):
    commands = COMMAND.findall(page.read_text(encoding="utf-8"))
    assert commands
    for command, script, words in dict.fromkeys(commands):
        program = STUDIES.parent / script
        source = program.read_text(encoding="utf-8")
        for word in words.split():
            is_part = (program.parent / f"{word}.toml").is_file()
            assert is_part or word.split("/")[0] in source or word.replace(",", "").isdigit(), command
