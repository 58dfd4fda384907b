"""The programs of docs/protocol.md, as they stand there, report what Steelyard reads."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documentation.markdown import code_blocks

from steelyard.store import Record

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
FILES = {"c": "sorting.c", "python": "sorting.py", "sh": "sorting.sh", "toml": "sorting.toml"}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A directory with the programs and the spec of the page."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: the protocol's C program cannot be built")
    blocks = {code.language: code.text for code in code_blocks(PAGE) if code.language in FILES}
    assert set(blocks) == set(FILES)
    for language, name in FILES.items():
        (tmp_path / name).write_text(blocks[language])
    build = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "sorting", "sorting.c"]
    subprocess.run(build, cwd=tmp_path, check=True)
    return tmp_path


def test_all_three_programs_report_by_the_file(steelyard_cli, programs: Path):
    done = steelyard_cli("run", "sorting.toml", cwd=programs)
    assert done.returncode == 0, done.stderr
    with Record.open(programs / "sorting.lab") as record:
        samples = record.samples("sort_s")
        iterations = {m.treatment: len(m.values) for _, m in record.stream_measurements()}
    assert [sample.treatment.label for sample in samples] == ["c", "python", "shell"]
    assert {len(sample) for sample in samples} == {10}
    assert all(0 < value < 10 for sample in samples for value in sample.values)
    assert iterations == {1: 10, 2: 10, 3: 1}


@pytest.mark.parametrize("command", [["./sorting"], [sys.executable, "sorting.py"], ["sh", "sorting.sh"]])
def test_without_the_variable_a_program_reports_on_standard_output(programs: Path, command: list[str]):
    process = subprocess.run(
        command, cwd=programs, env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=True
    )
    line = json.loads(process.stdout)
    assert (line["steelyard"], line["metric"], line["unit"]) == (1, "sort_s", "s")
    assert process.stdout.startswith(b'{"steelyard"')


def test_the_lines_that_the_page_shows_are_read():
    from steelyard.run.measure.extract.lines import Lines
    from steelyard.spec.experiment import UserMetric

    (output,) = [code.text for code in code_blocks(PAGE) if code.language == "jsonl"]

    class Raw:
        metrics = output.encode()
        metrics_bytes = len(metrics)

    columns = Lines([UserMetric("latency_s", unit="s", source="lines")]).columns(Raw())
    assert [series.numbers for series in columns["latency_s"].values()] == [
        [1.2e-6, 1.3e-6],
        [4.1e-7, 4.0e-7],
    ]
