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
from steelyard.laboratory import model
from steelyard.scaling import series_of_frame
from steelyard.spec import experiment

SPEC = """\
name = "sleeping"
[program]
command = ["sleep", "{seconds}"]
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
    seen = []
    assert lab.run(seen.append) == "complete"
    assert seen[-1].blocks_wanted == 7
    return lab


def test_a_spec_is_run_analyzed_and_checked(lab):
    answer = lab.analyze()
    assert [each.verdict for each in answer.value.judged] == ["slower", "slower"]
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
    assert repr(again).startswith("Laboratory('sleeping', record=")


def test_samples_and_plans_are_at_hand(lab):
    assert [len(sample) for sample in lab.samples()] == [7, 7, 7]
    assert [each.label for each in lab.plan().treatments] == ["0.001", "0.008", "0.02"]


def test_growth_is_modelled_from_a_record(lab):
    found = lab.model("seconds", expect="O(seconds)", at={"seconds": 1.5})
    (only,) = found.value.models
    assert only.validation.rank in {"match", "approximate"}
    assert json.loads(found.json())["format"] == "steelyard/models"


def test_a_notebook_shows_what_is_printed_with_nothing_of_a_label_obeyed():
    named = experiment(
        name="x",
        program={"commands": {"<b>a": ["true"], "b": ["true"]}},
        claims=[{"faster": {"command": "<b>a"}, "than": {"command": "b"}}],
        source="/",
    )
    from steelyard.claims.verdict import Verdict
    from steelyard.laboratory import Result
    from steelyard.report.verdicts import lines

    verdict = Verdict(named.claims[0], "not_resolved", ())
    shown = Result(verdict, lambda: lines((verdict,), 0.05, 100), lambda: "{}")._repr_html_()
    assert "&lt;b&gt;a faster than b" in shown
    assert "<b>" not in shown
    assert re.search(r'<span style="[^"]+">\?</span>', shown)


def test_commands_are_compared_without_a_spec(tmp_path):
    lab = Laboratory.compare("true", "sleep 0.01", record=tmp_path / "ab.lab", rel_halfwidth=None, blocks=6)
    lab.run()
    assert lab.analyze().value.judged[0].verdict == "slower"


def test_series_of_a_frame_are_modelled():
    frame = {
        "op": ["a"] * 6,
        "p": [16, 32, 64, 128, 256, 512],
        "t": [5 + 2 * p for p in (16, 32, 64, 128, 256, 512)],
    }
    found = model(series_of_frame(frame, "t", ["p"], ["op"]), expect={"a": "O(p)"})
    assert found.value.models[0].validation.rank == "match"
    assert "O(p)" in str(found)


def test_the_package_itself_loads_nothing():
    heavy = "('steelyard.', 'numpy', 'msgspec')"
    program = f"import sys, steelyard; print([m for m in sys.modules if m.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_is_documented_is_there():
    page = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
    for method in re.findall(r"^\| `(\w+)\(", page, re.MULTILINE):
        assert hasattr(Laboratory, method), method
    assert set(steelyard.__all__) == {"Laboratory", "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'Labratory'"):
        _ = steelyard.Labratory
