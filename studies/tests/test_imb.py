"""``studies/mpi-collectives/imb.py``: the rows of IMB-MPI1 as lines of the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from reduced_specs import ROOT, built

STUDY = ROOT / "studies" / "mpi-collectives"
LIBRARIES = ROOT / ".cache" / "mpi"
PRINTED = """
# List of Benchmarks to run:

# Barrier
# Bcast

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 2
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         0.70         0.80         0.76

#----------------------------------------------------------------
# Benchmarking Bcast
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
          800         1000         0.28         0.45         0.36


# All processes entering MPI_Finalize
"""


@pytest.fixture
def imb(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY))
    import imb

    return imb


def test_a_table_becomes_the_mean_over_ranks_and_that_of_the_slowest(imb):
    result = list(imb.lines(PRINTED, "mpich"))
    read = {(line["labels"]["op"], line["metric"]): line for line in result}
    assert len(read) == len(result) == 4
    assert read["barrier", "mean_of_ranks_s"]["values"] == [pytest.approx(0.76e-6)]
    assert read["barrier", "mean_of_slowest_rank_s"]["values"] == [pytest.approx(0.80e-6)]
    bcast = read["bcast", "mean_of_ranks_s"]
    assert bcast["values"] == [pytest.approx(0.36e-6)]
    labels = {"p": 2, "implementation": "mpich", "sync": "barrier", "op": "bcast", "bytes": 800}
    assert bcast["labels"] == {**labels, "algorithm": "auto"}


def test_a_table_without_rows_gives_no_line(imb):
    assert not list(imb.lines("# Benchmarking Bcast\n# #processes = 2\n", "mpich"))


@pytest.mark.parametrize("library", ["mpich", "impi"])
def test_benchmark_runs_with_the_library_asked_for_and_the_labels_of_the_workload(tmp_path, library):
    built("impi", "bin/collectives")
    ours = lines_of_collectives(library, tmp_path / "ours")
    theirs = by_mpirun(library, tmp_path, library)
    assert theirs.returncode == 0, theirs.stderr
    lines = [json.loads(line) for line in (tmp_path / "lines").read_text().splitlines()]
    assert len(lines) == 14
    for line in lines:
        assert line["labels"] in [our["labels"] for our in ours if our["metric"] == line["metric"]]
        assert 0 < line["values"][0] < 1


def test_a_benchmark_that_loads_another_library_than_the_one_asked_for_is_refused(tmp_path):
    built("impi", "bin/collectives")
    built("mpich", "bin/collectives")
    preloaded = {"LD_PRELOAD": str(LIBRARIES / "impi" / "lib" / "libmpi.so.12")}
    ended = by_mpirun("mpich", tmp_path, "mpich", **preloaded)
    assert ended.returncode != 0
    assert "it ran with" in ended.stderr
    assert not (tmp_path / "lines").exists()


def lines_of_collectives(library, file):
    options = ("--raw", "--repetitions", "4", "--sync", "barrier")
    ended = on_two_ranks(library, [str(built(library, "bin/collectives")), *options], file)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in file.read_text().splitlines()]


def by_mpirun(starter, tmp_path, library, **env):
    words = [sys.executable, str(STUDY / "imb.py"), str(LIBRARIES), library]
    return on_two_ranks(starter, words, tmp_path / "lines", **env)


def on_two_ranks(library, words, lines, **env):
    prefix = LIBRARIES / library
    return subprocess.run(
        [str(prefix / "bin" / "mpirun"), "-n", "2", *words],
        env={
            **os.environ,
            "PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "STEELYARD_METRICS": str(lines),
            "I_MPI_ROOT": str(prefix),
            "I_MPI_FABRICS": "shm",
            **env,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_benchmark_wants_to_be_started_by_mpirun_and_to_be_there(tmp_path):
    bare = {name: value for name, value in os.environ.items() if "PMI" not in name and "OMPI" not in name}
    for libraries, env, message in (
        (tmp_path, {**bare, "PMI_RANK": "0"}, "./dev mpi impi"),
        (LIBRARIES, bare, "mpirun"),
    ):
        done = subprocess.run(
            [sys.executable, str(STUDY / "imb.py"), str(libraries), "impi"],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert message in done.stderr
