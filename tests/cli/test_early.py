"""Ctrl-C before there is anything that could be taken back."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from steelyard import cli


def started(code, tmp_path):
    """A Python in which ``click`` does what the code says when it is imported."""
    (tmp_path / "click.py").write_text(code)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-c", "from steelyard.cli import main; main()"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


INTERRUPT = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(0.01)\n"


def test_ctrl_c_while_the_command_line_is_imported_is_no_traceback(tmp_path):
    done = started(INTERRUPT, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_ctrl_c_that_no_command_answers_ends_with_130_and_one_word(monkeypatch, capsys):
    def interrupt(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.cli, "main", interrupt)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "interrupted\n")


def test_who_ignores_the_signal_is_not_ended_by_it(tmp_path):
    ignoring = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nimport steelyard.cli"
    (tmp_path / "click.py").write_text(f"{INTERRUPT}raise SystemExit(7)\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", ignoring], env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert done.returncode == 7


@pytest.mark.parametrize("handler", ["signal.default_int_handler", "signal.SIG_IGN", "print"])
def test_the_handler_is_afterwards_what_it_was(handler):
    code = (
        f"import signal\nsignal.signal(signal.SIGINT, {handler})\nimport steelyard.cli\n"
        f"assert signal.getsignal(signal.SIGINT) is {handler}"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_can_be_imported_where_signals_do_not_come():
    code = (
        "import threading\nseen = []\n"
        "thread = threading.Thread(target=lambda: seen.append(__import__('steelyard.cli')))\n"
        "thread.start(); thread.join()\nassert seen"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
