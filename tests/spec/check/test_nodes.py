"""Nodes in ``[contexts]``: what they need of the queue and of the design."""

from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import loads
from steelyard.spec.check.nodes import find_partition

HEAD = '[program]\ncommands = { a = ["true"], b = ["false"] }\n'
SLURM = '[launch]\nkind = "slurm"\noptions = {options}\n'
TEMPLATE = '[launch]\nkind = "template"\nscript = "job.sh"\nsubmit = {submit}\ncancel = ["qdel", "{{job}}"]\n'
NAMED = '[contexts]\nnode = ["n1", "n2"]\n'
RANDOM = '[contexts]\nnode = "random"\n'
PLACED = '["qsub", "{node}", "{script}"]'


def read(*parts):
    return loads(HEAD + "".join(parts), source="/source")


def slurm(*options):
    return SLURM.format(options=list(options)).replace("'", '"')


def test_nodes_are_drawn_of_slurm_and_named_of_another_queue():
    assert read(RANDOM, slurm("--nodes=1")).contexts.settings == {"node": "random"}
    assert read(NAMED, slurm("-N1", "--exclude=n9")).contexts.settings == {"node": ("n1", "n2")}
    assert read(NAMED, TEMPLATE.format(submit=PLACED)).launch.submit[1] == "{node}"
    # How many nodes there are is not known before the queue is asked.
    many = "[design]\nblocks = 30\n"
    assert read(many, RANDOM, "passes = 3\n", slurm()).contexts.passes == 3


@pytest.mark.parametrize(
    ("parts", "key", "says"),
    [
        ((NAMED,), "contexts.node", "trials run only on this machine"),
        ((RANDOM, TEMPLATE.format(submit=PLACED)), "contexts.node", "only Slurm is asked for its nodes"),
        ((NAMED, TEMPLATE.format(submit='["qsub", "{script}"]')), "launch.submit", "names no {node}"),
        ((TEMPLATE.format(submit=PLACED),), "launch.submit[2]", "{node} is drawn nowhere"),
        ((NAMED, slurm("--nodelist=n3")), "launch.options[1]", "--nodelist chooses nodes too"),
        ((NAMED, slurm("-w", "n3")), "launch.options[1]", "-w chooses nodes too"),
        ((RANDOM, slurm("--constraint=gpu")), "launch.options[1]", "--constraint chooses nodes too"),
        ((NAMED, slurm("--nodes=4")), "launch.options[1]", "asks for 4 nodes"),
        ((NAMED, slurm("-N", "2-4")), "launch.options[1]", "asks for 2-4 nodes"),
        (('[design]\norder = "sequential"\n', NAMED, slurm()), "contexts.node", "no blocks"),
        (('[contexts]\nnode = ["-n1", "n2"]\n', slurm()), "contexts.node[1]", "'-n1' is not a level of node"),
        (('[factors]\nnode = ["n1", "n2"]\n',), "factors.node", "so blocks cannot compare machines"),
    ],
)
def test_what_gives_no_block_one_node_is_refused_with_the_place(parts, key, says):
    with pytest.raises(SpecError) as caught:
        read(*parts)
    assert f"{key}: " in caught.value.message
    assert says in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("words", "partition"),
    [
        (["--partition=long", "-N1"], "long"),
        (["-p", "long"], "long"),
        (["-plong"], "long"),
        (["--partition", "long"], "long"),
        (["--time=3"], None),
    ],
)
def test_the_partition_is_found_in_each_way_to_write_it(words, partition):
    assert find_partition(words) == partition
