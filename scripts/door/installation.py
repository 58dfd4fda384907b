"""``.venv``: the locked versions and Steelyard, and a stamp that remembers what was done."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from threading import Lock
from typing import TYPE_CHECKING

from door.stages import ROOT, VENV, DevError, Stage, quietly, tool

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

STAMP = VENV / "steelyard-setup.json"
_WRITING = Lock()
PIP = ("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check")


def fingerprint(files: Iterable[Path], extra: Iterable[str] = ()) -> str:
    """Hash names and contents of the files that exist, and the extra strings."""
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.relative_to(ROOT)}\0{len(content)}\0".encode())
            digest.update(content)
    for text in extra:
        digest.update(f"{text}\0".encode())
    return digest.hexdigest()


def package_fingerprint() -> str:
    """What an installation depends on: the build, the native sources, and the *names* of the modules.

    In an editable install a module's text is live, but the map of modules is made by the installation.
    """
    build = [ROOT / name for name in ("pyproject.toml", "CMakeLists.txt", "requirements/run.txt")]
    native = (ROOT / "native").rglob("*")
    modules = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.py"))
    return fingerprint([*build, *native], modules)


def read_stamp() -> dict[str, str]:
    """What was done already; empty where nothing readable is noted."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def note(stamp: dict[str, str], key: str, value: str) -> None:
    """Remember a finished step at once, so that an interruption later does not repeat it; two may finish at
    the same time.
    """
    with _WRITING:
        stamp[key] = value
        STAMP.write_text(json.dumps(stamp, indent=1) + "\n")


def venv_is_whole() -> bool:
    """Whether ``.venv`` was made to the end, here, and still has the Python that its packages are for."""
    probe = [tool("python"), "-c", "import sys; print(*sys.version_info[:2], sep='.')"]
    try:
        version = subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return False
    stamp = read_stamp()
    # Its scripts name their directory, which may have been moved or copied.
    return (stamp.get("python"), stamp.get("root")) == (version, str(ROOT))


def ensure_venv() -> dict[str, str]:
    """Create ``.venv``, or create it again where it is half made or broken; return its stamp."""
    if venv_is_whole():
        return read_stamp()
    if VENV.exists():
        if not STAMP.exists():
            raise DevError(".venv exists and was not made by ./dev", hint="mv .venv .venv-mine", exit_code=2)
        shutil.rmtree(VENV)
    VENV.mkdir()
    # Noted before it is made: what an interruption leaves behind is known to be ours.
    stamp: dict[str, str] = {}
    note(stamp, "root", str(ROOT))
    quietly("create .venv", [[sys.executable, "-m", "venv", str(VENV)]], env=dict(os.environ))
    note(stamp, "python", f"{sys.version_info[0]}.{sys.version_info[1]}")
    return stamp


def install_locked(stamp: dict[str, str], lock: str) -> Stage:
    """Install a lock file's versions, and no others, from wheels whose hashes it names."""
    name = f"install the versions of requirements/{lock}.txt"
    path = ROOT / "requirements" / f"{lock}.txt"
    current = fingerprint([path])
    if current == stamp.get(lock):
        return Stage(name, passed=True, output="")
    # Only what Steelyard imports is compiled now: it must start fast even where Python may write no bytecode.
    compiled = [] if lock == "run" else ["--no-compile"]
    options = ["--require-hashes", "--only-binary=:all:", "--no-deps", *compiled, "-r", str(path)]
    stage = quietly(name, [[tool("python"), *PIP, *options]])
    note(stamp, lock, current)
    return stage


def install_package(stamp: dict[str, str]) -> Stage:
    """Build the native parts and install Steelyard so that its Python sources are live."""
    name = "build and install steelyard"
    current = package_fingerprint()
    runner = ROOT / "src" / "steelyard" / "_native" / "steelyard-runner"
    if current == stamp.get("package") and runner.exists():
        return Stage(name, passed=True, output="")
    options = ["--no-deps", "--no-build-isolation", "--editable", "."]
    stage = quietly(name, [[tool("python"), *PIP, *options]])
    note(stamp, "package", current)
    return stage
