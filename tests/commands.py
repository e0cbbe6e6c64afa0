"""``pitaudit`` as a user runs it, each command in a process of its own, but without importing the libraries anew each time.

A server (this file, run as a program) has imported what commands import, takes orders over a socket and forks a process for
each: that one gets the order's folder, environment, output and error output, and runs the installed script from its first line
to its exit code. Prefect reads its settings when it is imported: commands that go through it have a server that was started with
the same ones.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]
"""``pitaudit`` with these words: what the fixture of that name gives."""
PITAUDIT = Path(sys.executable).with_name("pitaudit")
AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC")
"""Variables that the interpreter reads when it starts, which is over for a forked one."""
ROOMS = ("schemas", "replayer", "producers", "analytics", "flows.cli", "flows.runs", "flows.status", "flows.sheet")
ONLY_WHEN_NEEDED = (
    "cloudpickle", "numpy.ma", "pyarrow", "rich.console", "rich.panel", "rich.table", "cyclopts.help.formatters",
)  # fmt: skip
"""What libraries import only when something is judged, a table is printed, or help is asked for."""
THROUGH_PREFECT = ("flows.nightly", "flows.alarms")
_MOST_ORDER = 1 << 20
_BACKLOG = 64


class Commands:
    """Runs commands in forks of servers that end with this process, one for each way in which Prefect is settled."""

    def __init__(self) -> None:
        self._servers: dict[frozenset[tuple[str, str]], _Server] = {}
        self._server({})

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], program: Path = PITAUDIT
    ) -> subprocess.CompletedProcess[str]:
        """A command's exit code and what it said, as ``subprocess.run`` gives them; also of another script of Python's."""
        command = [str(program), *arguments]
        if _named(environment, AT_START) != _named(os.environ, AT_START):
            return subprocess.run(
                command, cwd=folder, env=dict(environment), capture_output=True, text=True, check=False
            )
        return self._server(_named(environment, ("PREFECT_",))).run(command, folder, environment)

    def end(self) -> None:
        """End the servers, which end by themselves when this process is no more."""
        for server in self._servers.values():
            server.end()

    def _server(self, settled: Mapping[str, str]) -> _Server:
        key = frozenset(settled.items())
        if key not in self._servers:
            self._servers[key] = _Server(settled)
        return self._servers[key]


class _Server:
    """A server whose Prefect, if it is to have one, is ``settled`` so."""

    def __init__(self, settled: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="commands-")
        self._address = str(Path(self._folder.name) / "orders")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self._address)
        listening.listen(_BACKLOG)  # orders may come before it has imported everything
        others = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        self._server = subprocess.Popen(
            [sys.executable, __file__, str(listening.fileno())],
            stdin=subprocess.PIPE, pass_fds=[listening.fileno()], env=others | settled,
        )  # fmt: skip
        listening.close()

    def run(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        order = json.dumps({"command": command, "folder": str(folder), "environment": dict(environment)}).encode()
        with (
            socket.socket(socket.AF_UNIX) as to_server,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            to_server.connect(self._address)
            handles = array.array("i", [out.fileno(), err.fileno()])
            to_server.sendmsg([len(order).to_bytes(4)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)])
            to_server.sendall(order)
            answer = to_server.recv(64)
            if not answer:
                raise RuntimeError(f"the server of commands ended: {self._server.poll()}")
            said = []
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode().replace("\r\n", "\n").replace("\r", "\n"))
        return subprocess.CompletedProcess(command, int(answer), *said)

    def end(self) -> None:
        if self._server.stdin is not None:
            self._server.stdin.close()
        self._server.wait()
        self._folder.cleanup()


def _named(environment: Mapping[str, str], beginnings: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(beginnings)}


def _serve(listening: socket.socket) -> list[str]:
    """Take orders until the tests have ended; in the process of a command the words that it is to run, else none."""
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            return []
        order, _ = listening.accept()
        if os.fork():
            order.close()
            os.waitpid(-1, os.WNOHANG)  # one that has answered; the last ones end with this process
            continue
        listening.close()
        words = _begun(order)
        if words:
            return words
        os._exit(0)


def _begun(order: socket.socket) -> list[str]:
    """Fork once more: the one process becomes the command, the other waits for it and answers."""
    head, rights, _, _ = order.recvmsg(4, socket.CMSG_SPACE(8))
    out, err = array.array("i", rights[0][2])
    said = b""
    while len(said) < int.from_bytes(head):
        said += order.recv(_MOST_ORDER)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        order.send(str(os.waitstatus_to_exitcode(status)).encode())
        return []
    order.close()
    wanted = json.loads(said)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, handle in enumerate((nothing, out, err)):
        os.dup2(handle, number)
        os.close(handle)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    time.tzset()
    os.chdir(wanted["folder"])
    return list(wanted["command"])


def _import_what_commands_import() -> None:
    for name in ROOMS:
        room = importlib.import_module(name)
        for module in pkgutil.walk_packages(getattr(room, "__path__", ()), f"{name}."):
            if not module.name.endswith("through_prefect"):
                importlib.import_module(module.name)
    for name in ONLY_WHEN_NEEDED:
        importlib.import_module(name)
    importlib.import_module("analytics.report")._template()  # its program takes a fifth of a second to make
    importlib.import_module("replayer.law.rulings").register()
    if "prefect" in sys.modules:
        raise RuntimeError("Prefect reads its settings when it is imported, and these are not those of the command")
    if "PREFECT_API_URL" in os.environ:
        importlib.import_module("flows.cli.through_prefect").prepare()
        for name in THROUGH_PREFECT:
            importlib.import_module(name)


def _run(words: list[str]) -> int:
    """A script, to its exit code."""
    sys.argv, sys.path[0] = words, str(PITAUDIT.parent)
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _import_what_commands_import()
    gc.collect()
    code, order = 0, _serve(socket.socket(fileno=int(sys.argv[1])))
    if order:
        code = _run(order)
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    os._exit(code)  # the interpreter would take a third of a second to free what is the server's
