"""The command line. One file a sub-command; nothing heavy is imported before a command needs it, and the parser not before the
process is known to be a command: one that judges for it imports this as well.

:mod:`flows.cli.command_line` says what the exit codes mean. Results go to standard output (with ``--json`` exactly one JSON
object), all else to standard error.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code. Without ``arguments`` it is the process's own, which then ends at once: Python
    would first take apart all that a night remembers, for a second."""
    ended: list[int] = []

    def end() -> None:
        if ended:
            sys.stdout.flush()
            os._exit(ended[0])

    if arguments is None:
        atexit.register(end)  # what is registered first runs last
    try:
        from flows.cli.command_line import run

        ended.append(run(list(sys.argv[1:] if arguments is None else arguments)))
    except KeyboardInterrupt:  # while that was imported, as may be what has a name for this exit code
        ended.append(130)
    return ended[0]
