from __future__ import annotations

import json

import msgspec
import pytest

from steelyard.report.answer.document import COMPARISON, render
from steelyard.results.schema import document_type, schema

Document = document_type(COMPARISON)

ALWAYS = {
    "": {"format", "version", "experiment", "design", "samples", "comparisons", "warnings"},
    "design": {"order", "blocks", "contexts", "passes", "seed", "state"},
    "samples": {
        "treatment", "metric", "unit", "n", "failed", "mean", "median", "s", "u", "cv", "rsu", "quartiles",
    },
    "comparisons": {
        "baseline", "treatment", "metric", "stratum", "estimand", "speedup", "adjusted_speedup", "p",
        "p_holm", "difference", "relevance", "verdict", "resolvable", "flags",
    },
    "speedup": {"value", "ci95", "ci_family", "method", "nu"},
    "adjusted_speedup": {"value", "u", "spread"},
}  # fmt: skip
"""Fields that version 1 promises; more may come, none of these may go."""


def rounded(value):
    """Nine digits: the last ones differ between processors and versions of numpy."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(element) for element in value] if isinstance(value, list) else value


def refuse(text):
    raise AssertionError(f"{text} is not JSON")


@pytest.mark.parametrize(
    "name",
    [
        "a_slowdown_beside_other_metrics",
        "failing_runs",
        "everything_odd",
        pytest.param("the_protocol_on_odd_samples", marks=pytest.mark.extensions("protocol_2014")),
        "half_a_fraction",
    ],
)
def test_the_document_is_the_one_that_was_reviewed(case, golden, name):
    content = rounded(json.loads(render(case(name))))
    golden(f"{name}.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def test_every_document_is_strict_json_that_its_own_definition_accepts(presented):
    text = render(presented[1])
    json.loads(text, parse_constant=refuse)
    strict = msgspec.json.decode(text, type=Document, strict=True)
    assert (strict.format, strict.version) == ("steelyard/comparison", 1)
    assert text.endswith("}\n")


def test_the_fields_that_version_1_promises_are_all_there(presented):
    content = json.loads(render(presented[1]))
    assert set(content) >= ALWAYS[""]
    assert set(content["design"]) >= ALWAYS["design"]
    for sample in content["samples"]:
        assert set(sample) >= ALWAYS["samples"]
        assert set(sample["treatment"]) >= {"id", "label", "levels"}
    for comparison in content["comparisons"]:
        assert set(comparison) >= ALWAYS["comparisons"]
        assert set(comparison["speedup"]) >= ALWAYS["speedup"]
        if comparison["adjusted_speedup"] is not None:
            assert set(comparison["adjusted_speedup"]) >= ALWAYS["adjusted_speedup"]


def test_verdicts_come_from_the_closed_list_and_only_for_the_primary_metric(presented):
    content = json.loads(render(presented[1]))
    for comparison in content["comparisons"]:
        judged = comparison["metric"] == content["metric"]
        assert (comparison["verdict"] in ("faster", "slower", "equivalent", "not_resolved")) == judged
        assert (comparison["verdict"] is None) != judged


def test_numbers_are_those_of_the_answer_to_the_last_digit(case):
    answer = case("a_difference")
    content = json.loads(render(answer))
    speedup = answer.judged[0].speedup
    assert content["comparisons"][0]["speedup"]["value"] == speedup.value
    assert content["comparisons"][0]["p"] == speedup.p
    assert content["comparisons"][0]["speedup"]["nu"] == speedup.nu
    assert content["samples"][0]["mean"] == answer.samples[0].summary.mean


def test_what_does_not_exist_is_null_with_a_reason(case):
    content = json.loads(render(case("zeros")))
    (comparison,) = content["comparisons"]
    assert comparison["speedup"]["value"] is comparison["speedup"]["ci95"] is comparison["p"] is None
    assert comparison["speedup"]["undefined"] == "a value is 0"
    assert content["samples"][0]["cv"] is None
    assert content["samples"][0]["reason"] == "the mean is 0"


def test_warnings_are_data_with_words_beside_them(case):
    content = json.loads(render(case("failing_runs")))
    first = content["warnings"][0]
    assert (first["kind"], first["treatments"]) == ("failures", ["new"])
    assert first["fields"] == {"failed": 3, "timed_out": 1, "attempted": 33}
    assert first["words"] == "new: 3 of 33 runs failed, 1 of them timed out."


def test_a_name_that_is_no_utf_8_does_not_break_the_document(case):
    content = json.loads(render(case("hostile_names")))
    assert content["samples"][1]["treatment"]["label"].endswith("\\udcff")
    assert content["samples"][0]["treatment"]["label"] == "a\nfake line: verified\x1b[31m"


def test_the_schema_describes_the_document_and_names_every_promised_field():
    result = schema(COMPARISON)
    described = result["$defs"]
    assert set(described["Answer"]["properties"]) >= ALWAYS[""]
    assert set(described["Comparison"]["required"]) >= ALWAYS["comparisons"]
    assert set(described["Described"]["required"]) >= ALWAYS["samples"]
    assert described["Answer"]["properties"]["format"] == {"enum": ["steelyard/comparison"]}
    json.dumps(result)


def test_every_method_says_what_it_takes_for_granted(presented):
    content = json.loads(render(presented[1]))
    for comparison in content["comparisons"]:
        assert bool(comparison["speedup"]["method"]) == bool(comparison["speedup"]["assumptions"])
