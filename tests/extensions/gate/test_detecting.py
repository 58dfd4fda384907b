"""The harness that a project has, by its files alone."""

from __future__ import annotations

import json

import pytest
from scratch_repository import ScratchRepository

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.detecting import describe_base, describe_nested, find_base, find_candidate
from steelyard.extensions.repository.repository import Repository

CMAKE = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"
RUST = {"Cargo.toml": '[package]\nname = "a"\n[[bench]]\nname = "b"\nharness = false\n'}
GO = {"go.mod": "module a\n", "deep/a_test.go": "package a\nfunc BenchmarkA(b *testing.B) {}\n"}
PYTHON = {"benchmarks/test_a.py": "def test_a(benchmark):\n    benchmark(list)\n"}
CPP = {
    "CMakeLists.txt": "find_package(benchmark REQUIRED)\nadd_subdirectory(perf)\n",
    "perf/CMakeLists.txt": "add_executable(sort_bench a.cpp)\n"
    "target_link_libraries(sort_bench PRIVATE benchmark::benchmark_main)\n",
}
NODE = {
    "package.json": json.dumps({"devDependencies": {"vitest": "^3"}}),
    "package-lock.json": "{}",
    "src/sort.bench.ts": "bench('a', () => {})",
}


def write(directory, files):
    for name, text in files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return directory


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (RUST, "steelyard gate main -- cargo bench"),
        ({"Cargo.toml": "[package]\n", "benches/a.rs": ""}, "steelyard gate main -- cargo bench"),
        (
            {"Cargo.toml": '[workspace]\nmembers = ["a"]\n', "a/Cargo.toml": "[[bench]]\nname = 'b'\n"},
            "steelyard gate main -- cargo bench",
        ),
        (GO, "steelyard gate main -- go test -bench . ./..."),
        (PYTHON, "steelyard gate main -- python -m pytest benchmarks"),
        (
            {"bench_a.py": PYTHON["benchmarks/test_a.py"]},
            "steelyard gate main -- python -m pytest bench_a.py",
        ),
        (CPP, f"steelyard gate main --build '{CMAKE}' -- build/perf/sort_bench"),
        (NODE, "steelyard gate main --build 'npm ci' -- npx vitest bench"),
        (
            {
                "package.json": json.dumps({"dependencies": {"tinybench": "^3"}}),
                "bench/a.mjs": "import { Bench } from 'tinybench'; console.table(bench.table())",
            },
            "steelyard gate main --build 'npm install' -- node bench/a.mjs",
        ),
        ({"asv.conf.json": "{}"}, "steelyard gate main -- asv run"),
    ],
)
def test_a_harness_is_found_with_its_build(tmp_path, files, line):
    assert find_candidate(write(tmp_path, files), "main").format_line("main") == line


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"Cargo.toml": "[package]\n"},
        {"Cargo.toml": "this is no TOML"},
        {"go.mod": "module a\n", "a_test.go": "package a\nfunc TestA(t *testing.T) {}\n"},
        {"a_test.go": GO["deep/a_test.go"]},
        {"tests/test_a.py": "def test_a(tmp_path):\n    pass\n"},
        {"CMakeLists.txt": "# target_link_libraries(a benchmark::benchmark)\n"},
        {"package.json": "not JSON", "a.bench.ts": ""},
        {"package.json": json.dumps({"devDependencies": {"vitest": "3"}})},
        {"package.json": json.dumps([])},
        {"node_modules/a/Cargo.toml": RUST["Cargo.toml"], "venv/test_a.py": PYTHON["benchmarks/test_a.py"]},
    ],
)
def test_a_project_without_benchmarks_is_told_what_was_looked_for(tmp_path, files):
    with pytest.raises(UsageError, match="no benchmarks found") as caught:
        find_candidate(write(tmp_path, files), "main")
    assert "--time" in caught.value.hint


def test_several_harnesses_are_named_each_by_the_line_that_gates_with_it(tmp_path):
    with pytest.raises(UsageError, match="2 harnesses found") as caught:
        find_candidate(write(tmp_path, RUST | PYTHON), "v1")
    assert "\n    steelyard gate v1 -- cargo bench    # [[bench]] in Cargo.toml" in caught.value.hint
    assert "\n    steelyard gate v1 -- python -m pytest benchmarks" in caught.value.hint


def test_base_is_the_branch_of_the_build_server_then_of_origin_then_the_usual(tmp_path):
    repository = ScratchRepository(tmp_path / "repository")
    repository.commit()
    tree = Repository(repository.path)
    assert find_base(tree, {}) == "main"
    for name in ("next", "release"):
        repository.git("update-ref", f"refs/remotes/origin/{name}", "HEAD")
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
    assert find_base(tree, {}) == "origin/next"
    assert find_base(tree, {"GITHUB_BASE_REF": "release"}) == "origin/release"
    with pytest.raises(UsageError, match="GITHUB_BASE_REF says 'gone', and origin/gone is not here") as error:
        find_base(tree, {"GITHUB_BASE_REF": "gone"})
    assert error.value.hint == "git fetch origin gone:refs/remotes/origin/gone"


def test_without_any_known_branch_the_error_says_what_was_tried(tmp_path):
    repository = ScratchRepository(tmp_path / "repository")
    repository.commit()
    repository.git("branch", "-q", "-m", "main", "mine")
    with pytest.raises(UsageError, match="tried origin/main, main") as caught:
        find_base(Repository(repository.path), {})
    assert "HEAD~1" in caught.value.hint


def put(place, files):
    return {f"{place}/{name}": text for name, text in files.items()}


MANY = (
    PYTHON | put("core", RUST) | put("web", NODE) | put("web/inner", NODE) | put("c++", CPP) | put("srv", GO)
)


def test_benchmarks_of_projects_below_that_the_harness_does_not_run_are_named(tmp_path):
    write(tmp_path, MANY)
    assert find_candidate(tmp_path, "main").words == ("python", "-m", "pytest", "benchmarks")
    assert describe_nested(tmp_path, "main") == (
        "Benchmarks elsewhere were not run: [[bench]] in core/Cargo.toml (cd core && steelyard gate main --"
        " cargo bench); srv/deep/a_test.go (cd srv && steelyard gate main -- go test -bench . ./...);"
        f" sort_bench in c++/perf/CMakeLists.txt (cd c++ && steelyard gate main --build '{CMAKE}' --"
        " build/perf/sort_bench); web/inner/src/sort.bench.ts (cd web && steelyard gate main --build 'npm ci'"
        " -- npx vitest bench)."
    )


@pytest.mark.parametrize(
    "files",
    [
        PYTHON,
        {"Cargo.toml": '[workspace]\nmembers = ["a"]\n'} | put("a", RUST),
        NODE | put("packages/a", NODE),
        CPP | put("perf", CPP),
        GO | {"deep/go.mod": "module b\n", "deep/a_test.go": "package a\n"},
        PYTHON | put("other", RUST | {".git": "gitdir: elsewhere\n"}),
        PYTHON | put("kept", {"gate.json": "{}"}) | put("kept/trees/base/012345678901", RUST),
    ],
)
def test_nothing_is_named_where_the_harness_runs_all(tmp_path, files):
    assert describe_nested(write(tmp_path, files), "main") is None


def test_a_module_of_go_in_another_is_a_project_of_its_own(tmp_path):
    write(tmp_path, {"go.mod": "module a\n"} | put("inner", GO))
    with pytest.raises(UsageError, match="no benchmarks found") as caught:
        find_candidate(tmp_path, "main")
    assert "cd inner && steelyard gate main -- go test -bench . ./..." in caught.value.hint


def test_from_a_directory_without_benchmarks_those_of_the_repository_are_named(tmp_path):
    write(tmp_path, PYTHON | {"docs/how/a.md": ""})
    with pytest.raises(UsageError, match="no benchmarks found") as caught:
        find_candidate(tmp_path / "docs" / "how", "main", tmp_path)
    assert caught.value.hint.startswith("there are some elsewhere:\n")
    assert "cd ../.. && steelyard gate main -- python -m pytest benchmarks" in caught.value.hint


def test_a_base_that_is_the_pushed_branch_itself_is_told(tmp_path):
    repository = ScratchRepository(tmp_path / "repository")
    repository.commit()
    repository.git("checkout", "-q", "-b", "mine")
    tree = Repository(repository.path)
    for name in ("main", "mine"):
        repository.git("update-ref", f"refs/remotes/origin/{name}", "HEAD")
    assert describe_base(tree, "origin/main") is None
    assert describe_base(tree, "origin/mine") == (
        "origin/mine is this branch as it was pushed: only commits since then are judged; all of them:"
        " steelyard gate origin/main."
    )
    repository.git("checkout", "-q", "--detach")
    assert describe_base(tree, "origin/mine") is None
