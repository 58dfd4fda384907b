"""``steelyard report``, ``analyze --html`` and ``Laboratory.report``."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from html import escape
from pathlib import Path

import pytest

from steelyard import Laboratory

SPEC = """
[program]
command = ["sh", "-c", "exit 0", "{word}"]
[factors]
word = ["a", "<b>"]
[contexts]
env_bytes = "random"
passes = 2
[design]
blocks = 8
[[claims]]
equivalent = { word = "<b>" }
to = { word = "a" }
within = 0.5
"""


@pytest.fixture
def record(steelyard_cli, tmp_path):
    (tmp_path / "c.toml").write_text(SPEC)
    done = steelyard_cli("run", "c.toml")
    assert done.returncode in (0, 1), done.stderr
    return tmp_path / "c.lab"


def test_a_page_figures_and_tables_are_written(steelyard_cli, record, tmp_path):
    done = steelyard_cli("report", "c.lab")
    assert (done.returncode, done.stdout) == (0, "c.html\n"), done.stderr
    page = (tmp_path / "c.html").read_text()
    assert "What one person with one set-up would see" in page
    assert "&lt;b&gt;" in page
    assert "Claims" in page
    assert "1 run not" not in page
    assert "in a warm-up block (discarded)" in page
    done = steelyard_cli("report", "c.toml", "--figures", "fig", "--tables", "tab")
    assert done.returncode == 0, done.stderr
    assert {"fig/effects.svg", "fig/by-context.pdf", "tab/effects.tex"} <= {*done.stdout.split()}
    assert all((tmp_path / file).stat().st_size for file in done.stdout.split())


def test_one_figure_and_one_table_are_written_by_name_and_others_are_listed(steelyard_cli, record, tmp_path):
    done = steelyard_cli("report", "c.lab", "--figures", "fig", "--only", "effects")
    assert done.stdout.split() == ["fig/effects.svg", "fig/effects.png", "fig/effects.pdf"]
    assert {path.name for path in (tmp_path / "fig").iterdir()} == {
        "effects.svg",
        "effects.png",
        "effects.pdf",
    }
    done = steelyard_cli("report", "c.lab", "--tables", "tab", "--only", "efects")
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is no table 'efects'\n\nhint: tables: effects, ")
    assert not (tmp_path / "tab").exists()
    assert steelyard_cli("report", "c.lab", "--only", "effects").returncode == 2


def test_an_archive_has_record_answer_and_checksums_and_its_record_answers_again(
    steelyard_cli, record, tmp_path
):
    done = steelyard_cli("report", "c.lab", "--archive", "c.zip", "--author", 'A: "B"')
    assert (done.returncode, done.stdout) == (0, "c.zip\n"), done.stderr
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        archive.extractall(tmp_path / "out")
    place = tmp_path / "out" / "c"
    assert {"page.html", "answer.json", "trials.csv", "host.json", "program.json", "README.md"} <= {
        path.name for path in place.iterdir()
    }
    subprocess.run(["sha256sum", "--quiet", "--check", "SHA256SUMS"], cwd=place, check=True)
    assert '  - name: "A: \\"B\\""\n' in (place / "CITATION.cff").read_text()
    again = steelyard_cli("analyze", str(place / "record.lab"), "--json")
    assert (
        json.loads(again.stdout)["comparisons"]
        == json.loads((place / "answer.json").read_text())["comparisons"]
    )


def test_an_archive_is_of_one_record_and_replaces_no_input(steelyard_cli, record):
    assert "is of one record" in steelyard_cli("report", "c.lab", "c.toml", "--archive", "x.zip").stderr
    assert "is an input" in steelyard_cli("report", "c.toml", "--archive", "c.toml").stderr
    assert steelyard_cli("report", "c.lab", "--author", "A").returncode == 2


def test_a_page_may_hold_several_records(steelyard_cli, record, tmp_path):
    done = steelyard_cli("report", "c.lab", "c.toml", "-o", "both.html")
    assert (done.returncode, done.stdout) == (0, "both.html\n"), done.stderr
    assert (tmp_path / "both.html").read_text().count("<article") == 2


def test_analyze_writes_the_page_beside_its_answer(steelyard_cli, record, tmp_path):
    done = steelyard_cli("analyze", "c.lab", "--html", "a.html")
    assert done.returncode in (0, 1), done.stderr
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    claim = done.stdout.splitlines()[0].partition("  (")[0].partition(";")[0]
    assert escape(claim) in (tmp_path / "a.html").read_text()


def test_a_notebook_shows_the_page_in_a_frame_that_sees_nothing_of_it(record):
    shown = Laboratory(record).report()
    frame = shown._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    assert "<script" not in frame
    assert repr(shown) == f"Report({record})"


def test_where_every_run_fails_a_page_is_written_that_says_so(steelyard_cli, tmp_path):
    (tmp_path / "f.toml").write_text('[program]\ncommand = ["false"]\n[design]\nblocks = 5\n')
    assert steelyard_cli("run", "f.toml").returncode == 5
    done = steelyard_cli("report", "f.lab")
    assert (done.returncode, done.stdout) == (0, "f.html\n"), done.stderr
    assert "Nothing can be said yet" in (tmp_path / "f.html").read_text()


def test_a_damaged_record_is_an_error_and_leaves_no_page(steelyard_cli, record, tmp_path):
    file = record / "record.sqlite"
    content = bytearray(file.read_bytes())
    content[len(content) // 3 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 3)
    file.write_bytes(content)
    done = steelyard_cli("report", "c.lab")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "steelyard recover" in done.stderr
    assert not (tmp_path / "c.html").exists()


def test_no_record_and_no_directory_are_errors_before_anything_is_read(steelyard_cli, record):
    assert steelyard_cli("report", "none.lab").returncode == 2
    done = steelyard_cli("report", "c.lab", "-o", "no/such/place.html")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_without_the_extra_there_is_a_page_and_figures_say_what_installs_it(steelyard_cli, record, tmp_path):
    hidden = tmp_path / "hidden" / "vl_convert"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError\n")
    env = {"PYTHONPATH": str(tmp_path / "hidden")}
    done = steelyard_cli("report", "c.lab", "--figures", "figures", env=env)
    assert done.returncode == 4
    assert done.stderr.endswith("hint: pip install vl-convert-python\n")
    # The page has its script from the package.
    done = steelyard_cli("report", "c.lab", "-o", "drawn.html", env=env)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_and_a_run_load_nothing_that_draws():
    import subprocess

    program = "import steelyard.cli.report, steelyard.laboratory, sys; print('vl_convert' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert Path(sys.executable).exists()


INSTANCES = """
[program]
command = ["sh", "-c", "echo took=$1.$$", "sh", "{root}{version}"]
[factors]
version = [1, 2]
root = [1, 2, 3]
[design]
blocks = 4
[metrics]
took = { source = "stdout", pattern = "took=(.*)", unit = "s" }
[analysis]
metric = "took"
instances = "root"
"""


def test_a_record_whose_instances_are_taken_together_has_a_page(steelyard_cli, tmp_path):
    (tmp_path / "i.toml").write_text(INSTANCES)
    assert steelyard_cli("run", "i.toml").returncode == 0
    done = steelyard_cli("report", "i.lab")
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "i.html").read_text()
    assert "What the spread is made of: root against runs" in page
