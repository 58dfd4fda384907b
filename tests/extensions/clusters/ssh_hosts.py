"""Hosts of their own network, processes, mounts and Linux name on this machine, reached by a real sshd."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from daemons import Daemon, until

NAMES = ("n1", "n2")

SSHD = """
Port 22
HostKey {place}/host_key
AuthorizedKeysFile {place}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
SetEnv XDG_CACHE_HOME={place}/{name}/cache
"""
SSH = """
Host {name}
    HostName {address}
    User root
    IdentityFile {place}/key
    IdentitiesOnly yes
    UserKnownHostsFile {place}/known_hosts
    StrictHostKeyChecking yes
    ConnectTimeout 2
    ServerAliveInterval 1
"""
# Hidden are the directory of the experiment, and the Python that runs the tests.
BEGIN = """
set -e
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
ip addr add {address}/30 dev eth0
ip link set eth0 up
hostname {name}
mount -t tmpfs none /run
mkdir /run/sshd
mount -t tmpfs none {here}
mount -t tmpfs none {venv}
mount --bind /bin/false {python}
mount --bind {place}/{name}/boot_id /proc/sys/kernel/random/boot_id
exec /usr/sbin/sshd -D -e -f {place}/{name}/sshd_config
"""


def missing() -> str | None:
    """What hosts lack on this machine, in words; ``None`` where they lack nothing."""
    programs = ("ssh", "ssh-keygen", "unshare", "ip")
    lacks = [name for name in programs if shutil.which(name, path=f"{os.defpath}:/sbin:/usr/sbin") is None]
    lacks += [] if Path("/usr/sbin/sshd").exists() else ["sshd"]
    if lacks:
        return f"{', '.join(lacks)} not found (Debian: openssh-server openssh-client iproute2)"
    process = subprocess.run(
        ["unshare", "-n", "-m", "-u", "-p", "-f", "true"], check=False, capture_output=True
    )
    return None if process.returncode == 0 else "namespaces cannot be made here"


class Host:
    """One host, which can be killed and started again.

    Attributes
    ----------
    name : str
    jobs : Path
        Where it keeps folders of jobs.
    """

    def __init__(self, name: str, place: Path, here: Path) -> None:
        number = NAMES.index(name)
        network = f"10.213.{os.getpid() % 250}"
        self.name = name
        self.jobs = place / name / "cache" / "steelyard" / "jobs"
        self._link = f"sy{os.getpid() % 100_000}{name}"
        self._ours, self._address = f"{network}.{number * 4 + 1}", f"{network}.{number * 4 + 2}"
        self._place = place
        self._daemon: Daemon | None = None
        (place / name / "cache").mkdir(parents=True)
        values = {"place": place, "name": name, "address": self._address, "here": here}
        values |= {"venv": sys.prefix, "python": Path(sys.executable).resolve()}
        (place / name / "sshd_config").write_text(SSHD.format(**values))
        self.begin = BEGIN.format(**values)
        self.config = SSH.format(**values)
        self.known = f"{self._address} {(place / 'host_key.pub').read_text()}"

    def start(self, boot: str = "1") -> None:
        """Start it, as after a boot of this name."""
        (self._place / self.name / "boot_id").write_text(f"boot-{self.name}-{boot}\n")
        spaces = ["-n", "-m", "-u", "-p", "--mount-proc", "--kill-child", "-f"]
        words = ["unshare", *spaces, "sh", "-c", self.begin]
        daemon = self._daemon = Daemon(words, self._place / self.name / "sshd.log")
        until(lambda: _children(daemon), f"the first process of {self.name}", daemon)
        child = _children(daemon)[0]
        _ip("link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", child)
        _ip("addr", "add", f"{self._ours}/30", "dev", self._link)
        _ip("link", "set", self._link, "up")
        words = ["ssh", "-F", str(self._place / "ssh_config"), "-o", "BatchMode=yes", self.name, "true"]
        until(
            lambda: subprocess.run(words, check=False, capture_output=True).returncode == 0,
            f"ssh {self.name}",
            daemon,
        )

    def kill(self) -> None:
        """End it with all of its processes."""
        if self._daemon is None:
            return
        for child in _children(self._daemon):  # the first of its processes, with which all others end
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        self._daemon.process.wait(30)
        self._daemon = None
        until(lambda: not Path(f"/sys/class/net/{self._link}").exists(), f"no link to {self.name}")

    def set_link(self, state: str) -> None:
        """Cut the network to it ("down"), or join it again ("up")."""
        _ip("link", "set", self._link, state)


def _children(daemon: Daemon) -> list[str]:
    """Numbers of the processes that it has started itself; none once it has ended."""
    pid = daemon.process.pid
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, env={**os.environ, "PATH": f"{os.defpath}:/sbin:/usr/sbin"})


@contextmanager
def running_hosts(place: Path) -> Iterator[dict[str, Host]]:
    """Two hosts; ``place/ssh_config`` names them, and ``place/here`` is a directory that they do not see."""
    place.mkdir()
    here = place / "here"
    here.mkdir()
    for name in ("host_key", "key"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place / name)]
        subprocess.run(words, check=True)
    hosts = {name: Host(name, place, here) for name in NAMES}
    (place / "ssh_config").write_text("".join(host.config for host in hosts.values()))
    (place / "known_hosts").write_text("".join(host.known for host in hosts.values()))
    with ExitStack() as stack:
        for host in hosts.values():
            stack.callback(host.kill)
            host.start()
        yield hosts
