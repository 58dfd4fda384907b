"""steelyard.h: its lines are read, C and C++ take it with all warnings, and build systems find it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard.store import Record

EXAMPLES = Path(__file__).parents[2] / "examples" / "languages"
INCLUDE = Path(__file__).parents[2] / "src" / "steelyard" / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror"]
BUILDS = {
    "c": (["cc", "-std=c99", *WARNINGS, "-O2", f"-I{INCLUDE}", "sorting.c", "-o", "it"], ["./it"]),
    "c++": (["c++", "-std=c++11", *WARNINGS, "-O2", f"-I{INCLUDE}", "sorting.cpp", "-o", "it"], ["./it"]),
    "rust": (["rustc", "-O", "-o", "it", "sorting.rs"], ["./it"]),
    "go": (["go", "build", "-o", "it", "sorting.go"], ["./it"]),
    "java": (["javac", "Sorting.java"], ["java", "Sorting"]),
}

LABELLED = r"""
#include <steelyard.h>

int main(void) {
    const struct steelyard_label labels[] = {{"op", "a \"b\" \\ \n\x01 \xc3\xa9", 0}, {"p", NULL, 64}};
    const double values[] = {1.5e-6, 0.1};
    return steelyard_report_labelled("latency_s", "s", labels, 2, values, 2)
        || steelyard_report_one("rss", "B", 1048576);
}
"""


def lines(program: list[str], cwd: Path, **env: str) -> list[dict[str, object]]:
    done = subprocess.run(
        program, cwd=cwd, env={**os.environ, **env}, capture_output=True, encoding="utf-8", check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def labelled(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: the header cannot be tried")
    (tmp_path / "it.c").write_text(LABELLED)
    build = ["cc", "-std=c99", *WARNINGS, f"-I{INCLUDE}", "-fsanitize=address,undefined", "it.c", "-o", "it"]
    subprocess.run(build, cwd=tmp_path, check=True)
    return tmp_path


def test_labels_and_values_survive_as_json(labelled):
    first, second = lines(["./it"], labelled)
    assert first == {
        "steelyard": 1,
        "metric": "latency_s",
        "unit": "s",
        "labels": {"op": 'a "b" \\ \n\x01 é', "p": 64},
        "values": [1.5e-6, 0.1],
    }
    assert second["values"] == [1048576]


def test_lines_are_appended_to_the_file_that_the_variable_names(labelled):
    file = labelled / "metrics"
    file.write_text("kept\n")
    assert lines(["./it"], labelled, STEELYARD_METRICS=str(file)) == []
    stored_lines, first, second = file.read_text().splitlines()
    assert stored_lines == "kept"
    assert [json.loads(item)["metric"] for item in (first, second)] == ["latency_s", "rss"]


def test_a_file_that_cannot_be_written_is_reported_to_the_program(labelled):
    missing = str(labelled / "nowhere" / "metrics")
    done = subprocess.run(
        ["./it"], cwd=labelled, env={**os.environ, "STEELYARD_METRICS": missing}, check=False
    )
    assert done.returncode == 1


@pytest.mark.parametrize("language", BUILDS)
def test_the_example_of_a_language_reports_what_a_spec_reads(steelyard_cli, tmp_path, language):
    build, program = BUILDS[language]
    if shutil.which(build[0]) is None:
        pytest.skip(f"no {build[0]}: the example in {language} cannot be built")
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    env = {**os.environ, "GO111MODULE": "off"}
    subprocess.run(build, cwd=tmp_path, env=env, check=True)
    command = json.dumps(program)
    (tmp_path / "it.toml").write_text(
        f"[program]\ncommand = {command}\n[design]\nblocks = 2\ndiscard = 0\n[metrics]\n"
        'sort_s = { source = "lines", unit = "s" }\n[analysis]\nmetric = "sort_s"\n'
    )
    done = steelyard_cli("run", "it.toml")
    assert done.returncode == 0, done.stderr
    with Record.open(tmp_path / "it.lab") as record:
        counts = [len(m.values) for _, m in record.stream_measurements()]
    assert counts == [30, 30]


def test_pkg_config_finds_the_header(steelyard_cli, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config")
    place = steelyard_cli("config", "--pkgconfig").stdout.strip()
    done = subprocess.run(
        ["pkg-config", "--cflags", "steelyard"],
        env={**os.environ, "PKG_CONFIG_PATH": place},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    (flag,) = done.stdout.split()
    assert Path(flag.removeprefix("-I"), "steelyard.h").is_file()


def test_cmake_finds_the_header(steelyard_cli, tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    place = steelyard_cli("config", "--cmake").stdout.strip()
    shutil.copy(EXAMPLES / "sorting.cpp", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(it CXX)\nfind_package(steelyard 0.1 CONFIG REQUIRED)\n"
        "add_executable(it sorting.cpp)\ntarget_link_libraries(it PRIVATE steelyard::steelyard)\n"
    )
    configure = ["cmake", "-S", ".", "-B", "build", f"-Dsteelyard_DIR={place}"]
    for command in (configure, ["cmake", "--build", "build"]):
        subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    (line,) = lines(["build/it"], tmp_path)
    assert (line["metric"], len(line["values"])) == ("sort_s", 30)


def test_the_version_of_the_build_files_is_that_of_the_package(steelyard_cli):
    version = steelyard_cli("--version").stdout.split()[-1]
    share = INCLUDE.parent / "share"
    assert f"Version: {version}\n" in (share / "pkgconfig" / "steelyard.pc").read_text()
    of_cmake = (share / "cmake" / "steelyard" / "steelyardConfigVersion.cmake").read_text()
    assert f'PACKAGE_VERSION "{version}"' in of_cmake


def test_flags_and_the_schema_are_printed(steelyard_cli):
    assert steelyard_cli("config").stdout == f"-I{INCLUDE}\n"
    schema = json.loads(steelyard_cli("config", "--schema").stdout)
    assert schema == json.loads((INCLUDE.parents[2] / "docs" / "spec.schema.json").read_text())
