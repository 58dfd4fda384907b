from __future__ import annotations

import json

from steelyard.claims.verdict import Checked
from steelyard.report.claims.sarif import Judged, render


def test_what_could_not_be_judged_is_an_error_at_its_file():
    (run,) = json.loads(render([], {"specs/a.toml": "no such program"}, strict=False))["runs"]
    assert run["tool"]["driver"]["name"] == "steelyard"
    assert run["results"] == [
        {
            "ruleId": "broken",
            "level": "error",
            "message": {"text": "no such program"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "specs/a.toml"}}}],
        }
    ]


def test_nothing_to_say_is_a_run_without_results():
    document = json.loads(render([Judged(Checked("it", None, 0.05, ()), "it.toml", "")], strict=True))
    assert document["version"] == "2.1.0"
    assert document["runs"][0]["results"] == []
