"""Profilers: what is refused before the first run, and what perf samples of a real program."""

from __future__ import annotations

import subprocess

import pytest

from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.extensions.explain import sampling
from steelyard.extensions.explain.sampling import Perf, ProfileCommand


def test_without_perf_its_package_is_named_and_the_way_without(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="perf, which is not found") as caught:
        Perf().refuse_missing()
    assert caught.value.hint == "apt-get install linux-perf; or another profiler: --profile-command"


def test_where_perf_may_not_sample_the_one_setting_is_named(monkeypatch, tmp_path):
    refusal = "Error:\\nAccess to performance monitoring and observability operations is limited: permission"
    (tmp_path / "perf").write_text(f"#!/bin/sh\nprintf '{refusal}\\n' >&2\nexit 255\n")
    (tmp_path / "perf").chmod(0o755)
    (tmp_path / "paranoid").write_text("3\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(sampling, "_PARANOID", tmp_path / "paranoid")
    with pytest.raises(MachineError, match="perf may not sample on this machine") as caught:
        Perf(99).refuse_missing()
    assert caught.value.hint == "sysctl kernel.perf_event_paranoid=2"
    (tmp_path / "paranoid").write_text("1\n")
    with pytest.raises(MachineError) as caught:
        Perf(99).refuse_missing()
    assert "--cap-add PERFMON" in caught.value.hint


def test_a_rate_that_the_kernel_does_not_allow_is_refused_with_the_highest(monkeypatch, tmp_path, perf):
    (tmp_path / "rate").write_text("1000\n")
    monkeypatch.setattr(sampling, "_MAX_RATE", tmp_path / "rate")
    with pytest.raises(MachineError, match="allows 1000 samples a second, and not 4999") as caught:
        perf.refuse_missing()
    assert caught.value.hint.startswith("--rate 1000, or sysctl")


@pytest.mark.parametrize(
    "text", ["py-spy -o {profile}", "py-spy {command}", "py-spy '{command} x' {profile}"]
)
def test_a_profile_command_without_its_two_places_is_refused(text):
    with pytest.raises(UsageError, match="as a word"):
        ProfileCommand(text)


def test_a_profile_command_has_the_program_and_the_file_in_its_places():
    profiler = ProfileCommand("prof --out={profile} -- {command}")
    assert profiler.wrap(["./p", "a b"], "/x/1") == ("prof", "--out=/x/1", "--", "./p", "a b")


def test_a_profiler_that_wrote_nothing_is_named(tmp_path):
    with pytest.raises(ProgramError, match=r"the profiler prof wrote no \{profile\} in trial 3"):
        ProfileCommand("prof {profile} {command}").read({3: tmp_path / "none"}, ())


def test_perf_samples_the_functions_of_a_program_with_their_lines(perf, compiled, tmp_path):
    program = compiled("program")
    file = tmp_path / "1.profile"
    subprocess.run(perf.wrap([str(program)], str(file)), check=True, capture_output=True)
    profile = perf.read({1: file}, {"program"})[1]
    functions = {chain[-1].name: chain[-1] for chain in profile.weights}
    assert {"parse", "insert"} <= functions.keys()
    assert functions["parse"].file.endswith("program.c")
    assert functions["parse"].line == 8
    assert profile.samples >= 10
