"""``pitaudit sheet``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.cli.terminal import CLEAN, say, warn


def sheet(*, regulation: str, texts: Path, output: Annotated[Path, Parameter(name=["--output", "-o"])]) -> int:
    """Write the lawyer's sheet: the official text, article by article, beside the code and the rulings that touch it.

    The texts are the operator's: a file an instrument, named by its number as 57-2009*.txt, UTF-8, in Portuguese,
    Chinese or both. The result is one HTML file that needs no network.

    Example: `pitaudit sheet --regulation 57/2009 --texts regulations -o 57-2009.html`

    Parameters
    ----------
    regulation
        The version: an id, or the number of the instrument that brought it about.
    texts
        The folder with the official texts.
    output
        The file to write.
    """
    from flows.sheet import write_sheet
    from replayer.law.articles import find_version

    for instrument in write_sheet(find_version(regulation), texts, output):
        warn(f"{texts} holds no text of {instrument}; its articles are shown as they were before")
    say(f"{output} is written")
    return CLEAN
