"""Hosts in a spec: names that are no options of ssh and no text for a shell, and what is copied to them."""

from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.interventions.node import Node
from steelyard.spec import experiment


def declare(**launch):
    return experiment(
        name="it",
        program={"command": ["true"]},
        design={"blocks": 4},
        launch={"kind": "hosts", "hosts": ["n1", "n2"], **launch},
    )


@pytest.mark.parametrize(
    "name",
    [
        "-oProxyCommand=touch x",
        "n1 n2",
        "n1\nn2",
        "n1;id",
        "$(id)",
        "me@n1",
        "",
        "n1\x00",
        "[::1]",
        "a" * 300,
    ],
)
def test_what_ssh_or_a_shell_would_take_for_more_is_no_name(name):
    with pytest.raises(SpecError, match=r"launch\.hosts\[2\].*is not the name of a host"):
        declare(hosts=["n1", name])


REFUSED = {
    "no host": ({"hosts": []}, "names no host"),
    "a host twice": ({"hosts": ["n1", "n1"]}, "n1"),
    "no program": ({"ssh": []}, "names no program"),
    "words of a queue": ({"submit": ["qsub", "{script}"]}, "no meaning for kind"),
    "jobs": ({"jobs": 2}, "no meaning for kind"),
    "files that are copied nowhere": (
        {"files": ["a"]},
        r"launch\.files: .*has no effect with",
    ),
    "files from elsewhere": ({"files": ["../a"], "stage": "copy"}, "not below the directory"),
    "files of the system": ({"files": ["/etc/passwd"], "stage": "copy"}, "not below the directory"),
    "another way to bring them there": ({"stage": "rsync"}, "stage"),
    "a placeholder": ({"ssh": ["ssh", "{host}"]}, "unknown placeholder {host}"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_hosts_cannot_do_is_refused_with_its_place(case):
    lines, message = REFUSED[case]
    with pytest.raises(SpecError, match=message):
        declare(**lines)


def test_hosts_are_for_no_other_kind():
    with pytest.raises(SpecError, match="no meaning for kind"):
        declare(kind="slurm")


def test_hosts_are_drawn_as_nodes_are():
    contexts = declare().contexts
    assert contexts is not None
    assert contexts.settings == {Node.name: ("n1", "n2")}
    assert declare(hosts=["n1"]).contexts is None


def test_other_contexts_stay_beside_hosts_and_nodes_are_not_named_twice():
    asks = {"name": "it", "program": {"command": ["true"]}, "launch": {"kind": "hosts", "hosts": ["a", "b"]}}
    drawn = experiment(**asks, design={"blocks": 4}, contexts={"env_bytes": 64}).contexts
    assert drawn is not None
    assert drawn.settings == {"env_bytes": 64, Node.name: ("a", "b")}
    with pytest.raises(SpecError, match="drawn from those under"):
        experiment(**asks, design={"blocks": 4}, contexts={"node": ["a", "b"]})
    with pytest.raises(SpecError, match="a block lies on one host"):
        experiment(**asks, design={"blocks": 4, "order": "sequential"})
