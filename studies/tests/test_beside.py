"""Paper beside paper: pages and READMEs are those of the data, and every statement is compared once."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Answer, Cause, Declaration  # noqa: E402

SEVEN = 7


def test_every_page_and_readme_is_what_the_data_give():
    stale = [
        str(file.relative_to(STUDIES))
        for file, text in beside.written(beside.studies())
        if not file.is_file() or file.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run python studies/beside.py"


def test_seven_studies_are_compared_and_each_place_of_a_statement_is_named():
    assert len(beside.studies()) == SEVEN
    for study in beside.studies():
        rows = beside.rows_of(study)
        assert len({row.statement.id for row in rows}) == len(rows), study
        for row in rows:
            assert row.statement.kind in beside.KINDS, row
            assert row.statement.place, row
            assert row.statement.text, row
            assert row.comparison.outcome in (*beside.OUTCOMES, "set-up"), row
            if row.comparison.outcome in ("not attempted", "set-up"):
                assert row.comparison.why, row
            else:
                assert row.comparison.by_paper or row.comparison.by_ours, row


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setattr(beside, "HERE", tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / beside.FILE).write_text(
        "id,place,kind,statement,published,not_attempted\n"
        'a,"§ 1, Table 1",cell,"x | y",5 %,\n'
        "b,§ 2,sentence,needs a machine,,no machine\n"
    )
    return tmp_path / "one"


def declare(name):
    """A statement whose rule and claim hold."""
    rule, claim = (Answer(text, "holds") for text in ("1.0", "2.0"))
    return Declaration(name, "measured", (), "rule", lambda _: rule, "claim", lambda _: claim)


def module(*names):
    declared = tuple(map(declare, names))
    return SimpleNamespace(TITLE="one", PAPER="A paper.", ABOUT="Ours.", DECLARATIONS=declared)


def test_a_page_counts_outcomes_and_states_reasons(study):
    page = beside.write_page(module("a"), beside.rows_of("one", module("a")))
    assert "**Of 2 statements: 1 reproduced, 0 contradicted, 0 not resolved, 1 not attempted.**" in page
    ours = "rule: 1.0 (**holds**) | claim: 2.0 (**holds**)"
    assert f"| § 1, Table 1 | x \\| y | 5 % | {ours} | **reproduced** | – | – |" in page
    assert "| § 2 | needs a machine | – | – | – | **not attempted** | – | no machine |" in page


def test_a_page_says_what_recomputing_gave(study):
    recomputed = declare("a")._replace(kind="recomputed")
    module_a = SimpleNamespace(**{**vars(module("a")), "DECLARATIONS": (recomputed,)})
    page = beside.write_page(module_a, beside.rows_of("one", module_a))
    assert "1 not attempted. Recomputed from what is printed: 1 reproduced.**" in page
    rows = beside.rows_of("one", module("a"))
    assert beside.say_recomputed(rows) == ""


def test_what_is_open_is_counted_by_cause_and_by_the_command_that_would_decide():
    few, machine, methods = (
        Cause("too few runs", "9 runs", "run.py a"),
        *(Cause(kind, "why", command) for kind, command in (("machine", "run.py a"), ("methods", ""))),
    )
    statement = beside.Statement("a", "§ 1", "cell", "x", "")
    rows = [
        beside.Row(statement, beside.Comparison("1", "2", "not resolved", cause=cause))
        for cause in (few, few, machine, methods)
    ]
    text = beside.write_open([*rows, beside.Row(statement, beside.Comparison("1", "2", "reproduced"))])
    assert text.startswith("Not resolved, by cause: 2 too few runs, 1 machine, 1 methods.")
    assert "| `run.py a` | 3 | 2 too few runs, 1 machine |\n| no run: two methods" in text


def test_a_statement_without_a_comparison_is_an_error(study):
    with pytest.raises(LookupError, match="nothing is compared with 'a'"):
        beside.rows_of("one", module())


def test_a_comparison_without_a_statement_is_an_error(study):
    with pytest.raises(LookupError, match="no statement 'z'"):
        beside.rows_of("one", module("a", "z"))


def test_a_readme_without_marks_is_an_error_and_text_around_them_stays():
    with pytest.raises(LookupError, match="lacks"):
        beside.put("# A\n", "counts")
    text = f"# A\n\n{beside.BEGIN}\nold\n{beside.END}\n\nrest\n"
    assert beside.put(text, "new") == f"# A\n\n{beside.BEGIN}\nnew\n{beside.END}\n\nrest\n"
