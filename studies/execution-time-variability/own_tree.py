"""Run kernels of a NAS tree that the user has: ``NPB_ROOT=~/NPB3.4.3/NPB3.4-OMP python own_tree.py bt sp``.

The tree is NPB 3.x-OMP, or NPB-OMP of GMAP's C++ port, with its ``config/make.def``. Each kernel is built by
the tree's own Makefile in a copy, and counts only where it says that its result is verified. Without names,
those of BT, SP, LU, UA and DC are run that the tree has. ``npb-tree.toml`` is the experiment.
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from steelyard import Laboratory
from steelyard.api import Experiment, SteelyardError, UsageError, experiment

SPEC = Path(__file__).resolve().parent / "npb-tree.toml"
TEMPLATE_HINT = "make it from config/make.def.template, as the README of the tree says"


def find_tree() -> Path:
    """The directory that NPB_ROOT names.

    Raises
    ------
    UsageError
        It is not set, or does not name a tree that ``make`` can build.
    """
    named = os.environ.get("NPB_ROOT", "")
    if not named:
        raise UsageError("NPB_ROOT is not set", hint="NPB_ROOT=DIRECTORY, a tree such as NPB3.4-OMP")
    root = Path(named).expanduser().absolute()
    if not root.is_dir():
        raise UsageError(f"NPB_ROOT={named}: not a directory", hint="name a tree such as NPB3.4-OMP")
    if not (root / "Makefile").is_file():
        raise UsageError(f"NPB_ROOT={named}: no Makefile", hint="name a tree such as NPB3.4-OMP")
    if not (root / "config" / "make.def").is_file():
        raise UsageError(f"NPB_ROOT={named}: no config/make.def", hint=TEMPLATE_HINT)
    return root


def question(root: Path, kernels: list[str], options: argparse.Namespace) -> Experiment:
    """The experiment on a tree; without kernels, all that it has.

    Raises
    ------
    UsageError
        A kernel that the tree lacks.
    """
    tables: dict[str, Any] = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    ordered = sorted(path.parent.name.lower() for path in root.glob("[A-Z][A-Z]/Makefile"))
    if lacking := [kernel for kernel in kernels if kernel not in ordered]:
        raise UsageError(
            f"NPB_ROOT={root}: no kernel {lacking[0]!r}", hint=f"the tree has {', '.join(ordered) or 'none'}"
        )
    result = kernels or [kernel for kernel in tables["factors"]["kernel"] if kernel in ordered]
    if not result:
        raise UsageError(
            f"NPB_ROOT={root}: none of {', '.join(tables['factors']['kernel'])}",
            hint=f"name kernels of the tree, which has {', '.join(ordered) or 'none'}",
        )
    tables["factors"] |= {"kernel": result, "class": [options.size], "threads": options.threads}
    tables["design"] |= {"blocks": options.blocks, "discard": min(1, options.blocks - 1)}
    return experiment(source=root, **tables)


def main() -> int:
    """Build, run what is not finished, and print the answer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", nargs="*", type=str.lower, help="such as bt; default: BT, SP, LU, UA, DC")
    parser.add_argument("--class", dest="size", choices=tuple("SWABC"), default="S")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--record", type=Path, default=Path("npb-tree.lab"))
    args = parser.parse_args()
    try:
        if min(args.threads) < 1 or args.blocks < 1:
            raise UsageError("--threads and --blocks must be at least 1")
        lab = Laboratory(question(find_tree(), args.kernel, args), record=args.record.absolute())
        lab.run()
        print(lab.analyze())
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
