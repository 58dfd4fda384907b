"""Counts before times: what is timed is what differs in counts, at the lengths where it lies alone."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.errors import InterruptedRunError, MachineError, ProgramError, UsageError
from steelyard.extensions.audit.audit import audit
from steelyard.extensions.audit.counts import choose
from steelyard.extensions.audit.request import AuditRequest
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.env_bytes import EnvBytes
from steelyard.store import Record

PAGE = 256
"""Bytes of the page that is counted here: a true one has sixteen times as many places."""

# Touches 300 pages more where its stack ends in one line of four: in page faults where it runs alone, in
# instructions under cachegrind.
FAULTS = r"""
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    char here;
    int pages = (uintptr_t)&here % PAGE / 64 == 1 ? 600 : 300;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) for (int k = 0; k < 100; k++) memory[i * 4096] = 1;
    return 0;
}
"""

# Instead of valgrind: writes a summary, and runs the program if it is one that tells its stack.
FAKE = """#!/bin/sh
while :; do case $1 in
  --log-file=*) log=${1#--log-file=} ;;
  --*) ;;
  *) break ;;
esac; shift; done
case $* in *__libc_stack_end*) exec "$@" ;; esac
cat > "$log" <<END
==1== Cachegrind
==1== I   refs:      INSTRUCTIONS
==1== I1  misses:    100
==1== LLi misses:    10
==1== D1  misses:    1,000
==1== LLd misses:    10
==1== Mispredicts:   100
END
"""


def silent(_: object) -> None:
    pass


@pytest.fixture
def small_page(monkeypatch):
    if INTERVENTIONS["aslr"].missing("off"):
        pytest.skip("address randomisation cannot be switched off here")
    monkeypatch.setitem(INTERVENTIONS, "env_bytes", EnvBytes(PAGE))


@pytest.fixture
def audit_request(small_page, tmp_path) -> AuditRequest:
    (tmp_path / "faults.c").write_text(FAULTS)
    subprocess.run(["cc", "-O1", f"-DPAGE={PAGE}", "-o", "faults", "faults.c"], cwd=tmp_path, check=True)
    return AuditRequest(
        command=str(tmp_path / "faults"),
        metric="minor_faults",
        only=("env_bytes",),
        counts=True,
        max_time_s=0.1,
        seed=5,
    )


@pytest.fixture
def counted_by(tmp_path, monkeypatch):
    """``counted_by(instructions)``: a stand-in for valgrind that counts this, as a shell writes it."""

    def install(instructions: str) -> None:
        (tmp_path / "bin").mkdir(exist_ok=True)
        fake = tmp_path / "bin" / "valgrind"
        fake.write_text(FAKE.replace("INSTRUCTIONS", instructions))
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
        monkeypatch.setattr("steelyard.run.launch.valgrind._simulate", lambda *_: [])

    return install


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not found")
def test_the_slow_line_is_found_by_counts_and_timed_where_it_lies_alone(audit_request, tmp_path):
    result = audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)
    counted, (finding,) = result.counted, result.findings
    assert (counted.lengths, counted.population) == (PAGE // 16, PAGE)
    # Four places of the stack in one line of 64 bytes.
    assert [item.lengths for item in counted.classes] == [12, 4]
    usual, slow = counted.classes
    assert slow.counts["instructions"] > usual.counts["instructions"] + 100 * 300
    assert (len(usual.timed), len(slow.timed), counted.timed) == (6, 2, 8)
    # Counts and page faults agree at each length that was timed.
    assert {element.level for element in finding.screened if element.ratio > 1.3} == set(slow.timed)
    assert {element.level for element in finding.screened if element.ratio < 1.3} == set(usual.timed)
    assert (finding.verdict, finding.extreme.level in slow.timed) == ("moves", True)


def test_counts_that_are_all_equal_are_one_class_and_its_lengths_are_timed(
    audit_request, counted_by, tmp_path
):
    counted_by("1,000,000")
    message: list[str] = []
    result = audit(audit_request, tmp_path / "labs", watch=silent, tell=message.append)
    assert [(item.lengths, len(item.timed)) for item in result.counted.classes] == [(PAGE // 16, 6)]
    assert len(result.findings[0].screened) == 6
    assert message[1].startswith("audit: counts of 16 lengths, about ")


def test_counting_that_was_stopped_goes_on_and_counts_no_length_twice(audit_request, counted_by, tmp_path):
    counted_by("$((1000000 + ${#STEELYARD_PAD} / 64 * 100000))")

    def interrupt(at) -> None:
        if at.noun == "lengths counted" and at.blocks_done:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError):
        audit(audit_request, tmp_path / "labs", watch=interrupt, tell=silent)
    with Record.open(tmp_path / "labs" / "counting.lab") as record:
        assert 0 < record.progress().blocks["complete"] < PAGE // 16
    result = audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)
    assert result.counted.lengths == PAGE // 16
    with Record.open(tmp_path / "labs" / "counting.lab") as record:
        assert record.progress().trials == PAGE // 16
    again = audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)
    assert again.counted == result.counted


@pytest.mark.parametrize("more", ["x", "x" * 16])
def test_counts_are_not_continued_where_the_stack_lies_elsewhere(
    audit_request, counted_by, monkeypatch, tmp_path, more
):
    counted_by("1,000,000")
    monkeypatch.setenv("ANOTHER", "x")
    audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)
    monkeypatch.setenv("ANOTHER", "x" + more)
    with pytest.raises(UsageError, match="in an environment of another length"):
        audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)


def test_a_limit_of_time_ends_counting_and_the_share_that_was_not_reached_is_told(
    audit_request, counted_by, monkeypatch, tmp_path
):
    counted_by("1,000,000")
    monkeypatch.setattr("steelyard.extensions.audit.counts._FEWEST", 1)
    # Half of what is left is less than one run takes: one length is counted whatever the limit is.
    monkeypatch.setattr("steelyard.extensions.audit.counts._SHARE_IN_A_LIMIT", 0.0)
    limited = replace(audit_request, limited=True, max_time_s=600.0)
    result = audit(limited, tmp_path / "labs", watch=silent, tell=silent)
    assert 0 < result.counted.lengths < PAGE // 16
    assert result.counted.unseen > 0.1


def test_counts_that_do_not_repeat_are_refused_before_any_length_is_counted(
    audit_request, counted_by, tmp_path
):
    runs = tmp_path / "runs"
    counted_by(f"$(echo x >> {runs}; expr 1000000 '*' $(wc -l < {runs}))")
    with pytest.raises(ProgramError, match=r"counts do not repeat: .* instructions in two runs") as caught:
        audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)
    assert "one thread" in caught.value.hint
    assert not (tmp_path / "labs" / "counting.lab").exists()


def test_a_script_is_refused_with_what_to_write(audit_request, counted_by, tmp_path):
    counted_by("1,000,000")
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    with pytest.raises(UsageError, match="is a script") as caught:
        audit(replace(audit_request, command=str(script)), tmp_path / "labs", watch=silent, tell=silent)
    assert "name the interpreter" in caught.value.hint


def test_without_valgrind_the_error_says_how_to_get_it_before_anything_runs(
    audit_request, monkeypatch, tmp_path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="needs valgrind, which is not found") as caught:
        audit(audit_request, tmp_path / "labs", watch=silent, tell=silent)
    assert caught.value.hint == "apt-get install valgrind, or on a cluster: module load valgrind"
    assert not (tmp_path / "labs").exists()


def test_kinds_without_the_environment_have_nothing_to_count(audit_request, tmp_path):
    with pytest.raises(UsageError, match="which --only leaves out"):
        audit(replace(audit_request, only=("affinity",)), tmp_path / "labs", watch=silent, tell=silent)


def test_where_there_are_more_classes_than_room_the_most_different_are_timed():
    cycles = np.array([100.0] * 10 + [100.0 + n for n in range(1, 61)])
    classes = [list(range(10)), *([place] for place in range(10, 70))]
    chosen = choose(classes, cycles, seed=1)
    assert [len(item) for item in chosen] == [6, *[1] * 42, *[0] * 18]
    assert sorted(place for element in chosen[1:] for place in element) == list(range(28, 70))
