"""Each extension in a process that can import the core and those that it declares, and no other extension."""

from __future__ import annotations

import json
import subprocess
import sys

from steelyard.extensions import EXTENSIONS

IMPORTING = """
import importlib, json, os, pkgutil, sys
import click, msgspec, numpy
import steelyard.extensions
from steelyard.core.extension import load
from steelyard.extensions import EXTENSIONS

class Others:
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if parts[:2] == ["steelyard", "extensions"] and parts[2:] and parts[2] not in self.names:
            raise ModuleNotFoundError(f"{name} is of another extension")

def places(value):
    if isinstance(value, str) and value.startswith("steelyard.") and ":" in value:
        yield value
    elif isinstance(value, dict):
        for item in value.items():
            yield from places(list(item))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from places(item)

def use(extension):
    needs_of = {one.name: one.needs for one in EXTENSIONS}
    names, found = set(), [extension.name]
    while found:  # Those that these need, too.
        if (name := found.pop()) not in names:
            names.add(name)
            found += needs_of[name]
    sys.meta_path.insert(0, Others(names))
    # An extension may read what others added to the seam.
    steelyard.extensions.EXTENSIONS = tuple(one for one in EXTENSIONS if one.name in names)
    own = f"steelyard.extensions.{extension.name}"
    if importlib.util.find_spec(own) is None:
        return
    for module in pkgutil.walk_packages(importlib.import_module(own).__path__, f"{own}."):
        importlib.import_module(module.name)
    for place in places(msgspec.to_builtins(extension)):
        load(place)

results = {}
for extension in EXTENSIONS:
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            use(extension)
        except BaseException as error:
            os.write(writing, repr(error).encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        results[extension.name] = answer.read().decode()
    os.wait()
print(json.dumps(results))
"""


def test_every_module_and_entry_of_an_extension_needs_only_what_it_declares():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {extension.name: "" for extension in EXTENSIONS}
