"""``[launch]``: what each kind needs, and what it has no use for."""

from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import dumps, experiment, loads
from steelyard.spec.check.launch import find_queue_factors
from steelyard.spec.tables.launch import HANDED_ON, LocalLaunch

TEMPLATE = {
    "kind": "template",
    "script": "job.sh",
    "submit": ["qsub", "{script}"],
    "cancel": ["qdel", "{job}"],
}


def read(**launch):
    return experiment(program={"command": ["true"]}, launch=launch).launch


def test_a_spec_that_says_nothing_runs_here():
    assert experiment(program={"command": ["true"]}).launch == LocalLaunch()


def test_slurm_takes_words_for_sbatch_and_hands_on_what_schedulers_set():
    queue = read(kind="slurm", options=["--exclusive"], poll="2 s")
    assert (queue.options, queue.poll_s, queue.hand_on) == (("--exclusive",), 2.0, HANDED_ON)


def test_a_template_has_the_commands_of_its_queue():
    queue = read(**TEMPLATE, alive=["qstat", "{job}"], job="id (.*)", hand_on=["MY_"])
    assert (queue.submit, queue.cancel, queue.alive) == (
        ("qsub", "{script}"),
        ("qdel", "{job}"),
        ("qstat", "{job}"),
    )
    assert (queue.job, queue.hand_on) == ("id (.*)", ("MY_",))


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        ({"kind": "local", "options": ["-x"]}, "launch.options: has no meaning"),
        ({"jobs": 2}, "launch: the key kind is missing"),
        ({"kind": 3}, "launch.kind: must be"),
        ({"kind": "slurm", "submit": ["qsub"]}, "launch.submit: has no meaning"),
        ({"kind": "template"}, "launch.script: is needed with kind = template"),
        ({**TEMPLATE, "submit": []}, "launch.submit: is needed with kind = template"),
        ({**TEMPLATE, "submit": ["qsub"]}, "launch.submit: names no {script}"),
        ({**TEMPLATE, "cancel": ["qdel"]}, "launch.cancel: names no {job}"),
        ({**TEMPLATE, "alive": ["qstat"]}, "launch.alive: names no {job}"),
        ({**TEMPLATE, "options": ["-x"]}, "launch.options: has no meaning"),
        ({**TEMPLATE, "job": "no group"}, "launch.job"),
        (
            {"kind": "slurm", "hand_on": ["A=b"]},
            "launch.hand_on[1]: 'A=b' is not the beginning",
        ),
        ({"kind": "slurm", "poll": "0 s"}, "launch.poll"),
        ({"kind": "cloud"}, "launch.kind"),
        ({"kind": "slurm", "options": ["-N1", "--clusters=b"]}, "launch.options[2]: '--clusters=b'"),
        ({"kind": "slurm", "options": ["--ntasks={p}"]}, "launch.options[1]: unknown placeholder {p}"),
        ({**TEMPLATE, "submit": ["qsub", "{scrpt}", "{script}"]}, "launch.submit[2]: unknown placeholder"),
        ({**TEMPLATE, "cancel": ["qdel", "{script}", "{job}"]}, "launch.cancel[2]: unknown placeholder"),
    ],
)
def test_what_a_kind_does_not_know_or_lacks_is_refused_with_its_place(launch, message):
    with pytest.raises(SpecError) as refused:
        read(**launch)
    assert message in refused.value.message
    assert refused.value.hint


def test_a_factor_stands_in_the_options_of_its_own_jobs():
    spec = experiment(
        program={"command": ["prog", "{p}"]},
        factors={"p": [2, 4]},
        launch={"kind": "slurm", "options": ["--ntasks={p}"]},
    )
    assert find_queue_factors(spec.launch, spec.factors) == ("p",)


def test_the_directory_of_the_spec_and_braces_of_text_may_stand_in_words_of_a_queue():
    words = ["--chdir={source}", "{{p}}", "${HOME}", "{print $1}"]
    assert read(kind="slurm", options=words).options == tuple(words)


@pytest.mark.parametrize(
    "launch", [{"kind": "slurm", "options": ["-N1"]}, {**TEMPLATE, "job": r"(\d+)", "poll": 3}]
)
def test_a_launch_survives_being_written(launch, tmp_path):
    spec_ = experiment(name="it", source=str(tmp_path), program={"command": ["true"]}, launch=launch)
    assert loads(dumps(spec_), source=tmp_path) == spec_
