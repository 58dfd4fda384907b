"""Search from all roots by our program or by a reference, and write the rate as a line of the protocol.

    python3 search.py bfs gap --ranks 2 --prepared DIRECTORY

``references.py`` makes the directory. Rates are harmonic means over roots of edges of the input in the root's
component over time, loops and parallel edges included. Graph500 leaves loops out; its rate is brought to our
number of edges. Of GAP each root is searched by a process of its own, three times, and the median counts: the
first time is that of memory that was never touched.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from launching import lines, output

TRIALS: Final = 3
LOOPS: Final = 0.02
"""The largest fraction of edges that are loops; who counts more edges or fewer has others."""
TASKS: Final = ("--blocking", "--loop-threshold", "1", "--active-tasks", "4096")
STACKS: Final = ("--stack-bytes", "8192", "--stack-pages", "huge")


class Prepared(NamedTuple):
    """What all ways of searching have in common."""

    directory: Path
    scale: int
    mpirun: str
    """The starter of our program's library."""
    graph: str
    """Our program."""
    roots: dict[str, list[int]]
    """By operation."""
    edges: dict[str, int]
    """Of the component of each root."""
    gapbs: str = ""
    """The checkout of GAP, or nothing."""
    graph500: str = ""
    graph500_mpirun: str = ""

    @property
    def file(self) -> Path:
        """The directory's description."""
        return self.directory / "prepared.json"

    def write(self) -> None:
        """Write what ``read`` reads."""
        self.file.write_text(json.dumps({**self._asdict(), "directory": str(self.directory)}))

    @classmethod
    def read(cls, directory: Path) -> Prepared:
        """The description in a directory."""
        document = json.loads((directory / "prepared.json").read_text())
        return cls(**{**document, "directory": directory})


def by_graph(prepared: Prepared, op: str, ranks: int, *options: str) -> float:
    """Our program, from the roots that it draws: those of Graph500."""
    words = [op, "--scale", str(prepared.scale), "--sources", str(len(prepared.roots[op])), *options]
    words += ["--transport", "point-to-point"]  # As Graph500 has it.
    result = lines(output([prepared.mpirun, "-n", str(ranks), prepared.graph, *words]))
    (rate,) = [line["values"][0] for line in result if line["metric"] == "teps_harmonic_mean"]
    return float(rate)


def by_graph500(prepared: Prepared, ranks: int) -> float:
    """The reference code, which draws edges and roots itself."""
    words = [prepared.graph500_mpirun, "-n", str(ranks), prepared.graph500, str(prepared.scale)]
    result = output(words, SKIP_VALIDATION="1")
    (rate,) = re.findall(r"bfs +harmonic_mean_TEPS: *!? *([0-9.e+]+)", result)
    (theirs,) = re.findall(r"mean_nedge: *([0-9.e+]+)", result)
    ours = statistics.mean(prepared.edges[str(root)] for root in prepared.roots["bfs"])
    if not 1 - LOOPS <= float(theirs) / ours <= 1:
        sys.exit(f"search.py: Graph500 has searched {theirs} edges, ours are {ours:g}: not the same graph")
    return float(rate) * ours / float(theirs)


def by_gap(prepared: Prepared, op: str, threads: int) -> float:
    """GAP, from each of the roots."""
    rates = []
    for root in prepared.roots[op]:
        words = ["-f", str(prepared.directory / "edges.sg"), "-n", str(TRIALS), "-r", str(root)]
        words += ["-i", "1"] if op == "bc" else []
        result = output([str(Path(prepared.gapbs, op)), *words], OMP_NUM_THREADS=str(threads))
        took = [float(item) for item in re.findall(r"^Trial Time: +([0-9.]+)", result, re.MULTILINE)]
        if len(took) != TRIALS:
            sys.exit(f"search.py: GAP tells {len(took)} times in place of {TRIALS}\n{result}")
        # It prints them to 10 µs.
        rates.append(prepared.edges[str(root)] / max(statistics.median(took), 1e-5))
    return statistics.harmonic_mean(rates)


def rate_of(prepared: Prepared, op: str, way: str, ranks: int) -> float:
    """Edges a second."""
    match way:
        case "tasks":
            return by_graph(prepared, op, ranks, *TASKS, *STACKS)
        case "items":
            return by_graph(prepared, op, ranks)
        case "graph500":
            return by_graph500(prepared, ranks)
        case _:
            return by_gap(prepared, op, ranks)


def main() -> int:
    """Search once, and write the line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("op", choices=["bfs", "bc"])
    parser.add_argument("way", choices=["tasks", "items", "graph500", "gap"])
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--prepared", type=Path, required=True, metavar="DIRECTORY")
    args = parser.parse_args()
    rate = rate_of(Prepared.read(args.prepared), args.op, args.way, args.ranks)
    line = {"steelyard": 1, "metric": "teps_harmonic_mean", "unit": "1/s", "values": [rate]}
    print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
