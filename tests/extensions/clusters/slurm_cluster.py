"""A Slurm of four emulated nodes on this machine's loopback, started and stopped by a test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from daemons import Daemon, running, until

DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
NODES = 4

CONF = """
ClusterName=steelyard
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={first}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={place}/munge.socket
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool-%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd-%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MinJobAge=300
KillWait=5
InactiveLimit=0
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=8 RealMemory=4000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str | None:
    """What a cluster lacks on this machine, in words; ``None`` where it lacks nothing."""
    lacks = [name for name in DAEMONS if shutil.which(name, path=_path()) is None]
    if lacks:
        return f"{', '.join(lacks)} not found (Debian: slurmctld slurmd slurm-client munge)"
    return None if os.geteuid() == 0 else "Slurm's daemons are started as root"


@contextmanager
def cluster(place: Path) -> Iterator[dict[str, str]]:
    """A running cluster; gives the environment in which its commands find it."""
    place.mkdir()
    host = socket.gethostname().split(".")[0]
    controller, first = _free_ports()
    (place / "state").mkdir()
    conf = place / "slurm.conf"
    conf.write_text(
        CONF.format(
            host=host, place=place, controller=controller, first=first, last=first + NODES - 1, nodes=NODES
        )
    )
    key = place / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    environment = {**os.environ, "SLURM_CONF": str(conf), "PATH": _path()}
    with ExitStack() as stack:
        munge = [
            "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={place}/munge.socket",
            f"--pid-file={place}/munge.pid", f"--log-file={place}/munge.log",
            f"--seed-file={place}/munge.seed",
        ]  # fmt: skip
        daemons: list[Daemon] = []

        def start(name: str, words: list[str]) -> None:
            daemon = Daemon(words, place / f"{name}.out", env=environment, logs=[place / f"{name}.log"])
            daemons.append(stack.enter_context(running(daemon)))

        start("munge", munge)
        until((place / "munge.socket").exists, "the socket of munged", *daemons)
        start("slurmctld", ["slurmctld", "-D", "-i", "-f", str(conf)])
        for number in range(1, NODES + 1):
            (place / f"spool-n{number}").mkdir()
            start(f"slurmd-n{number}", ["slurmd", "-D", "-f", str(conf), "-N", f"n{number}"])
        until(lambda: idle(environment) == NODES, "four idle nodes", *daemons)
        yield environment
        subprocess.run(["scancel", "--user=root"], env=environment, check=False)
        until(lambda: not _asked(["squeue", "--noheader"], environment), "an empty queue", *daemons)


def _path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def _free_ports() -> tuple[int, int]:
    """A port for the controller, and the first of as many in a row as there are nodes."""
    for base in range(17_000 + os.getpid() % 1000 * 8, 60_000, 8):
        try:
            for port in range(base, base + NODES + 1):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base, base + 1
    raise RuntimeError("no free ports")


def _asked(words: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout


def idle(environment: dict[str, str]) -> int:
    return _asked(["sinfo", "--noheader", "-N", "--format", "%T"], environment).split().count("idle")
