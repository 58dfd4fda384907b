"""The program that gathers what a harness wrote into a directory."""

from __future__ import annotations

import json
import sys

import pytest

from steelyard.extensions.gate.harnesses.gather import main, read_config

WRITE = "import sys; from pathlib import Path; p = Path(sys.argv[1], 'results'); p.mkdir(); "


def test_files_are_joined_and_what_is_no_number_is_null(tmp_path):
    code = (
        WRITE
        + "[(p / f'{n}-full.json').write_text('\ufeff{\"A\": [NaN, %d], \"B\": 1}' % n) for n in (1, 2)]"
    )
    words = [str(tmp_path / "m"), "results/*-full.json", sys.executable, "-c", code, "{results}"]
    assert main(words) == 0
    assert json.loads((tmp_path / "m").read_text()) == {"A": [None, 1, None, 2], "B": 1}


@pytest.mark.parametrize(
    ("code", "expected"), [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", 137)]
)
def test_the_exit_code_is_that_of_the_harness(tmp_path, code, expected):
    assert main([str(tmp_path / "m"), "*", sys.executable, "-c", code]) == expected
    assert not (tmp_path / "m").exists()


def test_a_configuration_of_asv_keeps_its_paths_and_gets_other_results(tmp_path):
    (tmp_path / "asv.conf.json").write_text(
        '{ "version": 1, // of the format\n "repo": ".", /* here */ "url": "https://x/y", }'
    )
    show = WRITE + "print(); (p / 'm.json').write_text(open(sys.argv[2].removeprefix('--config=')).read())"
    words = [sys.executable, "-c", show, "{results}", f"CONFIG={tmp_path / 'asv.conf.json'}"]
    assert main([str(tmp_path / "m"), "results/*.json", *words]) == 0
    config = json.loads((tmp_path / "m").read_text())
    assert config["repo"] == str(tmp_path)
    assert config["benchmark_dir"] == str(tmp_path / "benchmarks")
    assert config["url"] == "https://x/y"
    assert config["results_dir"].endswith("/results")
    assert read_config("[]") == {}
