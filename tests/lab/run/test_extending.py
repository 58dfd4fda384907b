"""More blocks for a record that has ended, with real trials of a program that does nothing."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.check import check
from steelyard.lab.run.extending import count_ended_blocks, find_end
from steelyard.lab.run.run import run
from steelyard.stats.sequential.looks import level_at
from steelyard.store import Record


def test_an_extended_record_holds_its_old_blocks_and_so_many_more(run_in, make_experiment, tmp_path):
    with run_in() as record:
        before = record.outcomes()
    assert run(make_experiment(), tmp_path / "made.lab", extend=5) == "complete"
    with Record.open(tmp_path / "made.lab") as record:
        after = record.outcomes()
        assert after[: len(before)] == before
        assert record.progress().blocks["complete"] == 8
        assert [(extension.from_blocks, extension.to_blocks) for extension in record.extensions()] == [(3, 8)]
        assert [look.blocks for look in record.looks()] == [8]
        result = analyze(record)
    assert result.declared.alpha == 0.05
    assert result.design.extended_from == (3,)
    (notice,) = [warning for warning in result.warnings if warning.kind == "extended"]
    assert notice.fields == {
        "times": 1,
        "blocks": 3,
        "alpha": pytest.approx(level_at(0.05, (3, 8), 3)),
    }


def test_a_second_extension_goes_on_from_the_first_and_all_answers_count(run_in, make_experiment, tmp_path):
    run_in().close()
    for blocks in (2, 4):
        run(make_experiment(), tmp_path / "made.lab", extend=blocks)
    with Record.open(tmp_path / "made.lab") as record:
        assert record.progress().blocks["complete"] == 9
        (notice,) = [warning for warning in analyze(record).warnings if warning.kind == "extended"]
        assert notice.fields["alpha"] == pytest.approx(level_at(0.05, (3, 5, 9), 3))
        assert find_end(record) == "complete"


def test_without_extending_a_record_that_ended_stays_as_it_is(run_in, make_experiment, tmp_path):
    run_in().close()
    assert count_ended_blocks(tmp_path / "made.lab") == 3
    assert count_ended_blocks(tmp_path / "none.lab") is None
    assert run(make_experiment(), tmp_path / "made.lab") == "complete"
    with Record.open(tmp_path / "made.lab") as record:
        assert len(record.runs()) == 1


def test_an_extension_that_was_begun_is_continued(run_in, make_experiment, tmp_path):
    from steelyard.lab.run.extending import add_blocks

    run_in().close()
    with Record.open(tmp_path / "made.lab", write=True) as record:
        add_blocks(record, 4)
        assert find_end(record) is None
    assert run(make_experiment(), tmp_path / "made.lab") == "complete"
    with Record.open(tmp_path / "made.lab") as record:
        assert record.progress().blocks["complete"] == 7


def test_contexts_of_an_extension_are_visited_in_every_pass(run_in, make_experiment, tmp_path):
    keys = {"contexts": {"env_bytes": "random", "passes": 2}, "design": {"blocks": 4}}
    run_in(**keys).close()
    run(make_experiment(**keys), tmp_path / "made.lab", extend=6)
    with Record.open(tmp_path / "made.lab") as record:
        visits = [(o.block.context.id, o.block.pass_) for o in record.outcomes() if o.state == "complete"]
    assert sorted(visits[:4]) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert sorted(visits[4:]) == [(c, p) for c in (3, 4, 5) for p in (1, 2)]


def test_what_cannot_be_extended_is_refused_with_what_can(run_in, make_experiment, tmp_path):
    directory = tmp_path / "made.lab"
    with pytest.raises(UsageError, match="does not exist") as error:
        run(make_experiment(), directory, extend=3)
    assert "leave --extend out" in error.value.hint
    keys = {"contexts": {"env_bytes": "random", "passes": 2}, "design": {"blocks": 4}}
    run_in(**keys).close()
    with pytest.raises(UsageError, match="not a multiple of 2 passes") as error:
        run(make_experiment(**keys), directory, extend=3)
    assert error.value.hint.endswith("--extend 4")
    with pytest.raises(UsageError, match="not between 1 and"):
        run(make_experiment(**keys), directory, extend=0)
    sequential = {"design": {"blocks": 2, "order": "sequential", "discard": 0}}
    run(make_experiment(**sequential), tmp_path / "s.lab")
    with pytest.raises(UsageError, match="a sequential order"):
        run(make_experiment(**sequential), tmp_path / "s.lab", extend=2)


def test_claims_of_an_extended_record_are_judged_at_its_level(run_in, make_experiment, tmp_path):
    claims = [{"equivalent": {"command": "a"}, "to": {"command": "b"}, "within": 0.9}]
    run_in(claims=claims).close()
    with Record.open(tmp_path / "made.lab") as record:
        assert check(record).alpha == 0.05
    run(make_experiment(claims=claims), tmp_path / "made.lab", extend=3)
    with Record.open(tmp_path / "made.lab") as record:
        assert check(record).alpha == pytest.approx(level_at(0.05, (3, 6), 3))
