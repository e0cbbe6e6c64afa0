"""Draws plots as SVG from their specifications, without browser or network.

The renderer, a JavaScript engine, may abort its process or never return on input that it cannot draw; who writes a report must
survive both. So this file is a program too, which draws: lines of ``[name, specification]`` in, of ``[name, svg]`` out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_RENDERER: Final = Path(__file__)
_SECONDS: Final = 60


def draw(specifications: Mapping[str, Mapping[str, Any]], seconds: float = _SECONDS) -> dict[str, str | None]:
    """An SVG of each specification, by name; None where the renderer failed, or took longer than ``seconds`` for all."""
    drawings: dict[str, str | None] = {}
    remaining = dict(specifications)
    while remaining:
        for name, svg in _rendered(remaining, seconds).items():
            drawings[name] = _inside_html(svg, name)
            del remaining[name]
        if remaining:  # it failed at the first of these
            failed = next(iter(remaining))
            drawings[failed] = None
            del remaining[failed]
    return drawings


def _rendered(specifications: Mapping[str, Mapping[str, Any]], seconds: float) -> dict[str, str]:
    """The SVGs that a process of the renderer made before it ended, in the order of the specifications."""
    input_lines = "".join(f"{json.dumps(each)}\n" for each in specifications.items())
    # -P keeps the file's folder out of the search path, -I the environment.
    command = [sys.executable, "-I", "-P", str(_RENDERER)]
    try:
        done = subprocess.run(
            command, input=input_lines, capture_output=True, encoding="utf-8", timeout=seconds, check=False
        )
        output = done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode("utf-8", "replace") if isinstance(late.stdout, bytes) else late.stdout or ""
    return dict(json.loads(line) for line in output.splitlines(keepends=True) if line.endswith("\n"))


def _inside_html(svg: str, name: str) -> str:
    """The SVG for use within HTML: without name spaces, and with ids of its own, as several drawings share a page."""
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    return re.sub(r'(\bid="|url\(#)', rf"\g<1>{name}-", svg)


if __name__ == "__main__":
    import vl_convert

    for line in sys.stdin:
        name, specification = json.loads(line)
        print(json.dumps([name, vl_convert.vegalite_to_svg(specification)]), flush=True)  # noqa: T201 (its one output)
