"""Build the kernels on each runtime, and their inputs, into ``build/runtimes``.

    python studies/runtimes/build.py [--ygm DIRECTORY] [--bale DIRECTORY] [--gapbs DIRECTORY]
        [--graph500 DIRECTORY] [--lamellar] [--large]

Goodsyard is installed from the tree of ``./dev mpi openmpi``; the others are checkouts, which stay as they
are: YGM (which needs cereal's headers), bale (autotools), the GAP Benchmark Suite, the reference code of
Graph500. Lamellar comes from crates.io, by cargo. A system that is not built fails in a run: delete its lines
of the spec.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from launching import AS_ROOT  # noqa: E402 -- what studies share lies beside them
from systems import BUILT, DRAWN, GRAPH, MPIRUN  # noqa: E402

KERNELS: Final = HERE / "kernels"
GRAPHS: Final = {
    "edges": ("rmat1", 15),
    "kron": ("rmat1", 18),
    "urand": ("uniform", 18),
    "road": ("lattice", 18),
}
"""Of each file of edges, generator and scale; the last three are stand-ins for three of GAP's five graphs."""
VIRTUAL: Final = GRAPH.parents[2] / "virtual"
"""The tree of ``./dev mpi virtual``, which ``instructions.py`` needs."""
OPTIMISED: Final = ("-O3", "-march=native", "-DNDEBUG")
PORTABLE: Final = ("-O3", "-DNDEBUG")
"""Of programs whose instructions are counted: valgrind does not know all of those of this machine."""


def run(command: Sequence[str | Path], cwd: Path | None = None, **env: str) -> str:
    """What a command prints; its output, and the end of this program, where it fails."""
    words = [str(word) for word in command]
    path = os.pathsep.join([str(MPIRUN.parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        words, cwd=cwd, env={**os.environ, "PATH": path, **env}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}error: {' '.join(words)}: exit code {done.returncode}")
    return done.stdout


def compile_kernels(
    source: str,
    *words: str | Path,
    compiler: str = "mpicxx",
    flags: Sequence[str] = OPTIMISED,
    name: str = "",
) -> None:
    """One program that has all kernels of a runtime."""
    target = BUILT / "bin" / (name or source.removesuffix(".cpp"))
    run([compiler, "-std=c++20", *flags, "-w", KERNELS / source, *words, "-o", target])


def goodsyard() -> None:
    """Install the package, and build the kernels as a program of its users is built."""
    installed = BUILT / "goodsyard"
    run(["cmake", "--install", GRAPH.parents[1], "--prefix", installed])
    packages = ("goodsyard-containers", "goodsyard-mpi")
    environment = {"PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig")}
    words = run(["pkg-config", "--cflags", "--libs", *packages], **environment).split()
    compile_kernels("goodsyard.cpp", *words)


def goodsyard_virtual() -> None:
    """For ``instructions.py``: the same for ranks in one process, in virtual time, and what is beside it."""
    installed = BUILT / "goodsyard-virtual"
    for tree in (GRAPH.parents[1], VIRTUAL):
        run(["cmake", "--install", tree, "--prefix", installed])
    environment = {"PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig")}
    words = run(["pkg-config", "--cflags", "--libs", "goodsyard-virtual"], **environment).split()
    compile_kernels("goodsyard.cpp", *words, compiler="g++", flags=PORTABLE, name="goodsyard_virtual")
    compile_kernels("bulk.cpp", flags=PORTABLE, name="bulk_portable")


def openmp() -> None:
    """Threads, and no runtime."""
    compile_kernels("openmp.cpp", "-fopenmp")


def bulk() -> None:
    """MPI's collective operations, and no runtime."""
    compile_kernels("bulk.cpp")


def ygm(checkout: Path) -> None:
    """YGM is headers alone."""
    compile_kernels("ygm.cpp", f"-I{checkout / 'include'}")


def conveyors(bale: Path) -> None:
    """Conveyors on MPI, with the optimisation that the others have."""
    tree = BUILT / "convey"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(bale / "src" / "bale_classic" / "convey", tree)
    run(["autoreconf", "-fi"], tree)
    installed = BUILT / "conveyors"
    flags = f"CFLAGS={' '.join(OPTIMISED)}"
    run(["./configure", "--with-mpi", "CC=mpicc", flags, f"--prefix={installed}"], tree)
    run(["make", "install"], tree)
    compile_kernels("conveyors.cpp", f"-I{installed / 'include'}", installed / "lib" / "libconvey.a")


def lamellar() -> None:
    """A copy, so that cargo writes nothing beside the sources."""
    tree = BUILT / "lamellar"
    shutil.copytree(KERNELS / "lamellar", tree, dirs_exist_ok=True)
    run(["cargo", "build", "--release"], tree)
    shutil.copy2(tree / "target" / "release" / "lamellar-kernels", BUILT / "bin" / "lamellar")


def gap(checkout: Path) -> None:
    """Its own flags: -O3 -march=native."""
    tree = BUILT / "gapbs"
    shutil.copytree(checkout, tree, dirs_exist_ok=True)
    run(["make", "bfs", "sssp", "cc", "pr", "bc", "tc", "converter"], tree)


def graph500(checkout: Path) -> None:
    """Its own flags but -fcommon, without which today's compilers do not link it."""
    tree = BUILT / "graph500"
    shutil.copytree(checkout, tree, dirs_exist_ok=True)
    run(["make", "graph500_reference_bfs_sssp", "MPICC=mpicc -fcommon"], tree / "src")


def inputs(graphs: Mapping[str, tuple[str, int]]) -> None:
    """Graphs as text, and as GAP's kernels read them: weights are whole numbers from 1 to 255."""
    converter = BUILT / "gapbs" / "converter"
    for name, (generator, scale) in graphs.items():
        weighted, plain = BUILT / f"{name}.wel", BUILT / f"{name}.el"
        words = ["generate", "--generator", generator, "--scale", str(scale), "--output", weighted]
        run(["mpirun", "-n", "1", GRAPH, *words], **AS_ROOT)
        with weighted.open() as lines, plain.open("w") as written:
            written.writelines(f"{' '.join(line.split()[:2])}\n" for line in lines)
        if converter.exists():
            run([converter, "-f", weighted, "-s", "-w", "-b", weighted.with_suffix(".wsg")])
            run([converter, "-f", plain, "-s", "-b", plain.with_suffix(".sg")])


def main() -> None:
    """Build what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    checkouts = {"ygm": ygm, "bale": conveyors, "gapbs": gap, "graph500": graph500}
    for name in checkouts:
        parser.add_argument(f"--{name}", type=Path, metavar="DIRECTORY", help=f"a checkout of {name}")
    parser.add_argument("--large", action="store_true", help="graphs of large.toml: 8 GB")
    parser.add_argument("--lamellar", action="store_true", help="by cargo, which takes minutes")
    arguments = vars(parser.parse_args())
    if not GRAPH.exists():
        sys.exit(f"error: no {GRAPH}\n\nhint: ./dev mpi openmpi builds it")
    (BUILT / "bin").mkdir(parents=True, exist_ok=True)
    goodsyard()
    if VIRTUAL.exists():
        goodsyard_virtual()
    openmp()
    bulk()
    for name, build in checkouts.items():
        if arguments[name] is not None:
            build(arguments[name].resolve())
    if arguments["lamellar"]:
        lamellar()
    inputs(GRAPHS)
    if arguments["large"]:
        inputs(DRAWN)


if __name__ == "__main__":
    main()
