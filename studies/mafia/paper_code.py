"""Table 7 on the code that it is about: ``python paper_code.py CHECKOUT/cppmafia``, gpumafia's folder of that
name. ``paper-code.toml`` is the experiment; its values are kept in ``values/paper-code.csv``.

Points are those of ``mafia generate``, which ``./dev test`` or ``study.py`` has built.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Final

from steelyard import Laboratory
from steelyard.api import Experiment, SteelyardError, UsageError, experiment

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them

PART: Final = "paper-code"
BUILT: Final = HERE.parents[1] / "build" / "workloads" / "plain" / "bin" / "mafia"


def question(checkout: Path, generator: Path, blocks: int) -> Experiment:
    """The experiment on a checkout, with points of our ``mafia``.

    Raises
    ------
    UsageError
        One of them is something else.
    """
    if not (checkout / "src" / "mafia-solver.cpp").is_file():
        raise UsageError(f"{checkout}: no src/mafia-solver.cpp", hint="name the folder cppmafia of gpumafia")
    if not generator.is_file():
        raise UsageError(f"{generator}: not there", hint="--generator names our program mafia")
    tables = tomllib.loads((HERE / f"{PART}.toml").read_text(encoding="utf-8"))
    command = tables["build"]["command"]
    command[command.index("mafia")] = str(generator)
    tables["design"]["blocks"] = blocks
    return experiment(source=checkout, **tables)


def main() -> int:
    """Build, run what is not finished, print the answer, and keep the values."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT/cppmafia")
    parser.add_argument("--generator", type=Path, default=BUILT, metavar="PROGRAM", help="our mafia")
    parser.add_argument(
        "--blocks", type=int, default=3, help="runs of a point, the discarded one not counted"
    )
    parser.add_argument("--record", type=Path, default=Path(f"{PART}.lab"))
    args = parser.parse_args()
    try:
        table_7 = question(args.checkout.absolute(), args.generator.absolute(), args.blocks)
        lab = Laboratory(table_7, record=args.record.absolute())
        lab.run()
        print(lab.check())
        with lab.open() as record:
            kept_values.keep(HERE, PART, record)
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
