"""Blocks on nodes that are drawn: by a queue of processes that play nodes, and by a real Slurm."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from steelyard.core.errors import MachineError
from steelyard.extensions.clusters.commands import ask
from steelyard.extensions.clusters.job import Job, describe_nodes, find_misplaced, jobs_in
from steelyard.extensions.clusters.jobs import JOBS
from steelyard.extensions.clusters.slurm import Slurm
from steelyard.extensions.clusters.template import Template
from steelyard.extensions.plan.preview import preview
from steelyard.extensions.plan.text import render
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.nodes import resolve_nodes
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record

pytestmark = pytest.mark.extensions("plan")

SUBMIT = [
    "/bin/sh",
    "-c",
    'SLURMD_NODENAME="$2" setsid bash "$0" >"$1" 2>&1 </dev/null & echo "job $!"',
    "{script}",
    "{log}",
    "{node}",
]
ALIVE = ["/bin/sh", "-c", "grep -q '^State:.[^Z]' /proc/$0/status", "{job}"]
NODES = ("n1", "n2", "n3", "n4")


def asked(source, launch, *, node=NODES, blocks=8, **contexts):
    script = "echo $1 $SLURMD_NODENAME >> $0; echo cost=1"
    command = ["/bin/sh", "-c", script, "{source}/log", "{trial}"]
    return experiment(
        name="nodes",
        source=str(source),
        program={"commands": {"a": command, "b": [*command, "b"]}, "env": launch.pop("env", {})},
        contexts={"node": node if isinstance(node, str) else list(node), **contexts},
        design={"blocks": blocks, "discard": 0, "seed": 3},
        metrics={"cost_s": {"source": "stdout", "pattern": "cost=(.*)", "unit": "s"}},
        analysis={"metric": "cost_s"},
        launch=launch,
    )


def by_processes(source, **changes):
    (source / "job.in").write_text("#!/bin/bash\n{run}\n")
    return {
        "kind": "template", "script": "job.in", "submit": SUBMIT, "job": r"job (\d+)",
        "cancel": ["/bin/sh", "-c", 'kill -TERM -"$0"', "{job}"], "alive": ALIVE, "poll": "0.1 s",
        "hand_on": ["SLURM"], **changes,
    }  # fmt: skip


def ran_on(source):
    """The node on which each trial ran."""
    return {int(t): node for t, node in map(str.split, (source / "log").read_text().splitlines())}


def drawn(record):
    """The node that was drawn for each trial."""
    return {
        outcome.block.first_trial + place: outcome.block.context.settings["node"]
        for outcome in record.outcomes()
        for place in range(len(outcome.block.order))
    }


def test_each_node_gets_one_job_and_every_block_of_it_runs_there(tmp_path):
    assert run(asked(tmp_path, by_processes(tmp_path)), tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        assert ran_on(tmp_path) == drawn(record)
        assert set(Counter(drawn(record).values()).values()) == {4}
        assert sorted(record.name_machines().values()) == list(NODES)
        assert not record.warnings()
        assert {f"node {name}" for name in NODES} <= record.runs()[0].host.keys()
        design = analyze(record).design
        assert (design.contexts, sorted(design.machines.values())) == (4, list(NODES))
    jobs = jobs_in(tmp_path / "it.lab" / JOBS)
    assert sorted(job.node for job in jobs) == list(NODES)
    assert sorted(describe_nodes(jobs)) == list(NODES)


def test_a_run_that_is_cut_between_nodes_goes_on_and_runs_each_trial_once(tmp_path, monkeypatch):
    whole, calls = Template.submit, []

    def until_the_third(self, *words):
        calls.append(words)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return whole(self, *words)

    monkeypatch.setattr(Template, "submit", until_the_third)
    result = asked(tmp_path, by_processes(tmp_path))
    with pytest.raises(BaseException, match="interrupted"):
        run(result, tmp_path / "it.lab")
    monkeypatch.setattr(Template, "submit", whole)
    assert len(ran_on(tmp_path)) == 8
    assert run(result, tmp_path / "it.lab") == "complete"
    assert len((tmp_path / "log").read_text().splitlines()) == 16
    with Record.open(tmp_path / "it.lab") as record:
        assert ran_on(tmp_path) == drawn(record)


def test_a_queue_that_gives_another_node_is_told_with_the_record(tmp_path):
    submit = [*SUBMIT[:2], SUBMIT[2].replace('"$2"', "other"), *SUBMIT[3:]]
    run(asked(tmp_path, by_processes(tmp_path, submit=submit), blocks=4), tmp_path / "it.lab")
    with Record.open(tmp_path / "it.lab") as record:
        (warning,) = record.warnings()
    assert "was for n1 and ran on other" in warning.text
    assert len(find_misplaced(jobs_in(tmp_path / "it.lab" / JOBS))) == 4


def test_a_node_is_the_same_by_its_short_and_its_full_name(tmp_path):
    job = Job(tmp_path)
    job.note_node("n1")
    end = b'{"exit":0,"host":"n1.cluster","kernel":"6","cpu":"x","started":1,"ended":2}'
    (tmp_path / "end").write_bytes(end)
    assert not find_misplaced([job])


def test_a_plan_says_how_many_nodes_and_blocks_on_each(tmp_path):
    result = preview(asked(tmp_path, by_processes(tmp_path), blocks=10), tmp_path / "no.lab")
    assert result.nodes.keys() == set(NODES)
    assert sorted(result.nodes.values()) == [2, 2, 3, 3]
    text = " ".join(render(result, asked(tmp_path, by_processes(tmp_path), blocks=10)).split())
    assert "4 nodes, 2 to 3 blocks on each, one job for each node and look: n1, n2, n3 and n4" in text


def test_nodes_that_the_queue_cannot_be_asked_for_are_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    result = asked(tmp_path, {"kind": "slurm"}, node="random")
    with pytest.raises(MachineError, match="sinfo"):
        run(result, tmp_path / "it.lab")
    assert not (tmp_path / "it.lab").exists()
    planned = preview(result, tmp_path / "it.lab")
    assert any("sinfo" in refusal.error for refusal in planned.refused)
    assert not any("context" in sentence for sentence in planned.inseparable)


def test_what_a_queue_says_in_several_lines_is_one_sentence():
    script = (
        "printf 'sinfo: error: a\\n\\nsinfo: error: b\\nsinfo: error: c\\nsinfo: fatal: d\\n' >&2; exit 1"
    )
    with pytest.raises(MachineError) as caught:
        ask(["sh", "-c", script], label="sinfo")
    assert caught.value.message == (
        "the queue refuses: sinfo: sinfo: error: b; sinfo: error: c; sinfo: fatal: d"
    )


@pytest.mark.parametrize(
    ("printed", "options", "names"),
    [
        ("n1 idle all*\nn2 mix all*\nn3 down all*\nn4 drain* all*\n", (), ["n1", "n2"]),
        ("n1 idle all*\nn2 idle long\nn1 idle long\n", (), ["n1"]),
        ("n2 alloc long\nn1 idle long\n", ("-p", "long"), ["n1", "n2"]),
        ("n1 idle* all*\n", (), []),
    ],
)
def test_nodes_of_the_partition_that_take_jobs_are_those_to_draw_from(
    tmp_path, monkeypatch, printed, options, names
):
    sinfo = tmp_path / "sinfo"
    sinfo.write_text(f"#!/bin/sh\ncat <<END\n{printed}END\n")
    sinfo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert Slurm(options).list_nodes() == names


def test_on_slurm_nodes_are_drawn_once_and_a_record_keeps_them(slurm, tmp_path, monkeypatch):
    launch = {"kind": "slurm", "poll": "0.2 s", "env": {"SLURM_CONF": os.environ["SLURM_CONF"]}}
    result = asked(tmp_path, launch, node="random")
    assert preview(result, tmp_path / "it.lab").nodes == dict.fromkeys(NODES, 2)
    assert run(result, tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        assert ran_on(tmp_path) == drawn(record)
        assert record.experiment.contexts.settings["node"] == NODES
        assert not record.warnings()
    # Whatever is up now, what is there goes on as it began.
    monkeypatch.setattr(Slurm, "list_nodes", lambda _: ["n9", "n8"])
    assert resolve_nodes(result, tmp_path / "it.lab").contexts.settings["node"] == NODES
    assert run(result, tmp_path / "it.lab") == "complete"
