"""Ranks of real MPI libraries that end in every way: mpirun's exit code alone decides nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from steelyard.design import treatments
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.launch.preloading import VARIABLE
from steelyard.run.measure.ranks import are_at_fault, are_deadlocked
from steelyard.run.measure.verify import Verifier
from steelyard.run.runner.runner import probe_launches
from steelyard.spec import loads

LIBRARIES = Path(__file__).parents[4] / ".cache" / "mpi"
SHARED = Path("/dev/shm")  # noqa: S108 -- where the system keeps memory that processes share
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}

Judge = Callable[..., tuple[str, str | None]]


@pytest.fixture(scope="module", params=NAMES)
def judge(request, mpi_program) -> Judge:
    """``judge("leave", exit_code=0)``: what becomes of a trial of four ranks that end so."""
    library = LIBRARIES / request.param / "bin"
    if not (library / "mpirun").is_file():
        pytest.skip(f"{NAMES[request.param]} is not set up: ./dev mpi {request.param}")
    program = Path(mpi_program(request.param, "ways_to_end"))

    def run(how: str, *, exit_code: int = 0, timeout: str = "60 s", env: str = "") -> tuple[str, str | None]:
        text = f"""
[program]
command = ["{program}", "{how}"]
timeout = "{timeout}"
verify = {{ exit = {exit_code} }}
env = {{ {env} }}
[launch]
kind = "mpi"
ranks = 4
mpirun = "{library / "mpirun"}"
"""
        experiment = loads(text, source=str(program.parent), name="spec.toml")
        plan = LaunchPlan(experiment, treatments(experiment), builds={})
        (raw,) = probe_launches(list(plan.start_in_context(None).values()))
        return Verifier(experiment).judge(raw)

    return run


@pytest.mark.parametrize("how", ["finish", "fork"])
def test_ranks_that_reach_finalize_have_not_failed_whatever_their_children_do(judge, how):
    assert judge(how) == ("ok", None)


def test_a_rank_that_ends_at_once_after_finalize_is_not_at_fault(judge):
    """MPICH 5.0.2 kills the others in every other run then, with our library and without it."""
    _, reason = judge("end at once")
    assert not are_at_fault(reason or "")


@pytest.mark.parametrize("code", [0, 256, 3])
def test_an_abort_is_a_failure_with_any_code(judge, code):
    status, reason = judge(f"abort {code}")
    assert (status, reason) == ("failed", f"rank 1 of 4 called MPI_Abort with code {code}")
    assert are_at_fault(reason)


@pytest.mark.parametrize("how", ["leave", "leave at once"])
def test_a_rank_that_leaves_with_0_before_finalize_has_failed(judge, how):
    assert judge(how) == ("failed", "rank 1 of 4 left with exit code 0 before MPI_Finalize")


def test_ranks_that_all_leave_before_finalize_have_failed(judge):
    status, reason = judge("all leave")
    assert status == "failed"
    assert reason.endswith("of 4 left with exit code 0 before MPI_Finalize")


@pytest.mark.parametrize("how", ["kill", "leave", "abort 0"])
def test_no_segment_stays_in_memory_when_ranks_are_killed(judge, how, eventually):
    before = set(SHARED.iterdir())
    assert judge(how)[0] == "failed"
    # Those of other tests are unmapped for a moment, too; what is left behind stays.
    eventually(lambda: not left_since(before))


def left_since(before: set[Path]) -> list[Path]:
    """Segments of MPICH that nobody has mapped, as those of others are."""
    return [path for path in set(SHARED.glob("mpich_shm_*")) - before if not is_mapped(path)]


def is_mapped(file: Path) -> bool:
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            if str(file) in maps.read_text():
                return True
    return False


def test_another_exit_code_can_be_wanted_and_is_no_failure_of_ranks(judge):
    assert judge("code", exit_code=4) == ("ok", None)
    assert judge("abort 3", exit_code=3) == ("ok", None)


def judge_at_limit(judge: Judge, how: str, end: str) -> str:
    """The reason, of the first limit that is long enough for all ranks to have come so far."""
    for limit_s in (2, 10, 50):
        status, reason = judge(how, timeout=f"{limit_s} s")
        assert status == "timed_out"
        if re.search(end, reason):
            break
    return reason


def test_a_deadlock_is_named_by_the_calls_that_ranks_wait_in(judge):
    end = ": 4 of 4 ranks were waiting in MPI_Barrier and MPI_Recv$"
    reason = judge_at_limit(judge, "deadlock", end)
    assert re.search(end, reason), reason
    assert are_deadlocked(reason)


def test_ranks_that_wait_for_one_that_computes_are_in_no_deadlock(judge):
    end = ": 3 of 4 ranks were waiting in MPI_Barrier; outside of MPI was rank 1$"
    reason = judge_at_limit(judge, "compute", end)
    assert re.search(end, reason), reason
    assert not are_deadlocked(reason)


def test_a_program_that_bears_no_library_is_judged_by_what_its_mpirun_prints(judge):
    env = f'{VARIABLE.rstrip("=")} = ""'
    assert judge("finish", env=env) == ("ok", None)
    before = set(SHARED.iterdir())
    assert judge("abort 256", env=env)[1].startswith("rank 1 called MPI_Abort")
    for segment in left_since(before):
        segment.unlink(missing_ok=True)
