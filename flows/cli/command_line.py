"""The parser of the command line: every sub-command, the exit codes of all, documented here alone (help and README show these
texts, tests hold the commands to them), and what a user reads where one could not run."""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Final

from cyclopts import App, CycloptsError, Parameter

from flows.cli.terminal import CLEAN, COULD_NOT_RUN, FOUND, INTERRUPTED, warn
from flows.known_errors import message_of, one_line
from replayer.processes.failure import is_failure, is_interrupt

TRACEBACK_VARIABLE: Final = "PITAUDIT_TRACEBACK"
_THREADS: Final = "POLARS_MAX_THREADS"
_EMPTY: Final = re.compile(r"--[a-z-]+=")
_COUNT: Final = re.compile(r"0*[1-9][0-9]*")

COMMANDS: Final = (
    "demo", "simulate", "import", "topic", "spool", "archive", "status", "repair", "replay", "explain", "nightly", "backfill",
    "lake", "query", "sql", "report", "alarms", "acknowledge", "law", "rulings", "whatif", "odds", "sheet",
)  # fmt: skip
"""Every sub-command in the order of the overview."""

EXITS: Final[Mapping[int, str]] = {
    CLEAN: "it ran, and there is nothing to look at",
    FOUND: "it ran, and there is something to look at",
    COULD_NOT_RUN: "it could not run (one line on standard error says why and what to do), or nobody read its output to the end",
    INTERRUPTED: "somebody interrupted it (Ctrl-C); the same command goes on where it was",
}
"""What each exit code means, whatever the command."""

FOUND_BY: Final[Mapping[str, str]] = {
    "demo": "something else was found than was planted",
    "import": "round numbers are left out, rounds were put into quarantine, or a log counts twice",
    "topic check": "something is wrong with the topic",
    "archive --until-end": "messages were put into quarantine or lost, a table could not be written, or was left "
    "open, since another archiver reads it",
    "spool status": "events wait to be sent, or a spool is damaged",
    "spool drain --stranded": "events were handed to the archiver's quarantine",
    "spool repair": "something was set aside",
    "status": "somebody should look: something is lost, damaged, late, behind, waiting, not judged or in quarantine",
    "repair": "something was set aside",
    "replay": "a finding above an advisory, a table-day that was not judged or not sealed, wagers that nobody could judge, "
    "messages in quarantine or lost by a topic, a log that was replaced or lies where none is kept; with `--lake`, a table that "
    "is absent",
    "explain": "a finding above an advisory, a payment that differs, wagers that nobody could judge",
    "nightly": "the same as of replay with `--lake`, chips that do not agree or were not counted, a table-day dated beyond "
    "today, a gaming day with logs and no verdicts that no night reaches; of the day itself or an earlier one that was caught up",
    "backfill": "any of its gaming days is not clean",
    "query": "table-days had to be left out or are not all sealed, no run accounted for a gaming day's tables or its last "
    "one did not finish, a log was replaced; rows change nothing",
    "sql": "the same as of query",
    "report": "a table without verdicts or not sealed or that no register names, messages that a topic lost, no account of the "
    "day's tables, a last run that did not finish, a log that was replaced; other findings change nothing",
    "rulings ledger": "a table-day could not be read or judged or is not sealed, a log lies where none is kept",
    "whatif": "something would be due otherwise, and the same as of rulings ledger",
}
"""When a command exits 1, which its help says; those that are not here never do."""


def command_line(asked: str | None = None) -> App:
    """The parser of the sub-command that is ``asked`` for, or of every one; they import what is heavy when they run."""
    app = App(
        name="pitaudit",
        help="Records, replays, settles again and reconciles a casino's table games. Start with `pitaudit demo`.",
        version=_version,
        help_format="plaintext",
        default_parameter=Parameter(negative=(), consume_multiple=True, show_default=_default),
        help_epilogue=epilogue(),
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        help_on_error=False,
        suppress_keyboard_interrupt=False,
    )
    for order, name in enumerate(COMMANDS):
        if asked in COMMANDS and name != asked:
            continue
        command = _command(name)
        if isinstance(command, App):  # it has commands of its own
            command.sort_key, command.help_epilogue, command.help_format = order, epilogue(name), "markdown"
            app.command(command, name=name)
        else:
            app.command(command, name=name, sort_key=order, help_epilogue=epilogue(name), help_format="markdown")
    return app


def _command(name: str) -> Callable[..., int] | App:
    """A sub-command, which its module has under the same name; Python keeps ``import`` for itself."""
    name = "import_log" if name == "import" else name
    found: Callable[..., int] | App = getattr(import_module(f"flows.cli.{name}"), name)
    return found


def _version() -> str:
    from importlib.metadata import version  # reads mail headers, which takes a tenth of the time of --help

    return version("pitaudit")


def _default(value: object) -> str | None:
    """A default as help shows it; none for switches, which are off."""
    return None if value in (False, (), None) else str(value)


def epilogue(command: str | None = None) -> str:
    """The line at the end of the overview, or of a command's help, which says when it exits 1."""
    codes = "; ".join(f"{code}: {text}" for code, text in EXITS.items())
    when = [
        f"Exit code 1 of `{name}`: {text}."
        for name, text in FOUND_BY.items()
        if command is not None and name.split()[0] == command
    ]
    return "\n\n".join([f"Exit codes: {codes}.", *when])


def run(words: list[str]) -> int:
    """Run one command line and give its exit code."""
    _stand_on_streams()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    asked = bool(os.environ.get(TRACEBACK_VARIABLE))
    logging.getLogger("flows").setLevel(logging.DEBUG if asked else logging.WARNING)
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # it logs each try to connect; what comes of it is raised
    try:
        for before, word in pairwise(["", *words]):
            if word == "" or _EMPTY.fullmatch(word):
                option = word.removesuffix("=") or (before if _EMPTY.fullmatch(f"{before}=") else "")
                what = f"the argument of {option}" if option else "an argument"
                warn(f"{what} is empty: is a variable not set? Of folders, a dot names the one in which you are")
                return COULD_NOT_RUN
        if (threads := os.environ.get(_THREADS)) and not _COUNT.fullmatch(threads.strip()):
            warn(f"{_THREADS} is {threads[:20]!r} in the environment: set a whole number of at least 1, or unset it")
            return COULD_NOT_RUN
        result = command_line(next(iter(words), None))(words)
        sys.stdout.flush()
    except CycloptsError as error:
        comment = words[:1] == ["sql"] and any(word.startswith("--") and " " in word.split("=")[0] for word in words)
        after = "before a question that begins with a comment write --; " if comment else ""
        return _ended(COULD_NOT_RUN, f"{one_line(error)} ({after}see pitaudit --help)")
    except (BrokenPipeError, SystemExit):
        # Whoever read our output stopped reading, `head` say, which ends the process where the parser prints help or version.
        # The interpreter must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COULD_NOT_RUN
    except BaseException as error:  # the last line of defence: a user sees one line, never a traceback
        if is_interrupt(error):
            return _ended(INTERRUPTED, "interrupted")
        if not is_failure(error):
            raise
        if asked:
            traceback.print_exc()
        return _ended(COULD_NOT_RUN, _why(error))
    return result if isinstance(result, int) else CLEAN


def _ended(code: int, why: str) -> int:
    warn(why)
    return code


def _stand_on_streams() -> None:
    """A file that is opened must not take the place of a closed standard stream; what an encoding lacks is shown as escapes."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it lasts as long as the process
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _why(error: BaseException) -> str:
    """What a user should read of an error: its own words where we or the machine raised it on purpose."""
    return message_of(error) or (
        f"internal error, {type(error).__name__}: {one_line(error)}; this is a fault of pitaudit {_version()}: "
        f"run the command with {TRACEBACK_VARIABLE}=1 and report it with what that prints"
    )
