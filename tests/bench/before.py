"""An earlier commit of this project, to be measured beside this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def command(commit: str, folder: Path) -> list[str]:
    """``pitaudit`` as it was at a commit, which is checked out below ``folder``, with the packages of today."""
    tree = folder / f"commit-{commit}"
    if not tree.exists():
        subprocess.run(["git", "-C", str(folder), "worktree", "add", "--detach", str(tree), commit], check=True)
    entry = f"import sys; sys.path.insert(0, {str(tree)!r}); from flows.cli import main; sys.exit(main())"
    return [sys.executable, "-c", entry]
