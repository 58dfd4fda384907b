"""The functions of a place: those of a record of real launches, by what its spec varies."""

from __future__ import annotations

import json

SPEC = """\
name = "steps"
[program]
command = ["/bin/sh", "-c", "if [ {kind} = loop ]; then echo {n}; else echo $(({n} * {n})); fi"]
[factors]
kind = ["loop", "pairs"]
n = [8, 16, 32, 64, 128]
[metrics]
steps = { source = "stdout", pattern = "([0-9]+)$" }
[design]
blocks = 2
discard = 0
"""


def test_a_record_is_modelled_by_the_factor_that_is_named(steelyard_cli, tmp_path):
    (tmp_path / "steps.toml").write_text(SPEC)
    assert steelyard_cli("run", "steps.toml", cwd=tmp_path).returncode == 0
    options = ("--parameter", "n", "--metric", "steps", "--expect", "loop=O(n)", "--expect", "pairs=O(n)")
    done = steelyard_cli("model", "steps.lab", *options, "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    ranks = {model["name"]: model["rank"] for model in json.loads(done.stdout)["models"]}
    assert ranks == {"loop": "match", "pairs": "none"}
