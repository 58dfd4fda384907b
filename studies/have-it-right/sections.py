#!/usr/bin/env python3
"""Sections of the README that are written from data: ``sections.py [--check]``."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them
import probes  # noqa: E402
import upstreams  # noqa: E402
import written_sections  # noqa: E402


def describe_row(name: str, entry: dict[str, Any], default: dict[str, Any]) -> str:
    """Return one row: single contexts, their verdicts, all together, a further one, the default context."""
    low, high = entry["single"]
    together, further = entry["ci95"], entry["prediction95"]
    cells = [
        name.replace("-", " to "),
        f"{low:.3g} to {high:.3g}",
        f"{entry['single_say_faster']}, {entry['single_say_slower']}",
        f"{entry['combined']:.4g} [{together[0]:.4g}, {together[1]:.4g}]",
        f"{further[0]:.3g} to {further[1]:.3g}",
        f"{default['speedup']:.4g} [{default['ci95'][0]:.4g}, {default['ci95'][1]:.4g}]",
    ]
    return f"| {' | '.join(cells)} |"


def machine(file: str) -> str:
    """Figures 3 to 5 on another machine, from its summary."""
    summary = json.loads((HERE / f"summary-{file}.json").read_text(encoding="utf-8"))
    lines = [
        "| program | single contexts | say faster, slower | all together | one further | by default |",
        "|---|---|---|---|---|---|",
    ]
    for part in ("optimisation", "libquantum"):
        default = summary[f"{part} in the default context (Figure 4)"]
        for name, entry in summary[f"{part} (Figures 4 and 5)"].items():
            if name.split()[1] in ("O0-O1", "O1-O2", "O2-O3"):
                lines.append(describe_row(name, entry, default[name]))
    lengths = summary["environment (Figure 3)"]
    lines += ["", "| program | fastest length | slowest | lengths whose interval leaves out the mean |"]
    lines += ["|---|---|---|---|"]
    for name, entry in lengths.items():
        low, high = entry["slowest_ci95"]
        slowest = f"{entry['slowest_percent']:+.1f} % [{low:.1f}, {high:.1f}]"
        off = f"{entry['lengths_off_the_mean']} of {entry['lengths']}"
        lines.append(f"| {name} | {entry['fastest_percent']:+.1f} % | {slowest} | {off} |")
    return "\n".join(lines)


def from_values(part: str) -> str:
    """The tables of a part of probes.py."""
    with kept_values.rebuilt(HERE, part) as record:
        return probes.PARTS[part](record)


def counted(part: str) -> str:
    """The table of a part of upstreams.py."""
    with kept_values.rebuilt(HERE, part) as record:
        return upstreams.PARTS[part](record)


SECTIONS: Final[written_sections.Sections] = {
    **{name: partial(machine, name) for name in ("xeon", "quiet")},
    **{part: partial(from_values, part) for part in ("belief", "compiler", "calls", "inside", "places")},
    **{part: partial(counted, part) for part in upstreams.PARTS},
}


if __name__ == "__main__":
    sys.exit(written_sections.main(HERE, SECTIONS))
