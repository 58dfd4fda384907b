"""What a plan says of the machine that it was made on, and what is refused before anything runs."""

from __future__ import annotations

import pytest

from steelyard.errors import MachineError
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.governor import Governor
from steelyard.interventions.nice import Nice
from steelyard.interventions.transparent_huge_pages import TransparentHugePages
from steelyard.lab.run.preflight import in_words, levels_asked, refuse_missing
from steelyard.lab.run.run import run


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """No frequencies, huge pages that may be set, and no right to be preferred."""
    (tmp_path / "enabled").write_text("always [madvise] never\n")
    monkeypatch.setitem(INTERVENTIONS, "governor", Governor(lambda: frozenset({0}), tmp_path))
    monkeypatch.setitem(INTERVENTIONS, "nice", Nice(lambda: 0))
    monkeypatch.setitem(INTERVENTIONS, "transparent_huge_pages", TransparentHugePages(tmp_path / "enabled"))


def test_an_intervention_of_the_child_is_said_to_change_the_program_only(made, machine):
    (said,) = in_words(made(contexts={"env_bytes": "random"}))
    assert said.startswith("env_bytes: bytes by which the environment grows")
    assert said.endswith("; of the program only")


def test_levels_that_change_the_host_are_named(made, machine):
    (said,) = in_words(made(factors={"transparent_huge_pages": ["never", "always"]}))
    assert '"always": of the host, put back at the end' in said
    assert "otherwise of the program only" in said or "; of the program only" not in said


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"factors": {"nice": [0, -5]}}, "nice = -5 cannot be had here: this process may give nice values"),
        ({"contexts": {"governor": ["system", "performance"]}}, "governor = 'performance' cannot be had"),
        ({"contexts": {"governor": "random"}}, "governor = 'performance' cannot be had"),
        ({"contexts": {"nice": {"range": [-3, 3]}}}, "nice = -3 cannot be had"),
    ],
)
def test_what_the_machine_lacks_is_refused_by_exit_code_4_before_anything_runs(
    made, machine, tmp_path, keys, told
):
    asked = made(**keys)
    with pytest.raises(MachineError) as caught:
        run(asked, tmp_path / "made.lab")
    assert caught.value.exit_code == 4
    assert caught.value.message.startswith(told)
    assert not (tmp_path / "made.lab").exists()
    assert any("cannot be had here" in each for each in in_words(asked))


def test_what_can_be_had_is_not_refused(made, machine):
    refuse_missing(made(factors={"nice": [0, 5]}, contexts={"transparent_huge_pages": "random"}))


def test_of_a_long_list_of_levels_the_first_and_the_last_are_looked_at(made):
    assert levels_asked(made(contexts={"env_bytes": {"range": [0, 4096], "step": 16}})) == {
        "env_bytes": [0, 4080]
    }
    assert levels_asked(made(contexts={"env_bytes": [0, 64], "aslr": "off"})) == {
        "env_bytes": [0, 64],
        "aslr": ["off"],
    }


def test_an_intervention_by_build_is_said_to_be_another_program(made):
    asked = made(
        program={"command": ["{build}/p"]},
        build={"command": ["cc", "{padding_file}"], "inputs": ["x"]},
        contexts={"padding": "random"},
    )
    (said,) = in_words(asked)
    assert said.endswith("another program for each level, built before it is needed")
