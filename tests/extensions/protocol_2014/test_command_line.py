"""``--protocol`` and ``--against``, as a user types them."""

from __future__ import annotations

import json

import pytest

SPEC = """\
name = "programs"
[program]
# It says itself what it costs, with some noise that depends on its number: no clock decides.
command = ["awk", 'BEGIN {{ print "cost=" {seconds} * (1 + "{trial}" % 5 / 100) }}']
env = { ROUND = "{round}" }
[metrics]
cost_s = { source = "stdout", pattern = "cost=(.*)", unit = "s" }
[factors]
seconds = [0.001, 0.02]
round = [1, 2]
[design]
blocks = 4
[analysis]
metric = "cost_s"
strata = ["round"]
"""


@pytest.fixture
def record(steelyard_cli, tmp_path):
    (tmp_path / "it.toml").write_text(SPEC)
    done = steelyard_cli("run", "it.toml", "--protocol", "nogueira-matias-2014")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_protocol_answers_after_a_run_and_later_alike(steelyard_cli, record):
    assert record.startswith("nogueira-matias-2014: 2 of 2 pairs differ after Holm, 2 before")
    assert "it treats what blocks share as noise" in record
    again = steelyard_cli("analyze", "it.toml", "--protocol", "nogueira-matias-2014")
    assert again.stdout == record
    assert "nogueira" not in steelyard_cli("analyze", "it.toml").stdout


def test_its_document_holds_every_step_and_the_tables(steelyard_cli, record):
    done = steelyard_cli("analyze", "it.lab", "--protocol", "nogueira-matias-2014", "--json", "--strict")
    assert done.returncode == 0, done.stderr
    protocol = json.loads(done.stdout)["protocol"]
    assert protocol["name"] == "nogueira-matias-2014"
    assert {pair["difference"] for pair in protocol["pairs"]} == {"slower"}
    assert all(pair["p_holm"] == pair["p"] and pair["family_size"] == 1 for pair in protocol["pairs"])
    assert [row["program"] for row in protocol["programs"]["rows"]] == ["1", "2"]


def test_another_baseline_turns_the_verdict_over(steelyard_cli, record):
    done = steelyard_cli("analyze", "it.lab", "--against", "seconds=0.02")
    assert "faster than seconds=0.02" in done.stdout
    wrong = steelyard_cli("analyze", "it.lab", "--against", "seconds=7")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(
        "error: --against 'seconds=7': seconds has no such level\n\nhint: one of: "
    )
