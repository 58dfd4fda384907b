"""The Python API: what the command line does, with results that can be looked at."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard
from steelyard import Laboratory
from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.growth.scaling import series_of_frame
from steelyard.laboratory import model
from steelyard.spec import experiment

SPEC = """\
name = "counting"
[program]
# It says itself what it costs, with some noise that depends on its number: no clock decides.
command = ["awk", 'BEGIN {{ print "cost=" {seconds} * (1 + "{trial}" % 3 / 100) }}']
[metrics]
cost_s = { source = "stdout", pattern = "cost=(.*)", unit = "s" }
[analysis]
metric = "cost_s"
[factors]
seconds = [0.001, 0.008, 0.02]
[design]
blocks = 7
[[claims]]
faster = { seconds = 0.001 }
than = { seconds = 0.02 }
by = 2
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    spec = tmp_path_factory.mktemp("lab") / "it.toml"
    spec.write_text(SPEC)
    lab = Laboratory(spec)
    calls = []
    assert lab.run(calls.append) == "complete"
    assert calls[-1].blocks_wanted == 7
    return lab


def test_a_spec_is_run_analyzed_and_checked(lab):
    answer = lab.analyze()
    assert [item.verdict for item in answer.value.judged] == ["slower", "slower"]
    assert "0.02 is" in str(answer)
    assert json.loads(answer.json())["format"] == "steelyard/comparison"
    checked = lab.check()
    assert checked.value.exit_code(strict=True) == 0
    assert str(checked).startswith("✓ seconds = 0.001 faster than seconds = 0.02 by 2: holds")
    assert json.loads(checked.json())["exit"] == 0


def test_a_record_and_the_spec_beside_it_are_the_same_laboratory(lab):
    again = Laboratory(lab.directory)
    assert again.experiment == lab.experiment
    assert str(again.check()) == str(lab.check())
    assert repr(again).startswith("Laboratory('counting', record=")


def test_samples_and_plans_are_at_hand(lab):
    assert [len(sample) for sample in lab.samples()] == [7, 7, 7]
    plan = lab.plan()
    labels = ["seconds=0.001", "seconds=0.008", "seconds=0.02"]
    assert [treatment.label for treatment in plan.value.treatments] == labels
    assert str(plan).splitlines()[0] == "counting"
    assert json.loads(plan.json())["format"] == "steelyard/plan"


def test_growth_is_modelled_from_a_record(lab):
    result = lab.model("seconds", expect="O(seconds)", at={"seconds": 1.5})
    (only,) = result.value.models
    # Three points show no rank, and what is likely.
    assert (only.validation.rank, only.validation.probability.match > 0.5) == ("undecided", True)
    assert json.loads(result.json())["format"] == "steelyard/models"


def test_a_notebook_shows_what_is_printed_with_nothing_of_a_label_obeyed():
    named = experiment(
        name="x",
        program={"commands": {"<b>a": ["true"], "b": ["true"]}},
        claims=[{"faster": {"command": "<b>a"}, "than": {"command": "b"}}],
        source="/",
    )
    from steelyard.claims.verdict import Verdict
    from steelyard.laboratory import Result
    from steelyard.report.claims.text import lines

    verdict = Verdict(named.claims[0], "not_resolved", ())
    result = Result(verdict, lambda: lines((verdict,), 0.05, 100), lambda: "{}")._repr_html_()
    assert "&lt;b&gt;a faster than b" in result
    assert "<b>" not in result
    assert re.search(r'<span style="[^"]+">\?</span>', result)


@pytest.fixture
def memory(sizes, tmp_path, monkeypatch):
    """Commands and metric of comparisons on which no other process has a say."""
    monkeypatch.chdir(tmp_path)
    return sizes, {"record": tmp_path / "ab.lab", "metric": "rss_bytes"}


def test_commands_are_compared_without_a_spec(memory):
    commands, keys = memory
    lab = Laboratory.compare(*commands, rel_halfwidth=None, blocks=6, **keys)
    lab.run()
    assert lab.analyze().value.judged[0].verdict == "slower"


def test_options_of_the_command_line_have_the_same_names_here(tmp_path):
    lab = Laboratory.compare(
        "a", "b", record=tmp_path / "x.lab", name=["old", "new"], warmup=2, runs=7, timeout="2 s", margin=0.02
    )
    question = lab.experiment
    assert (question.design.discard, question.design.blocks, question.design.stop) == (2, 7, None)
    assert (question.program.timeout_s, question.analysis.margin) == (2.0, 0.02)
    assert list(question.program.commands) == ["old", "new"]


def test_one_call_runs_and_answers_and_its_result_is_short_in_a_shell(memory):
    commands, keys = memory
    result = steelyard.compare(*commands, runs=6, **keys)
    (comparison,) = result.value.judged
    assert comparison.verdict == "slower"
    assert repr(result).startswith("Result(Answer: ./large has ")
    assert "\n" not in repr(result)
    again = steelyard.compare(*commands, runs=6, **keys)
    assert again.value.design.seed == result.value.design.seed


def test_an_answer_is_a_data_frame(lab):
    pytest.importorskip("pandas")
    frame = lab.analyze().to_frame()
    costs = frame[frame.metric == "cost_s"]
    assert list(costs.treatment) == ["seconds=0.008", "seconds=0.02"]
    assert (costs.low < costs.speedup).all()
    assert list(costs.verdict) == ["slower", "slower"]
    with pytest.raises(UsageError, match="a result of type Checked has no rows"):
        lab.check().to_frame()


def test_functions_are_measured_under_their_own_names(clock):
    def short():
        clock.ns += 100_000 + clock.ns % 7

    def long():
        clock.ns += 300_000 + clock.ns % 7

    result = steelyard.measure(short, long, seed=2)
    assert [item.treatment.label for item in result.value.samples] == ["short", "long"]
    assert result.value.judged[0].verdict == "slower"
    with pytest.raises(UsageError, match="1 names for 2 functions"):
        steelyard.measure(short, long, names=["one"])


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", max_blcks=3),
            "compare has no argument max_blcks=3",
            (
                "name one of the arguments: build, cleanup, command_name, commands, conclude, contexts, "
                "counters, cpu_limit, env, ignore_failure, input, isolate, margin, max_runs, max_time, "
                "memory_limit, metric, min_runs, name, no_network, objects, output, parameter_list, "
                "precision, prepare, runs, seed, setup, shell, "
                "timeout, until, warmup"
            ),
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", max_tme=3),
            "compare has no argument max_tme=3",
            "did you mean max_time?",
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", max_time=-1),
            "max_time: -1.0 is not a time",
            'write a positive number and a unit, as in "60 s" (units: ns, us, µs, ms, s, min, h, d)',
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", runs=0),
            "runs: must be an integer at least 1, got 0",
            "write an integer at least 1",
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", precision=3),
            "precision: must be a number below 1, got 3",
            "write precision=0.03, which is 3 %",
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", min_runs=30, max_runs=3),
            "max_runs: 3 is below 30, the least",
            "write max_runs=30 or more",
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", names=["a"]),
            "1 names for 2 commands",
            "give one name for each command, or none",
        ),
        (
            lambda _: Laboratory.compare(record="x.lab"),
            "no command is given",
            'steelyard.compare("./old", "./new")',
        ),
        (
            lambda _: Laboratory("nowhere.lab"),
            "nowhere.lab does not exist",
            "run the experiment first: steelyard run SPEC",
        ),
        (
            lambda _: steelyard.measure(int, precision=-1),
            "precision=-1 is not between 0 and 1",
            "precision=0.02, which is 2 %",
        ),
        (
            lambda _: steelyard.measure(int, max_time=-2),
            "-2 is not a time",
            'write a positive number and a unit, as in "60 s" (units: ns, us, µs, ms, s, min, h, d)',
        ),
        (
            lambda _: Laboratory.compare(["a", "b"], record="x.lab"),
            "commands must be strings, got ['a', 'b']",
            "write 'a b'",
        ),
        (
            lambda _: Laboratory.compare("a", "b", record="x.lab", prepare="sync"),
            "prepare must be a list of strings, got the string 'sync'",
            "prepare=['sync']",
        ),
        (
            lambda _: Laboratory.compare("a {n}", record="x.lab", parameters={"n": "1,2"}),
            "parameters: the values of n are one text, '1,2'",
            "parameters={'n': ['1', '2']}",
        ),
        (lambda lab: lab.analyze(metrc="x"), "analyze has no argument metrc='x'", "did you mean metric?"),
        (
            lambda lab: lab.analyze(estimand="mean"),
            "unknown estimand 'mean'",
            "one of: geomean_ratio, ratio_of_means, median_ratio, quantile",
        ),
        (
            lambda lab: lab.analyze(against={"seconds": 3}),
            "--against 'seconds=3': seconds has no such level",
            "one of: seconds=0.001, seconds=0.008, seconds=0.02",
        ),
        (
            lambda lab: lab.model("seconds", metrics="wall_s"),
            "metrics must be a list of strings, got the string 'wall_s'",
            "metrics=['wall_s']",
        ),
        (lambda lab: lab.run(extend="3"), "extend must be an integer, got '3'", "extend=10"),
        (
            lambda lab: lab.check(claims={"faster": {"seconds": 0.001}}),
            "claims are a list of dictionaries, or of claims of a spec, not {'faster': {'seconds': 0.001}}",
            'claims=[{"faster": {"opt": "O3"}, "than": {"opt": "O2"}}]',
        ),
        (
            lambda lab: lab.check(claims=[{"fastr": {"seconds": 0.001}}]),
            "check(): claims[1]: no key names a kind of claim",
            "did you mean faster?",
        ),
        (
            lambda _: Laboratory({"program": {}}),
            "a laboratory is made of a path or an experiment, not of {'program': {}}",
            "Laboratory(steelyard.spec.experiment(program={…}, factors={…}))",
        ),
    ],
)
def test_a_wrong_call_names_the_value_and_the_cure(lab, call, message, hint):
    with pytest.raises((UsageError, RecordError)) as error:
        call(lab)
    assert (error.value.message, error.value.hint) == (message, hint)


def test_claims_may_be_asked_as_a_spec_writes_them_and_beside_typed_ones(lab):
    question = [{"faster": {"seconds": 0.008}, "than": {"seconds": 0.02}}, *lab.experiment.claims]
    result = lab.check(claims=question)
    assert [item.outcome for item in result.value.verdicts] == ["holds", "holds"]
    assert result.value.afterwards
    assert result.value.verdicts[0].claim.faster == {"seconds": 0.008}


def test_a_baseline_may_be_given_by_its_levels(lab):
    against = lab.analyze(against={"seconds": 0.02}).value
    assert {item.baseline.label for item in against.judged} == {"seconds=0.02"}


def test_series_of_a_frame_are_modelled():
    frame = {
        "op": ["a"] * 6,
        "p": [16, 32, 64, 128, 256, 512],
        "t": [5 + 2 * p for p in (16, 32, 64, 128, 256, 512)],
    }
    result = model(series_of_frame(frame, "t", ["p"], ["op"]), expect={"a": "O(p)"})
    assert result.value.models[0].validation.rank == "match"
    assert "O(p)" in str(result)
    bounded = model(series_of_frame(frame, "t", ["p"], ["op"]), at_most="O(p^2)")
    assert bounded.value.models[0].validation.rank == "match"
    assert "at most O(p^2)" in str(bounded)
    half = model(series_of_frame(frame, "t", ["p"], ["op"]), expect="O(p^2)", deviation="half")
    assert half.value.models[0].validation.rank == "approximate"


def test_the_package_itself_loads_nothing():
    heavy = "('steelyard.', 'numpy', 'msgspec')"
    program = f"import sys, steelyard; print([m for m in sys.modules if m.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_is_documented_is_there():
    page = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
    for method in re.findall(r"^\| `(\w+)\(", page, re.MULTILINE):
        assert hasattr(Laboratory, method), method
    seam = {"ClaimKind", "Command", "CompareMode", "DataJudge", "Extension", "Predictor", "Protocol"}
    assert set(steelyard.__all__) == {"Laboratory", "__version__", "compare", "measure"} | seam
    with pytest.raises(AttributeError, match="no attribute 'Labratory'"):
        _ = steelyard.Labratory


def test_a_shell_completes_the_name_of_the_laboratory_before_it_is_loaded():
    parts = subprocess.run(
        [sys.executable, "-c", "import steelyard; print('Laboratory' in vars(steelyard), *dir(steelyard))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert parts[0] == "False"
    assert "Laboratory" in parts[1:]


def test_models_are_a_data_frame_and_what_has_no_model_says_why():
    pytest.importorskip("pandas")
    scales = [16, 32, 64, 128, 256, 512]
    frame = {"op": [*"aaaaaab"], "p": [*scales, 16], "t": [*(5 + 2 * p for p in scales), 1]}
    table = model(series_of_frame(frame, "t", ["p"], ["op"]), expect={"a": "O(p)"}).to_frame()
    assert list(table.op) == ["a", "b"]
    assert table.growth[0] == "O(p)"
    assert table["rank"][0] == "match"
    assert table.sure[0] > 0.5
    assert table.refused.isna()[0]
    assert "point" in table.refused[1]
