"""Real runs by ``mpirun`` and by SimGrid, through the command line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
LIBRARIES = ROOT / ".cache" / "mpi"
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI"}
SHARED = Path("/dev/shm")  # noqa: S108 - where the system keeps memory that processes share
RANK = "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}"
SIZE = "${{OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}}"
FLAT = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="flat" prefix="n" suffix="" radical="0-31" speed="10Gf" bw="12.5GBps" lat="1us"
         bb_bw="51.2TBps" bb_lat="0us" bb_sharing_policy="FATPIPE" sharing_policy="SPLITDUPLEX"/>
</platform>
"""


def starter(library: str) -> str:
    path = LIBRARIES / library / "bin" / "mpirun"
    if not path.is_file():
        pytest.skip(f"{NAMES[library]} is not set up: ./dev mpi {library}")
    return str(path)


@pytest.fixture(params=NAMES)
def mpirun(request) -> str:
    return starter(request.param)


@pytest.fixture
def simulated_program(mpi_program) -> str:
    return mpi_program("smpi", "latency")


def spec(tmp_path: Path, text: str) -> str:
    path = tmp_path / "spec.toml"
    path.write_text(text)
    return str(path)


def by_shell(mpirun: str, script: str, ranks: str = "2", limit_s: int = 120) -> str:
    factors = f"[factors]\np = [1, 2, {(os.cpu_count() or 1) + 1}]" if ranks == "{p}" else ""
    return f"""
[program]
command = ["/bin/sh", "-c", '''{script}''']
timeout = "{limit_s} s"
{factors}
[design]
blocks = 2
discard = 0
[metrics]
t_s = {{ pattern = "t=([0-9.]+)", unit = "s" }}
[analysis]
metric = "t_s"
[launch]
kind = "mpi"
ranks = "{ranks}"
mpirun = "{mpirun}"
"""


def test_ranks_are_started_and_times_of_more_ranks_than_cpus_get_no_verdict(tmp_path, steelyard_cli, mpirun):
    # Every rank but the first is silent; the time is as far from chance as can be.
    script = f'test "{RANK}" = 0 && echo t={SIZE}.$(date +%N); exit 0'
    ended = steelyard_cli("run", spec(tmp_path, by_shell(mpirun, script, "{p}")), "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    means = {
        sample["treatment"]["levels"]["p"]: sample["mean"]
        for sample in answer["samples"]
        if sample["metric"] == "t_s"
    }
    # The number of ranks stands before the point.
    assert all(int(mean) == ranks for ranks, mean in means.items())
    many = f"p={(os.cpu_count() or 1) + 1}"
    crowded = [comparison for comparison in answer["comparisons"] if "crowded" in comparison["flags"]]
    assert crowded
    assert all(element["verdict"] in ("not_resolved", None) for element in crowded)
    (warning,) = [item for item in answer["warnings"] if item["kind"] == "crowded"]
    assert warning["treatments"] == [many]
    assert answer["simulated"] is False


def test_a_rank_that_dies_fails_the_trial_with_its_exit_code(tmp_path, steelyard_cli, mpirun):
    script = f'test "{RANK}" = 1 && exit 7; sleep 0.2; echo t=1'
    ended = steelyard_cli("run", spec(tmp_path, by_shell(mpirun, script)))
    assert ended.returncode == 5
    assert "exit code 7" in ended.stderr


def test_a_rank_that_is_killed_in_the_midst_of_its_messages_takes_the_others_with_it(
    tmp_path, steelyard_cli, mpirun, mpi_program
):
    program = mpi_program(Path(mpirun).parents[1].name, "endless")
    script = f'test "{RANK}" = 1 && exec timeout -s KILL 1 {program}; exec {program}'
    before = set(SHARED.iterdir())
    ended = steelyard_cli("run", spec(tmp_path, by_shell(mpirun, script)))
    for segment in set(SHARED.glob("mpich_shm_*")) - before:
        if not is_mapped(segment):  # What MPICH leaves (docs/mpi.md), and nobody else's.
            segment.unlink()
    assert ended.returncode == 5
    assert "exit code" in ended.stderr
    assert "time limit" not in ended.stderr


def is_mapped(file: Path) -> bool:
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if str(file) in maps.read_text():
                return True
        except OSError:
            continue
    return False


def test_a_rank_that_hangs_is_ended_at_the_time_limit_with_all_others(tmp_path, steelyard_cli, mpirun):
    script = f'test "{RANK}" = 1 && sleep 1000; echo t=1'
    ended = steelyard_cli("run", spec(tmp_path, by_shell(mpirun, script, limit_s=1)))
    # That nothing is left is seen to by the fixture of every test.
    assert ended.returncode == 5
    assert "time limit" in ended.stderr


def test_ranks_do_not_outlive_a_run_that_was_killed(tmp_path, steelyard_started, mpirun, eventually):
    path = spec(tmp_path, by_shell(mpirun, "echo $$ >> ranks; sleep 1000"))
    ranks = tmp_path / "ranks"
    run = steelyard_started("run", path)
    eventually(lambda: ranks.exists() and len(ranks.read_text().split()) == 2, run)
    pids = [int(pid) for pid in ranks.read_text().split()]
    run.send_signal(signal.SIGKILL)
    run.communicate()
    eventually(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.parametrize("killed", ["at its time limit", "with its runner"])
def test_open_mpi_leaves_no_session_and_no_segment_when_it_is_killed(
    tmp_path, steelyard_started, killed, eventually, mpi_program
):
    parents, sessions, before = tmp_path / "parents", tmp_path / "sessions", set(SHARED.iterdir())
    script = f"echo $PPID >> {parents}; exec {mpi_program('openmpi', 'endless')}"
    sessions.mkdir()

    def runs() -> bool:
        segments = list(SHARED.glob("steelyard-*/sm_segment*"))
        return bool(segments and list(sessions.glob(f"steelyard-*/ompi.{first(parents)}")))

    for limit_s in (4, 40, 400) if killed == "at its time limit" else (400,):
        parents.unlink(missing_ok=True)
        shutil.rmtree(tmp_path / "made.lab", ignore_errors=True)
        path = spec(tmp_path, by_shell(starter("openmpi"), script, limit_s=limit_s))
        run = steelyard_started("run", path, "-o", "made.lab", env={"TMPDIR": str(sessions)})
        # A limit that ends it before all of that is there leaves nothing to be tested.
        seen = []
        eventually(lambda: seen.append(runs()) or seen[-1] or run.poll() is not None)  # noqa: B023
        if seen[-1]:
            break
        run.communicate()
    mpirun = int(first(parents))
    if killed == "with its runner":
        os.kill(parent(mpirun), signal.SIGKILL)
    _, text = run.communicate()
    assert run.returncode == 5, text
    assert list(sessions.iterdir()) == []
    left = [
        item for item in set(SHARED.iterdir()) - before if "steelyard" in item.name or "sm_seg" in item.name
    ]
    # Jobs of others map theirs, or remove it.
    eventually(lambda: not any(element.exists() and not is_mapped(element) for element in left))
    assert not Path(tempfile.gettempdir(), f"ompi.{mpirun}").exists()


def first(file: Path) -> str:
    """The first word, once there is one."""
    return next(iter(file.read_text().split()), "") if file.exists() else ""


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("linked", "started"), [("openmpi", "mpich"), ("mpich", "openmpi"), ("impi", "openmpi")]
)
def test_two_libraries_mixed_are_refused_before_anything_runs(
    tmp_path, steelyard_cli, linked, started, mpi_program
):
    text = f"""
[program]
command = ["{mpi_program(linked, "endless")}"]
[launch]
kind = "mpi"
ranks = 2
mpirun = "{starter(started)}"
"""
    ended = steelyard_cli("run", spec(tmp_path, text))
    assert ended.returncode == 4
    assert "two MPI libraries are mixed" in ended.stderr
    # Intel MPI's binary interface is MPICH's: by what a program is linked to they are one.
    assert f"linked to {NAMES['mpich' if linked == 'impi' else linked]}" in ended.stderr
    assert f"is of {NAMES[started]}" in ended.stderr


def test_another_library_than_the_one_asked_for_is_refused(tmp_path, steelyard_cli, mpirun):
    result = Path(mpirun).parents[1].name
    question = "mpich" if result == "openmpi" else "openmpi"
    text = f"""
[program]
command = ["/bin/true"]
[launch]
kind = "mpi"
ranks = 2
mpirun = "{mpirun}"
implementation = "{question}"
"""
    ended = steelyard_cli("run", spec(tmp_path, text))
    assert ended.returncode == 4
    assert f"is of {NAMES[result]}, and implementation = '{question}' is asked for" in ended.stderr


def test_no_mpi_at_all_is_an_error_with_a_cure(tmp_path, steelyard_cli):
    text = '[program]\ncommand = ["/bin/true"]\n[launch]\nkind = "mpi"\nranks = 2\n'
    ended = steelyard_cli("run", spec(tmp_path, text), env={"PATH": "/nowhere"})
    assert ended.returncode == 4
    assert "mpirun not found in PATH" in ended.stderr
    assert "hint: install an MPI library" in ended.stderr


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
def test_the_rank_has_the_last_word_and_not_what_started_it(tmp_path, steelyard_cli, library):
    # Seldom, Open MPI loses what a rank writes in the moment in which it ends: it lingers.
    script = f'test "{RANK}" = 1 && echo "no such mesh" >&2 && sleep 0.3 && exit 7; exit 0'
    ended = steelyard_cli("run", spec(tmp_path, by_shell(starter(library), script)))
    assert ended.returncode == 5
    assert "ended with exit code 7; output ends with: 'no such mesh'" in " ".join(ended.stderr.split())


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("deadlock", "the simulated ranks deadlocked"),
        ("abort", "a rank called MPI_Abort; output ends with: 'no such mesh'"),
        ("exit", "ended with exit code 3; output ends with: 'no such mesh'"),
    ],
)
def test_simulated_ranks_that_do_not_end_well_fail_the_trial(
    tmp_path, steelyard_cli, how, message, mpi_program
):
    (tmp_path / "flat.xml").write_text(FLAT)
    text = f"""
[program]
command = ["{mpi_program("smpi", "ends")}", "{how}"]
[design]
blocks = 1
discard = 0
[metrics]
t_s = {{ pattern = "t=([0-9.]+)", unit = "s" }}
[analysis]
metric = "t_s"
[launch]
kind = "smpi"
ranks = 2
platform = "flat"
"""
    ended = steelyard_cli("run", spec(tmp_path, text))
    assert ended.returncode == 5
    assert message in " ".join(ended.stderr.split())
    # The same program, started by a real library, is refused before anything runs.
    text = text.replace('"smpi"', '"mpi"').replace('platform = "flat"', f'mpirun = "{starter("openmpi")}"')
    ended = steelyard_cli("run", spec(tmp_path, text), "--output", "real.lab")
    assert ended.returncode == 4
    assert "is built for the simulator SimGrid" in ended.stderr


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
def test_a_program_of_a_real_library_is_not_simulated(tmp_path, steelyard_cli, library, mpi_program):
    program = mpi_program(library, "latency")
    (tmp_path / "flat.xml").write_text(FLAT)
    ended = steelyard_cli("run", spec(tmp_path, SIMULATED.format(program=program, most=32)))
    assert ended.returncode == 4
    assert f"is linked to {NAMES[library]}" in ended.stderr
    assert "hint: compile it with smpicc or smpicxx" in ended.stderr


SIMULATED = """
[program]
command = ["{program}", "bcast,tree", "1", "1"]
timeout = "120 s"
[factors]
p = [2, 4, 8, 16, {most}]
[design]
blocks = 1
discard = 0
[metrics]
latency_quantile_s = {{ source = "lines", unit = "s" }}
[analysis]
metric = "latency_quantile_s"
[launch]
kind = "smpi"
ranks = "{{p}}"
platform = "flat"
algorithms = {{ bcast = "binomial_tree" }}
[[claims]]
scales = "latency_quantile_s"
where = {{ op = "bcast" }}
parameter = "p"
expect = "O(log p)"
"""


@pytest.mark.extensions("growth")
def test_a_simulated_machine_is_measured_modelled_and_always_called_simulated(
    tmp_path, steelyard_cli, simulated_program
):
    (tmp_path / "flat.xml").write_text(FLAT)
    path = spec(tmp_path, SIMULATED.format(program=simulated_program, most=32))
    ended = steelyard_cli("run", path, "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert answer["simulated"] is True
    assert "simulated" in {item["kind"] for item in answer["warnings"]}
    process = steelyard_cli("analyze", "spec.lab")
    assert "- Simulated: these values come from a computed machine" in process.stdout
    question = ("model", "spec.lab", "--parameter", "p", "--expect", "O(log p)")
    models = json.loads(steelyard_cli(*question, "--json").stdout)["models"]
    assert len(models) == 2
    assert all(model["simulated"] and model["growth"] == "O(log p)" for model in models)
    assert "simulated" in steelyard_cli(*question).stdout
    assert "holds" in steelyard_cli("check", "spec.lab").stdout


@pytest.mark.extensions("growth")
def test_a_cache_that_a_setting_of_the_simulator_cannot_name_is_refused(
    tmp_path, steelyard_cli, simulated_program
):
    (tmp_path / "flat.xml").write_text(FLAT)
    path = spec(tmp_path, SIMULATED.format(program=simulated_program, most=32))
    for name in ("my cache", "a,b"):
        ended = steelyard_cli("run", path, env={"XDG_CACHE_HOME": str(tmp_path / name)})
        assert ended.returncode == 4
        assert "neither blank nor comma" in ended.stderr


@pytest.mark.extensions("growth")
def test_more_ranks_than_the_simulated_machine_has_are_refused(tmp_path, steelyard_cli, simulated_program):
    (tmp_path / "flat.xml").write_text(FLAT)
    path = spec(tmp_path, SIMULATED.format(program=simulated_program, most=33))
    ended = steelyard_cli("run", path)
    assert ended.returncode == 2
    assert "33 ranks are asked for" in ended.stderr
    assert "32 cores on 32 hosts" in ended.stderr


@pytest.mark.parametrize("put", ["ln -s", "ln"])
def test_a_rank_that_replaces_the_metrics_file_reaches_nothing_else(tmp_path, steelyard_cli, mpirun, put):
    (tmp_path / "victim").write_text("precious")
    script = f'test "{RANK}" = 0 && rm -f $STEELYARD_METRICS && {put} victim $STEELYARD_METRICS; exit 0'
    text = by_shell(mpirun, script).replace('pattern = "t=([0-9.]+)"', 'source = "lines"')
    ended = steelyard_cli("run", spec(tmp_path, text))
    assert (tmp_path / "victim").read_text() == "precious"
    assert ended.returncode == 5
    assert "the file of its metrics ($STEELYARD_METRICS) is a" in " ".join(ended.stderr.split())


@pytest.mark.parametrize("put", ["ln -s", "ln"])
def test_what_is_put_before_simulated_ranks_is_not_emptied(tmp_path, steelyard_cli, simulated_program, put):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "flat.xml").write_text(FLAT)
    script = f"rm -f $STEELYARD_METRICS; {put} {tmp_path}/victim $STEELYARD_METRICS"
    text = f"""
[program]
command = ["{simulated_program}"]
prepare = [["/bin/sh", "-c", "{script}"]]
[design]
blocks = 1
discard = 0
[metrics]
t_s = {{ source = "lines", unit = "s" }}
[analysis]
metric = "t_s"
[launch]
kind = "smpi"
ranks = 2
platform = "flat"
"""
    ended = steelyard_cli("run", spec(tmp_path, text))
    assert (tmp_path / "victim").read_text() == "precious"
    assert ended.returncode == 5
    assert "the file of its metrics ($STEELYARD_METRICS) is a" in " ".join(ended.stderr.split())
