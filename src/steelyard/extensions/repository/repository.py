"""``Repository``: what is asked of git, without a shell, hooks, or words that could be taken for options."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from steelyard.core.errors import MachineError, UsageError

_TIMEOUT_S: Final = 600.0
DEEPEN: Final = "this clone is shallow: git fetch --unshallow (actions/checkout: fetch-depth: 0)"
_NO_PROGRAMS: Final = (
    *("-c", "core.hooksPath=/dev/null"),  # at each check-out
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "protocol.ext.allow=never"),
)
"""Settings against programs that the configuration of a repository names."""


class Repository:
    """A git repository.

    Parameters
    ----------
    directory : Path
        Anywhere within its work tree, or the bare repository.

    Raises
    ------
    UsageError
        Not within a repository.
    MachineError
        git is not installed.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        if self._run("rev-parse", "--git-dir").returncode:
            raise UsageError(
                f"{directory.absolute()} is not in a git repository", hint="cd to one, or name it: --repo DIR"
            )

    def locate(self) -> Path:
        """Return the directory of git, which all work trees of the repository share."""
        return (self.directory / self.ask("rev-parse", "--git-common-dir").strip()).resolve()

    def commit(self, revision: str) -> str:
        """Return the full id of the commit that a revision names.

        Raises
        ------
        UsageError
            It names none here.
        """
        commit = self.find_commit(revision)
        if commit is None:
            raise UsageError(
                f"{revision!r} names no commit in {self.directory.absolute()}", hint=self._suggest(revision)
            )
        return commit

    def find_commit(self, revision: str) -> str | None:
        """Return the full id of the commit that a revision names; ``None`` where it names none here."""
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return None if done.returncode else done.stdout.strip()

    def _suggest(self, revision: str) -> str:
        """Return what makes a revision known here."""
        if self.shallow:
            return DEEPEN
        if self.find_commit("HEAD") is None:
            return "nothing is checked out here, as before the first commit: git commit, or git switch BRANCH"
        branches = self._run("for-each-ref", "--format=%(refname:short)", f"refs/remotes/*/{revision}")
        if names := branches.stdout.split():
            return f"it is not a branch here, but {names[0]} is: name that"
        if remotes := self._run("remote").stdout.split():
            remote, _, branch = revision.partition("/")
            if remote not in remotes or not branch:
                remote, branch = remotes[0], revision
            # With its place here: otherwise only FETCH_HEAD names it, and not in a clone of one branch.
            fetched = shlex.quote(f"{branch}:refs/remotes/{remote}/{branch}")
            return f"git fetch {remote} {fetched}, then {remote}/{branch}; git log --oneline lists commits"
        return "git branch --all lists branches, git log --oneline commits"

    def first_parents(self, last: str, after: str | None = None) -> list[str]:
        """Return commits from the first, or from behind ``after``, to ``last``, oldest first.

        Of a merge, follow the side that was merged into.
        """
        text = self.ask("rev-list", "--first-parent", "--reverse", last, *([f"^{after}"] if after else []))
        return text.split()

    def descendants(self, first: str, last: str) -> list[str]:
        """Return commits behind ``first`` that contain it, up to ``last``, merged branches included."""
        return self.ask("rev-list", "--ancestry-path", last, f"^{first}").split()

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        """Whether ``commit`` contains ``ancestor``."""
        return self._run("merge-base", "--is-ancestor", ancestor, commit).returncode == 0

    def find_merge_base(self, first: str, second: str) -> str | None:
        """Return the last commit that both contain; ``None`` without one here."""
        done = self._run("merge-base", first, second)
        return None if done.returncode else done.stdout.split()[0]

    def find_default_branch(self) -> str | None:
        """Return the default branch of origin, as in ``origin/main``; ``None`` where it is not known here."""
        done = self._run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        return None if done.returncode else done.stdout.strip()

    def find_branch(self) -> str | None:
        """Return the branch that is checked out; ``None`` where none is."""
        done = self._run("symbolic-ref", "--quiet", "--short", "HEAD")
        return None if done.returncode else done.stdout.strip()

    def list_parents(self, commit: str) -> list[str]:
        """List the parents of a commit; of a merge, the side that was merged into is the first."""
        return self.ask("rev-list", "--parents", "--max-count=1", commit).split()[1:]

    @property
    def place(self) -> Path:
        """Where in the work tree the directory is; ``.`` at the top, and in a bare repository."""
        return Path(self.ask("rev-parse", "--show-prefix").strip() or ".")

    def find_top(self) -> Path | None:
        """Return the top of the work tree; ``None`` in a bare repository."""
        done = self._run("rev-parse", "--show-toplevel")
        return None if done.returncode else Path(done.stdout.strip())

    def subject(self, commit: str) -> str:
        """Return the first line of a commit's message."""
        return self.ask("show", "--no-patch", "--format=%s", commit).strip()

    @property
    def shallow(self) -> bool:
        """Whether commits before some depth are not here."""
        return self._run("rev-parse", "--is-shallow-repository").stdout.strip() == "true"

    @property
    def dirty(self) -> bool:
        """Whether files under version control differ from what is committed."""
        return bool(self._run("status", "--porcelain", "--untracked-files=no").stdout.strip())

    def check_out(self, commit: str, directory: Path) -> None:
        """Put the files of a commit into a directory of their own."""
        self.ask("worktree", "add", "--force", "--detach", str(directory), commit)

    def find_tree(self, commit: str) -> str:
        """Return the id of the files of a commit."""
        return self.ask("rev-parse", f"{commit}^{{tree}}").strip()

    def take_snapshot(self, without: str) -> tuple[str, str]:
        """Make a commit of the work tree as it is, and give it with the id of its files.

        Files that are not ignored are included; neither index nor branch change.

        Parameters
        ----------
        without : str
            A path that is left out.
        """
        with TemporaryDirectory() as place:
            index = {"GIT_INDEX_FILE": str(Path(place, "index"))}
            self.ask("read-tree", "HEAD", env=index)
            self.ask("add", "--all", "--", ":/", f":(top,exclude){without}", env=index)
            tree = self.ask("write-tree", env=index).strip()
        identity = ("-c", "user.name=steelyard", "-c", "user.email=steelyard@localhost")
        text = self.ask(*identity, "commit-tree", "-m", "steelyard ratchet", "-p", "HEAD", tree)
        return text.strip(), tree

    def remove(self, directory: Path) -> None:
        """Remove what ``check_out`` made, with all that was built in it."""
        # Twice: a check-out that was interrupted is locked. Without ``prune``, which would also forget trees
        # of others whose disk is not there at the moment.
        self._run("worktree", "remove", "--force", "--force", str(directory))
        shutil.rmtree(directory, ignore_errors=True)

    def ask(self, *words: str, env: Mapping[str, str] | None = None) -> str:
        """Return the output of ``git WORDS``.

        Raises
        ------
        MachineError
            Git is not there, or its command fails.
        """
        done = self._run(*words, env=env)
        if done.returncode:
            text = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise MachineError(f"git {shlex.join(words)} failed: {text}", hint="run git status")
        return done.stdout

    def _run(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(self.directory), *_NO_PROGRAMS, *words]
        try:
            return subprocess.run(
                command,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError:
            raise MachineError("git is not installed", hint="apt install git") from None
        except subprocess.TimeoutExpired:
            raise MachineError(
                f"git {shlex.join(words)} did not end within {_TIMEOUT_S:.0f} s",
                hint="see whether its file system answers",
            ) from None
