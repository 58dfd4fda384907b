"""Both readings of seed 000, by name: Table 1 of DOI 10.1145/2851553.2851573."""

from __future__ import annotations

import pytest
from answers.made import BLOCKS, make
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.report.answer.text import render
from steelyard.stats.answer import answer

RUN_2 = (67.1721137, 69.1144691, 58.2407584, 95.0383578, 81.5043034, 66.1346017, 196.359002, 71.0783083)
RUN_5 = (68.2187308, 64.6999926, 73.1340169, 66.5868368, 111.286377, 78.3502649, 127.3131639, 96.6814628)


def table_1(**declared):
    samples = [make(RUN_2, label="run 2"), make(RUN_5, 2, "run 5")]
    return answer("table 1", samples, replace(BLOCKS, blocks=8), Analysis(**declared))


@pytest.mark.parametrize("declared", [{"estimand": "ratio_of_means"}, {"uncertainty": "sample"}])
def test_an_experiment_that_asks_for_it_has_s_with_u_and_the_rsu_of_both(declared):
    text = render(table_1(**declared), 100)
    heading = next(line for line in text.splitlines() if line.startswith("adjusted speedup"))
    row = text.splitlines()[text.splitlines().index(heading) + 1]
    assert "1.03 ± 0.13" in row  # u = 0.133930, paired
    assert "1.0 ± 0.6" in row  # spread = 0.596236
    assert row.split()[-4:] == ["9.6", "%", "18", "%"]  # 0.096414, 0.181258
    assert "as plotted in Firoz et al. 2016" in " ".join(text.split())
    first, second = ("spread", "u (k = 1)") if "uncertainty" in declared else ("u (k = 1)", "spread")
    assert heading.index(f"S ± {first}") < heading.index(f"S ± {second}")


def test_others_have_it_in_their_details():
    assert "S ± u" not in render(table_1(), 100)
    assert "S ± u" in render(table_1(), 100, details=True)
