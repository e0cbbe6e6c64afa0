"""The exit codes of all commands, documented here alone: help and README show these texts, tests hold the commands to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flows.cli.terminal import CLEAN, COULD_NOT_RUN, FOUND, INTERRUPTED

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
    "nightly": "the same as of replay with `--lake`, chips that do not agree or were not counted, a table-day dated beyond today",
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


def epilogue(command: str | None = None) -> str:
    """The line at the end of the overview, or of a command's help, which says when it exits 1."""
    codes = "; ".join(f"{code}: {text}" for code, text in EXITS.items())
    when = [
        f"Exit code 1 of `{name}`: {text}."
        for name, text in FOUND_BY.items()
        if command is not None and name.split()[0] == command
    ]
    return "\n\n".join([f"Exit codes: {codes}.", *when])
