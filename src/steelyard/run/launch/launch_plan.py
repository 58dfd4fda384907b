"""Launches of an experiment: from a treatment and a context to what the runner starts."""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.design.contexts import draw_context
from steelyard.design.plan import Context
from steelyard.files.writing import refuse_output
from steelyard.interventions import INTERVENTIONS, LaunchChange, combine
from steelyard.interventions.affinity import Affinity
from steelyard.run.host.control_groups import find_control_groups, name_trial_group
from steelyard.run.launch.changes import apply_change, existing
from steelyard.run.launch.equal_context import AddedBytes, equalize
from steelyard.run.launch.launch import CAPTURE, Launch
from steelyard.run.launch.launcher import launcher_of
from steelyard.run.launch.launcher.session_directory import remove_session
from steelyard.run.launch.libraries import list_libraries
from steelyard.run.launch.valgrind import Valgrind
from steelyard.spec.experiment import Experiment
from steelyard.spec.tables.launch import MpiLaunch, QueueLaunch, SimulatedLaunch
from steelyard.spec.text.placeholders import expand, format_level, names
from steelyard.spec.text.shell_text import expand_for_shell

_INTERPRETER: Final = re.compile(
    r"(python|perl|ruby|node|lua|php|julia|Rscript|bash|dash|zsh|ksh|sh|tclsh|guile|octave)[0-9.]*"
)
_NO_SCRIPT: Final = frozenset({"-c", "-e", "-m", "--eval"})
"""Options behind which a program stands in the command itself, or is found elsewhere."""

INHERITED: Final = ("PATH", "HOME", "LANG")
"""Environment variables that a program always inherits."""

READ_BYTES: Final = 1 << 20
"""Kept of each stream of a trial whose output is searched or holds metrics."""

FAILED_BYTES: Final = 64 * 1024
"""Kept where nobody reads it unless the trial fails; all of it passes through the journal."""

TRIAL_DIGITS: Final = 12

TRIAL_MARK: Final = "\x01" * TRIAL_DIGITS
"""Stands for ``{trial}`` until the number is known; of the number's width, so that it moves nothing."""


ITERATION_MARK: Final = "\x02"
"""Stands for ``{iteration}`` until the block is known, whose launches have the same text in its place."""


def set_trial(launch: Launch, trial: int, iteration: str = "") -> Launch:
    """Return the launch with the number of the trial, and of the iteration, where the spec names them.

    Most specs do not, and it is returned as it is.
    """
    hooks = (*launch.prepare, *launch.cleanup)
    if not any(
        TRIAL_MARK in text or ITERATION_MARK in text
        for part in (launch, *hooks)
        for text in (
            *part.argv,
            *part.env,
            *part.files,
            part.stdin,
            part.stdout,
            part.cwd,
            part.cwd_source or "",
        )
    ):
        return launch
    number = f"{trial:0{TRIAL_DIGITS}d}"
    return replace(
        launch,
        argv=tuple(word.replace(TRIAL_MARK, number) for word in launch.argv),
        env=tuple(
            entry.replace(TRIAL_MARK, number).replace(ITERATION_MARK, iteration) for entry in launch.env
        ),
        files=tuple(path.replace(TRIAL_MARK, number) for path in launch.files),
        stdin=launch.stdin.replace(TRIAL_MARK, number),
        stdout=launch.stdout.replace(TRIAL_MARK, number),
        cwd=launch.cwd.replace(TRIAL_MARK, number),
        cwd_source=launch.cwd_source and launch.cwd_source.replace(TRIAL_MARK, number),
        prepare=tuple(set_trial(hook, trial, iteration) for hook in launch.prepare),
        cleanup=tuple(set_trial(hook, trial, iteration) for hook in launch.cleanup),
    )


UNBUILT: Final = Path("{build}")
"""Stands for the directory of a program that is not built yet; files in it are not looked for."""

BuiltIn = Callable[[Treatment, Mapping[str, Scalar]], Path]


class LaunchPlan:
    """The launches of an experiment.

    Parameters
    ----------
    experiment : Experiment
    treatments : sequence of Treatment
    builds : mapping of treatment id to Path
        Where ``{build}`` is for each treatment; empty without ``[build]``.
    built_in : callable, optional
        Where it is for a treatment in a context with these settings, where contexts change what is built.
    """

    def __init__(
        self,
        experiment: Experiment,
        treatments: Sequence[Treatment],
        *,
        builds: Mapping[int, Path],
        built_in: BuiltIn | None = None,
    ) -> None:
        self.experiment = experiment
        self.treatments = treatments
        self.builds = builds
        self._built_in = built_in
        self._marks: dict[str, str] = {}
        self._metrics_path: str | None = None
        self._valgrind = Valgrind.make(experiment)
        self._launcher = launcher_of(experiment)
        if self._valgrind is not None and self._launcher is not None:
            kind = experiment.launch.kind
            raise UsageError(
                f'valgrind would count what starts the ranks, and not the program, under kind = "{kind}"',
                hint="leave out the counters of valgrind, or [launch]",
            )
        self._summary = os.devnull
        self._place: Path | None = None
        self._root: Path | None = None
        self._group: str | None = None
        self._run = f"{os.getpid():016d}"
        """Of the length of a record's number, which takes its place."""
        self._queue_wait = experiment.needs_queue_wait
        self._interventions = frozenset(f.name for f in experiment.factors if f.intervention)

    def mark(self, record_id: str, *, metrics_file: Path) -> None:
        """Give every process of a record the variables by which it is known, and the metrics file.

        Parameters
        ----------
        record_id : str
            Of the same length for all records, as is the number of the trial behind it.
        """
        self._marks["STEELYARD_TRIAL"] = f"{record_id}-" + "0" * TRIAL_DIGITS
        self._run = record_id
        self._place = metrics_file.parent / "cwd"
        program = self.experiment.program
        if program.isolate:
            self._root = (metrics_file.parent / "root").resolve()
            self._root.mkdir(exist_ok=True)
        groups = find_control_groups()
        if program.has_limits and groups.base is not None:
            self._group = str(name_trial_group(groups.base))
        if any(metric.is_written for metric in self.experiment.metrics):
            self._metrics_path = str(metrics_file.absolute())
            self._marks["STEELYARD_METRICS"] = self._metrics_path
        self._summary = str(metrics_file.absolute())

    def remove_root(self) -> None:
        """Remove the directory at which file systems of trials were mounted; none is any more."""
        if self._root is not None:
            with suppress(OSError):
                self._root.rmdir()

    def start_in_context(self, context: Context | None) -> dict[int, Launch]:
        """One launch a treatment, in equal contexts but for what the experiment varies on purpose."""
        settings = context.settings if context else {}
        if self._built_in is not None:
            self.builds = {treatment.id: self._built_in(treatment, settings) for treatment in self.treatments}
        changes = {treatment.id: self._change(treatment, settings) for treatment in self.treatments}
        launches = {
            treatment.id: self._launch(treatment, changes[treatment.id]) for treatment in self.treatments
        }
        growth = {
            key: AddedBytes(change.env_bytes, change.argv0_bytes, change.stack_bytes)
            for key, change in changes.items()
        }
        if self._valgrind is None and self._launcher is None:
            return equalize(launches, growth)
        # Around what is equal already: valgrind gives its program the stack that these strings make, and
        # ranks get the environment and the words as they stand here.
        equal = equalize(launches, growth, named_by_path=True)
        if self._valgrind is not None:
            return {key: self._valgrind.wrap_launch(launch, self._summary) for key, launch in equal.items()}
        return {
            treatment.id: self._start_by_launcher(equal[treatment.id], treatment)
            for treatment in self.treatments
        }

    def _start_by_launcher(self, launch: Launch, treatment: Treatment) -> Launch:
        if self._launcher is None:
            return launch
        return self._launcher.wrap_launch(launch, self._collect_names(treatment), self._run)

    def remove_session(self) -> None:
        """Remove what ranks left in files whose runner was killed; nothing of them lives any more."""
        if isinstance(self.experiment.launch, MpiLaunch):
            remove_session(self._run)

    def facts(self) -> Mapping[str, Scalar]:
        """Facts about the launcher to keep with the run; known once the launches were made."""
        return {} if self._launcher is None else self._launcher.facts()

    def hooks(self, treatment: Treatment, commands: Sequence[Sequence[str]]) -> tuple[Launch, ...]:
        """Return launches of untimed commands, under the levels of a treatment."""
        limit_ns = round(self.experiment.program.hook_timeout_s * 1e9)
        launches = (self._build_command(treatment, words, LaunchChange()) for words in commands)
        return tuple(replace(hook, timeout_ns=limit_ns) for hook in launches)

    def paths(self) -> dict[int, str]:
        """Return the file that each treatment starts."""
        return {treatment.id: self._launch(treatment, LaunchChange()).path for treatment in self.treatments}

    def check(self) -> None:
        """Make every launch once, with what the factors and the first context ask.

        What cannot be is then said before anything runs.

        Raises
        ------
        UsageError, MachineError
        """
        for launch in self.start_in_context(self._find_first_context()).values():
            if launch.stdout in (CAPTURE, "null") or TRIAL_MARK in launch.stdout:
                continue
            if self._launcher is not None or isinstance(self.experiment.launch, QueueLaunch):
                raise UsageError(
                    f"output {launch.stdout}: ranks and jobs have no file for their output",
                    hint='write output = "capture" in [program]',
                )
            refuse_output(Path(launch.stdout), "output")
            _refuse_linked(launch.stdout)
            if launch.stdout in (launch.path, launch.stdin):
                raise UsageError(
                    f"output {launch.stdout} is what the program is made of or reads",
                    hint="name another file",
                )

    def foresee(self) -> Iterator[UsageError | MachineError]:
        """Foresee errors that a run would raise, the first of each treatment.

        Found are those that show with nothing started, built or written.
        """
        context = self._find_first_context()
        settings = context.settings if context else {}
        program = self.experiment.program
        hooks = (program.setup_once, program.cleanup_once, program.before_block, program.after_block)
        levels = (words for level in self.experiment.levels for words in (level.enter, level.leave) if words)
        commands = [*chain.from_iterable(hooks), *levels]
        questions: list[Callable[[], object]] = [
            *(partial(self._foresee_launch, treatment, settings) for treatment in self.treatments),
            *(partial(self.hooks, self.treatments[0], [words]) for words in commands),
        ]
        for question in questions:
            try:
                question()
            except (UsageError, MachineError) as error:
                yield error

    def _foresee_launch(self, treatment: Treatment, settings: Mapping[str, Scalar]) -> None:
        launch = self._launch(treatment, self._change(treatment, settings))
        method = self.experiment.launch
        files = [getattr(method, key, None) for key in ("platform", "mpirun")]
        made_later = any("build" in names(text) for text in files if text)
        if self._launcher is not None and not made_later:
            self._launcher.check(launch, self._collect_names(treatment))

    def _find_first_context(self) -> Context | None:
        contexts = self.experiment.contexts
        return draw_context(contexts, self.experiment.design.seed, 1) if contexts else None

    def files(self) -> list[str]:
        """Return the programs, and the scripts that interpreters among them are given.

        They must not change while the experiment is measured.
        """
        paths = set()
        for treatment in self.treatments:
            launch = self._launch(treatment, LaunchChange())
            if self._built_in is not None and Path(launch.path).is_relative_to(self.builds[treatment.id]):
                continue  # one for each context; the cache of builds knows each by its contents
            script = find_script(launch)
            paths |= {launch.path} if script is None else {launch.path, str(script)}
        return sorted(paths)

    def libraries(self) -> dict[str, list[str]]:
        """Return the shared libraries of the programs, each with the programs that are linked to it."""
        programs: dict[str, list[str]] = {}
        for treatment in self.treatments:
            launch = self._launch(treatment, LaunchChange())
            for library in list_libraries(launch.path, launch.env):
                if launch.path not in programs.setdefault(library, []):
                    programs[library].append(launch.path)
        return programs

    @property
    def starts_programs(self) -> bool:
        """Whether the runner starts the programs themselves: nothing that starts them elsewhere or inside."""
        return (
            self._launcher is None
            and self._valgrind is None
            and not isinstance(self.experiment.launch, QueueLaunch)
        )

    @property
    def sets_affinity(self) -> bool:
        """Whether the experiment says for each trial on which CPUs the runner starts it."""
        contexts = self.experiment.contexts
        return Affinity.name in self._interventions or (
            contexts is not None and Affinity.name in contexts.settings
        )

    def is_built_in_context(self, path: str) -> bool:
        """Whether a file is of a program that contexts change, which the cache of builds knows."""
        return self._built_in is not None and any(
            Path(path).is_relative_to(directory) for directory in self.builds.values()
        )

    def _change(self, treatment: Treatment, settings: Mapping[str, Scalar]) -> LaunchChange:
        # By the experiment, not by the name: a factor of an older record may bear one that is reserved now.
        levels = {name: treatment.levels[name] for name in self._interventions} | dict(settings)
        return combine([INTERVENTIONS[name].change(level) for name, level in levels.items()])

    def _launch(self, treatment: Treatment, change: LaunchChange) -> Launch:
        program = self.experiment.program
        words = program.commands[
            str(treatment.levels["command"]) if len(program.commands) > 1 else next(iter(program.commands))
        ]
        launch = self._build_command(treatment, words, change, shell=program.shell)
        timeout_s = program.timeout_s
        plain = replace(
            launch,
            stdin=self._find_stdin(program.stdin, treatment) if program.stdin else "/dev/null",
            stdout=self._find_output(treatment),
            stderr="null" if program.output == "null" else "capture",
            capture_limit_bytes=self._capture_limit_bytes(),
            timeout_ns=None if timeout_s is None else round(timeout_s * 1e9),
            nice=program.nice,
            **self._confine(),
            counters=program.counters,
            metrics_path=self._metrics_path,
            queue_wait=self._queue_wait,
            digests=program.verify.wants_digests,
            files=tuple(self._find_unlinked(text, treatment) for text in program.verify.files),
            prepare=self.hooks(treatment, program.prepare),
            cleanup=self.hooks(treatment, program.cleanup),
        )
        files = self._read_files(plain, treatment) if change.file_cache else ()
        return apply_change(plain, change, files=files, place=self._place)

    def _confine(self) -> dict[str, Any]:
        """Return what a launch has of limits and of its own; nothing before the record is known."""
        program = self.experiment.program
        if self._place is None:
            return {}
        cpu_limit_s = program.cpu_limit_s
        return {
            "cpu_limit_ns": None if cpu_limit_s is None else round(cpu_limit_s * 1e9),
            "memory_limit_bytes": program.memory_limit_bytes,
            "group_path": self._group,
            "network_off": not program.network,
            "root_path": None if self._root is None else str(self._root),
        }

    def _read_files(self, launch: Launch, treatment: Treatment) -> list[str]:
        """Return the files that a launch is known to read.

        They are program, standard input, files among its words, and what the spec declares.
        """
        words = (str(Path(launch.cwd, word)) for word in launch.argv[1:] if TRIAL_MARK not in word)
        patterns = (self._find_path(text, treatment) for text in self.experiment.program.inputs)
        declared = (path for pattern in patterns for path in glob.glob(pattern, recursive=True))  # noqa: PTH207 -- absolute
        return existing((launch.path, launch.stdin, *words, *declared))

    def _build_command(
        self, treatment: Treatment, words: Sequence[str], change: LaunchChange, *, shell: bool = False
    ) -> Launch:
        values = self._collect_names(treatment)
        argv = (
            ("/bin/sh", "-c", expand_for_shell(words[0], values))
            if shell
            else tuple(expand(word, values) for word in words)
        )
        env = self._make_environment(treatment, change)
        path = env.get("PATH", os.defpath)
        return Launch(
            path=self._find_executable(argv[0], path),
            argv=argv,
            env=tuple(f"{name}={value}" for name, value in env.items()),
            cwd=self._find_directory(self.experiment.program.cwd or "", treatment),
            inherit=isinstance(self.experiment.launch, QueueLaunch),
        )

    def _capture_limit_bytes(self) -> int:
        verify = self.experiment.program.verify
        read = any(metric.source is not None for metric in self.experiment.metrics)
        # The simulator's last words say how ranks ended.
        read |= isinstance(self.experiment.launch, SimulatedLaunch)
        return READ_BYTES if read or verify.stdout is not None or verify.stderr is not None else FAILED_BYTES

    def _find_directory(self, text: str, treatment: Treatment) -> str:
        path = Path(self._find_path(text, treatment))
        if text and not _is_made_later(path) and not path.is_dir():
            exists = path.exists()
            problem = "is not a directory" if exists else "does not exist"
            raise UsageError(
                f"the working directory {text} {problem} (looked for {path})",
                hint=f"correct cwd in [program]{'' if exists else f', or mkdir -p {shlex.quote(str(path))}'}",
            )
        return str(path)

    def _find_output(self, treatment: Treatment) -> str:
        output = self.experiment.program.output
        if output in (CAPTURE, "null"):
            return output
        return self._find_unlinked(output, treatment)

    def _find_unlinked(self, text: str, treatment: Treatment) -> str:
        """Return the path of a file that programs write: only links that lead to the spec are resolved.

        The runner follows none below it, since a program may have made it.
        """
        path, source = Path(self._find_path(text, treatment)), Path(self.experiment.source)
        return str(source.resolve() / path.relative_to(source)) if path.is_relative_to(source) else str(path)

    def _find_stdin(self, text: str, treatment: Treatment) -> str:
        """Return the path of a file that opens at once.

        A pipe that nobody writes would stop the runner before the clock.
        """
        path = Path(self._find_path(text, treatment))
        if not _is_made_later(path) and not (path.is_file() or path.is_char_device()):
            problem = "is not a regular file" if path.exists() else "does not exist"
            raise UsageError(
                f"the standard input {text} {problem} (looked for {path})", hint="give the path of a file"
            )
        return str(path)

    @property
    def inherited_bytes(self) -> int:
        """Bytes that the variables which trials have from the shell take on the stack, without pointers."""
        return sum(len(os.fsencode(f"{name}={value}")) + 1 for name, value in self._inherit().items())

    def _inherit(self) -> dict[str, str]:
        inherit = self.experiment.program.inherit
        env = {name: value for name, value in os.environ.items() if inherit or name in INHERITED}
        # A run inside a run must not take the outer one's variables for its own.
        return {name: value for name, value in env.items() if not name.startswith("STEELYARD_")}

    def _make_environment(self, treatment: Treatment, change: LaunchChange) -> dict[str, str]:
        program = self.experiment.program
        env = self._inherit()
        env |= {name: expand(value, self._collect_names(treatment)) for name, value in program.env.items()}
        return {**env, **change.env, **self._marks}

    def _collect_names(self, treatment: Treatment) -> dict[str, str]:
        values = {"iteration": ITERATION_MARK}  # unless a factor of an older record has this name
        values |= {name: format_level(level) for name, level in treatment.levels.items()}
        values["source"] = self.experiment.source
        values["trial"] = TRIAL_MARK
        if treatment.id in self.builds:
            values["build"] = str(self.builds[treatment.id])
        return values

    def _find_path(self, text: str, treatment: Treatment) -> str:
        return os.path.normpath(Path(self.experiment.source, expand(text, self._collect_names(treatment))))

    def _find_executable(self, word: str, path: str) -> str:
        if "/" not in word:
            text = shutil.which(word, path=path)
            if text is None:
                raise UsageError(f"command not found: {word}", hint="give its path, or check PATH")
            return str(Path(text).absolute())
        absolute = Path(os.path.normpath(Path(self.experiment.source, word)))
        if UNBUILT.name in absolute.parts:
            return str(absolute)
        if not absolute.is_file():
            problem = "is not a file" if absolute.exists() else "does not exist"
            raise UsageError(
                f"the program {word} {problem} (looked for {absolute})", hint="give the path of the program"
            )
        if not os.access(absolute, os.X_OK):
            raise UsageError(f"the program {absolute} may not be executed", hint=f"chmod +x {absolute}")
        return str(absolute)


def _is_made_later(path: Path) -> bool:
    return TRIAL_MARK in str(path) or UNBUILT.name in path.parts


def find_script(launch: Launch) -> Path | None:
    """Return the script in ``python3 -O bench.py``; other words may name files that the program writes."""
    if not _INTERPRETER.fullmatch(Path(launch.path).name):
        return None
    for word in launch.argv[1:]:
        if word in _NO_SCRIPT:
            return None
        if not word.startswith("-"):
            path = Path(launch.cwd, word)
            return path if TRIAL_MARK not in word and path.is_file() else None
    return None


def _refuse_linked(output: str) -> None:
    """Refuse an output behind a link, which programs could make lead elsewhere."""
    directory, name = os.path.split(output)
    place = os.path.realpath(directory)
    if place != directory:
        raise UsageError(
            f"output {output}: a symbolic link leads to its directory, which a program could replace",
            hint=f"name the directory itself: output = '{place}/{name}'",
        )
