"""Verdicts in words, JSON, JUnit and for GitHub: one phrase for every kind of evidence."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import msgspec
import pytest
from msgspec.structs import replace

from steelyard.claims.evidence import BestCandidate, BestEvidence, BreaksEvidence, MeanEvidence, RatioEvidence
from steelyard.claims.verdict import Checked, Family, Instance, Verdict, combine
from steelyard.core.units import BUILTIN
from steelyard.extensions.growth.evidence import PredictedEvidence, RuleEvidence, ScalesEvidence
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.extensions.growth.scaling import Expectation, Question, model, series_of
from steelyard.extensions.growth.scaling.rules import RuleAnswer
from steelyard.report.claims import document as verdicts_json
from steelyard.report.claims import github, junit, markdown, sarif
from steelyard.report.claims.text import lines, notes, reservations, words
from steelyard.report.text.digits import percent
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval
from steelyard.spec.claims.best import Best
from steelyard.spec.claims.limit import Limit
from steelyard.spec.claims.ratio import Equivalent, Faster, Slower

pytestmark = pytest.mark.extensions("growth")

WALL, RSS = BUILTIN["wall_s"], BUILTIN["rss_bytes"]
P = [16, 32, 64, 128, 256, 512]
FASTER = Faster({"opt": "O3"}, {"opt": "O2"}, 1.02)


def ratio(value, low, high, *, level=0.05, p=1e-6, reason=None):
    interval = None if low is None else Interval(low, high)
    return RatioEvidence(
        WALL,
        "O3",
        "O2",
        "geomean_ratio",
        value,
        interval,
        level,
        p,
        "block-log-ratio-t",
        30,
        "block",
        0.012,
        reason,
    )


def verdict(claim, *instances, family=None, breaks=()):
    return Verdict(claim, combine(i.outcome for i in instances), tuple(instances), family, breaks)


def one(claim, outcome, evidence, **stratum):
    return verdict(claim, Instance(stratum, outcome, evidence))


def fitted(f, expect, deviation=None, *, at_most=False):
    series = series_of(
        "bcast", ("p",), [(p,) for p in P], [[f(p)] * 5 for p in P], metric="latency_s", unit="s"
    )
    return model(series, Question(expectations={"*": Expectation(expect, deviation, at_most)}))


LINEAR = fitted(lambda p: 1e-6 + 1e-7 * p, "O(p)")
MEAN = MeanEvidence(RSS, "64", 9.4e6, 1e5, 2e4, Interval(9.36e6, 9.44e6), 0.05, 1e-9, 20, "block")
OPEN_MEAN = replace(MEAN, interval=Interval(9.36e6, 11e6), p=0.2, unseen=0.168, units_needed=59)
CANDIDATES = (
    BestCandidate("a", 1.12, Interval(1.1, 1.14), possible=False),
    BestCandidate("b", 1.01, Interval(0.99, 1.03), possible=True),
)
WORDS = [
    (
        one(FASTER, "holds", ratio(1.34, 1.30, 1.38)),
        "O3 faster than O2 by 1.02: holds; 1.34 × (95 % CI 1.30 to 1.38, 30 blocks)",
    ),
    (
        one(FASTER, "not_resolved", ratio(1.03, 1.01, 1.05, level=0.0125)),
        (
            "O3 faster than O2 by 1.02: not resolved; 1.030 × (98.8 % CI 1.010 to 1.050, 30 blocks);"
            " these runs could have detected 1.2 %"
        ),
    ),
    (
        one(FASTER, "not_resolved", ratio(1.34, 1.30, 1.38, reason="failures")),
        (
            "O3 faster than O2 by 1.02: not resolved; 1.34 × (95 % CI 1.30 to 1.38, 30 blocks), but runs"
            " failed or timed out, so the remaining runs are not a random sample"
        ),
    ),
    (
        one(FASTER, "not_resolved", ratio(None, None, None, reason="zero_values")),
        "O3 faster than O2 by 1.02: not resolved; a value is 0",
    ),
    (
        one(Slower({"n": 2}, {"n": 1}, metric="cpu_s"), "holds", ratio(2.0, 1.9, 2.1)),
        "n = 2 slower than n = 1 in cpu_s: holds; 2.00 × (95 % CI 1.90 to 2.10, 30 blocks)",
    ),
    (
        one(Equivalent({"opt": "O3"}, 0.02, {"opt": "O2"}, where={"n": 1}), "holds", ratio(1.0, 0.99, 1.01)),
        (
            "O3 equivalent to O2 within 2 % where n = 1: holds; 1.000 × (95 % CI 0.990 to 1.010, 30 blocks);"
            " slow runs, up to 9.5 % of all, could be unseen"
        ),
    ),
    (
        one(Limit("rss_bytes", {"p": 64}, 1.2e7), "holds", replace(MEAN, unseen=0.168)),
        (
            "rss_bytes at most 12.0 MB at p = 64: holds; mean 9.40 MB (95 % CI 9.36 MB to 9.44 MB, 20 blocks,"
            " unseen runs included: up to 17 %, at twice the mean)"
        ),
    ),
    (
        one(Limit("rss_bytes", {"p": 64}, 1e7), "not_resolved", OPEN_MEAN),
        (
            "rss_bytes at most 10.0 MB at p = 64: not resolved; mean 9.40 MB (95 % CI 9.36 MB to 11.0 MB, 20"
            " blocks), but up to 17 % of runs could be at twice the mean and unseen; use 59 blocks, or"
            " quantile = 0.5"
        ),
    ),
    (
        one(Limit("rss_bytes", {"p": 64}, 1e7), "holds", MEAN),
        "rss_bytes at most 10.0 MB at p = 64: holds; mean 9.40 MB (95 % CI 9.36 MB to 9.44 MB, 20 blocks)",
    ),
    (
        one(
            Limit("latency_s", {"p": 8192}, min=1e-3),
            "fails",
            PredictedEvidence("latency_s", "s", {"p": 8192.0}, 8.2e-4, Interval(8e-4, 8.4e-4), LINEAR, 6),
        ),
        (
            "latency_s at least 1.00 ms at p = 8192: fails; 820 µs predicted at p = 8192 (95 % CI 800 µs"
            " to 840 µs, by O(p) from 6 points)"
        ),
    ),
    (
        one(
            Best("k"),
            "holds",
            BestEvidence(WALL, "c", CANDIDATES[:1], ("c",), 10, 20, "block", 0.05),
        ),
        (
            "one best k: holds; c, 1.120 × better than the next, a (95 % CI 1.100 to 1.140, chosen on 10,"
            " confirmed on 20 blocks)"
        ),
    ),
    (
        one(
            Best("k"),
            "not_resolved",
            BestEvidence(WALL, "c", CANDIDATES, ("c", "b"), 10, 20, "context", 0.05),
        ),
        (
            "one best k: not resolved; c and b may be the best; c looked best (chosen on 10, confirmed on 20"
            " contexts)"
        ),
    ),
    (
        one(Best("k", "a"), "fails", BestEvidence(WALL, "c", CANDIDATES, ("c", "b"), 10, 20, "block", 0.05)),
        (
            "a is the best k: fails; c is 1.120 × better than a (95 % CI 1.100 to 1.140, chosen on 10,"
            " confirmed on 20 blocks)"
        ),
    ),
    (
        one(Scales("latency_s", "p", "O(p)"), "holds", ScalesEvidence("bcast", "latency_s", LINEAR)),
        ("latency_s grows over p as O(p): holds; O(p), matches (>99 % sure, 6 points)"),
    ),
    (
        one(
            Scales("latency_s", "p", at_most="O(p^2)"),
            "holds",
            ScalesEvidence("bcast", "latency_s", fitted(lambda p: 1e-6 + 1e-7 * p, "O(p^2)", at_most=True)),
        ),
        ("latency_s grows over p no faster than O(p^2): holds; O(p), no faster (>99 % sure, 6 points)"),
    ),
    (
        one(
            Scales("latency_s", "p", at_most="O(log p)"),
            "fails",
            ScalesEvidence("bcast", "latency_s", fitted(lambda p: 1e-6 + 1e-7 * p, "O(log p)", at_most=True)),
        ),
        (
            "latency_s grows over p no faster than O(log p): fails; O(p), faster (>99 % sure,"
            " 6 points); outgrows O(log p) by a factor of p / log p, and log^0.5 p is tolerated"
        ),
    ),
    (
        one(
            Scales("latency_s", "p", "O(p^2)"),
            "fails",
            ScalesEvidence("bcast", "latency_s", fitted(lambda p: 1e-6 + 1e-7 * p, "O(p^2)")),
        ),
        (
            "latency_s grows over p as O(p^2): fails; O(p), no match (>99 % sure,"
            " 6 points); slower growth than expected is allowed by at_most"
        ),
    ),
    (
        one(
            Scales("latency_s", "p", "O(p^2)", deviation="half"),
            "not_resolved",
            ScalesEvidence("bcast", "latency_s", fitted(lambda p: 1e-6 + 1e-7 * p, "O(p^2)", "half")),
        ),
        (
            "latency_s grows over p as O(p^2): not resolved; O(p), approximately (>99 % sure, p is"
            " tolerated, 6 points); --strict takes no approximation"
        ),
    ),
    (
        one(
            Scales("latency_s", "p", "O(log p)"),
            "fails",
            ScalesEvidence("bcast", "latency_s", fitted(lambda p: 1e-6 + 1e-7 * p, "O(log p)"), "library"),
        ),
        (
            "latency_s grows over p as O(log p): fails; O(p), no match (>99 % sure, 6 points);"
            " outgrows O(log p) by a factor of p / log p, and log^0.5 p is tolerated;"
            " the litmus test keeps it: the program is the likely cause"
        ),
    ),
    (
        one(
            Scales("latency_s", "p", "O(log p)", deviation="p^0.25"),
            "fails",
            ScalesEvidence("bcast", "latency_s", fitted(lambda p: 1e-6 + 1e-7 * p, "O(log p)", "p^0.25")),
        ),
        (
            "latency_s grows over p as O(log p): fails; O(p), no match (>99 % sure, 6 points);"
            " outgrows O(log p) by a factor of p / log p, and p^0.25 is tolerated"
        ),
    ),
    (
        one(
            Rule("a <= b", "op"),
            "fails",
            RuleEvidence("latency_s", RuleAnswer("a <= b", "fails", 0.01, 20.0, measured=True)),
        ),
        (
            "a <= b: fails; grows faster (1 % sure that the left side grows no faster;"
            " the fitted left side is larger already at 20)"
        ),
    ),
    (
        one(Rule("a <= b", "op"), "not_resolved", RuleEvidence("latency_s", None, "b was not measured")),
        "a <= b: not resolved; growth not resolved (no verdict: b was not measured)",
    ),
]


@pytest.mark.parametrize(("judged", "text"), WORDS, ids=range(len(WORDS)))
def test_every_verdict_has_its_words(judged, text):
    assert words(judged) == text


def test_many_strata_are_counted_and_the_deciding_one_is_shown():
    judged = verdict(
        FASTER,
        Instance({"n": 1}, "holds", ratio(1.2, 1.1, 1.3, p=0.001)),
        Instance({"n": 2}, "fails", ratio(0.9, 0.8, 0.95, p=0.01)),
        Instance({"n": 4}, "fails", ratio(0.8, 0.7, 0.85, p=0.0001)),
    )
    assert words(judged).startswith(
        "O3 faster than O2 by 1.02: fails in 2 of 3 strata, holds in 1; at n = 4 0.80 × "
    )
    held = verdict(
        FASTER,
        Instance({"n": 1}, "holds", ratio(1.2, 1.1, 1.3, p=0.001)),
        Instance({"n": 2}, "holds", ratio(1.1, 1.05, 1.2, p=0.01)),
    )
    assert "holds in all 2 strata; at n = 2 1.1" in words(held)


def test_a_limit_says_where_it_breaks():
    breaks = (BreaksEvidence("", "p", 1000.0, 900.0, 1100.0, 512.0),)
    judged = verdict(Limit("rss_bytes", max=1e7), Instance({"p": 64}, "holds", MEAN), breaks=breaks)
    assert words(judged).endswith(
        "; its model breaks 10.0 MB from p = 1000 on (95 %: 900 to 1100, beyond what was measured)"
    )
    valley = (BreaksEvidence("", "p", 1000.0, 900.0, 1100.0, 2048.0, above_until=8.0),)
    judged = verdict(Limit("rss_bytes", max=1e7), Instance({"p": 64}, "holds", MEAN), breaks=valley)
    assert "breaks 10.0 MB up to p = 8, and again from p = 1000 on" in words(judged)


def checked(experiment, *verdicts, **about):
    return Checked(experiment, None, 0.05, verdicts, **about)


def reserved(*verdicts, **about):
    return checked("x", *verdicts, finished=False, precise=False, afterwards=True, **about)


def test_the_worst_stand_first_and_what_the_family_means_is_said():
    family = Family(1e-6, 2e-6, 0.025, 2)
    held = Verdict(FASTER, "holds", (Instance({}, "holds", ratio(1.34, 1.3, 1.38)),), family)
    broken = Verdict(FASTER, "fails", (Instance({}, "fails", ratio(0.9, 0.8, 0.95)),), family)
    text = plain(lines((held, broken), 0.05, 100))
    assert [line[0] for line in text.splitlines()[:2]] == ["✗", "✓"]
    assert "2 claims are one family" in text
    words = plain(notes(reserved(departures=("analysis.alpha: 0.05 → 0.5",)), 80))
    assert words.count("- ") == 4


def test_of_claims_that_are_not_all_tests_those_that_are_one_family_are_numbered():
    family = Family(1e-6, 2e-6, 0.025, 2)
    held = Verdict(FASTER, "holds", (Instance({}, "holds", ratio(1.34, 1.3, 1.38)),), family)
    grows = one(Scales("latency_s", "p", "O(p)"), "not_resolved", ScalesEvidence("", "latency_s", None))
    text = " ".join(plain(lines((held, grows, held), 0.05, 100)).split())
    assert "Claims 2 and 3 of these 3 are tests and one family: any wrong verdict among them" in text
    text = " ".join(plain(lines((held,) * 9 + (grows,), 0.05, 100)).split())
    assert "9 of these 10 claims, all but 1, are tests and one family" in text


def test_what_a_reader_must_know_of_a_model_is_said_once_with_the_claims_it_is_about():
    few = model(
        series_of("bcast", ("p",), [(p,) for p in P[:4]], [[1e-6 * p] * 5 for p in P[:4]], unit="s"),
        Question(expectations={"*": Expectation("O(p)")}, targets=({"p": 8192.0},)),
    )
    assert [warning.kind for warning in few.warnings] == ["few_points", "far"]
    limit = Limit("latency_s", {"p": 8192}, 1e-3)
    predicted = PredictedEvidence("latency_s", "s", {"p": 8192.0}, 8e-3, Interval(7e-3, 9e-3), few, 4)
    grows = one(Scales("latency_s", "p", "O(p)"), "holds", ScalesEvidence("", "latency_s", LINEAR))
    text = plain(lines((one(limit, "fails", predicted), grows), 0.05, 80))
    assert text.endswith(
        "\nWarnings about models\n"
        "- latency_s at most 1.00 ms at p = 8192: only 4 values of p: the leading term is\n"
        "  uncertain (use 5 or more)\n"
        "- latency_s at most 1.00 ms at p = 8192: extrapolates to 64 times the largest\n"
        "  measured scale\n"
    )
    two = verdict(limit, Instance({"op": "a"}, "fails", predicted), Instance({"op": "b"}, "fails", predicted))
    assert "- all models: only 4 values of p: the leading term" in plain(lines((two,), 0.05, 80))
    half = verdict(
        limit,
        Instance({"op": "a"}, "fails", predicted),
        Instance({"op": "b"}, "fails", replace(predicted, model=LINEAR)),
    )
    assert ", op = a: only 4 values of p" in " ".join(plain(lines((half,), 0.05, 80)).split())


def test_github_shows_what_fails_and_what_is_open_where_it_is_claimed():
    spec = "# [[claims]]\n[factors]\n\n[[claims]]\nfaster = 1\n  [[ claims ]]\n[[claims]]\n"
    claim = Faster({"opt": "O3"}, {"opt": "O2"}, 1.02)
    judged = [
        one(claim, "fails", ratio(0.9, 0.85, 0.95)),
        one(claim, "holds", ratio(1.34, 1.3, 1.38)),
        one(msgspec.structs.replace(claim, name="50 %, a::b\nc"), "not_resolved", ratio(1.0, 0.9, 1.1)),
    ]
    wrong, open_ = github.render(checked("a, b", *judged), "gate.toml", spec, strict=False).splitlines()
    title = "a%2C b%3A O3 faster than O2 by 1.02 fails"
    result = words(judged[0]).replace("%", "%25")
    assert wrong == f"::error file=gate.toml,line=4,title={title}::{result}"
    assert open_.startswith("::warning file=gate.toml,line=7,title=a%2C b%3A 50 %25%2C a%3A%3Ab")
    assert "50 %25, a::b" in open_.rpartition("::warning")[2].partition("resolved::")[2]
    (_, strict) = github.render(checked("x", *judged), "gate.toml", spec, strict=True).splitlines()
    assert strict.startswith("::error")
    assert github.render(checked("x", judged[0]), None, "", strict=False).startswith(
        "::error title=x%3A O3 faster"
    )
    # Claims that do not stand in tables of their own have no line that is known.
    assert "line=" not in github.render(checked("x", *judged), "gate.toml", "claims = []", strict=False)


def test_names_of_others_move_no_cursor():
    judged = one(Faster({"opt": "\x1b[2J"}, {"opt": "O2"}, name="a\nb"), "holds", ratio(1.34, 1.3, 1.38))
    assert words(judged).isprintable()


@pytest.mark.parametrize("judged", [judged for judged, _ in WORDS], ids=range(len(WORDS)))
def test_every_verdict_is_json_of_the_documented_form(judged):
    document = json.loads(verdicts_json.render([Checked("x", None, 0.05, (judged,))], 1))
    assert (document["format"], document["version"], document["exit"]) == ("steelyard/verdicts", 1, 1)
    (entry,) = document["verdicts"]
    assert entry["verdict"] == judged.outcome
    assert entry["words"] == words(judged)
    assert len(entry["evidence"]["strata"]) == 1


def test_junit_escapes_and_counts():
    broken = one(Faster({"opt": "<O3>&\x00"}, {"opt": "O2"}), "fails", ratio(0.9, 0.8, 0.95))
    open_ = one(FASTER, "not_resolved", ratio(1.02, 1.0, 1.04))
    lenient = ET.fromstring(junit.render([checked("x", broken, open_)], strict=False))  # noqa: S314 -- ours
    strict = ET.fromstring(junit.render([checked("x", broken, open_)], strict=True))  # noqa: S314 -- ours
    assert (lenient[0].get("failures"), lenient[0].get("skipped")) == ("1", "1")
    assert (strict[0].get("failures"), strict[0].get("skipped")) == ("2", "0")
    assert lenient[0][0].get("name").startswith("<O3>&")


@pytest.mark.parametrize("strict", [False, True])
def test_a_gate_that_is_not_green_is_named_behind_every_door(strict):
    held = one(FASTER, "holds", ratio(1.34, 1.3, 1.38))
    unmeasured = Verdict(FASTER, "not_judged", ())
    assert words(unmeasured).endswith(": not judged; nothing was measured that it is about")
    for answer, kinds in (
        (checked("x", held), []),
        (checked("x", held, unmeasured), ["not_judged"]),
        (checked("x", held, finished=False), ["not_judged"]),
        (checked("x", held, precise=False), ["not_resolved"]),
        (checked("x", held, afterwards=True), ["not_judged"]),
        (checked("x", held, departures=("analysis.alpha: 0.05 → 0.5",)), ["not_judged"]),
    ):
        assert answer.exit_code(strict=strict) == (3 if strict and kinds else 0)
        (suite,) = ET.fromstring(junit.render([answer], strict=strict))  # noqa: S314 -- ours
        endings = [case[0].tag for case in suite if case[0].tag != "system-out"]
        strictly = {"not_resolved": "failure", "not_judged": "error"}
        assert endings == [strictly[kind] if strict else "skipped" for kind in kinds]
        counts = sum(int(suite.get(name)) for name in ("failures", "errors", "skipped"))
        assert (counts, int(suite.get("tests"))) == (len(kinds), len(suite))
        (run,) = json.loads(sarif.render([sarif.Judged(answer, "it.toml", "")], strict=strict))["runs"]
        assert [result["ruleId"] for result in run["results"]] == kinds
        assert {item["level"] for item in run["results"]} <= {"error" if strict else "note"}
        assert {element["ruleId"] for element in run["results"]} <= {
            rule["id"] for rule in run["tool"]["driver"]["rules"]
        }
        output = github.render(answer, "it.toml", "", strict=strict)
        assert output.count("::error" if strict else "::warning") == len(kinds)
        text = markdown.render([answer], strict=strict)
        assert text.startswith("### ✗" if strict and kinds else "### ✓")
        assert all(sentence.split(":")[0] in text for _, sentence in reservations(answer))


def test_of_many_verdicts_by_models_it_is_said_how_many_are_expected_to_be_wrong():
    validation = LINEAR.validation
    result = one(Scales("latency_s", "p", "O(p)"), "holds", ScalesEvidence("f", "latency_s", LINEAR))
    text = " ".join(plain(lines((result,) * 5, 0.05, 100)).split())
    assert f"Of 5 verdicts by models, {percent(validation.probability.none)} are expected to be wrong" in text
    assert "expected to be wrong" not in plain(lines((result,) * 3, 0.05, 100))
