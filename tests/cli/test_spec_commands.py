"""``run``, ``plan``, ``status`` and ``analyze`` on a spec, as a user types them."""

from __future__ import annotations

import json

import pytest

SPEC = """\
name = "counting"

[program]
# It says itself what it costs, with some noise that depends on its number: no clock decides.
command = ["awk", 'BEGIN {{ print "cost=" {seconds} * (1 + "{trial}" % 5 / 100) }}']

[metrics]
cost_s = { source = "stdout", pattern = "cost=(.*)", unit = "s" }

[analysis]
metric = "cost_s"

[factors]
seconds = [0.001, 0.02]

[design]
blocks = 4
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "it.toml"
    path.write_text(SPEC)
    return path


@pytest.mark.extensions("plan")
def test_a_spec_is_planned_run_and_answered(steelyard_cli, spec):
    planned = steelyard_cli("plan", "it.toml")
    assert planned.returncode == 0, planned.stderr
    assert "2 treatments in each of 4 blocks" in planned.stdout
    assert "0.02 * (1 + " in planned.stdout
    assert not spec.with_suffix(".lab").exists()
    done = steelyard_cli("run", "it.toml")
    assert done.returncode == 0, done.stderr
    assert "0.02 is" in done.stdout
    assert "slower than seconds=0.001" in done.stdout
    assert (spec.with_suffix(".lab") / "spec.toml").read_text() == SPEC
    assert steelyard_cli("analyze", "it.lab").stdout == done.stdout
    assert steelyard_cli("analyze", "it.toml").stdout == done.stdout


@pytest.mark.extensions("plan")
def test_a_plan_of_what_would_be_refused_here_is_a_plan_and_says_so(steelyard_cli, spec):
    spec.write_text(SPEC.replace('"awk"', '"./no-such-awk"'))
    planned = steelyard_cli("plan", "it.toml")
    assert (planned.returncode, planned.stderr) == (0, "")
    assert "Run on this machine, it would be refused\n- the program ./no-such-awk does not" in planned.stdout
    done = steelyard_cli("run", "it.toml")
    assert done.returncode == 2
    (refused,) = json.loads(steelyard_cli("plan", "--json", "it.toml").stdout)["refused"]
    assert done.stderr == f"error: {refused['error']}\n\nhint: {refused['hint']}\n"


@pytest.mark.extensions("plan")
def test_the_order_that_a_plan_shows_is_the_order_that_is_run(steelyard_cli, spec):
    planned = json.loads(steelyard_cli("plan", "--json", "it.toml").stdout)
    steelyard_cli("run", "it.toml")
    from steelyard.store import Record

    with Record.open(spec.with_suffix(".lab")) as record:
        labels = {treatment.id: treatment.label for treatment in record.treatments}
        first = next(outcome.block for outcome in record.outcomes() if not outcome.block.discard)
    assert planned["first_block"] == [labels[item] for item in first.order]


def test_status_tells_how_far_a_record_is(steelyard_cli, spec):
    before = steelyard_cli("status", "it.toml")
    assert (before.returncode, before.stdout) == (2, "")
    assert before.stderr.endswith("hint: steelyard run it.toml\n")
    steelyard_cli("run", "it.toml")
    status = json.loads(steelyard_cli("status", "--json", "it.lab").stdout)
    assert (status["state"], status["blocks_done"], status["trials_done"]) == ("complete", 4, 10)
    assert "complete" in steelyard_cli("status", "it.lab").stdout


def test_a_changed_spec_is_refused_with_the_difference(steelyard_cli, spec):
    steelyard_cli("run", "it.toml")
    spec.write_text(SPEC.replace("blocks = 4", "blocks = 5"))
    done = steelyard_cli("run", "it.toml")
    assert done.returncode == 2
    assert "design.blocks: 4 → 5" in done.stderr


def test_an_error_of_the_spec_names_file_key_value_and_cure(steelyard_cli, spec):
    spec.write_text(SPEC.replace("blocks = 4", "blocks = 4\nblokcs = 5"))
    done = steelyard_cli("run", "it.toml")
    assert done.returncode == 2
    assert "it.toml" in done.stderr
    assert "blokcs" in done.stderr
    assert "blocks" in done.stderr.partition("hint: ")[2]


def test_another_metric_can_be_asked_for(steelyard_cli, spec):
    steelyard_cli("run", "it.toml")
    done = steelyard_cli("analyze", "--metric", "rss_bytes", "it.lab")
    assert done.returncode == 0
    assert "rss_bytes" in done.stdout
    wrong = steelyard_cli("analyze", "--metric", "rss", "it.lab")
    assert wrong.returncode == 2
    assert "rss" in wrong.stderr


def test_something_that_is_no_record_is_said_to_be_none(steelyard_cli, tmp_path):
    (tmp_path / "notes").mkdir()
    for command in ("analyze", "status"):
        done = steelyard_cli(command, "notes")
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert "Traceback" not in done.stderr


def test_a_spec_that_had_ended_is_not_run_again_and_says_how_to_measure_more(steelyard_cli, spec):
    first = steelyard_cli("run", "it.toml")
    again = steelyard_cli("run", "it.toml")
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "is finished, with 4 blocks; nothing was run, and this is its answer." in again.stderr
    command = again.stderr.rsplit("steelyard ", 1)[1].split()
    assert command[-2:] == ["--extend", "4"]
    process = steelyard_cli(*command)
    assert process.returncode == 0, process.stderr
    assert "Blocks were added 1 time after an answer from 4 blocks" in " ".join(process.stdout.split())
    assert "8 blocks in one context)" in " ".join(process.stdout.split())
    document = json.loads(steelyard_cli("analyze", "it.lab", "--json").stdout)
    assert document["design"]["extended_from"] == [4]
    # p and intervals allow for both answers (stats.sequential), at the level that was declared.
    assert document["alpha"] == 0.05
    assert "extended" in {warning["kind"] for warning in document["warnings"]}


def test_nothing_can_be_added_before_there_is_anything(steelyard_cli, spec):
    done = steelyard_cli("run", "it.toml", "--extend", "4")
    assert (done.returncode, done.stdout) == (2, "")
    assert "hint: leave --extend out" in done.stderr
    assert not spec.with_suffix(".lab").exists()


def test_a_spec_that_only_wants_more_blocks_is_told_how_to_add_them(steelyard_cli, spec):
    steelyard_cli("run", "it.toml")
    spec.write_text(SPEC.replace("blocks = 4", "blocks = 10"))
    refused = steelyard_cli("run", "it.toml")
    assert refused.returncode == 2
    assert "design.blocks: 4 → 10" in refused.stderr
    assert "--extend 6 adds as many blocks" in refused.stderr
