"""*The Value of Variance* (DOI 10.1145/2851553.2851573) done again: its figures as data, tables and drawings.

``python studies/value-of-variance/study.py [PART ...] [--ranks N,N] [--links SHARE,SHARE] [--no-run]
[--directory LABS] [--output DIRECTORY]`` runs what is not finished of ``simulated.toml`` or ``real.toml`` at
the sizes of so many ranks, or of the other specs, and writes what its records hold. Each size has a record of
its own, a simulated one for each level of the noise of links. A study that was stopped goes on where it was;
``--no-run`` only writes. What the output directory has of other records stays.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from runs import Run, figure_rows, published, read_runs, runs_of, write_runs
from tables import claims, comparisons, counts, effects, instances, ratios, slowest, table_1, times

from steelyard import Laboratory
from steelyard.api import Experiment, SteelyardError, experiment

HERE: Final = Path(__file__).resolve().parent
OF_THE_PAPER: Final = ("simulated", "real")
"""Parts with a record for each size, whose blocks are runs of the paper."""
NOISES: Final = {None: "", 0: "-quiet", 0.3: "-noisy"}
"""How the name of a record ends, by the noise of links; real networks have no such level."""
PARTS: Final = (*OF_THE_PAPER, "execution", "designed", "direction")
COUNTS: Final = ("items_useful", "items_superseded", "items_rejected", "messages", "epochs")


def experiments(
    part: str, ranks: Sequence[int], links: Sequence[float] = ()
) -> Iterator[tuple[str, Experiment]]:
    """The experiments of a part by the names of their records.

    One for each size that is asked for, and for each level of the noise of links (all, if none is named).
    """
    text = (HERE / f"{part}.toml").read_text(encoding="utf-8")
    if part not in OF_THE_PAPER:
        yield part, experiment(source=HERE, **tomllib.loads(text))
        return
    factors = tomllib.loads(text)["factors"]
    for scale, p in factors["size"]["levels"]:
        for level in factors.get("links", [None]):
            if p not in ranks or (links and level is not None and level not in links):
                continue
            tables: dict[str, Any] = tomllib.loads(text)
            tables["factors"]["size"]["levels"] = [[scale, p]]
            if level is not None:
                tables["factors"]["links"] = [level]
            yield f"{part}-{p}{NOISES[level]}", experiment(source=HERE, **tables)


def summary_of(lab: Laboratory) -> dict[str, Any]:
    """What the tables need of an answer and of the verdicts on its claims."""
    document = json.loads(lab.analyze().json())
    judged = json.loads(lab.check().json())["verdicts"] if lab.experiment.claims else []
    metric = lab.experiment.analysis.metric
    labels = {sample["treatment"]["id"]: sample["treatment"]["label"] for sample in document["samples"]}
    return {
        "experiment": document["experiment"],
        "blocks": document["design"]["blocks"],
        "state": document["design"]["state"],
        "samples": [
            {
                "metric": item["metric"],
                "levels": item["treatment"]["levels"],
                **{key: _short(item[key]) for key in ("n", "mean", "s", "cv")},
                **({"instances": _short(item["instances"])} if item["metric"] == metric else {}),
            }
            for item in document["samples"]
            if item["metric"] in (metric, *COUNTS)
        ],
        "comparisons": [
            {
                "stratum": comparison["stratum"],
                "treatment": labels[comparison["treatment"]],
                "adjusted": _short(comparison["adjusted_speedup"]),
                "ci95": _short(comparison["speedup"]["ci95"]),
                **{key: comparison[key] for key in ("instances", "verdict")},
            }
            for comparison in document["comparisons"]
            if comparison["metric"] == metric
        ],
        "ratios": [
            {
                **{key: ratio[key] for key in ("factor", "level", "change")},
                "reference": f"{labels[ratio['treatment']]} against {labels[ratio['baseline']]}",
                **{key: _short(ratio[key]) for key in ("value", "ci95")},
            }
            for ratio in document["speedup_ratios"]
        ],
        "effects": [
            {
                "stratum": {**effect["stratum"], **_varying(effect["labels"], document["effects"])},
                **{key: _short(contrast[key]) for key in ("factors", "ratio", "ci95", "share", "resolved")},
            }
            for effect in document["effects"]
            for contrast in effect["effects"]
        ],
        "claims": [{key: contrast[key] for key in ("name", "verdict", "words")} for contrast in judged],
    }


def _varying(labels: dict[str, Any], every: list[Any]) -> dict[str, Any]:
    """The labels that tell analyses apart."""
    return {
        name: label
        for name, label in labels.items()
        if any(item["labels"].get(name) != label for item in every)
    }


def _short(value: Any) -> Any:
    """Six digits of every number."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_short(element) for element in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def write_figures(rows: Sequence[dict[str, object]], output: Path) -> None:
    """The table of all; ``studies/figures.py`` draws them."""
    with (output / "figures.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})


def with_other_sizes(runs: Sequence[Run], path: Path) -> list[Run]:
    """Runs, and those that the file has of sizes that these are not of."""
    sizes = {(run.scale, run.ranks, run.links) for run in runs}
    earlier = read_runs(path) if path.is_file() else []
    others = (run for run in earlier if (run.scale, run.ranks, run.links) not in sizes)
    return sorted([*runs, *others], key=lambda run: (run.links or 0, run))


def place(named: tuple[str, object]) -> tuple[int, str, int]:
    """Of a record in the summary: by part, noise and ranks."""
    part, *rest = named[0].split("-")
    ranks, noise = [*rest, *["0", ""][len(rest) :]]
    return PARTS.index(part), "" if noise == "quiet" else noise, int(ranks)


def written(output: Path) -> Iterator[str]:
    """The tables of what the files hold."""
    for part in OF_THE_PAPER:
        if (path := output / f"{part}-runs.csv").is_file():
            runs = read_runs(path)
            for level in dict.fromkeys(run.links for run in runs):
                chosen = [run for run in runs if run.links == level]
                yield f"## {part}{NOISES[level]}\n\n{times(chosen)}\n\n{slowest(chosen)}"
    summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
    makers = (comparisons, ratios, claims, instances, counts, effects)
    yield from (maker(summary) for maker in makers)
    yield table_1(published(HERE / "published.csv"))


def read_links(text: str) -> list[float]:
    """Levels of the noise of links, as the command line has them."""
    levels = {f"{level:g}": level for level in NOISES if level is not None}
    named = text.split(",")
    if unknown := [level for level in named if level not in levels]:
        raise argparse.ArgumentTypeError(f"unknown level {unknown[0]!r}; one of: {', '.join(levels)}")
    return [levels[level] for level in named]


def main() -> int:
    """Run, write, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: simulated)")
    parser.add_argument("--ranks", default="4", help="sizes of simulated and real (default: 4)")
    parser.add_argument(
        "--links", type=read_links, default=[], help="levels of the noise of links, simulated (default: all)"
    )
    parser.add_argument("--no-run", action="store_true", help="only write what the records hold")
    parser.add_argument("--directory", type=Path, default=Path("value-of-variance.labs"))
    parser.add_argument("--output", type=Path, help="where files go (default: --directory)")
    args = parser.parse_args()
    if unknown := [part for part in args.parts if part not in PARTS]:
        parser.error(f"unknown part {unknown[0]!r}; one of: {', '.join(PARTS)}")
    output = args.output or args.directory
    for directory in (args.directory, output):
        directory.mkdir(parents=True, exist_ok=True)
    ranks = [int(p) for p in args.ranks.split(",")]
    path = output / "summary.json"
    summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    try:
        for part in args.parts or ("simulated",):
            runs: list[Run] = []
            for name, experiment in experiments(part, ranks, args.links):
                lab = Laboratory(experiment, record=args.directory / f"{name}.lab")
                if not args.no_run:
                    lab.run()
                summary[name] = summary_of(lab)
                if part in OF_THE_PAPER:
                    runs += runs_of(lab.samples("time_s"))
            if runs:
                runs = with_other_sizes(runs, output / f"{part}-runs.csv")
                write_runs(runs, output / f"{part}-runs.csv")
            if part == "simulated" and runs:
                write_figures(figure_rows(runs), output)
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    summary = dict(sorted(summary.items(), key=place))
    path.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print("\n\n".join(written(output)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
