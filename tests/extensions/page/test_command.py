"""``steelyard report``, ``analyze --html`` and ``Laboratory.report``."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
import zipfile
from html import escape
from pathlib import Path

import pytest

from steelyard import Laboratory
from steelyard.store import Record

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
    result = Laboratory(record).report()
    frame = result._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    assert "<script" not in frame
    assert repr(result) == f"Report({record})"


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

    program = "import steelyard.extensions.page.report, sys; print('vl_convert' in sys.modules)"
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


ARCHIVED = """
[program]
command = ["{build}/prog", "data/in.txt"]
stdin = "data/stdin"
prepare = ["./prepare.sh"]
setup_once = ["sh", "-c", "./setup.sh"]
verify = { stdout = "^in and stdin$" }

[build]
command = ["./build.sh", "{build}"]
inputs = ["src/*", "README.md"]

[design]
blocks = 3
"""
SCRIPTS = {
    "build.sh": 'cp src/prog.sh "$1/prog"; chmod +x "$1/prog"',
    "src/prog.sh": "echo $(cat $1) and $(cat)",
    "prepare.sh": "echo prepared >> log",
    "setup.sh": "test -r README.md",
}


@pytest.fixture
def unpacked(steelyard_cli, tmp_path):
    """An archive of a spec with sources of all kinds, unpacked elsewhere; the sources themselves are gone."""
    place = tmp_path / "project"
    (place / "data").mkdir(parents=True)
    (place / "src").mkdir()
    for name, text in SCRIPTS.items():
        (place / name).write_text(f"#!/bin/sh\n{text}\n")
        (place / name).chmod(0o755)
    for name, text in (("data/in.txt", "in\n"), ("data/stdin", "stdin\n"), ("README.md", "ours\n")):
        (place / name).write_text(text)
    (place / "data/unnamed").write_text("unnamed\n")
    (place / "c.toml").write_text(ARCHIVED)
    done = steelyard_cli("run", "c.toml", cwd=place)
    assert done.returncode == 0, done.stderr
    for name in ("one.zip", "two.zip"):
        done = steelyard_cli("report", "c.lab", "--archive", name, cwd=place)
        assert (done.returncode, done.stdout) == (0, f"{name}\n"), done.stderr
    assert "not packed: PATH, HOME and LANG: inherited by the programs" in done.stderr
    assert (place / "one.zip").read_bytes() == (place / "two.zip").read_bytes()
    elsewhere = tmp_path / "a directory elsewhere"
    with zipfile.ZipFile(place / "one.zip") as archive:
        for entry in archive.infolist():
            file = Path(archive.extract(entry, elsewhere))
            file.chmod(entry.external_attr >> 16 & 0o777)  # as unzip does, and zipfile does not
    shutil.rmtree(place)
    return elsewhere / "c"


def test_an_archive_has_the_files_that_its_spec_names_and_no_others(unpacked):
    files = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert files >= {*SCRIPTS, "data/in.txt", "data/stdin", "README.md", "steelyard-README.md", "spec.toml"}
    assert "data/unnamed" not in files
    assert (unpacked / "README.md").read_text() == "ours\n"
    readme = (unpacked / "steelyard-README.md").read_text()
    assert "- `build.sh`\n" in readme
    assert "Not in this archive:\n\n- PATH, HOME and LANG: inherited by the programs\n" in readme
    assert readme.endswith("such as modules that a script imports\n")
    subprocess.run(["sha256sum", "--quiet", "--check", "SHA256SUMS"], cwd=unpacked, check=True)


def test_the_experiment_of_an_archive_runs_in_another_place_and_home(steelyard_cli, unpacked, tmp_path):
    home = {"HOME": str(tmp_path / "other home"), "XDG_CACHE_HOME": str(tmp_path / "other home/cache")}
    done = steelyard_cli("run", "spec.toml", cwd=unpacked, env=home)
    assert done.returncode == 0, done.stderr
    assert (unpacked / "log").read_text().count("prepared") == 4
    with Record.open(unpacked / "spec.lab") as record:
        assert record.progress().blocks["complete"] == 3


def test_the_record_of_an_archive_goes_on_in_another_place_and_home(steelyard_cli, unpacked, tmp_path):
    home = {"HOME": str(tmp_path / "other home"), "XDG_CACHE_HOME": str(tmp_path / "other home/cache")}
    for words in (("spec.toml", "--output", "record.lab"), ("record.lab",)):
        done = steelyard_cli("run", *words, "--extend", "2", cwd=unpacked, env=home)
        assert done.returncode == 0, done.stderr
    with Record.open(unpacked / "record.lab") as record:
        assert record.progress().blocks["complete"] == 7
    (unpacked / "src/prog.sh").write_text("#!/bin/sh\necho in and stdin\n")
    done = steelyard_cli("run", "record.lab", "--extend", "2", cwd=unpacked, env=home)
    assert done.returncode == 2, done.stderr
    assert "is not the program that" in done.stderr


def test_no_member_of_an_archive_leaves_its_directory(steelyard_cli, tmp_path, record):
    assert steelyard_cli("report", "c.lab", "--archive", "c.zip").returncode == 0
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        for entry in archive.infolist():
            assert entry.filename.startswith("c/")
            assert ".." not in entry.filename.split("/")
            assert stat.S_IFMT(entry.external_attr >> 16) in (stat.S_IFREG, stat.S_IFDIR)
