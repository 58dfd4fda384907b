"""Two records, measured at different times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from steelyard.core.errors import RecordError, UsageError
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.compare.records import compare_records
from steelyard.lab.run.run import run
from steelyard.store import Record


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """``recorded(name, *commands, **keys)``: the record of a few runs."""

    monkeypatch.chdir(tmp_path)

    def make(name: str, *commands: str, discard: int = 0, **keys) -> Path:
        request = CompareRequest(
            commands=commands, blocks=8, rel_halfwidth=None, discard=discard, metric="rss_bytes", **keys
        )
        run(request.experiment(), tmp_path / name)
        return tmp_path / name

    return make


def test_the_only_command_of_each_is_compared_and_the_answer_says_its_limits(recorded, sizes):
    small, large = sizes
    old, new = recorded("old.lab", large), recorded("new.lab", small)
    result = compare_records(old, new)
    (comparison,) = result.judged
    assert comparison.verdict == "faster"
    assert (comparison.baseline.label, comparison.treatment.label) == (str(old), str(new))
    assert comparison.speedup.unit == "unpaired"
    message = [warning.fields.get("text", "") for warning in result.warnings]
    assert any("made apart" in text and "side by side" in text for text in message)
    assert "sequential_order" in {item.kind for item in result.warnings}
    assert not comparison.in_one_context  # neither record knows what the other one ran in


def test_a_record_without_a_warm_up_run_says_that_its_modules_are_not_known(recorded):
    old, new = recorded("old.lab", "true", discard=0), recorded("new.lab", "true", discard=1)
    texts = [warning.fields.get("text", "") for warning in compare_records(old, new).warnings]
    (unknown,) = [text for text in texts if "is not known" in text]
    assert f"programs of {old} load while they run is not known: no run is discarded" in unknown
    assert str(new) not in unknown


def test_a_source_that_changed_between_records_leaves_them_without_a_verdict(recorded, tmp_path):
    (tmp_path / "work.py").write_text("x = 1")
    command = f"{sys.executable} -c 'import work'"
    environment = {"PYTHONPATH": str(tmp_path)}
    old = recorded("old.lab", command, discard=1, env=environment)
    (tmp_path / "work.py").write_text("x = list(range(1000000))")
    new = recorded("new.lab", command, discard=1, env=environment)
    (comparison,) = compare_records(old, new).judged
    assert comparison.verdict == "not_resolved"
    (notice,) = [item for item in compare_records(old, new).warnings if item.kind == "other_code"]
    assert notice.fields == {"libraries": "work.py"}
    assert compare_records(old, new, across_libraries=True).judged[0].verdict == "slower"
    with Record.open(old) as record:
        experiment = record.experiment
    with pytest.raises(RecordError, match=r"work\.py is not the module that .* has measured"):
        run(experiment, old, extend=4)


def test_treatments_that_both_have_are_compared_one_by_one_and_others_left_out(recorded):
    old = recorded("old.lab", "echo {s}", parameters={"s": ["1", "2"]})
    new = recorded("new.lab", "echo {s}", parameters={"s": ["1", "2", "3"]})
    result = compare_records(old, new)
    assert [item.stratum["s"] for item in result.judged] == [1, 2]
    assert len({sample.treatment.id for sample in result.samples}) == 4


def test_records_without_a_treatment_in_common_are_refused(recorded):
    old, new = recorded("old.lab", "true", "printf y"), recorded("new.lab", "echo", "printf x")
    with pytest.raises(UsageError, match=r"no treatment in common: true, printf y; and echo, p"):
        compare_records(old, new)


def test_the_same_record_twice_is_refused(recorded):
    old = recorded("old.lab", "true")
    with pytest.raises(UsageError, match="are the same record"):
        compare_records(old, Path(old, "..", "old.lab"))


def test_a_metric_that_one_lacks_is_refused(recorded):
    old, new = recorded("old.lab", "true"), recorded("new.lab", "true")
    with pytest.raises((UsageError, RecordError), match="foo"):
        compare_records(old, new, metric="foo")


def test_records_in_place_of_commands_are_compared_on_the_command_line(recorded, sizes, steelyard_cli):
    small, large = sizes
    recorded("old.lab", large)
    recorded("new.lab", small)
    done = steelyard_cli("compare", "old.lab", "new.lab")
    assert done.returncode == 0, done.stderr
    assert "new.lab has" in done.stdout
    assert "less rss_bytes than old.lab" in done.stdout
    assert "made apart" in " ".join(done.stdout.split())
