"""``steelyard efficiency`` and its claim as processes."""

from __future__ import annotations

import json

import pytest

TABLE = "p,t\n" + "".join(
    f"{p},{t * (1 + 0.01 * k)}\n"
    for p, t in ((1, 100), (2, 51), (4, 27), (8, 18), (16, 19))
    for k in (-1, 0, 1)
)
COLUMNS = ("--value", "t", "--parameter", "p", "--unit", "s")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_the_table_begins_with_the_answer(steelyard_cli, data):
    done = steelyard_cli("efficiency", str(data), *COLUMNS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("t: 70 % of efficiency up to p = 4, with 95 % up to 4")
    assert "largest speedup at p = 8" in " ".join(done.stdout.split())


def test_json_has_points_with_intervals(steelyard_cli, data):
    done = steelyard_cli("efficiency", str(data), *COLUMNS, "--least", "50%", "--json")
    (series,) = json.loads(done.stdout)["series"]
    assert (series["up_to"], series["scaling"], series["base"]) == (8, "strong", 1)
    assert series["points"][2]["efficiency"] == pytest.approx(100 / 108)
    low, high = series["points"][2]["interval"]
    assert low < 100 / 108 < high


def test_options_about_growth_are_refused(steelyard_cli, data):
    done = steelyard_cli("efficiency", str(data), *COLUMNS, "--at-most", "O(p)")
    assert done.returncode == 2
    assert "--at-most" in done.stderr


STATES = "p,t,State\n" + "".join(
    f"{p},{64 / p + again},{'TIMEOUT' if (p, again) == (8, 0) else 'COMPLETED'}\n"
    for p in (1, 2, 4, 8)
    for again in (0, 0.1)
)


def test_a_column_of_states_opens_the_scales_from_the_first_failure_on(steelyard_cli, tmp_path):
    data = tmp_path / "runs.csv"
    data.write_text(STATES, encoding="utf-8")
    done = steelyard_cli("efficiency", str(data), *COLUMNS)
    words = " ".join(done.stdout.split())
    assert "efficiency up to p = 4" in words
    assert "open from p = 8 on: 'TIMEOUT' at p = 8 (line 8)" in words


@pytest.mark.parametrize(("up_to", "code"), [(4, 0), (8, 3)])
def test_a_claim_is_judged_up_to_the_last_scale_without_a_failure(steelyard_cli, tmp_path, up_to, code):
    data, claims, record = (tmp_path / name for name in ("runs.csv", "claims.toml", "runs.lab"))
    data.write_text(STATES, encoding="utf-8")
    claims.write_text(CLAIMS.format(least=0.5, up_to=up_to), encoding="utf-8")
    columns = ("--value", "t", "--by", "p", "--unit", "s")
    steelyard_cli("import", str(data), *columns, "--claims", str(claims), "-o", str(record))
    done = steelyard_cli("check", str(record), "--strict")
    assert done.returncode == code, done.stdout
    assert ("not judged in 1 of 3 strata, holds in 2" in " ".join(done.stdout.split())) == (code == 3)


CLAIMS = """\
[[claims]]
efficiency = "t"
parameter = "p"
at_least = {least}
up_to = {up_to}
"""


@pytest.mark.parametrize(
    ("least", "up_to", "code", "words"),
    [
        (0.7, 4, 0, "up to 4: holds in all 2 strata; at p = 4 92.6 % (95 % CI"),
        (0.7, 16, 1, "fails in 1 of 4 strata, holds in 2; at p = 16 32.9 % (98.8 % CI"),
        (0.92, 4, 3, "not resolved"),
        (0.7, 64, 3, "p = 64 was not measured beyond the base"),
    ],
)
def test_a_claim_is_judged_at_every_scale(steelyard_cli, data, tmp_path, least, up_to, code, words):
    claims = tmp_path / "claims.toml"
    claims.write_text(CLAIMS.format(least=least, up_to=up_to), encoding="utf-8")
    record = str(tmp_path / "runs.lab")
    process = steelyard_cli(
        "import", str(data), "--value", "t", "--by", "p", "--unit", "s", "--claims", str(claims), "-o", record
    )
    assert process.returncode == 0, process.stderr
    done = steelyard_cli("check", record, "--strict")
    assert done.returncode == code, done.stdout
    assert words in " ".join(done.stdout.split())
