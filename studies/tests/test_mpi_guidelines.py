"""The performance guidelines of MPI, on a small simulated machine: exact, whatever else runs here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from reduced_specs import built

STUDY = Path(__file__).parents[2] / "studies" / "mpi-collectives"


def test_the_guidelines_of_a_simulated_machine_are_a_table_of_rules_by_size(tmp_path):
    built("smpi", "bin/collectives")
    done = subprocess.run(
        [
            sys.executable, STUDY / "guidelines.py", "--machine", "flat", "--ranks", "4",
            "--bytes", "8", "64", "--record", tmp_path / "it.lab",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    head, *rows = done.stdout.partition("\n\n")[0].splitlines()
    assert head.split() == ["rule", "8", "B", "64", "B"]
    cells = {row.split()[1] + " " + row.split()[3]: row.split()[-4::2] for row in rows}
    assert len(rows) == 20
    # Four ranks of a flat machine: recursive doubling of Allgather sends no more than Gather and Bcast.
    assert cells["allgather allgather_by_gather_and_bcast"] == ["✓", "✓"]
    assert cells["bcast bcast_by_allgatherv"] == ["✗", "✗"]
    assert "rules broken, 0 open" in done.stdout
