from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError
from steelyard.extensions.explain.sampling import Perf

sys.path.insert(0, str(Path(__file__).parent))

SOURCE = """\
#include <stdio.h>
static volatile unsigned table[1024];
__attribute__((noinline)) static unsigned insert(unsigned n) {
    unsigned h = 1;
    for (unsigned i = 0; i < n; i++) { h ^= i; h *= 16777619u; table[h & 1023]++; }
    return h;
}
__attribute__((noinline)) unsigned parse(unsigned n, unsigned h) {
    for (unsigned i = 0; i < n * TIMES; i++) { h += i * h; h ^= h >> 3; h *= 33; }
    return h;
}
int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < 20; i++) { sum += parse(50000, sum); sum += insert(50000); }
    printf("%u\\n", sum);
}
"""


@pytest.fixture(scope="session")
def perf() -> Perf:
    """Provide perf where it may sample."""
    profiler = Perf()
    try:
        profiler.refuse_missing()
    except MachineError as error:
        pytest.skip(f"{error.message}; {error.hint}")
    return profiler


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[..., Path]:
    """Compile the program; ``times`` is the work of its function ``parse``."""

    def compile_program(name: str, *options: str, times: int = 1) -> Path:
        source = tmp_path / "program.c"
        source.write_text(SOURCE)
        flags = ["-g", "-O2", "-fno-omit-frame-pointer", f"-DTIMES={times}", *options]
        subprocess.run(["cc", *flags, str(source), "-o", str(tmp_path / name)], check=True)
        return tmp_path / name

    return compile_program
