"""Part (c) as tables: what MPI and its objects take, by library, and what that comes to at scale."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from steelyard.api import Record
from steelyard.api.scaling import (
    Expectation,
    Method,
    ModelRequest,
    Question,
    ScalingModel,
    Series,
    model_series,
)

EXPECTED: Final = {
    "mpi_init": "O(1)",
    "comm_create": "O(p)",
    "comm_dup": "O(1)",
    "win_create": "O(p)",
    "cart_create": "O(p)",
}
"""Table 1 of DOI 10.1109/TPDS.2019.2896993; MPI's own memory is O(log p) in its Table 5."""

DEVIATION: Final = "O(p^0.5)"
SCALE: Final = 8192
SCALES: Final = (2, 8, 32, 128)
SIGNS: Final = {"match": "✓", "approximate": "≈", "none": "✗", "undecided": "?"}
PUBLISHED: Final = Path(__file__).resolve().parents[1] / "scalability-validation" / "published.csv"


def tables(series: Sequence[Series]) -> str:
    """One table a library, with the model, its rank, and its value at ``SCALE`` ranks."""
    lines = []
    printed = published()
    for library in dict.fromkeys(str(item.labels["implementation"]) for item in series):
        selection = [item for item in series if item.labels["implementation"] == library]
        question = Question(
            expectations={item.name: Expectation(EXPECTED[item.name], DEVIATION) for item in selection},
            parameter="p",
            scale={"p": SCALE},
        )
        models = {model.name: model for model in model_series(ModelRequest(selection, question)).models}
        head = ["| object | expected | heap, B | R̄² | δ | rank (probability)"]
        head[0] += f" | at p = {SCALE} (95 %) | published: Juqueen, Juropa, Piz Daint |"
        head.append("|---" * 8 + "|")
        rows = [row(models[op], printed[op]) for op in EXPECTED if op in models]
        lines.append("\n".join([f"### {library}", "", *head, *rows]))
    return "\n\n".join(lines)


def model_heap(heap: Series, *, method: Method) -> ScalingModel:
    """Model one object, by the paper's method or by ours."""
    question = Question(
        method=method,
        space="mpi-study" if method == "seed001" else "default",
        expectations={heap.name: Expectation(EXPECTED[heap.name], DEVIATION)},
        parameter="p",
    )
    (model,) = model_series(ModelRequest([heap], question)).models
    return model


def beside_heap(record: Record) -> str:
    """A row a library: shared pages that an object touches, then the process, at four scales."""
    result: dict[tuple[str, str, str], dict[int, float]] = {}
    for metric in ("shared_bytes", "resident_bytes"):
        for sample in record.samples(metric):
            key = str(sample.treatment.levels["implementation"]), str(sample.labels["op"]), metric
            result.setdefault(key, {})[int(sample.treatment.levels["p"])] = statistics.median(sample.values)
    objects = [op for op in EXPECTED if op != "mpi_init"]
    lines = []
    for library in dict.fromkeys(library for library, _, _ in result):
        cells = [_at_scales(result[library, op, "shared_bytes"], 1e3) for op in objects]
        cells += [
            _at_scales(result[library, "process", f"{kind}_bytes"], 1e6) for kind in ("shared", "resident")
        ]
        lines.append(f"| {' | '.join([library, *cells])} |")
    head = f"| library | {' | '.join(objects)} | process, MB | resident, MB |"
    return "\n".join([head, "|---" * (len(objects) + 3) + "|", *lines])


def _at_scales(by_p: Mapping[int, float], unit: float) -> str:
    return ", ".join(f"{by_p[p] / unit:.{1 if 0 < by_p[p] < 100 * unit else 0}f}" for p in SCALES)


def row(model: ScalingModel, printed: str) -> str:
    """One line of a table."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every object here has an expectation
    sure = max(checked.probability.match, checked.probability.approximate, checked.probability.none)
    r2 = "" if model.r2 is None else f"{model.r2:.3f}"
    at = model.predictions[0]
    bounds = f" ({size(at.low)} … {size(at.high)})" if at.low is not None and at.high is not None else ""
    cells = (model.name, checked.expectation, model.text(), r2, checked.divergence.big_o("p"))
    return (
        f"| {' | '.join((*cells, f'{SIGNS[checked.rank]} ({sure:.2f})', size(at.value) + bounds, printed))} |"
    )


def size(value_bytes: float) -> str:
    """Three digits and a decimal prefix."""
    for prefix, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value_bytes) >= factor:
            return f"{value_bytes / factor:.3g} {prefix}B"
    return f"{value_bytes:.3g} B"


def published() -> Mapping[str, str]:
    """What Table 5 prints for the three systems, by object."""
    result: dict[str, list[str]] = {op: [] for op in EXPECTED}
    for line in of_table_5():
        op = "mpi_init" if line["function"] == "MPI memory" else line["function"].lower()
        result[op].append(f"{SIGNS[line['rank']]} O({line['model']})")
    return {op: ", ".join(cells) for op, cells in result.items()}


def of_table_5() -> Iterator[Mapping[str, str]]:
    """Its rows, in the order of the systems."""
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        yield from (line for line in csv.DictReader(file) if line["table"] == "5")
