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
from contextlib import redirect_stderr, redirect_stdout, suppress

# Loaded while this still is the system that they were built for.
for name in (
    "asyncio", "click", "click.shell_completion", "csv", "ctypes", "msgspec", "multiprocessing", "numpy", "pathlib",
    "platform", "scipy.optimize", "scipy.special", "scipy.stats", "select", "selectors", "shutil", "signal", "socket",
    "sqlite3", "subprocess", "tempfile", "threading", "uuid", "xml.etree.ElementTree",
):  # fmt: skip
    with suppress(ModuleNotFoundError):
        __import__(name)

import select
import signal

WINDOWS_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty")
WINDOWS_OS = (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "chown", "fchmod", "fchown", "fork",
    "geteuid", "getgid", "getloadavg", "getpgid", "getuid", "killpg", "mkfifo", "nice", "openpty", "pread", "pwrite",
    "setpgid", "setsid", "statvfs", "sysconf", "uname", "wait4", "waitid", "WIFEXITED",
)  # fmt: skip
WINDOWS_SIGNAL = ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "setitimer")
LINUX_OS = (
    "memfd_create", "pidfd_open", "posix_fadvise", "sched_getaffinity", "sched_setaffinity", "sched_setscheduler",
)  # fmt: skip


def take_away(module: types.ModuleType, names: tuple[str, ...]) -> None:
    """Delete what the module would not have."""
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


def become_macos() -> None:
    """Take away what only Linux has."""
    import fcntl

    take_away(fcntl, ("F_OFD_SETLK", "F_OFD_GETLK", "F_OFD_SETLKW"))


def become_windows() -> None:
    """Take away what Windows lacks, and lock bytes of files as its C library does."""
    import fcntl

    real = {name: getattr(fcntl, name) for name in ("lockf", "LOCK_EX", "LOCK_NB", "LOCK_UN")}
    open_file, rename_file, replace_file = os.open, os.rename, os.replace

    def locking(descriptor: int, mode: int, count: int) -> None:
        flags = real["LOCK_UN"] if mode == 0 else real["LOCK_EX"] | real["LOCK_NB"]
        real["lockf"](descriptor, flags, count, os.lseek(descriptor, 0, os.SEEK_CUR))

    def open_no_directory(path: object, flags: int, *rest: object, **options: object) -> int:
        if os.path.isdir(path):  # type: ignore[arg-type]
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, flags, *rest, **options)  # type: ignore[arg-type]

    def open_below(place: str) -> list[str]:
        links = [os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
        opened = [os.readlink(link) for link in links if os.path.lexists(link)]
        return [name for name in opened if name == place or name.startswith(place + os.sep)]

    def refuse_as_windows(old: object, new: object, *, replaces: bool) -> None:
        source, target = (os.path.realpath(str(name)) for name in (old, new))
        if open_below(source) or open_below(target):
            raise PermissionError(13, "The process cannot access the file: it is being used", str(old))
        if os.path.exists(target) and (not replaces or os.path.isdir(target)):
            raise FileExistsError(17, "Cannot create a file when that file already exists", str(new))

    def rename(old: object, new: object, **options: object) -> None:
        refuse_as_windows(old, new, replaces=False)
        rename_file(old, new, **options)  # type: ignore[arg-type]

    def replace(old: object, new: object, **options: object) -> None:
        refuse_as_windows(old, new, replaces=True)
        replace_file(old, new, **options)  # type: ignore[arg-type]

    msvcrt = types.ModuleType("msvcrt")
    msvcrt.LK_UNLCK, msvcrt.LK_NBLCK, msvcrt.locking = 0, 2, locking  # type: ignore[attr-defined]
    take_away(os, WINDOWS_OS)
    take_away(signal, WINDOWS_SIGNAL)
    take_away(select, ("poll", "epoll"))
    os.O_BINARY = 0  # type: ignore[attr-defined]
    os.rename, os.replace = rename, replace  # type: ignore[assignment]
    os.open = open_no_directory  # type: ignore[assignment]
    sys.modules["msvcrt"] = msvcrt
    for name in WINDOWS_MODULES:
        sys.modules.pop(name, None)
    load = builtins.__import__

    def refuse_absent(name: str, *rest: object, **options: object) -> types.ModuleType:
        if name in WINDOWS_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return load(name, *rest, **options)  # type: ignore[arg-type]

    builtins.__import__ = refuse_absent


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
        out, err = (io.TextIOWrapper(each, encoding="utf-8", write_through=True) for each in kept)
        with redirect_stdout(out), redirect_stderr(err):
            try:
                run()
            except SystemExit as end:
                code: object = end.code
            except BaseException:
                code = traceback.format_exc()
        texts = [each.getvalue().decode() for each in kept]
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
