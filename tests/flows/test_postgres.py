"""Prefect's history in a Postgres: the runbook's own lines, with a real Postgres, from an empty cluster to a restored copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.test_alarms import SHIPPED, Run, fail, listening
from tests.flows.test_deployment import DEPLOYMENT, _block
from tests.servers import ask, prefect_server

pytestmark = [pytest.mark.prefect, pytest.mark.prove, pytest.mark.timeout(1_200)]

SHIMS = {
    "runuser": 'export PGUSER="$2"; shift 3; exec "$@"',  # the users of the database, not of this machine
    "as-pitaudit": 'export PGUSER=pitaudit; exec "$@"',
    "systemctl": 'echo "$@" >> "$ORDERED"',  # there is no systemd here: what it was told is held
}
"""Commands of the runbook that need users and services that a machine of tests has not."""


class Cluster:
    """A Postgres of this test alone, reached by a socket, which knows users by their names as Debian's does.

    Attributes:
        folder: where it lies, with a folder of commands and one for each place that the runbook names.
    """

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        self.data, self.sockets = folder / "data", folder / "run"
        self.ordered = folder / "systemctl.log"

    def start(self) -> None:
        """Make it and start it, as a user who is not root: Postgres refuses root."""
        for name in ("run", "commands", "units", "property"):
            (self.folder / name).mkdir()
        if os.geteuid() == 0:
            for each in (self.folder, self.sockets):
                shutil.chown(each, "postgres")
        self.by_its_user("initdb", "--username=postgres", "--auth=peer", "--pgdata", str(self.data))
        self._write(self.data / "pg_hba.conf", "local all all peer map=machine\n")
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        names = "".join(f"machine {user} {name}\n" for name in ("postgres", "pitaudit"))
        self._write(self.data / "pg_ident.conf", names)
        settled = f"-c listen_addresses='' -c unix_socket_directories={self.sockets}"
        log = str(self.folder / "run" / "log")
        self.by_its_user("pg_ctl", "start", "--wait", "--pgdata", str(self.data), "--log", log, "--options", settled)
        for name, does in SHIMS.items():
            shim = self.folder / "commands" / name
            shim.write_text(f"#!/bin/sh\n{does}\n")
            shim.chmod(0o755)

    def stop(self) -> None:
        self.by_its_user("pg_ctl", "stop", "--mode=immediate", "--pgdata", str(self.data))

    def by_its_user(self, program: str, *arguments: str) -> None:
        """One of Postgres's own programs."""
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        subprocess.run([*user, self.programs / program, *arguments], check=True, cwd="/", stdout=subprocess.DEVNULL)

    def typed(self, block: str, user: str = "root") -> None:
        """A block of the runbook as it is typed, but for the places of this test."""
        lines = _block(block).replace("/etc/systemd/system", str(self.folder / "units"))
        lines = lines.replace("/run/postgresql", str(self.sockets)).replace("/var/lib/pitaudit", str(self.property))
        variables = os.environ | {
            "PATH": f"{self.folder / 'commands'}:{self.programs}:{os.environ['PATH']}",
            "PGHOST": str(self.sockets), "PGUSER": user, "ORDERED": str(self.ordered),
        }  # fmt: skip
        subprocess.run(["sh", "-euc", lines], check=True, env=variables)

    @property
    def property(self) -> Path:
        """The folder that is /var/lib/pitaudit in the runbook."""
        return self.folder / "property"

    def variables(self) -> dict[str, str]:
        """What the unit and the file that the runbook adds to it set, with this test's places."""
        unit = (DEPLOYMENT / "systemd" / "pitaudit-prefect.service").read_text(encoding="utf-8")
        added = self.folder / "units" / "pitaudit-prefect.service.d" / "postgres.conf"
        lines = re.findall(r"^Environment=(.*)$", unit + added.read_text(encoding="utf-8"), re.MULTILINE)
        found = dict(pair.split("=", 1) for line in lines for pair in line.split())
        return {name: value.replace("/var/lib/pitaudit", str(self.property)) for name, value in found.items()}

    def rows(self, table: str) -> int:
        """How many rows a table of Prefect's has."""
        asked = [
            self.programs / "psql",
            "-h",
            self.sockets,
            "-U",
            "pitaudit",
            "-At",
            "-c",
            f"SELECT count(*) FROM {table}",
            "prefect",
        ]
        return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    installed = shutil.which("initdb")
    if not found and installed is None:
        pytest.skip("no Postgres is installed (apt-get install postgresql)")
    programs = (found[-1] if found else Path(str(installed))).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path has at most 107 characters
    folder.chmod(0o755)
    made = Cluster(programs, folder)
    try:
        made.start()
        yield made
    finally:
        if (made.data / "postmaster.pid").exists():
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_the_runbooks_lines_give_prefect_a_postgres_and_bring_it_back_from_a_copy(
    cluster: Cluster, pitaudit: Run
) -> None:
    cluster.typed("postgres")
    assert cluster.ordered.read_text() == "daemon-reload\n"
    variables = cluster.variables()
    home = Path(variables.pop("PREFECT_HOME"))
    home.mkdir(parents=True)
    with listening() as hook:
        with prefect_server(home, **variables) as api:
            with urllib.request.urlopen(api.removesuffix("/api"), timeout=60) as page:  # noqa: S310 - our own server
                assert b"<html" in page.read()
            assert Path(variables["PREFECT_UI_STATIC_DIRECTORY"]).is_dir()
            registered = pitaudit("alarms", "--file", SHIPPED, PREFECT_API_URL=api, PITAUDIT_WEBHOOK=hook.url)
            assert registered.returncode == 0, registered.stderr
            fail(api, "before")
            hook.wait_for("Failed", "before")
            cluster.typed("postgres-backup", "pitaudit")
        assert not list(home.glob("*.db")), "its history is in the Postgres"
        kept = cluster.rows("flow_run")
        assert kept == 1
        copy = cluster.property / "backup" / "prefect.dump"
        assert copy.stat().st_mode & 0o077 == 0, "it holds the webhook's address"

        cluster.typed("postgres-restore")
        ordered = cluster.ordered.read_text().splitlines()
        assert ordered[1:] == ["stop pitaudit-worker pitaudit-prefect", "start pitaudit-prefect pitaudit-worker"]
        assert cluster.rows("flow_run") == kept
        with prefect_server(home, **variables) as api:
            [run] = ask(api, "/flow_runs/filter", {})
            assert (run["name"], run["state_name"]) == ("before", "Failed")
            fail(api, "after")
            assert hook.wait_for("Failed", "after")["message"] == "on purpose"
        assert len(hook.called) == 2
