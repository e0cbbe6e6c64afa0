"""From the specification of a plot to its SVG, without a browser, without a network, and whatever the renderer does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_RENDERER: Final = Path(__file__).with_name("renderer.py")
_SECONDS: Final = 60


def draw(specifications: Mapping[str, Mapping[str, Any]], seconds: float = _SECONDS) -> dict[str, str | None]:
    """An SVG of each specification, by name; None where the renderer failed, or took longer than ``seconds`` for all."""
    drawings: dict[str, str | None] = {}
    left = dict(specifications)
    while left:
        for name, svg in _rendered(left, seconds).items():
            drawings[name] = _inside_html(svg, name)
            del left[name]
        if left:  # it gave up at the first of those that are left
            failed = next(iter(left))
            drawings[failed] = None
            del left[failed]
    return drawings


def _rendered(specifications: Mapping[str, Mapping[str, Any]], seconds: float) -> dict[str, str]:
    """The SVGs that a renderer's process made before it ended, in the order of the specifications."""
    asked = "".join(f"{json.dumps(each)}\n" for each in specifications.items())
    # -P: the folder of the file would stand before the libraries in its search path, -I keeps the environment out.
    command = [sys.executable, "-I", "-P", str(_RENDERER)]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, encoding="utf-8", timeout=seconds, check=False)
        said = done.stdout
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode("utf-8", "replace") if isinstance(late.stdout, bytes) else late.stdout or ""
    return dict(json.loads(line) for line in said.splitlines(keepends=True) if line.endswith("\n"))


def _inside_html(svg: str, name: str) -> str:
    """Inside HTML the name spaces are known, and several drawings must not share the ids of their clip paths."""
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    return re.sub(r'(\bid="|url\(#)', rf"\g<1>{name}-", svg)
