"""``studies/mafia`` at a reduced size: counts equal their closed forms, and naive ways are caught."""

from __future__ import annotations

import re
import runpy
import sys

import msgspec
import pytest
from reduced_specs import ROOT, built, reduced

from steelyard import Laboratory
from steelyard.api import Record, UsageError

STUDY = ROOT / "studies" / "mafia"
sys.path.insert(0, str(STUDY.parent))

import readme_tables  # noqa: E402


@pytest.fixture
def study():
    """What ``study.py`` defines."""
    return runpy.run_path(str(STUDY / "study.py"), run_name="study")


def test_times_stand_beside_counts_and_what_was_found(tmp_path, steelyard_cli, study):
    changes = (("9, 10, 11, 12, 13, 14, 15, 16]", "9]"), ("blocks = 3", "blocks = 2"))
    spec = reduced(STUDY / "phases.toml", tmp_path, *changes, program=built("plain", "bin/mafia"))
    ended = steelyard_cli("run", str(spec))
    assert ended.returncode in (0, 1), ended.stderr
    with Record.open(tmp_path / "phases.lab") as record:
        tables = study["phases"](record)
        assert tables.startswith("Milliseconds, median (least … longest):")
        counted = study["values_by"](record, "phase_operations")
        for k, by_phase in counted.items():
            # 3 (k 2^(k-1) - k), the subsequences of three clusters: exact on drawn points, too.
            assert set(by_phase["unjoin"]) == {3 * (k * 2 ** (k - 1) - k)}
        for metric, least in (("planted_found", 3), ("recall", 0.95), ("precision", 0.98)):
            assert all(min(by_label[""]) >= least for by_label in study["values_by"](record, metric).values())
    assert re.search(r"\| gen: time as Table 7 expects \|.*\| ≈ O\(k\^4 2\^k\) \|$", tables, re.MULTILINE)


def test_naive_ways_are_caught_by_counts(tmp_path, steelyard_cli, study):
    spec = reduced(STUDY / "naive.toml", tmp_path, program=built("plain", "bin/mafia"))
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == 1, ended.stderr
    with Record.open(tmp_path / "naive.lab") as record:
        tables = study["naive"](record)
    rows = {line.split(" | ")[0]: line for line in tables.splitlines()}
    for phase in ("gen", "dedup"):
        assert "✗" in rows[f"| {phase}, pairs, pairs"]
        # Levels stand in the order of their factors' names: dedup, join.
        assert "✗" not in rows[f"| {phase}, hash, index"]


@pytest.mark.parametrize(
    ("planted", "code"), [("", 0), ('"--join", "pairs", ', 1), ('"--dedup", "pairs", ', 1)]
)
def test_the_gate_passes_phases_as_they_are_and_stops_naive_ones(tmp_path, steelyard_cli, planted, code):
    change = ('"--points"', f'{planted}"--points"')
    spec = reduced(STUDY / "gate.toml", tmp_path, change, program=built("plain", "bin/mafia"))
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == code, ended.stdout + ended.stderr


def test_boxes_that_coincide_are_found_and_shifted_ones_are_lost(tmp_path, steelyard_cli):
    change = ("k = [6, 7, 8, 9, 10, 11, 12, 13, 14]", "k = [4, 5, 6, 7, 8]")
    spec = reduced(STUDY / "overlap.toml", tmp_path, change, program=built("plain", "bin/mafia"))
    assert steelyard_cli("run", str(spec)).returncode == 0
    with Record.open(tmp_path / "overlap.lab") as record:
        samples = [record.samples(name) for name in ("dense_units", "planted_found")]
        assert len(samples[0]) == 30
        for dense, result in zip(*samples, strict=True):
            levels = dense.treatment.levels
            k, shared = int(levels["k"]), int(levels["shared"])
            if levels["shift"] == 0:
                assert [*dense.values] == [3 * (2**k - 1) - 2 * (2**shared - 1)]
                assert [*result.values] == [3]
            elif shared == 4 and k > 5:
                assert [*result.values] == [1]


SOLVER = """\
#include <cstdio>
#include <set>
#include "timing.h"
static int split;
void start_phase(int) { ++split; }
int main(int, char** argv) {
    std::set<int> new_cdus;
    const int new_du = 1, new_cdu = 2;
    new_cdus.insert(new_du);
    new_cdus.insert(new_cdu);
    for (int cluster = 0; cluster < 3; ++cluster) std::printf("cluster %d (7): [ [0:1..2] ]\\n", cluster);
    std::printf("reading points: 0.1 s\\n%s: 0.5 s\\nfinding dense CDUs: 0.5 s\\n", names[0]);
    std::printf("finding unjoined DUs: 0.5 s\\n%s: %d s\\n", names[1], split);
}
"""


def test_the_papers_code_gets_one_clock_more_in_one_of_its_builds(tmp_path):
    paper_code = runpy.run_path(str(STUDY / "paper_code.py"), run_name="paper_code")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "mafia-solver.cpp").write_text(SOLVER)
    (tmp_path / "src" / "timing.h").write_text("enum { PhaseFindCdus, End };\nextern const char* names[];\n")
    names = 'const char* names[] = {\n"finding and deduplicating CDUs",\n};\n'
    (tmp_path / "src" / "timing.cpp").write_text(names)
    question = paper_code["question"](tmp_path, built("plain", "bin/mafia"), blocks=2)
    k = msgspec.structs.replace(question.factors[1], levels=(3, 4))
    few = msgspec.structs.replace(question, factors=(question.factors[0], k), claims=())
    lab = Laboratory(few, record=tmp_path / "code.lab")
    lab.run()
    times = {str(sample.treatment.levels["clock"]): set(sample.values) for sample in lab.samples("dedup_s")}
    assert times == {"theirs": {0}, "split": {4}}


def test_what_is_no_checkout_of_the_papers_code_is_refused(tmp_path):
    paper_code = runpy.run_path(str(STUDY / "paper_code.py"), run_name="paper_code")
    with pytest.raises(UsageError, match=r"no src/mafia-solver\.cpp"):
        paper_code["question"](tmp_path, tmp_path, blocks=2)


def test_tables_are_those_of_the_values_that_are_kept():
    tables = runpy.run_path(str(STUDY / "tables.py"), run_name="tables")
    assert tables["cells"]() == readme_tables.kept(STUDY), "run python studies/mafia/tables.py"
