"""``analyze --by-context``: the figures of contexts, and their data."""

from __future__ import annotations

import json

SPEC = """
[program]
command = ["sh", "-c", "exit 0", "{word}"]
[factors]
word = ["a", "b"]
[contexts]
env_bytes = "random"
passes = 2
[design]
blocks = 8
"""


def test_each_treatment_and_each_comparison_is_shown_context_by_context(steelyard_cli, tmp_path):
    (tmp_path / "c.toml").write_text(SPEC)
    assert steelyard_cli("run", "c.toml").returncode == 0
    done = steelyard_cli("analyze", "c.lab", "--by-context")
    assert done.returncode == 0, done.stderr
    assert "a: wall_s by context, change against the mean of all" in done.stdout
    assert "b over a: contexts by speedup" in done.stdout
    assert "A: all contexts together, " in done.stdout
    assert "of 4 contexts alone would say faster" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    document = json.loads(steelyard_cli("analyze", "c.lab", "--by-context", "--json").stdout)
    assert (document["format"], document["version"]) == ("steelyard/by-context", 1)
    (comparison,) = document["comparisons"]
    low, high = comparison["prediction95"]
    assert low < comparison["ci95"][0] < comparison["speedup"] < comparison["ci95"][1] < high
    assert len(comparison["single"]) == 4
    settings = [at["settings"]["env_bytes"] for at in document["profiles"][0]["at"]]
    assert len(set(settings)) == 4
    assert all(at["visits"] == 2 and at["ci95"] for at in document["profiles"][0]["at"])


def test_a_record_of_one_context_is_an_error_that_says_how_to_draw_some(steelyard_cli, tmp_path):
    (tmp_path / "c.toml").write_text(
        SPEC.replace('env_bytes = "random"', "env_bytes = 16").replace("passes = 2", "")
    )
    assert steelyard_cli("run", "c.toml").returncode == 0
    done = steelyard_cli("analyze", "c.lab", "--by-context")
    assert done.returncode == 2
    assert done.stderr.startswith("error: c.lab has one context only\n\nhint: draw some: env_bytes")
