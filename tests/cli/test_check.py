"""``steelyard check`` as a process: exit codes, text, JSON, JUnit, and what is run first."""

from __future__ import annotations

import json
import signal
from xml.etree import ElementTree as ET

import pytest

PROGRAM = '["printf", "took=%s", "{seconds}"]'
SPEC = """\
name = "printing"

[program]
command = ["printf", "took=%s", "{seconds}"]

[metrics]
took = { source = "stdout", pattern = "took=(.*)", unit = "s" }

[factors]
seconds = [0.001, 0.02]

[design]
blocks = 8

[analysis]
metric = "took"
"""
"""A program that says what it took: a loaded machine changes no verdict."""
HOLDS = "\n[[claims]]\nfaster = { seconds = 0.001 }\nthan = { seconds = 0.02 }\nby = 2\n"
FAILS = '\n[[claims]]\nfaster = { seconds = 0.02 }\nthan = { seconds = 0.001 }\nname = "impossible"\n'
OPEN = '\n[[claims]]\nlimit = "rss_bytes"\nat = { seconds = 5 }\nmax = "1 GB"\n'


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "it.toml"

    def write(*claims):
        path.write_text(SPEC + "".join(claims))
        return path

    return write


def test_a_spec_without_a_record_is_run_and_a_claim_that_holds_exits_with_0(steelyard_cli, spec, tmp_path):
    spec(HOLDS)
    done = steelyard_cli("check", "it.toml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✓ seconds = 0.001 faster than seconds = 0.02 by 2: holds; ")
    assert "8 blocks in one context)" in " ".join(done.stdout.split())
    assert (tmp_path / "it.lab").is_dir()
    again = steelyard_cli("check", "it.toml", "it.lab", "--strict")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("✓") == 2


@pytest.mark.extensions("growth")
def test_what_fails_beats_what_is_open_and_stands_first(steelyard_cli, spec):
    spec(HOLDS, OPEN, FAILS)
    for arguments in ((), ("--strict",)):
        done = steelyard_cli("check", "it.toml", *arguments)
        assert done.returncode == 1, done.stderr
        signs = [line[0] for line in done.stdout.splitlines() if line[0] in "✓✗?–"]
        assert signs == ["✗", "–", "✓"]
        assert "✗ impossible: seconds = 0.02 faster than seconds = 0.001: fails" in done.stdout


@pytest.mark.extensions("growth")
def test_what_is_not_resolved_fails_only_under_strict(steelyard_cli, spec):
    spec(HOLDS, OPEN)
    assert steelyard_cli("check", "it.toml").returncode == 0
    done = steelyard_cli("check", "it.toml", "--strict")
    assert done.returncode == 3
    assert "– rss_bytes at most 1.00 GB at seconds = 5: not judged" in done.stdout


@pytest.mark.extensions("growth")
def test_json_is_one_document_with_words_evidence_and_the_exit_code(steelyard_cli, spec):
    spec(HOLDS, OPEN, FAILS)
    done = steelyard_cli("check", "it.toml", "--json")
    document = json.loads(done.stdout)
    assert (document["format"], document["version"], document["exit"]) == ("steelyard/verdicts", 1, 1)
    assert [v["verdict"] for v in document["verdicts"]] == ["holds", "not_judged", "fails"]
    first = document["verdicts"][0]
    assert first["words"].startswith(first["claim"])
    assert first["evidence"]["family_size"] == 2
    (stratum,) = first["evidence"]["strata"]
    assert stratum["evidence"]["interval"][0] > 2
    assert stratum["evidence"]["n"] == 8


@pytest.mark.extensions("growth")
def test_junit_has_one_case_a_claim(steelyard_cli, spec, tmp_path):
    spec(HOLDS, OPEN, FAILS)
    done = steelyard_cli("check", "it.toml", "--junit", "out.xml")
    assert done.returncode == 1
    (suite,) = ET.parse(tmp_path / "out.xml").getroot()  # noqa: S314 -- written by us
    assert {key: suite.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "1",
    }
    failing = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failing == ["impossible: seconds = 0.02 faster than seconds = 0.001"]
    missing = steelyard_cli("check", "it.toml", "--junit", "none/out.xml")
    assert missing.returncode == 2
    assert "cannot be written" in missing.stderr


@pytest.mark.extensions("growth")
def test_github_is_told_on_stderr_what_fails_and_what_is_open(steelyard_cli, spec, tmp_path):
    spec(HOLDS, OPEN, FAILS)
    done = steelyard_cli("check", "it.toml", "--github", "--json")
    assert json.loads(done.stdout)["exit"] == done.returncode == 1
    message = [line for line in done.stderr.splitlines() if line.startswith("::")]
    assert [line.split(",")[0] for line in message] == ["::warning file=it.toml", "::error file=it.toml"]
    text = (tmp_path / "it.toml").read_text().splitlines()
    lines = [int(line.split("line=")[1].split(",")[0]) for line in message]
    assert [text[number - 1] for number in lines] == ["[[claims]]", "[[claims]]"]
    of_record = steelyard_cli("check", "it.lab", "--github")
    assert "::error title=" in of_record.stderr


def test_github_is_told_where_the_spec_lies_in_what_it_checked_out(steelyard_cli, spec, tmp_path):
    spec(FAILS)
    for place, output in ((tmp_path.parent, f"{tmp_path.name}/it.toml"), (tmp_path / "elsewhere", "it.toml")):
        done = steelyard_cli("check", "it.toml", "--github", env={"GITHUB_WORKSPACE": str(place)})
        assert f"::error file={output}," in done.stderr


def test_run_and_analyze_print_the_verdicts_too_and_exit_by_them(steelyard_cli, spec):
    spec(HOLDS, FAILS)
    done = steelyard_cli("run", "it.toml")
    assert done.returncode == 1, done.stderr
    assert "\nClaims\n✗ impossible" in done.stdout
    analyzed = steelyard_cli("analyze", "it.lab", "--json")
    assert analyzed.returncode == 1
    assert [c["verdict"] for c in json.loads(analyzed.stdout)["claims"]] == ["holds", "fails"]


@pytest.mark.extensions("growth")
def test_an_answer_by_other_means_than_declared_says_that_it_judges_no_claim(steelyard_cli, spec, tmp_path):
    spec(FAILS)
    with (tmp_path / "it.toml").open("a") as file:
        file.write('\n[contexts]\nenv_bytes = "random"\n')
    message = "hint: claims are judged by the declared analysis only: steelyard check it.lab\n"
    done = steelyard_cli("run", "it.toml", "--protocol", "nogueira-matias-2014")
    assert (done.returncode, done.stderr) == (0, message)
    for words in (("--protocol", "default"), ("--metric", "cpu_s"), ("--by-context", "--json")):
        done = steelyard_cli("analyze", "it.lab", *words)
        assert (done.returncode, done.stderr) == (0, message), words
    assert steelyard_cli("analyze", "it.lab").stderr == ""


def test_claims_may_be_asked_afterwards_without_a_new_run_and_that_is_said(steelyard_cli, spec):
    spec(HOLDS)
    steelyard_cli("check", "it.toml")
    spec(HOLDS, FAILS)
    done = steelyard_cli("check", "it.toml")
    assert done.returncode == 1, done.stderr
    assert "Exploratory: the claims are not those" in " ".join(done.stdout.split())
    assert steelyard_cli("check", "it.lab", "--strict").returncode == 0
    spec(HOLDS.replace("by = 2", "by = 1.5"))
    assert steelyard_cli("check", "it.toml").returncode == 0
    assert steelyard_cli("check", "it.toml", "--strict").returncode == 3
    refused = steelyard_cli("run", "it.toml")
    assert refused.returncode == 2
    assert "steelyard check, with the spec, judges other claims" in refused.stderr
    assert json.loads(steelyard_cli("check", "it.toml", "--json").stdout)["verdicts"][0][
        "declared_afterwards"
    ]


def test_no_run_runs_nothing(steelyard_cli, spec, tmp_path):
    spec(HOLDS)
    none = steelyard_cli("check", "--no-run", "it.toml")
    assert (none.returncode, (tmp_path / "it.lab").exists()) == (2, False)
    assert "has no record yet" in none.stderr
    steelyard_cli("run", "it.toml")
    assert steelyard_cli("check", "--no-run", "it.toml").returncode == 0
    changed = spec(HOLDS)
    changed.write_text(changed.read_text().replace("blocks = 8", "blocks = 9"))
    process = steelyard_cli("check", "--no-run", "it.toml")
    assert process.returncode == 2
    assert "design.blocks: 8 → 9" in process.stderr


def test_a_program_that_fails_exits_with_5(steelyard_cli, spec):
    path = spec(HOLDS)
    path.write_text(path.read_text().replace(PROGRAM, '["false", "{seconds}"]'))
    done = steelyard_cli("check", "it.toml")
    assert done.returncode == 5
    assert "3 trials in a row failed" in done.stderr


def test_a_spec_that_claims_nothing_is_a_mistake_with_a_cure(steelyard_cli, spec, tmp_path):
    spec()
    done = steelyard_cli("check", "it.toml")
    assert (done.returncode, (tmp_path / "it.lab").exists()) == (2, False)
    assert "has no claims to check" in done.stderr
    assert "[[claims]]" in done.stderr.partition("hint: ")[2]
    steelyard_cli("run", "it.toml")
    assert steelyard_cli("check", "it.lab").returncode == 2


@pytest.fixture
def collectives(tmp_path):
    rows = [
        f"{op},{p},{f(p)}"
        for op, f in (("bcast", lambda p: 5 + p.bit_length()), ("gather", lambda p: 3 + 2 * p))
        for p in (16, 32, 64, 128, 256, 512)
    ]
    (tmp_path / "data.csv").write_text("op,p,latency\n" + "\n".join(rows) + "\n")
    return ("data.csv", "--value", "latency", "--parameter", "p", "--by", "op")


@pytest.mark.extensions("growth")
def test_data_of_other_tools_are_held_to_expectations_and_rules(steelyard_cli, collectives):
    stated = ("--expect", "O(log p)", "--rule", "bcast <= gather")
    done = steelyard_cli("check", *collectives, *stated, "--strata")
    assert done.returncode == 1, done.stderr
    assert "✗ gather: latency grows over p as O(log p): fails; " in done.stdout
    assert "✓ bcast: latency grows over p as O(log p): holds; " in done.stdout
    assert "O(p), no match" in done.stdout
    assert "✓ bcast <= gather in latency: holds" in done.stdout
    process = steelyard_cli(
        "check", *collectives, "--expect", "O(log p)", "--expect", "gather=O(p)", "--json"
    )
    assert process.returncode == 0, process.stderr
    document = json.loads(process.stdout)
    assert [v["verdict"] for v in document["verdicts"]] == ["holds", "holds"]
    assert document["verdicts"][0]["record"] is None


SLOW = {"allreduce": 10.0, "reduce": 0.5, "bcast": 0.5}


@pytest.fixture
def ten_times(tmp_path):
    """An Allreduce that takes ten times what Reduce and Bcast take, at every scale."""
    rows = [
        f"{op},{p},{share * p.bit_length() * (1 + 0.01 * ((p + i) % 3))}"
        for op, share in SLOW.items()
        for p in (16, 32, 64, 128, 256, 512)
        for i in range(4)
    ]
    (tmp_path / "data.csv").write_text("op,p,latency\n" + "\n".join(rows) + "\n")
    return ("data.csv", "--value", "latency", "--parameter", "p", "--by", "op")


@pytest.mark.extensions("growth")
def test_a_rule_that_is_broken_at_every_scale_fails_in_every_form(steelyard_cli, ten_times, tmp_path):
    rule = ("--rule", "allreduce <= reduce + bcast")
    files = ("--junit", "it.xml", "--sarif", "it.sarif", "--markdown", "it.md", "--github")
    done = steelyard_cli("check", *ten_times, *rule, *files, "--strict")
    assert done.returncode == 1, done.stderr
    text = " ".join(done.stdout.split())
    assert "✗ allreduce <= reduce + bcast in latency: fails; broken at all 6 points: at worst " in text
    assert "; reduce + bcast is faster there; " in text
    words = "broken at all 6 points: at worst 10"
    assert words in done.stderr
    assert words in (tmp_path / "it.xml").read_text()
    assert words in (tmp_path / "it.sarif").read_text()
    assert words in (tmp_path / "it.md").read_text()
    (entry,) = json.loads(steelyard_cli("check", *ten_times, *rule, "--json").stdout)["verdicts"]
    points = [item for item in entry["evidence"]["strata"] if "ratio" in item["evidence"]]
    assert {point["verdict"] for point in points} == {"fails"}
    assert [element["stratum"] for element in points] == [{"p": p} for p in (16, 32, 64, 128, 256, 512)]
    assert all(element["evidence"]["ratio"] == pytest.approx(10, rel=0.05) for element in points)
    model = steelyard_cli("model", *ten_times, *rule, "--json")
    assert model.returncode == 1
    (judged,) = json.loads(model.stdout)["rules"]
    assert (judged["verdict"], len(judged["points"])) == ("fails", 6)
    assert steelyard_cli("check", *ten_times, *rule, "--tolerance", "20").returncode == 0


@pytest.mark.extensions("growth")
def test_sides_of_a_rule_that_share_no_point_are_an_error(steelyard_cli, tmp_path):
    rows = "".join(f"{op},{p},{p}\n" for op, ps in (("a", (2, 4, 8)), ("b", (16, 32, 64))) for p in ps)
    (tmp_path / "apart.csv").write_text("op,p,t\n" + rows)
    done = steelyard_cli(
        "check", "apart.csv", "--value", "t", "--parameter", "p", "--by", "op", "--rule", "a <= b"
    )
    assert done.returncode == 2
    assert "rule 'a <= b': no point has t of a and b" in done.stderr


@pytest.mark.extensions("growth")
def test_two_scales_are_compared_though_no_growth_can_be(steelyard_cli, tmp_path):
    rows = "".join(f"{op},{p},{t * p}\n" for op, t in (("a", 3), ("b", 1)) for p in (2, 4) for _ in "xy")
    (tmp_path / "two.csv").write_text("op,p,t\n" + rows)
    question = ("two.csv", "--value", "t", "--parameter", "p", "--by", "op", "--rule", "a <= b")
    done = steelyard_cli("check", *question)
    assert done.returncode == 1, done.stderr
    assert "broken at all 2 points: at worst 3.00 × b (exact) at p = 2" in " ".join(done.stdout.split())


@pytest.mark.extensions("growth")
def test_values_that_repeat_to_the_bit_are_compared_as_they_are_when_that_is_said(steelyard_cli, tmp_path):
    rows = "".join(
        f"{op},{p},{t * p}\n" for op, t in (("a", 1.07), ("b", 1)) for p in (2, 4, 8) if p < 8 or op == "b"
    )
    (tmp_path / "one.csv").write_text("op,p,t\n" + rows)
    question = ("one.csv", "--value", "t", "--parameter", "p", "--by", "op", "--rule", "a <= b")
    assert steelyard_cli("check", *question).returncode == 0
    assert steelyard_cli("check", *question, "--strict").returncode == 3
    done = steelyard_cli("check", *question, "--exact")
    assert done.returncode == 1
    assert "1.07 × b (exact)" in " ".join(done.stdout.split())
    alone = steelyard_cli("check", *question[:7], "--expect", "O(p)", "--tolerance", "0.1")
    assert alone.returncode == 2
    assert "--tolerance 0.1 without --rule" in alone.stderr


@pytest.mark.extensions("growth")
def test_the_status_quo_of_data_is_kept(steelyard_cli, collectives, tmp_path):
    steelyard_cli("model", *collectives, "--accept", "accepted.json")
    assert steelyard_cli("check", *collectives, "--expectations", "accepted.json").returncode == 0
    data = tmp_path / "data.csv"
    data.write_text(data.read_text().replace("bcast", "old").replace("gather", "bcast"))
    done = steelyard_cli("check", *collectives, "--expectations", "accepted.json", "--function", "bcast")
    assert done.returncode == 1, done.stdout


CUBIC = "".join(
    f"{n},{1e-9 * n**3 * (1 + 0.002 * (-1) ** r)}\n" for n in (16, 32, 64, 128, 256) for r in range(5)
)


def grown(tmp_path, rows=CUBIC):
    (tmp_path / "grown.csv").write_text(f"n,s\n{rows}")
    return ("grown.csv", "--value", "s", "--parameter", "n")


@pytest.mark.extensions("growth")
@pytest.mark.parametrize(
    ("stated", "strict", "lenient", "words"),
    [
        (("--at-most", "O(n^2)"), 1, 1, "fails; O(n^3), faster"),
        (("--expect", "O(n^2)"), 1, 1, "fails; O(n^3), no match"),
        (("--expect", "O(n^2)", "--deviation", "half"), 3, 0, "O(n^3), approximately"),
        (("--at-most", "O(n^2)", "--deviation", "n"), 3, 0, "O(n^3), approximately"),
        (("--at-most", "O(n^3)"), 0, 0, "holds; O(n^3), no faster"),
        (("--at-most", "O(n^4)"), 0, 0, "holds; O(n^3), no faster"),
        (("--expect", "O(n^4)"), 1, 1, "slower growth than expected is allowed by at_most"),
    ],
)
def test_a_gate_on_growth_lets_no_other_class_through(
    steelyard_cli, tmp_path, stated, strict, lenient, words
):
    data = grown(tmp_path)
    done = steelyard_cli("check", *data, *stated, "--strict")
    result = " ".join(done.stdout.split())
    assert (done.returncode, words in result, "5 points" in result) == (strict, True, True), result
    assert ("holds" in result) == (strict == 0)
    assert steelyard_cli("check", *data, *stated).returncode == lenient
    assert steelyard_cli("model", *data, *stated, "--strict").returncode == strict


@pytest.mark.extensions("growth")
def test_what_is_only_approximate_is_open_under_strict_in_every_document(steelyard_cli, tmp_path):
    data = (*grown(tmp_path), "--expect", "O(n^2)", "--deviation", "half")
    done = steelyard_cli("check", *data, "--strict", "--json", "--junit", "v.xml")
    assert done.returncode == 3
    assert json.loads(done.stdout)["verdicts"][0]["verdict"] == "not_resolved"
    assert 'failures="1"' in (tmp_path / "v.xml").read_text()
    assert json.loads(steelyard_cli("check", *data, "--json").stdout)["verdicts"][0]["verdict"] == "holds"


@pytest.mark.extensions("growth")
def test_an_upper_bound_and_an_expectation_of_the_same_functions_are_two_claims(steelyard_cli, tmp_path):
    done = steelyard_cli("check", *grown(tmp_path), "--at-most", "O(n)", "--expect", "O(1)")
    assert done.returncode == 2
    assert "both stated of all functions" in done.stderr


@pytest.mark.extensions("growth")
@pytest.mark.parametrize("value", ["nan", "FAILED", "inf", ""])
def test_a_scale_without_a_value_is_named_and_nothing_holds(steelyard_cli, tmp_path, value):
    data = grown(tmp_path, CUBIC + f"512,{value}\n")
    for command, stated in (("check", "O(n^3)"), ("check", "O(n^2)"), ("model", "O(n^3)")):
        done = steelyard_cli(command, *data, "--at-most", stated, "--strict")
        result = " ".join(done.stdout.split())
        assert done.returncode == 3, result
        assert f"no value: {value!r} at n = 512 (line 27)" in result
        assert "holds" not in result
    rule = ("--rule", "a <= a")
    rows = "".join(f"a,{row}\n" for row in (CUBIC + f"512,{value}").split())
    (tmp_path / "named.csv").write_text(f"f,n,s\n{rows}")
    named = ("named.csv", "--value", "s", "--parameter", "n", "--by", "f")
    assert steelyard_cli("check", *named, *rule, "--strict").returncode == 3


@pytest.mark.extensions("growth")
def test_what_was_accepted_passes_under_strict_on_the_same_data(steelyard_cli, collectives):
    steelyard_cli("model", *collectives, "--accept", "accepted.json")
    done = steelyard_cli("check", *collectives, "--expectations", "accepted.json", "--strict")
    assert done.returncode == 0, done.stdout


@pytest.mark.extensions("growth")
def test_a_record_is_held_to_growth_without_a_claim(steelyard_cli, spec):
    path = spec(HOLDS)
    path.write_text(path.read_text().replace("[0.001, 0.02]", "[0.001, 0.002, 0.005, 0.01, 0.02]"))
    steelyard_cli("run", "it.toml")
    done = steelyard_cli("check", "it.lab", "--expect", "O(seconds)", "--parameter", "seconds")
    assert done.returncode == 0, done.stderr
    assert "took grows over seconds as O(seconds): holds; " in done.stdout


@pytest.mark.extensions("growth")
def test_data_of_which_nothing_is_expected_and_expectations_of_a_spec_are_mistakes(
    steelyard_cli, collectives, spec
):
    none = steelyard_cli("check", *collectives)
    assert none.returncode == 2
    assert "no expectations to check" in none.stderr
    spec(HOLDS)
    both = steelyard_cli("check", "it.toml", "--expect", "O(1)")
    assert both.returncode == 2
    assert "states its own expectations" in both.stderr


@pytest.mark.extensions("growth")
def test_an_expectation_that_meets_no_data_is_an_error_that_lists_what_there_is(steelyard_cli, collectives):
    for command in ("check", "model"):
        done = steelyard_cli(command, *collectives, "--expect", "bcats=O(log p)", "--strict")
        assert done.returncode == 2
        assert "error: --expect names 'bcats', which is not in the data" in done.stderr
        assert "hint: did you mean 'bcast'? functions: bcast, gather" in done.stderr
        process = steelyard_cli(command, *collectives, "--expect", "bcast=O(log p)", "--function", "gather")
        assert process.returncode == 2
        assert "nothing is expected of the functions that --function and --metric leave" in process.stderr


@pytest.mark.extensions("growth")
def test_nothing_modelled_under_strict_is_not_resolved_for_model_as_for_check(steelyard_cli, tmp_path):
    (tmp_path / "two.csv").write_text("p,t\n2,1.5\n4,2.5\n")
    inputs = ("two.csv", "--value", "t", "--parameter", "p", "--expect", "O(p)")
    for command in ("check", "model"):
        assert steelyard_cli(command, *inputs, "--strict").returncode == 3
        assert steelyard_cli(command, *inputs).returncode == 0


def test_one_spec_that_breaks_keeps_no_other_from_being_judged(steelyard_cli, spec, tmp_path):
    spec(HOLDS)
    broken = tmp_path / "broken.toml"
    broken.write_text(SPEC.replace("printf", "no-such-program-here") + HOLDS)
    done = steelyard_cli("check", "broken.toml", "it.toml", "--junit", "out.xml", "--github")
    assert done.returncode == 5, done.stderr
    assert "✓ seconds = 0.001 faster" in done.stdout
    assert "error: broken.toml: " in done.stderr
    assert "::error file=broken.toml,title=broken.toml could not be judged::" in done.stderr
    suites = ET.fromstring((tmp_path / "out.xml").read_text())  # noqa: S314 -- ours
    assert [(s.get("name"), s.get("errors")) for s in suites] == [("printing", "0"), ("broken.toml", "1")]
    assert suites.find(".//error").get("message")


def test_what_could_not_be_judged_stands_in_the_document_and_names_its_file_once(
    steelyard_cli, spec, tmp_path
):
    spec(HOLDS)
    (tmp_path / "broken.toml").write_text("name = [\n")
    done = steelyard_cli("check", "broken.toml", "it.toml", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == document["exit"] == 5
    assert [verdict["verdict"] for verdict in document["verdicts"]] == ["holds"]
    (error,) = document["errors"]
    assert error["argument"] == "broken.toml"
    assert error["message"] in done.stderr
    assert error["hint"] in done.stderr
    assert done.stderr.count("broken.toml") == 1
    assert json.loads(steelyard_cli("check", "it.toml", "--json").stdout)["errors"] == []


def test_an_output_that_cannot_be_written_is_said_before_anything_runs(steelyard_cli, spec, tmp_path):
    spec(HOLDS)
    done = steelyard_cli("check", "it.toml", "--junit", "nowhere/out.xml")
    assert done.returncode == 2
    assert "--junit nowhere/out.xml: cannot be written" in done.stderr
    assert not (tmp_path / "it.lab").exists()


def test_a_record_whose_run_failed_is_no_success_without_running(steelyard_cli, tmp_path):
    path = tmp_path / "it.toml"
    limited = SPEC.replace("0.02]", "0.02]") + '\n[[claims]]\nlimit = "wall_s"\nmax = "10 s"\n'
    path.write_text(limited.replace(PROGRAM, '["sh", "-c", "exit 3", "{seconds}"]'))
    assert steelyard_cli("run", "it.toml").returncode == 5
    for names in (("it.toml", "--no-run"), ("it.lab",)):
        assert steelyard_cli("check", *names).returncode == 5


LINES = r"""
name = "lines"

[program]
command = ["printf", '{{"steelyard": 1, "metric": "t_s", "unit": "s", "labels": {{"p": %s, "by": "%s"}}, "values": [%s]}}\n', "{p}", "{by}", "{p}"]

[factors]
p = [1, 2]
by = ["tree", "ring"]

[design]
blocks = 8

[metrics]
t_s = { source = "lines", unit = "s" }

[analysis]
metric = "t_s"

[[claims]]
name = "one rank is faster"
faster = { p = 1 }
than = { p = 2 }
"""  # noqa: E501 -- a command is a line


def test_lines_that_name_what_their_treatment_is_are_compared(steelyard_cli, tmp_path):
    (tmp_path / "lines.toml").write_text(LINES)
    done = steelyard_cli("check", "lines.toml")
    assert done.returncode == 0, done.stderr
    assert "✓ one rank is faster: p = 1 faster than p = 2: holds in all 2 strata" in done.stdout
    answer = steelyard_cli("analyze", "lines.lab", "--details")
    assert answer.returncode == 0, answer.stderr
    assert "p = 2, by = " not in answer.stdout


def test_a_claim_compares_lines_that_name_their_algorithm(steelyard_cli, tmp_path):
    labelled = LINES.replace('"{p}", "{by}", "{p}"]', '"{p}", "of {by}", "{p}"]')
    chosen = "faster = { p = 1 }\nthan = { p = 2 }"
    way = 'faster = { by = "tree", p = 1 }\nthan = { by = "ring", p = 2 }'
    (tmp_path / "lines.toml").write_text(labelled.replace(chosen, way))
    done = steelyard_cli("check", "lines.toml")
    assert done.returncode == 0, done.stderr
    assert ": holds; 2.000 × " in done.stdout


INTERRUPTED = """\
name = "interrupted"

[program]
command = ["sh", "-c", "test $(wc -l < blocks) -lt 11 || sleep 600; echo took={seconds}"]
after_block = [["sh", "-c", "echo >> blocks"]]

[metrics]
took = { source = "stdout", pattern = "took=(.*)", unit = "s" }

[factors]
seconds = [0.001, 0.02]

[design]
blocks = 20

[analysis]
metric = "took"
"""


def test_a_run_that_was_interrupted_is_not_judged_however_clear_its_verdicts_are(
    steelyard_cli, steelyard_started, tmp_path, eventually
):
    (tmp_path / "blocks").touch()
    (tmp_path / "it.toml").write_text(INTERRUPTED + HOLDS)
    with steelyard_started("run", "it.toml") as running:
        eventually(lambda: (tmp_path / "blocks").read_text().count("\n") >= 11, running)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130
    for name in ("it.toml", "it.lab"):
        judged = ["check", name, "--no-run", "--junit", "a.xml", "--sarif", "a.sarif"]
        lenient, strict = steelyard_cli(*judged), steelyard_cli(*judged, "--strict")
        assert (lenient.returncode, strict.returncode) == (0, 3), strict.stderr
        assert strict.stdout.startswith("✓ ")
        assert "- The run has not ended: these verdicts rest on the blocks so far." in strict.stdout
        (suite,) = ET.parse(tmp_path / "a.xml").getroot()  # noqa: S314 -- ours
        assert (suite.get("tests"), suite.get("errors")) == ("2", "1")
        assert suite[1].get("name") == "the run is not judged"
        assert '"ruleId": "not_judged"' in (tmp_path / "a.sarif").read_text()


IMPOSSIBLE = "\n[[claims]]\nfaster = { seconds = 0.001 }\nthan = { seconds = 0.02 }\nby = 30\n"


def test_a_change_cannot_loosen_the_claims_of_its_baseline(steelyard_cli, spec, tmp_path):
    (tmp_path / "base.toml").write_text(SPEC + IMPOSSIBLE)
    spec(HOLDS)
    assert steelyard_cli("check", "it.toml", "--strict").returncode == 0
    for name in ("it.toml", "it.lab"):
        done = steelyard_cli("check", name, "--baseline-spec", "base.toml")
        assert done.returncode == 1, done.stderr
        assert [line[0] for line in done.stdout.splitlines() if not line.startswith(" ")][:2] == ["✗", "✓"]
    spec()
    assert steelyard_cli("check", "it.toml", "--baseline-spec", "base.toml").returncode == 1


def test_a_claim_that_baseline_and_change_share_is_judged_once_and_counts(steelyard_cli, spec, tmp_path):
    (tmp_path / "base.toml").write_text(SPEC.replace('"printing"', '"base"') + HOLDS)
    spec(HOLDS)
    done = steelyard_cli("check", "it.toml", "--baseline-spec", "base.toml", "--strict")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("✓") == 1


def test_a_change_of_how_claims_are_judged_is_named_and_is_not_judged_under_strict(
    steelyard_cli, spec, tmp_path
):
    base = SPEC.replace("blocks = 8", "blocks = 30") + "alpha = 0.01\n"
    (tmp_path / "base.toml").write_text(base + HOLDS)
    spec(HOLDS)
    lenient = steelyard_cli("check", "it.toml", "--baseline-spec", "base.toml")
    strict = steelyard_cli("check", "it.toml", "--baseline-spec", "base.toml", "--strict")
    assert (lenient.returncode, strict.returncode) == (0, 3)
    text = " ".join(strict.stdout.split())
    assert "The experiment differs from the baseline, whose claims these are: " in text
    assert "design.blocks: 30 → 8" in text
    assert "analysis.alpha: 0.01 → 0.05" in text


def test_a_claim_of_the_baseline_about_what_the_change_left_out_is_not_judged(steelyard_cli, spec, tmp_path):
    result = SPEC.replace(
        "[metrics]", '[metrics]\nspace = { source = "stdout", pattern = "t(o)", unit = "B" }'
    )
    claim = '\n[[claims]]\nlimit = "space"\nmax = "1 GB"\n'
    (tmp_path / "base.toml").write_text(result + HOLDS + claim)
    spec(HOLDS)
    done = steelyard_cli("check", "it.toml", "--baseline-spec", "base.toml", "--strict", "--json")
    assert done.returncode == 3, done.stderr
    assert sorted(item["verdict"] for item in json.loads(done.stdout)["verdicts"]) == ["holds", "not_judged"]


def test_a_baseline_is_of_one_spec(steelyard_cli, spec, tmp_path):
    spec(HOLDS)
    (tmp_path / "data.csv").write_text("p,t\n1,1\n")
    many = steelyard_cli("check", "it.toml", "data.csv", "--baseline-spec", "it.toml")
    assert (many.returncode, many.stdout) == (2, "")
    assert "the baseline of one spec, not of 2" in many.stderr
    data = steelyard_cli("check", "data.csv", "--baseline-spec", "it.toml")
    assert "is data, whose expectations stand in no spec" in data.stderr
    assert data.returncode == 2


@pytest.mark.extensions("growth")
def test_a_bound_over_two_parameters_is_judged_in_each_that_it_names(steelyard_cli, tmp_path):
    rows = [f"{p},{n},{p + n**3 * 1e-3}" for p in (2, 4, 8, 16, 32) for n in (10, 20, 40, 80, 160)]
    (tmp_path / "both.csv").write_text("\n".join(["p,n,t", *rows]) + "\n")
    data = ("both.csv", "--value", "t", "-p", "p", "-p", "n")
    broken = steelyard_cli("check", *data, "--at-most", "O(p + n)", "--strict")
    assert broken.returncode == 1, broken.stdout
    assert steelyard_cli("check", *data, "--at-most", "O(p + n^3)", "--strict").returncode == 0


@pytest.mark.extensions("growth")
def test_a_change_cannot_loosen_the_accepted_models_of_its_baseline(steelyard_cli, tmp_path):
    spec = """
[program]
command = ["sh", "-c", "echo t=$((N * N))"]
env = { N = "{n}" }
[factors]
n = [4, 8, 16, 32, 64]
[design]
blocks = 3
discard = 0
[metrics]
t = { pattern = "t=([0-9]+)", unit = "1" }
[analysis]
metric = "t"
[[claims]]
scales = "t"
parameter = "n"
accepted = "accepted.json"
"""
    accepted = '{"format": "steelyard/expectations", "version": 1, "expectations": {"*": {"at_most": "%s"}}}'
    for name, growth in (("base", "O(n)"), ("head", "O(n^2)")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "it.toml").write_text(spec)
        (tmp_path / name / "accepted.json").write_text(accepted % growth)
    assert steelyard_cli("check", "head/it.toml").returncode == 0
    done = steelyard_cli("check", "head/it.toml", "--baseline-spec", "base/it.toml")
    assert done.returncode == 1, done.stdout + done.stderr
