"""Draws specifications as SVG in a separate process: lines of ``[name, specification]`` in, of ``[name, svg]`` out.

The renderer embeds a JavaScript engine. It may abort its process, or never return, on input that it cannot draw; the process that
writes a report must survive both. :mod:`analytics.report.drawing` starts this file and waits for it.
"""

from __future__ import annotations

import json
import sys

import vl_convert

if __name__ == "__main__":
    for line in sys.stdin:
        name, specification = json.loads(line)
        print(json.dumps([name, vl_convert.vegalite_to_svg(specification)]), flush=True)  # noqa: T201 (its one output)
