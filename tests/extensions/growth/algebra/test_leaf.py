"""``growth`` is a leaf: it starts with the standard library and msgspec."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys
import steelyard.extensions.growth.algebra, steelyard.core.series
known = set(sys.stdlib_module_names) | {"steelyard", "sitecustomize", "msgspec", "typing_extensions"}
foreign = {name.split(".")[0] for name in sys.modules} - known
print(sorted(name for name in foreign if not name.startswith("_")))
"""


def test_growth_and_series_import_nothing_but_the_standard_library_and_msgspec(steelyard_env):
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROBE], capture_output=True, text=True, env=steelyard_env, check=False
    )
    if done.returncode:  # an installed package is only found with site
        done = subprocess.run(
            [sys.executable, "-c", PROBE], capture_output=True, text=True, env=steelyard_env, check=True
        )
    assert done.stdout.strip() == "[]"
