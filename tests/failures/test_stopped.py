"""A program that a signal stops: more time is no cure."""

from __future__ import annotations

import pytest

SPEC = """\
name = "stopped"
[program]
command = ["sh", "-c", '''{command}''']
timeout = 0.2
[design]
blocks = 3
discard = {discard}
seed = 1
"""


@pytest.mark.parametrize("discard", [0, 1])
@pytest.mark.parametrize("command", ["kill -STOP $$", 'sh -c "kill -STOP \\$\\$; true"; true'])
def test_a_program_or_its_child_that_stops_is_told_as_stopped(steelyard_cli, tmp_path, command, discard):
    (tmp_path / "a.toml").write_text(SPEC.format(command=command, discard=discard))
    process = steelyard_cli("run", "a.toml", cwd=tmp_path)
    assert process.returncode != 0
    assert "was stopped by a signal, and nobody continued it until its time limit of 0.2 s" in process.stderr
    assert "more time does not help" in process.stderr
    assert "give it more time" not in process.stderr


def test_a_program_that_only_takes_long_is_given_more_time(steelyard_cli, tmp_path):
    (tmp_path / "a.toml").write_text(SPEC.format(command="sleep 9", discard=0))
    process = steelyard_cli("run", "a.toml", cwd=tmp_path)
    assert "was still running at its time limit of 0.2 s" in process.stderr
    assert "give it more time" in process.stderr
