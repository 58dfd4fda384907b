#!/usr/bin/env python3
"""Draw the figures of the studies' READMEs: ``python studies/figures.py [STUDY...]``.

A study that has figures has ``figures.py`` with a function ``figures`` that makes the charts from data that
is checked in: its CSV and JSON files, or the tables of its README. Nothing is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from steelyard.api.charts import Chart, draw_figure_spec, draw_svg

HERE = Path(__file__).resolve().parent
WIDTH_PX = 620
MOST_BYTES = 100_000


def studies() -> list[str]:
    """Those that have figures."""
    return sorted(file.parent.name for file in HERE.glob("*/figures.py"))


def charts_of(study: str) -> Iterable[Chart]:
    """The charts of one study."""
    file = HERE / study / "figures.py"
    spec = importlib.util.spec_from_file_location(f"figures_of_{study.replace('-', '_')}", file)
    assert spec is not None  # noqa: S101 -- for the type checker
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    result: Iterable[Chart] = module.figures()
    return result


def main() -> int:
    """Write ``NAME.svg`` beside each README."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    names = parser.parse_args().studies or studies()
    if unknown := sorted({*names} - {*studies()}):
        parser.error(f"{unknown[0]} has no figures; these have: {', '.join(studies())}")
    large = False
    for study in names:
        for chart in charts_of(study):
            file = HERE / study / f"{chart.name}.svg"
            file.write_text(draw_svg(draw_figure_spec(chart, WIDTH_PX)), encoding="utf-8")
            size = file.stat().st_size
            large |= size >= MOST_BYTES
            print(f"{file.relative_to(HERE.parent)}: {size / 1000:.0f} kB", flush=True)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
