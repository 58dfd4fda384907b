"""Steelyard's command line, loaded once and forked for each command that a test runs.

``cli_server.py FD``: a request on the socket FD is JSON (arguments, directory, environment) with the three
standard streams; the answer is the exit code. A command is a process of its own, as in a shell, without the
time that Python takes to load what it needs.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import socket
import sys
from typing import Any

REQUEST_BYTES = 1 << 17


def load() -> None:
    """Import every command, and the libraries that commands load late."""
    import steelyard.cli
    from steelyard.core.extension import load as load_entry

    for entry in steelyard.cli.cli.list_entries().values():
        load_entry(entry.place)
    for name in (
        "numpy",
        "sqlite3",
        "steelyard._kernels",
        "steelyard.report.page",
    ):
        importlib.import_module(name)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Take over directory, environment, arguments and streams of a command."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["steelyard", *request["arguments"]]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)


def serve(connection: socket.socket) -> bool:
    """Fork a command for each request; True in a command, False in the server when requests end."""
    while True:
        message, streams, _, _ = socket.recv_fds(connection, REQUEST_BYTES, 3)
        if not message:
            return False
        command = os.fork()
        if command == 0:
            connection.close()
            become(json.loads(message), streams)
            return True
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(command, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    load()
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module("steelyard", run_name="__main__")
