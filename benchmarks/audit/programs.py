"""The programs that are audited: demonstrators built for this machine, and real ones on made-up input."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

from steelyard.extensions.demo import SOURCES
from steelyard.run.launch.valgrind import caches

HERE = Path(__file__).parent
SURROUNDINGS = ("lc_all", "stack_limit")
"""Kinds of context, in the order of ``KIND`` in surroundings.c."""


def compiled(directory: Path, source: Path, name: str, *options: str) -> Path:
    """A program of the demo."""
    compiler = shutil.which("cc") or sys.exit("error: no C compiler\n\nhint: apt-get install gcc")
    program = directory / name
    subprocess.run([compiler, "-std=c11", "-O2", *options, "-o", program, source, "-lm"], check=True)
    return program


def stack_split(directory: Path) -> Path:
    """Local variables that lie across lines in a quarter of the environments, across pages in a 32nd."""
    return compiled(directory, SOURCES / "stack_split.c", "stack_split")


def set_conflict(directory: Path) -> Path:
    """Slow where one local variable falls into one set of the first-level cache: one line in 64."""
    cache = caches().get("D1") or sys.exit("error: this kernel does not tell the first-level cache")
    span = cache.sets * cache.line_bytes
    options = (f"-DWAYS={cache.ways}", f"-DSPAN={span}", f"-DLINE={cache.line_bytes}")
    return compiled(directory, SOURCES / "set_conflict.c", "set_conflict", *options)


def surroundings(directory: Path) -> dict[str, Path]:
    """Kind of context to a program that computes for a fifth longer at one of its levels."""
    source = HERE / "surroundings.c"
    return {kind: compiled(directory, source, kind, f"-DKIND={i}") for i, kind in enumerate(SURROUNDINGS)}


def lucky_builds(directory: Path) -> tuple[Path, Path]:
    """n-body twice, the second with its stack 16 bytes further down."""
    body = directory / "nbody.o"
    options = ("-std=c11", "-O3", "-Dmain=real_main")
    subprocess.run(["cc", *options, "-c", SOURCES / "nbody.c", "-o", body], check=True)
    builds = []
    for shift in (16, 32):
        shim, build = directory / f"shift{shift}.o", directory / f"nbody{shift}"
        subprocess.run(["cc", f"-DSHIFT={shift}", "-c", HERE / "shifted.c", "-o", shim], check=True)
        subprocess.run(["cc", body, shim, "-o", build, "-lm"], check=True)
        builds.append(build)
    return builds[0], builds[1]


def real(directory: Path) -> dict[str, str]:
    """Name to command of six programs that take some ten milliseconds on input from a seeded generator."""
    draw = random.Random(4)
    words = ["".join(draw.choices("abcdefghij", k=draw.randint(2, 9))) for _ in range(2000)]
    text = directory / "text"
    text.write_text("\n".join(" ".join(draw.choices(words, k=12)) for _ in range(4000)))
    perl = directory / "count.pl"
    perl.write_text(
        "my %n; while (<>) { $n{$_}++ for split }"
        " print join(' ', (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0..9]), qq{\\n};"
    )
    awk = directory / "count.awk"
    awk.write_text(
        "{ for (i = 1; i <= NF; i++) n[$i] += length($i) } END { for (w in n) s += n[w]; print s }"
    )
    sums = directory / "sums.bc"
    sums.write_text("scale=200\ns=0\nfor (i=1;i<2000;i++) s+=1/i\ns\nquit\n")
    count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<120000)"
    query = f"{count} SELECT sum(x*x%97) FROM c"  # noqa: S608 - a constant
    commands = {
        "perl": f"perl {perl} {text} {text} {text} {text}",
        "bzip2": f"bzip2 -kc {text}",
        "xz": f"xz -1 -T1 -kc {text}",
        "mawk": f"mawk -f {awk} {text} {text} {text} {text}",
        "bc": f"bc -q {sums}",
        "sqlite3": f"sqlite3 :memory: '{query}'",
    }
    return {name: command for name, command in commands.items() if shutil.which(name)}
