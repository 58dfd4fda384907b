"""Several records of one spec are counted together, each trial once."""

from __future__ import annotations

import shutil

import pytest
from simulated_machines import SPEC, machine

from steelyard.core.errors import UsageError
from steelyard.extensions.history.gathering import gather
from steelyard.lab.merge.merging import merge
from steelyard.lab.merge.progress import sum_statuses

pytestmark = pytest.mark.extensions("history")


@pytest.fixture
def records(tmp_path):
    return [machine(tmp_path / f"{host}.lab", host, seed=seed) for seed, host in enumerate("abc", 1)]


def test_sums_are_those_of_all_records(records):
    result = sum_statuses(records)
    assert [record.blocks_done for record in result.records] == [20, 20, 20]
    assert (result.blocks_done, result.trials_done, result.repeated) == (60, 126, 0)


def test_a_trial_that_is_in_a_copy_or_a_merged_record_too_counts_once(records, tmp_path):
    shutil.copytree(records[0], tmp_path / "copy.lab")
    merge(records[:2], tmp_path / "merged.lab")
    result = sum_statuses([*records, tmp_path / "copy.lab", tmp_path / "merged.lab"])
    assert (result.blocks_done, result.trials_done, result.repeated) == (60, 126, 42 + 84)


def test_records_of_different_specs_are_refused_with_what_differs(records, tmp_path):
    result = machine(tmp_path / "o.lab", "o", spec=SPEC.replace('"false"', '"sleep"'))
    with pytest.raises(UsageError, match="of different specs") as error:
        sum_statuses([records[0], result])
    assert "sleep" in error.value.message


def test_a_history_has_no_trial_in_two_of_its_points(records, tmp_path):
    shutil.copytree(records[0], tmp_path / "copy.lab")
    merge(records[:2], tmp_path / "merged.lab")
    result = gather([*records, tmp_path / "copy.lab", tmp_path / "merged.lab"], ())
    assert len(result.records) == 2
    assert sorted(len(record.parts) for record in result.records) == [0, 2]
    assert all("has trials that are in" in item.why for item in result.left_out)
