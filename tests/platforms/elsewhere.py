"""Run the command line as on another system: ``python elsewhere.py SYSTEM [[ARGUMENT, ...], ...]``.

What Python lacks there is taken away before anything of Steelyard is loaded: modules, functions of ``os``,
``signal``, ``select``. Directories cannot be opened and open files not be replaced on Windows. Libraries of
others are loaded before, since theirs are other builds there. Paths stay those of this system.
"""

from __future__ import annotations

import builtins
import io
import json
import os
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

# Loaded while this still is the system that they were built for.
for name in (
    "asyncio", "click", "click.shell_completion", "csv", "ctypes", "msgspec", "multiprocessing", "numpy",
    "pathlib", "platform", "scipy.optimize", "scipy.special", "scipy.stats", "select", "selectors",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "uuid",
    "xml.etree.ElementTree",
):  # fmt: skip
    with suppress(ModuleNotFoundError):
        __import__(name)

import select  # noqa: E402 -- taken away from below
import signal  # noqa: E402

WINDOWS_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty")
WINDOWS_OS = (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "chown", "fchmod", "fchown", "fork",
    "geteuid", "getgid", "getloadavg", "getpgid", "getuid", "killpg", "mkfifo", "nice", "openpty", "pread",
    "pwrite", "setpgid", "setsid", "statvfs", "sysconf", "uname", "wait4", "waitid", "WIFEXITED",
)  # fmt: skip
WINDOWS_SIGNAL = ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "setitimer")
LINUX_OS = (
    "memfd_create", "pidfd_open", "posix_fadvise", "sched_getaffinity", "sched_setaffinity",
    "sched_setscheduler",
)  # fmt: skip

OPEN, IMPORT = os.open, builtins.__import__


def take_away(module: types.ModuleType, names: tuple[str, ...]) -> None:
    """Delete what the module would not have."""
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


def become_macos() -> None:
    """Take away what only Linux has."""
    import fcntl

    take_away(fcntl, ("F_OFD_SETLK", "F_OFD_GETLK", "F_OFD_SETLKW"))


def lock_as_windows() -> types.ModuleType:
    """Make a ``msvcrt`` that locks bytes of files."""
    import fcntl

    lockf, take, release = fcntl.lockf, fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN

    def locking(descriptor: int, mode: int, count: int) -> None:
        lockf(descriptor, take if mode else release, count, os.lseek(descriptor, 0, os.SEEK_CUR))

    msvcrt = types.ModuleType("msvcrt")
    vars(msvcrt).update(LK_UNLCK=0, LK_NBLCK=2, locking=locking)
    return msvcrt


def is_open_below(place: str) -> bool:
    """Whether this process has the file, or one in the directory, open."""
    descriptors = [Path("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
    opened = [str(item.readlink()) for item in descriptors if item.is_symlink()]
    return any(name == place or name.startswith(place + os.sep) for name in opened)


def move_as_windows(move: Callable[..., None], *, replaces: bool) -> Callable[..., None]:
    """Refuse to rename what is open, or onto what is there."""

    def moved(old: object, new: object, **options: object) -> None:
        source, target = (Path(str(name)).resolve() for name in (old, new))
        if is_open_below(str(source)) or is_open_below(str(target)):
            raise PermissionError(13, "The process cannot access the file: it is being used", str(old))
        if target.exists() and (not replaces or target.is_dir()):
            raise FileExistsError(17, "Cannot create a file when that file already exists", str(new))
        move(old, new, **options)

    return moved


def open_as_windows(path: Any, flags: int, *rest: Any, **options: Any) -> int:
    """Refuse to open a directory."""
    if Path(path).is_dir():
        raise PermissionError(13, "Permission denied", str(path))
    return OPEN(path, flags, *rest, **options)


def import_as_windows(name: str, *rest: Any, **options: Any) -> types.ModuleType:
    """Find no module that only other systems have."""
    if name in WINDOWS_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return IMPORT(name, *rest, **options)


def become_windows() -> None:
    """Take away what Windows lacks; open, rename and lock files as it does."""
    sys.modules["msvcrt"] = lock_as_windows()
    take_away(os, WINDOWS_OS)
    take_away(signal, WINDOWS_SIGNAL)
    take_away(select, ("poll", "epoll"))
    vars(os).update(O_BINARY=0)
    os.rename = move_as_windows(os.rename, replaces=False)
    os.replace = move_as_windows(os.replace, replaces=True)
    os.open = open_as_windows
    for name in WINDOWS_MODULES:
        sys.modules.pop(name, None)
    builtins.__import__ = import_as_windows


class Kept(io.BytesIO):
    """Output that can be read after its stream was closed."""

    def close(self) -> None:
        """Keep the bytes."""


def run_commands(commands: list[list[str]]) -> list[dict[str, object]]:
    """Run the commands one after the other; exit code and output of each."""
    from steelyard.cli import main as run

    outcomes: list[dict[str, object]] = []
    for arguments in commands:
        sys.argv = ["steelyard", *arguments]
        kept = Kept(), Kept()
        out, err = (io.TextIOWrapper(item, encoding="utf-8", write_through=True) for item in kept)
        with redirect_stdout(out), redirect_stderr(err):
            try:
                run()
            except SystemExit as end:
                code: object = end.code
            except Exception:  # noqa: BLE001 -- told as the outcome
                code = traceback.format_exc()
        texts = [element.getvalue().decode() for element in kept]
        outcomes.append({"code": code, "stdout": texts[0], "stderr": texts[1]})
    return outcomes


def main() -> None:
    """Become another system, run the commands, and print a list of their outcomes as JSON."""
    system, commands = sys.argv[1], json.loads(sys.argv[2])
    if system != "linux":
        take_away(os, LINUX_OS)
        take_away(signal, ("SIGRTMIN", "SIGRTMAX", "pidfd_send_signal"))
        {"darwin": become_macos, "win32": become_windows}[system]()
    sys.platform = system
    sys.stdout.write(json.dumps(run_commands(commands)))


if __name__ == "__main__":
    main()
