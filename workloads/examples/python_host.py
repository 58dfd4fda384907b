"""A Python program whose ranks count words by Goodsyard: all of them, then the even and the odd ones apart.

mpirun -n 4 python python_host.py build/examples/libpython_host.so
"""

from __future__ import annotations

import ctypes
import sys

from mpi4py import MPI


class Counts(ctypes.Structure):
    """As python_host.cpp has it."""

    _fields_ = (("different", ctypes.c_ulonglong), ("most", ctypes.c_ulonglong))


def count_words(library: ctypes.CDLL, comm: MPI.Intracomm, text: str) -> Counts:
    """Count the words of all ranks of ``comm``. Collective."""
    counts = Counts()
    error = ctypes.create_string_buffer(1000)
    handle = ctypes.c_int(comm.py2f())
    if library.count_words(handle, text.encode(), ctypes.byref(counts), error, ctypes.c_size_t(len(error))):
        raise RuntimeError(error.value.decode())
    return counts


def main() -> None:
    """Print what the ranks have counted, together and by halves."""
    library = ctypes.CDLL(sys.argv[1])
    world = MPI.COMM_WORLD
    text = " ".join(f"word{number % (10 + world.rank)}" for number in range(1000))
    together = count_words(library, world, text)
    half = world.Split(world.rank % 2)
    apart = count_words(library, half, text)
    half.Free()
    lines = world.gather(f"rank {world.rank}: {apart.different} words, {apart.most} times")
    if lines is not None:
        print(f"{together.different} words, {together.most} times", *lines, sep="\n")


if __name__ == "__main__":
    main()
