"""Runs a command and notes in a file how it ended, how long it took and how much memory it needed at most.

A process of its own, and a small one: the kernel counts into a child's peak what its parent held when it was started.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    began = time.perf_counter()
    with subprocess.Popen(sys.argv[2:]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    noted = {"code": process.returncode, "seconds": time.perf_counter() - began, "peak_kib": usage.ru_maxrss}
    Path(sys.argv[1]).write_text(json.dumps(noted))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
