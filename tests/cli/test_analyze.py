from __future__ import annotations

import json

import pytest

SPEC = """
name = "estimands"
[program]
commands = { a = ["/bin/true"], b = ["/bin/echo", "x"] }
[design]
blocks = 8
"""


@pytest.fixture
def record(steelyard_cli, tmp_path):
    (tmp_path / "it.toml").write_text(SPEC)
    assert steelyard_cli("run", "it.toml").returncode == 0
    return "it.lab"


def test_another_estimand_and_interval_are_an_option_away(steelyard_cli, record):
    arguments = ("--estimand", "ratio_of_means", "--interval", "bootstrap-t", "--json")
    item, again = (steelyard_cli("analyze", record, *arguments) for _ in range(2))
    assert item.stdout == again.stdout  # what is drawn depends on the seed of the design
    (comparison, *_) = json.loads(item.stdout)["comparisons"]
    assert (comparison["estimand"], comparison["speedup"]["method"]) == (
        "ratio_of_means",
        "block-means-bootstrap-t",
    )
    text = steelyard_cli("analyze", record, "--estimand", "median_ratio").stdout
    assert "median of ratios" in text


def test_an_interval_that_does_not_fit_is_a_usage_error_with_those_that_do(steelyard_cli, record):
    done = steelyard_cli("analyze", record, "--interval", "fieller")
    assert done.returncode == 2
    assert done.stderr == (
        "error: geomean_ratio has no interval by fieller\n\n"
        "hint: --interval with one of: sign-flip, log-delta, bootstrap-t\n"
    )


def test_the_budget_stands_below_the_answer(steelyard_cli, record):
    done = steelyard_cli("analyze", record, "--budget")
    assert "b against a: contributions to the uncertainty of the speedup" in done.stdout
    assert "cost of" in done.stdout
    assert "U95 = " in done.stdout


LIMITED = """
[program]
command = ["/bin/sh", "-c", "echo size={n}"]
[factors]
n = [1, 2, 4, 8]
[metrics]
size = { source = "stdout", pattern = "size=([0-9]+)" }
[design]
blocks = 2
[analysis]
metric = "size"
[[claims]]
limit = "size"
max = 3
"""


@pytest.mark.extensions("growth")
def test_an_answer_with_a_model_leaves_stderr_to_errors(steelyard_cli, tmp_path):
    """The kernels, which search for the model, would otherwise tell what the way out leaves to the system."""
    (tmp_path / "it.toml").write_text(LIMITED)
    assert steelyard_cli("run", "it.toml").returncode == 0
    done = steelyard_cli("analyze", "it.lab")
    assert "Warnings about models" in done.stdout
    assert done.stderr == ""
