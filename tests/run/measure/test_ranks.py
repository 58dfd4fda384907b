"""What launchers print, as they printed it, and what of it is the ranks' own."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from steelyard.run.measure.ranks import last_words, simulated_failure
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
