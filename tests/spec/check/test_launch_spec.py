"""``[launch]``: kinds, their keys, and what is refused before anything runs."""

from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError, UsageError
from steelyard.spec import dumps, experiment, loads
from steelyard.spec.experiment import LaunchMethod
from steelyard.spec.ranks import ranks_of
from steelyard.spec.simgrid import ALGORITHMS
from steelyard.spec.simulated import Shares, scatter_seed, shares_of


def launching(factors=None, **table) -> LaunchMethod:
    used = "{alg}" if factors and "alg" in factors else "x"
    return experiment(program={"command": ["a", used]}, factors=factors or {}, launch=table).launch


SMPI = {"kind": "smpi", "ranks": 4, "platform": "m.xml"}


def test_a_number_and_a_factor_are_ranks():
    assert ranks_of(launching(kind="mpi", ranks=4).ranks, {}) == 4
    by_factor = launching({"p": [2, 8]}, kind="mpi", ranks="{p}")
    assert [ranks_of(by_factor.ranks, {"p": p}) for p in (2, 8)] == [2, 8]


@pytest.mark.parametrize("text", ["0", "-1", "2.5", "many", "1048577", "99999999999999999999"])
def test_what_is_no_number_of_ranks_is_refused(text):
    with pytest.raises(UsageError, match="not a number of ranks"):
        ranks_of(text, {})


@pytest.mark.parametrize(
    ("table", "text", "hint"),
    [
        ({"kind": "mpi"}, "the key ranks is missing", "ranks = 4"),
        ({"kind": "local", "ranks": 2}, "launch.ranks: has no meaning", 'kind = "mpi" or "smpi" or "slurm"'),
        ({"kind": "mpi", "ranks": 2, "platform": "x"}, "launch.platform: has no meaning", '"smpi"'),
        ({"kind": "mpi", "ranks": 2, "implementation": "opnmpi"}, "'opnmpi'", "did you mean openmpi?"),
        ({"kind": "mpi", "ranks": "two"}, "not a number of ranks", "integers"),
        ({"kind": "smpi", "ranks": 2}, "the key platform is missing", "platform ="),
        ({**SMPI, "selector": "mpch"}, "unknown selector 'mpch'", "did you mean mpich?"),
        ({**SMPI, "algorithms": {"bcast": "binomal_tree"}}, "bcast has no algorithm", "binomial_tree"),
        ({**SMPI, "algorithms": {"scan": "x"}}, "unknown operation 'scan'", "operations"),
        ({"kind": "mpi", "ranks": "{q}"}, "{q}", "factors"),
        ({"kind": "mpi", "ranks": 2, "noise": {"links": 0.1}}, "launch.noise: has no meaning", '"smpi"'),
        ({**SMPI, "noise": {"links": "1.0"}}, '"1.0" is not a fraction of time', "below 1"),
        ({**SMPI, "noise": {"hosts": "much"}}, '"much" is not a fraction of time', "as in 0.1"),
        ({**SMPI, "noise": {"hosts": "nan"}}, '"nan" is not a fraction of time', "as in 0.1"),
        ({**SMPI, "placement": "spread"}, "unknown placement 'spread'", "packed, scattered"),
        ({**SMPI, "placement": "scattered", "seed": "{trial}"}, "hosts are scattered for a", "by a factor"),
        ({**SMPI, "placement": "scattered", "seed": "-1"}, '"-1" is not a seed', "an integer"),
        ({**SMPI, "placement": "scattered", "seed": str(1 << 63)}, "is not a seed", "2^63 - 1"),
        ({**SMPI, "noise": {"hosts": 0.1}, "seed": "a{trial}"}, "is not a seed", "an integer"),
        ({**SMPI, "noise": {"hosts": 0.1}, "seed": "٣{trial}"}, "is not a seed", "an integer"),
        ({**SMPI, "noise": {"hosts": 0.1}, "seed": "99999999{trial}"}, "is not a seed", "2^63 - 1"),
        ({**SMPI, "noise": {"hosts": 0.1}, "seed": "0" * 20 + "9" * 20}, "is not a seed", "2^63 - 1"),
        ({**SMPI, "seed": 2}, "launch.seed: has no effect", "placement = "),
    ],
)
def test_what_cannot_be_launched_is_refused_with_its_cure(table, text, hint):
    with pytest.raises(SpecError) as caught:
        launching(**table)
    assert text in caught.value.message
    assert hint in (caught.value.hint or "")


def test_every_level_of_a_factor_is_judged_as_an_algorithm():
    good = launching({"alg": ["rdb", "ring"]}, **{**SMPI, "algorithms": {"allgather": "{alg}"}})
    assert good.algorithms == {"allgather": "{alg}"}
    with pytest.raises(SpecError, match="allgather has no algorithm 'tree'"):
        launching({"alg": ["rdb", "tree"]}, **{**SMPI, "algorithms": {"allgather": "{alg}"}})


def test_every_level_of_a_factor_is_judged_as_noise_and_as_placement():
    inputs = {**SMPI, "noise": {"links": "{alg}"}, "seed": "{trial}"}
    assert shares_of(launching({"alg": [0, 0.5]}, **inputs), {"alg": 0.5}) == Shares(0.5, 0.0)
    with pytest.raises(SpecError, match=r"launch\.noise: \"1\.5\" is not a fraction"):
        launching({"alg": [0, 1.5]}, **inputs)
    placed = launching({"alg": ["packed", "scattered"]}, **{**SMPI, "placement": "{alg}", "seed": 7})
    assert [scatter_seed(placed, {"alg": level}) for level in ("packed", "scattered")] == [None, 7]
    with pytest.raises(SpecError, match=r"launch\.placement: unknown placement 'x'"):
        launching({"alg": ["packed", "x"]}, **{**SMPI, "placement": "{alg}"})


def test_a_factor_that_only_the_launch_uses_is_used():
    launching({"p": [1, 2]}, kind="mpi", ranks="{p}")


def test_a_launch_survives_being_written_and_read():
    for table in (
        {"kind": "mpi", "ranks": "{p}", "implementation": "mpich", "binding": "none", "arguments": ["-v"]},
        {**SMPI, "ranks": "{p}", "algorithms": {"bcast": "NTSL"}, "selector": "impi"},
        {**SMPI, "noise": {"links": 0.25, "hosts": "0.{p}"}, "placement": "scattered", "seed": "{p}"},
        {**SMPI, "ranks": "{p}", "noise": {"hosts": 0.5}, "seed": "{trial}"},
    ):
        first = experiment(name="n", source="/", program={"command": ["a"]}, factors={"p": [1]}, launch=table)
        assert loads(dumps(first), source="/") == first


def test_there_are_algorithms_for_all_operations_of_the_study():
    assert {"barrier", "bcast", "reduce", "allreduce", "gather", "allgather", "alltoall"} <= set(ALGORITHMS)
    assert sum(map(len, ALGORITHMS.values())) > 115
