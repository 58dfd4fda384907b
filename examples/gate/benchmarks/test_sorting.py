"""Benchmarks of pytest-benchmark for ``steelyard gate``."""

import random

import pytest
import sorting

VALUES = random.Random(1).choices(range(1000), k=400)


@pytest.mark.parametrize("name", ["insertion", "merge", "count"])
def test_sort(benchmark, name):
    assert benchmark(getattr(sorting, name), VALUES) == sorted(VALUES)
