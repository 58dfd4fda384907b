from __future__ import annotations

import pytest

from steelyard.extensions.plan.question import format_where
from steelyard.spec import experiment


@pytest.mark.parametrize(
    ("launch", "words"),
    [
        ({"kind": "local"}, "on this machine"),
        (
            {"kind": "mpi", "ranks": "{p}", "implementation": "openmpi"},
            "on this machine, {p} ranks by mpirun of Open MPI, each bound to a core while there are enough",
        ),
        (
            {"kind": "mpi", "ranks": 1, "mpirun": "/opt/mpi/bin/mpirun", "binding": "none"},
            "on this machine, 1 rank by /opt/mpi/bin/mpirun, not bound to CPUs",
        ),
        (
            {
                "kind": "smpi",
                "ranks": "{p}",
                "platform": "t",
                "algorithms": {"bcast": "binomial_tree", "reduce": "ompi"},
            },
            "on a machine that SimGrid simulates (t), {p} ranks, bcast by binomial_tree and reduce by ompi",
        ),
        (
            {
                "kind": "smpi",
                "ranks": 2,
                "platform": "t",
                "placement": "scattered",
                "noise": {"links": "0.{p}", "hosts": 0.1},
                "seed": "{p}",
            },
            (
                "on a machine that SimGrid simulates (t), 2 ranks, hosts scattered,"
                " 0.{p} of links and 0.1 of cores taken by noise, drawn by seed {p}"
            ),
        ),
        (
            {"kind": "slurm", "options": ["--partition", "big mem"]},
            "in jobs of Slurm: sbatch --partition 'big mem'",
        ),
        (
            {
                "kind": "template",
                "script": "job.sh",
                "submit": ["qsub", "-o", "{log}", "{script}"],
                "cancel": ["qdel", "{job}"],
            },
            "in jobs of a queue: qsub -o {log} {script}",
        ),
    ],
)
def test_every_kind_of_launch_says_where_trials_run(launch, words):
    spec_ = experiment(name="x", program={"command": ["./a", "{p}"]}, factors={"p": [2, 4]}, launch=launch)
    assert format_where(spec_.launch) == words


def test_ranks_of_a_factor_are_its_levels():
    spec_ = experiment(
        name="x",
        program={"command": ["./a"]},
        factors={"p": [2, 4, 8]},
        launch={"kind": "mpi", "ranks": "{p}"},
    )
    assert format_where(spec_.launch, spec_.factors).startswith("on this machine, 2, 4 and 8 ranks by mpirun")
