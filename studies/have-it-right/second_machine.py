#!/usr/bin/env python3
"""Write the README's section on a second machine from summary-xeon.json: ``second_machine.py [--check]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

HERE = Path(__file__).parent
BEGIN: Final = "<!-- written by second_machine.py -->"
END: Final = "<!-- end of what second_machine.py writes -->"


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


def write_section() -> str:
    """Return the section between its two marks."""
    summary = json.loads((HERE / "summary-xeon.json").read_text(encoding="utf-8"))
    lines = [
        BEGIN,
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
    return "\n".join([*lines, END])


def main() -> int:
    """Write the section, or say whether it is up to date."""
    file = HERE / "README.md"
    text = file.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    written = head + write_section() + tail
    if "--check" in sys.argv[1:]:
        return int(written != text)
    file.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
