"""Values that were kept of a record are a record again, of the same experiment."""

from __future__ import annotations

import pytest

from steelyard.core.units import RUNNER_METRICS
from steelyard.extensions.exchange.recording import (
    KeptBlock,
    LabelledValue,
    Selection,
    choose_compared,
    write_values,
)
from steelyard.spec import experiment
from steelyard.store import Record

SPEC = {
    "name": "kept",
    "program": {"command": ["prog", "{k}"]},
    "factors": {"k": [1, 2]},
    "design": {"blocks": 2, "discard": 0},
    "metrics": {"phase_s": {"source": "lines", "unit": "s"}},
    "analysis": {"metric": "phase_s"},
}


def trial(k, *values):
    return {"k": k}, [LabelledValue("phase_s", value, {"phase": phase}) for phase, value in values]


def test_kept_values_have_their_levels_labels_and_blocks_again(tmp_path):
    blocks = [
        KeptBlock([trial(2, ("sort", 4.0), ("send", 2.0)), trial(1, ("sort", 1.0))]),
        KeptBlock([trial(1, ("sort", 1.5)), trial(2, ("sort", 4.5), ("send", 2.5))]),
    ]
    write_values(tmp_path / "kept.lab", experiment(**SPEC), blocks, "values.csv")
    with Record.open(tmp_path / "kept.lab") as record:
        result = {
            (sample.treatment.levels["k"], sample.labels["phase"]): ([*sample.values], [*sample.blocks])
            for sample in record.samples("phase_s")
        }
    assert result == {
        (1, "sort"): ([1.0, 1.5], [1, 2]),
        (2, "sort"): ([4.0, 4.5], [1, 2]),
        (2, "send"): ([2.0, 2.5], [1, 2]),
    }


def test_times_of_the_runner_and_contexts_come_back_too(tmp_path):
    blocks = [
        KeptBlock(
            [({"k": k}, [LabelledValue("cpu_s", k + id_ / 8)]) for k in (1, 2)], 1, id_, {"env_bytes": id_}
        )
        for id_ in (1, 2)
    ]
    spec = {**SPEC, "contexts": {"env_bytes": "random"}, "metrics": {}, "analysis": {"metric": "cpu_s"}}
    write_values(tmp_path / "kept.lab", experiment(**spec), blocks, "values.csv")
    with Record.open(tmp_path / "kept.lab") as record:
        result = {
            sample.treatment.levels["k"]: ([*sample.values], [*sample.contexts])
            for sample in record.samples("cpu_s")
        }
        settings = [outcome.block.context.settings for outcome in record.outcomes()]
    assert result == {1: ([1.125, 1.25], [1, 2]), 2: ([2.125, 2.25], [1, 2])}
    assert settings == [{"env_bytes": 1}, {"env_bytes": 2}]


@pytest.mark.parametrize("metric", [item for item in RUNNER_METRICS if item.metric.name != "cpu_s"])
def test_every_metric_of_the_runner_comes_back_with_its_value(tmp_path, metric):
    name, value = metric.metric.name, 3.0 if metric.scale == 1 else 3.5
    spec = {**SPEC, "metrics": {}, "analysis": {"metric": name}}
    blocks = [KeptBlock([({"k": k}, [LabelledValue(name, k * value)]) for k in (1, 2)])]
    write_values(tmp_path / "kept.lab", experiment(**spec), blocks, "values.csv")
    with Record.open(tmp_path / "kept.lab") as record:
        samples = {sample.treatment.levels["k"]: [*sample.values] for sample in record.samples(name)}
    assert samples == {1: [value], 2: [2 * value]}


def test_a_level_that_the_experiment_has_not_is_an_error(tmp_path):
    with pytest.raises(LookupError):
        write_values(
            tmp_path / "kept.lab", experiment(**SPEC), [KeptBlock([trial(3, ("sort", 1.0))])], "values.csv"
        )


@pytest.mark.parametrize("factor", ["query", "task", "kernel", "operation"])
def test_work_of_one_file_of_a_tool_is_a_list_and_is_compared_between_files(factor):
    levels = {factor: ["a", "b"]}
    assert choose_compared(Selection(), levels, "clickbench") is None
    assert choose_compared(Selection(compare=factor), levels, "clickbench") == factor
    assert choose_compared(Selection(), {**levels, "file": ["old", "new"]}, "clickbench") == "file"
    assert choose_compared(Selection(), levels, "csv") == factor
