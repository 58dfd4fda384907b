"""Several records as one: nothing lost, nothing twice, each block on its machine."""

from __future__ import annotations

import math

import pytest
from simulated_machines import SPEC, machine

from steelyard.core.errors import RecordError, UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.check import check
from steelyard.lab.merge.merging import describe_repeated, merge, one_record
from steelyard.lab.run.run import run
from steelyard.spec import loads
from steelyard.store import Record
from steelyard.store.merging import MergedRecord


def values(directory):
    """Every value that counts: machine, treatment and value."""
    with Record.open(directory) as record:
        names = record.name_machines()
        return sorted(
            (names.get(context, ""), sample.treatment.label, value)
            for sample in record.samples("wall_s")
            for context, value in zip(sample.contexts, sample.values, strict=True)
        )


def test_every_value_is_there_once_on_its_machine(tmp_path):
    sources = [machine(tmp_path / f"{name}.lab", name, seed=i) for i, name in enumerate("abc", 1)]
    merge(sources, tmp_path / "all.lab")
    ordered = sorted(
        (name, label, value) for name in "abc" for _, label, value in values(tmp_path / f"{name}.lab")
    )
    assert values(tmp_path / "all.lab") == ordered
    with Record.open(tmp_path / "all.lab") as record:
        assert record.progress().blocks["complete"] == 60
        assert all(outcome.state != "planned" for outcome in record.outcomes())
        assert record.merged
        assert {run.host["merged_record"] for run in record.runs()} == {
            Record.open(source).id for source in sources
        }


def test_a_trial_is_known_by_the_record_that_measured_it_however_often_it_is_merged(tmp_path):
    a, b, c = (machine(tmp_path / f"{name}.lab", name) for name in "abc")
    merge([a, b], tmp_path / "ab.lab")
    merge([tmp_path / "ab.lab", b, c, c], tmp_path / "all.lab")
    merge([a, b, c], tmp_path / "once.lab")
    assert values(tmp_path / "all.lab") == values(tmp_path / "once.lab")
    with Record.open(tmp_path / "all.lab") as record, Record.open(c) as source:
        (run_,) = [item for item in record.runs() if item.host["merged_record"] == source.id]
        after = run_.host["merged_after"]
        first = next(outcome for outcome in record.outcomes() if outcome.block.first_trial == after + 1)
        assert first.block.order == next(iter(source.outcomes())).block.order


def test_a_copy_is_said_to_count_once(tmp_path):
    import shutil

    a, b = (machine(tmp_path / f"{name}.lab", name) for name in "ab")
    shutil.copytree(a, tmp_path / "copy.lab")
    merge([a, b, tmp_path / "copy.lab"], tmp_path / "all.lab")
    with Record.open(tmp_path / "all.lab") as record:
        texts = [warning.text for warning in record.warnings()]
    assert "copy.lab has trials of a.lab: each counts once" in texts
    merge([a, b, b], tmp_path / "more.lab")
    with Record.open(tmp_path / "more.lab") as record:
        assert not any("counts once" in warning.text for warning in record.warnings())
    assert describe_repeated([a, b, b]) == f"named more than once, and counted once: {b}"
    assert describe_repeated([a, b]) == ""


def test_of_a_record_that_grew_the_larger_copy_counts(tmp_path):
    import shutil

    a, b = (machine(tmp_path / f"{name}.lab", name) for name in "ab")
    shutil.copytree(a, tmp_path / "early.lab")
    with Record.open(a, write=True) as record:
        record.begin_run({"hostname": "a"}, "boot of a")
    merge([tmp_path / "early.lab", b, a], tmp_path / "all.lab")
    with Record.open(tmp_path / "all.lab") as record:
        assert len(record.runs()) == 3
        assert record.progress().blocks["complete"] == 40


def test_machines_are_the_units_and_the_one_that_differs_is_named(tmp_path):
    speedups = {f"n{i}": 1.04 for i in range(1, 11)} | {"n7": 0.9}
    sources = [
        machine(tmp_path / f"{name}.lab", name, by, seed=i, slow=1.3 if name == "n7" else 1.0)
        for i, (name, by) in enumerate(speedups.items())
    ]
    with one_record(sources) as directory, Record.open(directory) as record:
        answer = analyze(record)
        checked = check(record)
    (contexts,) = answer.contexts
    assert [member.name for member in contexts.machines.members if member.differs] == ["n7"]
    assert (contexts.machines.faster, contexts.machines.slower) == (9, 1)
    (pace,) = contexts.machines.pace
    assert (pace.name, pace.in_everything) == ("n7", True)
    assert answer.judged[0].contexts == 10
    assert answer.judged[0].verdict == "not_resolved"
    assert [verdict.outcome for verdict in checked.verdicts] == ["not_resolved"]
    assert not directory.exists()


def test_equal_machines_whose_records_differ_by_chance_are_one_answer(tmp_path):
    sources = [machine(tmp_path / f"{i}.lab", f"n{i}", 1.05, seed=i) for i in range(6)]
    with one_record(sources) as directory, Record.open(directory) as record:
        assert analyze(record).judged[0].verdict == "faster"
        assert [verdict.outcome for verdict in check(record).verdicts] == ["holds"]


def test_records_of_one_machine_are_more_blocks_of_it(tmp_path):
    sources = [machine(tmp_path / f"{i}.lab", "a", seed=i) for i in (1, 2)]
    merge(sources, tmp_path / "all.lab")
    with Record.open(tmp_path / "all.lab") as record:
        answer = analyze(record)
        assert not record.name_machines()
    assert (answer.design.blocks, answer.design.contexts) == (40, 0)
    merge(sources, tmp_path / "two.lab", "record")
    with Record.open(tmp_path / "two.lab") as record:
        assert sorted(record.name_machines().values()) == ["1", "2"]


def test_contexts_of_the_spec_stay_beside_the_machine(tmp_path):
    spec = SPEC + '[contexts]\nenv_bytes = "random"\n'
    sources = [machine(tmp_path / f"{name}.lab", name, spec=spec) for name in "ab"]
    merge(sources, tmp_path / "all.lab")
    with Record.open(tmp_path / "all.lab") as record:
        settings = [item.block.context.settings for item in record.outcomes()]
        assert all(setting.keys() == {"env_bytes", "node"} for setting in settings)
        assert analyze(record).design.contexts == 2


def test_the_worst_end_of_a_record_is_that_of_all(tmp_path):
    sources = [
        machine(tmp_path / "a.lab", "a", state="failed"),
        machine(tmp_path / "b.lab", "b"),
    ]
    with one_record(sources) as directory, Record.open(directory) as record:
        assert check(record).failed
        assert check(record).exit_code(strict=False) == 5


def test_runners_that_share_a_name_stay_apart_when_a_merged_record_is_merged(tmp_path):
    a, b, c = (
        machine(tmp_path / f"{name}.lab", "runner", boot=name, facts={"virtualization": "kvm"})
        for name in "abc"
    )
    merge([a, b], tmp_path / "ab.lab")
    merge([c, tmp_path / "ab.lab"], tmp_path / "all.lab")
    with Record.open(tmp_path / "all.lab") as record:
        assert sorted(record.name_machines().values()) == ["runner-1", "runner-2", "runner-3"]


def test_nodes_that_a_queue_gave_keep_their_names(tmp_path):
    spec = SPEC + '[contexts]\nnode = ["n1", "n2"]\n[launch]\nkind = "slurm"\n'
    facts = {"submitted_from": "login"}
    sources = [
        machine(tmp_path / f"{i}.lab", "n1, n2", spec=spec, seed=i, boot="login", facts=facts) for i in (1, 2)
    ]
    merge(sources, tmp_path / "all.lab")
    with Record.open(tmp_path / "all.lab") as record:
        assert sorted(record.name_machines().values()) == ["n1", "n2"]
        assert analyze(record).design.blocks == 40


def test_a_merge_that_is_cut_leaves_nothing_that_could_be_read(tmp_path, monkeypatch):
    sources = [machine(tmp_path / f"{name}.lab", name) for name in "abc"]
    take_part, calls = MergedRecord.take_part, []

    def until_the_third(self, part, *, named):
        calls.append(part)
        if len(calls) == 3:
            raise KeyboardInterrupt
        take_part(self, part, named=named)

    monkeypatch.setattr(MergedRecord, "take_part", until_the_third)
    with pytest.raises(KeyboardInterrupt):
        merge(sources, tmp_path / "all.lab")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.lab", "b.lab", "c.lab"]


def test_a_record_is_not_merged_onto_itself(tmp_path):
    sources = [machine(tmp_path / f"{name}.lab", name) for name in "ab"]
    with pytest.raises(UsageError, match="is one of the records to merge") as caught:
        merge(sources, sources[1])
    assert "rm" not in caught.value.hint


def test_different_builds_are_said(tmp_path):
    sources = [machine(tmp_path / f"{name}.lab", name, sha256=name) for name in "ab"]
    with one_record(sources) as directory, Record.open(directory) as record:
        assert any("different builds of /bin/true" in warning.text for warning in record.warnings())


def test_settings_of_one_machine_that_changed_between_records_are_said(tmp_path):
    for host, seed, governor in (("a", 1, "powersave"), ("a", 2, "performance"), ("b", 1, "performance")):
        machine(tmp_path / f"{host}{seed}.lab", host, seed=seed, facts={"governor": governor, "nice": 0})
    sources = [tmp_path / f"{name}.lab" for name in ("a1", "a2", "b1")]
    with one_record(sources) as directory, Record.open(directory) as record:
        (text,) = [warning.text for warning in record.warnings() if "settings changed" in warning.text]
    expected = "settings changed between runs: governor (powersave and performance) of a"
    assert text == f"{expected}: that is part of their spread"
    with one_record(sources[1:]) as directory, Record.open(directory) as record:
        assert not [warning for warning in record.warnings() if "settings" in warning.text]


def test_records_of_different_specs_are_refused_with_what_differs(tmp_path):
    a = machine(tmp_path / "a.lab", "a")
    b = machine(tmp_path / "b.lab", "b", spec=SPEC.replace('["false"]', '["false", "-v"]'))
    with pytest.raises(UsageError, match="of different specs") as caught:
        merge([a, b], tmp_path / "all.lab")
    assert "program.commands.new" in caught.value.message
    assert "compare" in caught.value.hint
    assert not (tmp_path / "all.lab").exists()


def test_a_sequential_order_is_refused(tmp_path):
    spec = SPEC.replace("blocks = 20", 'blocks = 20\norder = "sequential"')
    sources = [machine(tmp_path / f"{name}.lab", name, spec=spec, blocks=1) for name in "ab"]
    with pytest.raises(UsageError, match="has no blocks"):
        merge(sources, tmp_path / "all.lab")


def test_a_record_that_was_never_run_is_refused(tmp_path):
    a = machine(tmp_path / "a.lab", "a")
    document = loads(SPEC, source="/s", name="spec")
    with Record.open(a) as record:
        Record.create(tmp_path / "b.lab", document, treatments=record.treatments).close()
    with pytest.raises(RecordError, match="has no run to merge"):
        merge([a, tmp_path / "b.lab"], tmp_path / "all.lab")


def test_a_merged_record_is_not_run_and_an_existing_one_not_replaced(tmp_path):
    sources = [machine(tmp_path / f"{name}.lab", name) for name in "ab"]
    merge(sources, tmp_path / "all.lab")
    with pytest.raises(RecordError, match="made of other records"):
        run(loads(SPEC, source="/s", name="spec"), tmp_path / "all.lab")
    with pytest.raises(RecordError, match="exists already"):
        merge(sources, tmp_path / "all.lab")
    assert math.isclose(len(values(tmp_path / "all.lab")), 80)


def test_records_that_a_verdict_alone_ended_are_not_merged(tmp_path):
    text = SPEC.replace("[design]", '[design]\nstop = { decided = true, until = "verdict" }', 1)
    assert text != SPEC
    directories = [tmp_path / "a.lab", tmp_path / "b.lab"]
    for seed, directory in enumerate(directories, 1):
        machine(directory, directory.stem, seed=seed, spec=text)
    with pytest.raises(UsageError, match='until = "verdict" ends a run where its effect looks large'):
        merge(directories, tmp_path / "all.lab")
    merge([directories[0], directories[0]], tmp_path / "once.lab")
