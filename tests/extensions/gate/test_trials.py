"""What a record of a gate holds, by the names that benchmarks have in head."""

from __future__ import annotations

from steelyard.extensions.exchange.recording import KeptBlock, LabelledValue, write_values
from steelyard.extensions.gate.plan import PlannedProgram
from steelyard.extensions.gate.results import GatedMetric
from steelyard.extensions.gate.trials import read
from steelyard.spec import experiment


def test_values_and_the_order_of_time_have_one_name_for_a_renamed_benchmark(tmp_path):
    spec = experiment(
        name="gate",
        source=str(tmp_path),
        program={"commands": {"base": ["true"], "head": ["true"]}},
        metrics={"call_s": {"source": "criterion", "unit": "s"}},
        analysis={"metric": "call_s"},
    )

    def run(side, renamed, value):
        values = ((renamed, value), ("same", 7.0))
        return {"command": side}, [LabelledValue("call_s", v, {"benchmark": name}) for name, v in values]

    blocks = [KeptBlock([run("base", "old", 1.0), run("head", "new", 2.0)])] * 2
    write_values(tmp_path / "gate.lab", spec, blocks, "values")
    program = PlannedProgram("bench", {}, {}, old_names={"new": "old"})
    measured = read(tmp_path / "gate.lab", [GatedMetric("call_s", "s", "lower")], program)
    assert [(pair.base, pair.head) for pair in measured.pair_values("call_s", "new")] == [(1.0, 2.0)] * 2
    assert sorted((s.treatment.levels["command"], s.labels["benchmark"]) for s in measured.samples) == [
        ("base", "new"),
        ("base", "same"),
        ("head", "new"),
        ("head", "same"),
    ]
