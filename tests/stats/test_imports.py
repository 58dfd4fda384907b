from __future__ import annotations

import subprocess
import sys

ANSWER = """
import sys
from array import array
from steelyard.report.answer import document, text
from steelyard.core.sample import Sample, Treatment
from steelyard.stats.answer import answer
from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.stats.planning.precision import precision
from steelyard.core.units import BUILTIN

def sample(t, values):
    n = len(values)
    ids, one, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    return Sample(BUILTIN["wall_s"], Treatment(t, f"t{t}", {"t": t}), array("d", values), ids, one, none, ids)

samples = [sample(1, [1.0, 1.1, 1.2]), sample(2, [1.0, 1.2, 1.1])]
given = answer("e", samples, DesignFacts("randomized-blocks", 3, 1), Analysis())
text.render(given), document.render(given), precision(samples, Analysis())
print(*sorted(sys.modules))
"""


def modules_after(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_whole_answer_imports_no_scipy_and_no_plotting():
    loaded = {name.partition(".")[0] for name in modules_after(ANSWER)}
    assert "numpy" in loaded
    assert loaded & {"scipy", "altair", "pandas", "matplotlib"} == set()


def test_statistics_know_nothing_of_files_processes_and_presentation():
    loaded = modules_after("import steelyard.stats.compared, sys; print(*sorted(sys.modules))")
    ours = {name for name in loaded if name.startswith("steelyard.")}
    leaves = {
        "analysis",
        "arrays",
        "errors",
        "estimand",
        "factorial",
        "look_schedule",
        "sample",
        "special",
        "units",
    }
    assert {name.split(".")[1] for name in ours} == {"_kernels", "core", "results", "stats"}
    loaded_leaves = {name.split(".")[2] for name in ours if name.startswith("steelyard.core.")}
    assert loaded_leaves == leaves
