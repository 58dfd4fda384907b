"""What launchers print, as they printed it, and what of it is the ranks' own."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from steelyard.run.measure.ranks import (
    are_at_fault,
    are_deadlocked,
    describe_waiting,
    last_words,
    rank_failure,
    simulated_failure,
)
from steelyard.run.runner.journal import RawTrial, lost_trial

RULE = "-" * 74
OPEN_MPI_ABORT = f"""{RULE}
MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
  Proc: [[7027,1],1]
  Errorcode: 5
{RULE}
{RULE}
prterun has exited due to process rank 1 with PID 0 on node vm calling
"abort". This may have caused other processes in the application to be
terminated by signals sent by prterun (as reported here).
{RULE}
"""
OPEN_MPI_SEGV = f"""[vm:30835] *** Process received signal ***
[vm:30835] Signal: Segmentation fault (11)
[vm:30835] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7fd3a385a050]
[vm:30835] *** End of error message ***
{RULE}
prterun noticed that process rank 1 with PID 30835 on node vm exited on
signal 11 (Segmentation fault).
{RULE}
"""
MPICH = """
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 30864 RUNNING AT vm
=   EXIT CODE: 11
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
"""
DEADLOCK = (
    "[0.000000] ./src/kernel/EngineImpl.cpp:718: [ker_engine/CRITICAL] Oops! Deadlock detected, some"
    " activities are still around but will never complete.\n"
)
RETURNED = (
    "[n1:1:(2) 0.000000] ./src/smpi/internals/smpi_global.cpp:645: [smpi_kernel/WARNING] SMPI process did not"
    " return 0. Return value : 3\n"
)
ABORTED = (
    "[n1:1:(2) 0.000000] ./src/smpi/bindings/smpi_pmpi.cpp:138: [smpi_pmpi/WARNING] MPI_Abort was called,"
    " something went probably wrong in this simulation ! Killing all processes\n"
)


def ended(stderr: str = "", stdout: str = "") -> RawTrial:
    raw = lost_trial(1, 0, stderr)
    return replace(raw, status="ok", exit_code=0, stdout=stdout.encode(), stdout_bytes=len(stdout))


@pytest.mark.parametrize(
    ("kind", "launcher"),
    [("mpi", OPEN_MPI_ABORT), ("mpi", OPEN_MPI_SEGV), ("smpi", RETURNED + DEADLOCK), ("smpi", ABORTED)],
)
def test_a_launcher_does_not_take_the_last_word(kind, launcher):
    assert last_words(ended("first\nrank 1: no more\n" + launcher), kind) == b"rank 1: no more"
    assert last_words(ended(launcher, stdout="t=1\n"), kind) == b"t=1"


def test_a_launcher_speaks_where_ranks_were_silent():
    assert last_words(ended(OPEN_MPI_SEGV), "mpi") == (
        b"prterun noticed that process rank 1 with PID 30835 on node vm exited on"
        b" signal 11 (Segmentation fault)."
    )
    assert last_words(ended("", MPICH), "mpi") == b"Segmentation fault (signal 11)"
    assert last_words(ended(DEADLOCK), "smpi").startswith(b"Oops! Deadlock detected")


def test_a_program_that_is_started_alone_may_print_rules_of_its_own():
    assert last_words(ended(f"result\n{RULE}\n")) == RULE.encode()


def test_a_simulation_ends_well_where_its_ranks_did():
    assert simulated_failure(ended("a warning of the program\n")) is None
    assert "deadlocked" in (simulated_failure(ended(DEADLOCK)) or "")
    assert simulated_failure(ended(ABORTED)) == "a rank called MPI_Abort"


def test_a_simulation_whose_last_words_were_cut_off_is_not_called_good():
    cut = replace(ended("x" * 100), stderr_bytes=2000)
    assert "only 100 of 2,000 bytes of stderr were kept" in (simulated_failure(cut) or "")


MPICH_ABORT = (
    "Abort(0) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 0) - process 1\n"
)


def test_ranks_that_did_not_end_well_are_known_by_their_words_and_the_librarys():
    departure = "steelyard: rank 3 of 8 left with exit code 0 before MPI_Finalize\n"
    assert (
        rank_failure(ended(f"a word\n{departure}")) == "rank 3 of 8 left with exit code 0 before MPI_Finalize"
    )
    assert rank_failure(ended(OPEN_MPI_ABORT)) == "rank 1 called MPI_Abort"
    assert rank_failure(ended(MPICH_ABORT)) == "rank 1 called MPI_Abort"
    assert are_at_fault(rank_failure(ended(departure)) or "")
    assert last_words(ended(f"no more\n{departure}{MPICH_ABORT}"), "mpi") == b"no more"


def test_a_program_that_prints_of_aborts_and_ranks_asked_to_end_have_not_failed():
    assert rank_failure(ended("rank 1 may call MPI_Abort\nMPI_ABORT was invoked on rank 1? No.\n")) is None
    assert rank_failure(ended("steelyard: rank 1 of 2 was waiting in MPI_Recv\n")) is None


def test_ranks_that_wait_are_counted_and_named_by_their_calls():
    waiting = [f"steelyard: rank {rank} of 12 was waiting in MPI_Recv" for rank in range(11)]
    all_wait = ended("\n".join([*waiting, "steelyard: rank 11 of 12 was waiting in MPI_Barrier"]))
    assert describe_waiting(all_wait) == ": 12 of 12 ranks were waiting in MPI_Barrier and MPI_Recv"
    assert are_deadlocked(f"was still running{describe_waiting(all_wait)}")
    one_computes = ended("\n".join([*waiting, "steelyard: rank 11 of 12 was outside of MPI"]))
    assert describe_waiting(one_computes) == (
        ": 11 of 12 ranks were waiting in MPI_Recv; outside of MPI was rank 11"
    )
    one_silent = ended("\n".join(waiting))
    assert describe_waiting(one_silent) == ": 11 of 12 ranks were waiting in MPI_Recv; 1 did not answer"
    assert describe_waiting(ended("nothing of the kind\n")) == ""
    assert not are_deadlocked(describe_waiting(one_computes) + describe_waiting(one_silent))
