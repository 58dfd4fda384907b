"""What a study keeps of a record says what the record said: values, labels, verdicts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from steelyard.api import Record

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import kept_values  # noqa: E402
import parts  # noqa: E402

PROGRAM = """#!/bin/sh
echo '{"steelyard":1,"metric":"phase_s","unit":"s","labels":{"phase":"sort"},"values":['$1.5']}'
echo '{"steelyard":1,"metric":"phase_s","unit":"s","labels":{"phase":"send"},"values":['$1.25']}'
echo '{"steelyard":1,"metric":"rounds","values":['$1']}'
"""
SPEC = """name = "made-up"

[program]
command = ["{source}/program", "{k}", "{way}"]

[factors]
k = [1, 2, 3, 4, 5]
way = ["a", "b"]

[design]
blocks = 2
discard = 1

[metrics]
phase_s = { source = "lines", unit = "s" }
rounds = { source = "lines" }

[analysis]
metric = "phase_s"

[[claims]]
scales = "phase_s"
where = { phase = "sort" }
parameter = "k"
expect = "O(k)"
deviation = "half"
"""


@pytest.fixture
def study(tmp_path, steelyard_cli):
    """A study with a part whose record has been run."""
    (tmp_path / "program").write_text(PROGRAM)
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "part.toml").write_text(SPEC)
    ended = steelyard_cli("run", str(tmp_path / "part.toml"), "--output", str(tmp_path / "part.lab"))
    assert ended.returncode in (0, 1), ended.stderr
    with Record.open(tmp_path / "part.lab") as record:
        kept_values.keep(tmp_path, "part", record)
    return tmp_path


def test_a_row_has_the_levels_the_labels_the_block_and_the_metrics(study):
    head, row, *rest = kept_values.find(study, "part").read_text().splitlines()
    assert head == "k,way,phase,block,phase_s,rounds"
    assert row == "1,a,sort,2,1.5,"
    assert len(rest) == 5 * 2 * 2 * 3 - 1
    result = kept_values.kept(study, "part")
    first = [item for item in result.samples("phase_s") if (*item.levels.values(),) == (1, "a", "sort")]
    assert [sample.values for sample in first] == [[1.5, 1.5]]
    with pytest.raises(LookupError, match="'wall_s' was not kept, only phase_s, rounds"):
        result.samples("wall_s")


def test_a_record_that_is_made_again_gives_the_same_tables_and_verdicts(study):
    def told(record):
        return parts.growth(record), parts.verdicts(record), parts.values(record, "rounds", ("way",), "k")

    with Record.open(study / "part.lab") as measured, kept_values.rebuilt(study, "part") as rebuilt:
        assert told(measured) == told(rebuilt)


def test_values_of_levels_that_the_spec_no_longer_has_are_an_error(study):
    spec = study / "part.toml"
    spec.write_text(spec.read_text().replace("[1, 2, 3, 4, 5]", "[1, 2, 3, 4, 6]"))
    with (
        pytest.raises(LookupError, match=r"part\.csv has k = 5, which part\.toml has not"),
        kept_values.rebuilt(study, "part"),
    ):
        pass


def test_without_a_record_tables_are_made_of_what_was_kept(study, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["study.py", "--no-run", "--records", str(study / "nowhere")])
    assert parts.main(study, "", {"part": parts.growth}) == 0
    assert "| O(k) | O(k) |" in capsys.readouterr().out


def test_contexts_are_kept_with_what_was_drawn_for_them(study):
    spec = study / "part.toml"
    drawn = '[contexts]\nenv_bytes = "random"\npasses = 2\n\n[design]\nblocks = 4'
    spec.write_text(spec.read_text().replace("[design]\nblocks = 2", drawn))
    with kept_values.rebuilt(study, "part") as without:
        assert {context for sample in without.samples("rounds") for context in sample.contexts} == {0}
    experiment = kept_values.load(spec)
    blocks = [
        kept_values.KeptBlock(
            [
                ({"k": k, "way": way}, [kept_values.LabelledValue("rounds", k)])
                for k in range(1, 6)
                for way in "ab"
            ],
            pass_=1 + place // 2,
            context=1 + place % 2,
            settings={"env_bytes": (176, 32)[place % 2]},
        )
        for place in range(4)
    ]
    kept_values.write_values(study / "drawn.lab", experiment, blocks, "made up")
    with Record.open(study / "drawn.lab") as record:
        kept_values.keep(study, "part", record)
        head, row, *_ = kept_values.find(study, "part").read_text().splitlines()
        assert head == "k,way,block,pass,context,context: env_bytes,phase_s,rounds"
        assert row == "1,a,1,1,1,176,,1"
        with kept_values.rebuilt(study, "part") as again:
            assert again.outcomes() == record.outcomes()
            assert [*again.samples("rounds")] == [*record.samples("rounds")]


def test_a_label_that_contradicts_a_factor_of_its_name_is_an_error(tmp_path, steelyard_cli):
    (tmp_path / "program").write_text(PROGRAM.replace('"phase":', '"way":'))
    (tmp_path / "program").chmod(0o755)
    spec = SPEC.partition("[[claims]]")[0]
    (tmp_path / "part.toml").write_text(spec)
    ended = steelyard_cli("run", str(tmp_path / "part.toml"), "--output", str(tmp_path / "part.lab"))
    assert ended.returncode == 0, ended.stderr
    with (
        Record.open(tmp_path / "part.lab") as record,
        pytest.raises(LookupError, match="'way' is a factor, and a label"),
    ):
        kept_values.keep(tmp_path, "part", record)
