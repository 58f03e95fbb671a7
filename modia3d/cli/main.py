"""The command ``modia3d``. A user's mistake is one message and exit status 2, never a traceback.

A command is a file beside this one with one function, and a line in `COMMANDS`. Whatever takes time to import is imported in
these functions: ``modia3d --help`` imports all of the files, a command its own alone.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import suppress
from importlib import import_module

import click

from .starting import started_fast
from .terminal import last_states, tell

USER_ERROR, NUMERICAL, INTERRUPTED = 2, 3, 130
COMMANDS = {
    "batch": "batch.batch",
    "check": "check.check",
    "compare": "compare.compare",
    "import": "import_robot.import_robot",
    "linearize": "linearize.linearize",
    "list": "list.list_names",
    "modelica": "modelica.modelica",
    "new": "new.new",
    "plot": "plot.plot",
    "run": "run.run",
    "schema": "schema.schema",
    "signals": "signals.signals",
    "view": "view.view",
}
"""File and function of each."""
COMPLETE = "_MODIA3D_COMPLETE"
"""Variable of the environment by which a shell asks what a word could be."""


class _Commands(MutableMapping[str, click.Command]):
    """Commands of `COMMANDS`, imported when they are asked for."""

    def __init__(self) -> None:
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._made:
            file, _, function = COMMANDS[name].partition(".")
            self._made[name] = getattr(import_module(f".{file}", __package__), function)
        return self._made[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        raise TypeError("a command stays")

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@click.group(
    commands=_Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    no_args_is_help=True,
    epilog="\b\nExit status: 0 fine, 1 a verdict or a difference, 2 a mistake, 3 numerical failure, 130 interrupted.",
)
def cli() -> None:
    """Simulate machines whose structure changes while they run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: behind the name of the program; by default those of this process, whose last work it is then.

    Returns:
        Exit status: 0 where all went well, 1 where a program ended the simulation without success,
        2 for a mistake of the user, 3 where the equations could not be solved or integrated any further,
        130 after an interrupt.
    """
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "modia3d", COMPLETE, os.environ[COMPLETE])
    status = _status(list(sys.argv[1:] if arguments is None else arguments))
    if arguments is None:
        _keep(status)
    return status


def _keep(status: int) -> None:
    """Ignore interrupts from now on, while Python ends, so that they do not change the exit status."""
    from modiapy.simulation.segments.interrupts import ALL

    exec("")  # where an interrupt came in code that was made of text, Python would end as if nobody had caught it
    with suppress(ValueError):  # not the main thread
        for number in ALL:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                signal.signal(number, lambda *_: os._exit(status))


def _status(given: list[str]) -> int:
    """Carry out a command, tell what went wrong, and return the exit status."""
    from modiapy.model.errors import ModiaError, NumericalError

    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: tell(f"modia3d: warning: {message}")
            with started_fast():
                status = _invoke(given)
        print(end="", flush=True)
        return status
    except NumericalError as error:
        tell(f"modia3d: {error}")
        tell(last_states(error))
        return NUMERICAL
    except ModiaError as error:
        tell(f"modia3d: {error}")
        return INTERRUPTED if getattr(getattr(error, "result", None), "status", "") == "interrupted" else USER_ERROR
    except (MemoryError, RecursionError) as error:
        tell(f"modia3d: {' '.join(given)}: the model is too large, or nested too deeply; found {error}")
        return USER_ERROR
    except KeyboardInterrupt:
        tell("modia3d: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        tell(f"modia3d: {error}")
        real = sys.__stdout__
        if real is not None and sys.stdout is real:
            os.dup2(os.open(os.devnull, os.O_WRONLY), real.fileno())  # what is left in the buffer goes nowhere
        return USER_ERROR


def _invoke(arguments: list[str]) -> int:
    """Exit status of the command that the arguments name."""
    try:
        with cli.make_context("modia3d", arguments) as context:
            return int(cli.invoke(context))
    except click.exceptions.Exit as end:  # of --help
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        tell(error.format_message())
        return USER_ERROR
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else "modia3d"
        message = error.format_message()
        tell(f"{name}: {message}{'' if message.endswith(('.', '?')) else '.'} See '{name} --help'.")
        return USER_ERROR


if __name__ == "__main__":
    sys.exit(main())
