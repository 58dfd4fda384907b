"""``steelyard model`` as a process: exit codes, text, JSON and errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from html import unescape

import pytest

from steelyard.report.text.digits import share

pytestmark = pytest.mark.extensions("exchange")

ROWS = "op,p,latency\n" + "".join(
    f"{op},{p},{f(p)}\n"
    for op, f in (
        ("bcast", lambda p: 5 + p.bit_length()),
        ("gather", lambda p: 3 + 2 * p),
        ("scan", lambda p: 1 + p**2),
    )
    for p in (16, 32, 64, 128, 256, 512)
)
COLUMNS = ("--value", "latency", "--parameter", "p", "--by", "op", "--unit", "s")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_every_function_is_one_line_and_what_does_not_match_exits_with_1(steelyard_cli, data):
    done = steelyard_cli("model", str(data), *COLUMNS, "--expect", "O(p)", "--expect", "bcast=O(log p)")
    assert done.returncode == 1, done.stderr
    assert "3 expectations: " in done.stdout
    signs = {
        line.split()[1]: line[0] for line in done.stdout.splitlines() if line[:1] in "✓≈✗?" and line.strip()
    }
    assert signs == {"bcast": "✓", "gather": "✓", "scan": "✗"}


def test_json_is_one_document_and_matches_exit_with_0(steelyard_cli, data):
    done = steelyard_cli(
        "model", str(data), *COLUMNS, "--function", "gather", "--expect", "p", "--at", "p=4096", "--json"
    )
    assert done.returncode == 0, done.stderr
    (model,) = json.loads(done.stdout)["models"]
    assert (model["growth"], model["rank"]) == ("O(p)", "match")
    assert model["predictions"][0]["value"] == pytest.approx(3 + 2 * 4096, rel=0.01)


def test_data_that_begin_late_do_not_pass_a_gate_as_constant(steelyard_cli, tmp_path):
    data = tmp_path / "late.csv"
    rows = [f"{p},{max(0, p - 8)}" for p in (1, 2, 4, 8, 16, 32, 64) for _ in range(5)]
    data.write_text("p,time\n" + "\n".join(rows) + "\n", encoding="utf-8")
    question = ("model", str(data), "--value", "time", "--parameter", "p", "--expect", "O(1)", "--strict")
    done = steelyard_cli(*question)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "4 points are 0" in done.stdout


def test_rules_are_judged_and_a_broken_one_exits_with_1(steelyard_cli, data):
    process = steelyard_cli("model", str(data), *COLUMNS, "--rule", "bcast <= gather")
    broken = steelyard_cli("model", str(data), *COLUMNS, "--rule", "scan <= bcast + gather")
    assert (process.returncode, broken.returncode) == (0, 1), process.stderr + broken.stderr
    assert "holds" in process.stdout
    assert "fails" in broken.stdout


def test_what_was_accepted_is_expected_later(steelyard_cli, data, tmp_path):
    accepted = tmp_path / "accepted.json"
    first = steelyard_cli("model", str(data), *COLUMNS, "--accept", str(accepted))
    assert first.returncode == 0, first.stderr
    again = steelyard_cli("model", str(data), *COLUMNS, "--expectations", str(accepted))
    assert again.returncode == 0, again.stdout
    assert "3 expectations: 3 match." in again.stdout
    # The tree became a loop over all processes.
    data.write_text(ROWS.replace("bcast,", "old,").replace("gather,", "bcast,"), encoding="utf-8")
    worse = steelyard_cli(
        "model", str(data), *COLUMNS, "--expectations", str(accepted), "--function", "bcast"
    )
    assert worse.returncode == 1, worse.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--value is missing"),
        (("--value", "latncy", "--parameter", "p"), "no column 'latncy'"),
        ((*COLUMNS, "--expect", "O(log"), "column 6"),
        ((*COLUMNS, "--at", "p"), "not NAME=VALUE"),
        ((*COLUMNS, "--at", "q=4"), "no series has a parameter 'q'"),
        ((*COLUMNS, "--expect", "O(n)", "--along", "n=q"), "no series has a parameter 'q'"),
        ((*COLUMNS, "--expect", "O(p)", "--deviation", "0"), "deviation '0' does not grow"),
        ((*COLUMNS, "--at", "p=-4"), "not a positive number"),
        ((*COLUMNS, "--limit", "much"), "is not a positive quantity in s"),
        ((*COLUMNS, "--rule", "bcast < gather"), "not of the form"),
        ((*COLUMNS, "--rule", "bcast <= reduce"), "which is not among the functions"),
        ((*COLUMNS, "--litmus", "tree"), "is not among the functions"),
        ((*COLUMNS, "--function", "nothing"), "no function matches"),
        ((*COLUMNS, "--metric", "nothing"), "has no values of the metric 'nothing'"),
        ((*COLUMNS, "--expectations", "missing.json"), "missing.json"),
    ],
)
def test_a_mistake_exits_with_2_an_error_and_a_hint(steelyard_cli, data, arguments, message):
    done = steelyard_cli("model", str(data), *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_the_scale_at_which_a_limit_breaks_and_points_to_measure_are_said(steelyard_cli, data, tmp_path):
    broken = steelyard_cli("model", str(data), *COLUMNS, "--function", "gather", "--limit", "2003", "--json")
    (limit,) = json.loads(broken.stdout)["limits"]
    assert limit["breaks_at"] == pytest.approx(1000, rel=0.01)
    noisy = tmp_path / "noisy.csv"
    rows = [
        f"f,{p},{5 + p.bit_length() ** 2 * e}" for p in (16, 64, 256, 1024, 4096) for e in (0.85, 1.0, 1.2)
    ]
    noisy.write_text("op,p,latency\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = steelyard_cli(
        "model", str(noisy), *COLUMNS, "--expect", "O(log^2 p)", "--suggest", "--limit", "500"
    )
    assert "Measure next" in done.stdout, done.stdout + done.stderr
    assert "Limits\n" in done.stdout


def test_a_limit_over_two_parameters_says_which_varies_and_where_the_other_stays(steelyard_cli, tmp_path):
    rows = "".join(f"{op},{p},{n},{p * n}\n" for op in "ab" for p in (2, 4, 8, 16) for n in (10, 20, 40))
    (tmp_path / "two.csv").write_text("op,p,n,t\n" + rows)
    question = ("two.csv", "--value", "t", "--parameter", "p", "--parameter", "n", "--by", "op")
    done = steelyard_cli("model", *question, "--limit", "2000")
    assert "  a at n = 40: above 2,000 from p = 50 on" in done.stdout, done.stdout
    never = steelyard_cli("model", *question, "--limit", "1e40")
    assert "over the whole range searched over p\n" in never.stdout, never.stdout
    document = json.loads(steelyard_cli("model", *question, "--limit", "2000", "--json").stdout)
    assert [(item["parameter"], item["at"]) for item in document["limits"]] == [("p", {"n": 40.0})] * 2


def test_the_published_method_is_at_hand(steelyard_cli, data):
    done = steelyard_cli("model", str(data), *COLUMNS, "--method", "seed001", "--space", "wide", "--json")
    assert done.returncode == 0, done.stderr
    assert {m["name"]: m["growth"] for m in json.loads(done.stdout)["models"]}["gather"] == "O(p)"


def test_implementations_are_held_against_each_other(steelyard_cli, tmp_path):
    file = tmp_path / "two.csv"
    rows = [
        f"{mpi},{p},{f(p) * e}"
        for mpi, f in (("a", lambda p: 10 + p.bit_length()), ("b", lambda p: 3 + 2 * p))
        for p in (16, 32, 64, 128, 256, 512)
        for e in (0.99, 1.0, 1.01)
    ]
    file.write_text("mpi,p,latency\n" + "\n".join(rows) + "\n", encoding="utf-8")
    arguments = ("--value", "latency", "--parameter", "p", "--by", "mpi", "--versus", "mpi", "--at", "p=4096")
    done = steelyard_cli("model", str(file), *arguments)
    assert done.returncode == 0, done.stderr
    assert "Against each other\n  b: 356 × a at p = 4096 (95 %: " in done.stdout
    assert "grows faster, by O(p" in done.stdout
    (versus,) = json.loads(steelyard_cli("model", str(file), *arguments, "--json").stdout)["versus"]
    assert versus["ratio"] == pytest.approx((3 + 2 * 4096) / 23, rel=0.05)
    assert versus["grows_faster"] > 0.8
    wrong = steelyard_cli("model", str(file), *arguments[:-3], "library")
    assert wrong.returncode == 2
    assert "hint: name one of the labels: mpi" in wrong.stderr


def test_a_limit_may_have_a_unit(steelyard_cli, data):
    done = steelyard_cli("model", str(data), *COLUMNS, "--function", "gather", "--limit", "4000 s", "--json")
    assert done.returncode == 0, done.stderr
    milli = steelyard_cli(
        "model", str(data), *COLUMNS, "--function", "gather", "--limit", "4000000 ms", "--json"
    )
    assert json.loads(done.stdout) == json.loads(milli.stdout)


def test_a_limit_may_have_the_unit_that_the_values_have(steelyard_cli, tmp_path):
    (tmp_path / "a.csv").write_text("p,t\n" + "".join(f"{p},{3 * p}\n" for p in (2, 4, 8, 16, 32)))
    arguments = ("a.csv", "--value", "t", "--parameter", "p", "--unit", "ms", "--json", "--limit")
    bare, named = (steelyard_cli("model", *arguments, text, cwd=tmp_path) for text in ("500", "500 ms"))
    assert json.loads(named.stdout) == json.loads(bare.stdout)
    wrong = steelyard_cli("model", *arguments, "500 min", cwd=tmp_path)
    assert "'500 min' is not a positive quantity in ms" in wrong.stdout


def test_a_rule_over_functions_of_two_parameters_is_refused(steelyard_cli, tmp_path):
    rows = "".join(f"{op},{p},{n},{p * n}\n" for op in "ab" for p in (2, 4, 8) for n in (10, 20, 40))
    (tmp_path / "two.csv").write_text("op,p,n,t\n" + rows)
    done = steelyard_cli(
        "model", "two.csv", "--value", "t", "--parameter", "p", "--parameter", "n", "--by", "op",
        "--rule", "a <= b",
    )  # fmt: skip
    assert done.returncode == 2
    assert "a has the parameters p, n, and a rule is judged over one" in done.stderr
    assert "Traceback" not in done.stderr


def test_accepting_to_a_directory_that_does_not_exist_is_said_before_modelling(steelyard_cli, data):
    done = steelyard_cli("model", str(data), *COLUMNS, "--accept", "nowhere/it.json")
    assert done.returncode == 2
    assert "--accept nowhere/it.json: cannot be written" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("4,0\n8,0\n16,0\n", "all values are 0"),
        ("4,1\n", "1 point"),
        ("4,-1\n8,-2\n16,-3\n", "is negative"),
    ],
)
def test_what_cannot_be_modelled_is_said_and_is_no_constant(steelyard_cli, tmp_path, rows, words):
    (tmp_path / "odd.csv").write_text("p,t\n" + rows)
    done = steelyard_cli("model", "odd.csv", "--value", "t", "--parameter", "p")
    assert done.returncode == 0, done.stderr
    assert "Not modelled" in done.stdout
    assert words in done.stdout
    assert "O(1)" not in done.stdout


def test_an_output_that_is_not_utf_8_or_is_closed_is_no_traceback(data):
    command = [sys.executable, "-m", "steelyard", "model", str(data), *COLUMNS, "--expect", "O(p)"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in closed.stderr


def test_models_are_drawn_as_a_page_and_as_figures(steelyard_cli, data, tmp_path):
    page, figures = tmp_path / "models.html", tmp_path / "figures"
    done = steelyard_cli("model", str(data), *COLUMNS, "--html", str(page), "--figures", str(figures))
    assert done.returncode == 0, done.stderr
    assert f"written: {page}" in done.stderr
    text = page.read_text(encoding="utf-8")
    assert "3 functions modelled" in text
    assert "gather: O(p)" in text
    names = {file.name for file in figures.iterdir()}
    assert names == {f"growth-{i}.{kind}" for i in (1, 2, 3) for kind in ("svg", "png", "pdf")}
    drawn = (figures / "growth-2.svg").read_text(encoding="utf-8")
    assert "least squares" in drawn
    assert "latency" in drawn


def test_models_of_several_parameters_are_not_drawn_and_that_is_said(steelyard_cli, tmp_path):
    data = tmp_path / "two.csv"
    rows = [f"{p},{n},{3 + p * n}" for p in (1, 2, 4, 8, 16) for n in (10, 20, 40, 80, 160)]
    data.write_text("p,n,t\n" + "\n".join(rows) + "\n", encoding="utf-8")
    question = ("model", str(data), "--value", "t", "--parameter", "p", "--parameter", "n")
    done = steelyard_cli(*question, "--html", str(tmp_path / "page.html"))
    assert done.returncode == 2
    assert "nothing to draw: no function of one parameter has a model" in done.stderr
    assert "hint: give --parameter NAME" in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_a_page_is_not_written_over_the_data(steelyard_cli, data):
    done = steelyard_cli("model", str(data), *COLUMNS, "--html", str(data))
    assert done.returncode == 2
    assert data.read_text(encoding="utf-8") == ROWS


def test_a_growth_has_one_probability_wherever_it_is_shown(steelyard_cli, data, tmp_path):
    page = tmp_path / "page.html"
    words = (str(data), *COLUMNS, "--expect", "O(p)")
    models = json.loads(steelyard_cli("model", *words, "--json").stdout)["models"]
    text = steelyard_cli("model", *words, "--html", str(page)).stdout
    html = unescape(page.read_text(encoding="utf-8"))
    for model in models:
        probability, growth = share(model["posterior"]), model["growth"]
        (row,) = [line for line in text.splitlines() if f" {model['name']} " in line and growth in line]
        assert row.partition(growth)[2].split("%")[0].strip() == probability.removesuffix(" %")
        assert f"{growth}, {probability} sure; expected O(p): {model['rank']}, " in html
        assert row.count("%") >= 2


def test_the_audit_holds_out_the_last_points_in_text_and_json(steelyard_cli, data):
    done = steelyard_cli("model", str(data), *COLUMNS, "--audit")
    assert done.returncode == 0, done.stderr
    assert "Last points held out" in done.stdout
    document = json.loads(steelyard_cli("model", str(data), *COLUMNS, "--audit", "--json").stdout)
    assert [(entry["name"], entry["passed"]) for entry in document["holdouts"]] == [
        ("bcast", True), ("gather", True), ("scan", True),
    ]  # fmt: skip
    (gather,) = [entry for entry in document["holdouts"] if entry["name"] == "gather"]
    assert [point["at"] for point in gather["points"]] == [256, 512]
    assert gather["points"][-1]["value"] == pytest.approx(1027, rel=0.01)


def test_a_rate_is_bounded_from_below_and_read_by_its_name(steelyard_cli, tmp_path):
    path = tmp_path / "fom.csv"
    path.write_text("nodes,fom\n" + "".join(f"{n},{7e6 * n**-0.25}\n" for n in (1, 2, 4, 8, 16, 32)), "utf-8")
    columns = ("--value", "fom", "--parameter", "nodes")
    assert steelyard_cli("model", str(path), *columns, "--at-most", "O(1)").returncode == 1
    assert steelyard_cli("model", str(path), *columns, "--at-least", "O(1)").returncode == 1
    assert (
        steelyard_cli("model", str(path), *columns, "--at-most", "O(1)", "--better", "lower").returncode == 0
    )
    refused = steelyard_cli("model", str(path), *columns, "--at-most", "O(nodes)")
    assert refused.returncode == 2
    assert "at least O(nodes)" in refused.stderr


@pytest.mark.parametrize(
    ("metric", "limit", "number"), [("time_s", "5 ms", "0.005"), ("heap_bytes", "2 kB", "2000")]
)
def test_a_limit_of_a_table_has_the_unit_that_the_name_of_its_metric_ends_in(
    steelyard_cli, tmp_path, metric, limit, number
):
    scale = float(number) / 64
    rows = [f"{n},{scale * n * (1 + 0.01 * (-1) ** r)}" for n in (4, 8, 16, 32, 48) for r in range(5)]
    (tmp_path / "a.csv").write_text("\n".join([f"n,{metric}", *rows]))
    question = ("model", "a.csv", "--value", metric, "--parameter", "n", "--json", "--limit")
    first, second = (json.loads(steelyard_cli(*question, text).stdout) for text in (limit, number))
    assert first["limits"] == second["limits"] != []
