"""What ships for deployment: every file is one that its program takes, and what it names is there."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.cli import main
from flows.cli.command_line import COMMANDS
from flows.settings import KAFKA_KEYS, KEYS, TABLES, Settings, load
from flows.status.alarms import Alarm
from tests import house
from tests.commands import Run
from tests.flows.test_alarms import SHIPPED, fail, listening
from tests.servers import ask, prefect_server

DEPLOYMENT = Path(__file__).parents[2] / "flows" / "deployment"
UNITS = sorted((DEPLOYMENT / "systemd").glob("*.service"))
RUNBOOK = (DEPLOYMENT / "RUNBOOK.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOYMENT / "compose.yaml").read_text(encoding="utf-8")))


def test_the_annotated_settings_are_loaded_and_name_every_setting() -> None:
    chosen = load(DEPLOYMENT / "pitaudit.toml", environment={})
    unset = {field.name for field in dataclasses.fields(Settings) if getattr(chosen, field.name) is None}
    assert not unset
    text = (DEPLOYMENT / "pitaudit.toml").read_text(encoding="utf-8")
    named = set(re.findall(r"^\[*([a-z_]+)", text, re.MULTILINE))
    assert named >= {*KEYS, *TABLES, *KAFKA_KEYS}
    assert [table.table_id for table in chosen.expecting.register] == ["BJ-01", "F3-01"]


def test_a_setting_that_is_left_out_is_as_the_annotated_settings_say() -> None:
    """They said so of workers and catch_up_days too, of which other values hold."""
    chosen, plain = load(DEPLOYMENT / "pitaudit.toml", environment={}), Settings()
    text = (DEPLOYMENT / "pitaudit.toml").read_text(encoding="utf-8")
    said = {line.partition(" =")[0] for line in text.splitlines() if "left out" in line and " = " in line}
    assert plain.expecting.look_back_days == chosen.expecting.look_back_days
    names = {field.name: field.name.removeprefix("kafka_") for field in dataclasses.fields(Settings)}
    other = {names[name] for name in names if getattr(chosen, name) != getattr(plain, name)}
    assert other == {*said, "expecting", "replay"}


def test_no_secret_has_a_value_in_what_ships() -> None:
    for line in (DEPLOYMENT / "environment").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        if re.search("KEY|USERNAME|PASSWORD", name) and not line.startswith("#"):
            assert not value, line


def test_the_runbook_says_what_to_do_for_every_grave_finding_of_a_lake_or_log() -> None:
    for code in (
        "CONTAINER_REPLACED",
        "MEMORY_LOST",
        "LAKE_DAMAGED",
        "SEQUENCE_GAP",
        "TABLE_ABSENT",
        "TABLE_NOT_SEALED",
    ):
        assert code in RUNBOOK
    assert set(re.findall(r"^\| `(\w+)` \|", RUNBOOK, re.MULTILINE)) >= set(Alarm)
    for command in re.findall(r"`pitaudit ([a-z ]+?)[` ]", RUNBOOK):
        assert command.split()[0] in COMMANDS or command.split()[0] in ("topic", "spool", "rulings"), command


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_the_unit_and_it_may_do_no_more_than_it_must(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on this machine")
    text = unit.read_text(encoding="utf-8").replace("/opt/pitaudit/.venv/bin/", "/bin/true ")
    text = text.replace("/bin/true pitaudit", "/bin/true").replace("/bin/true prefect", "/bin/true")
    (tmp_path / unit.name).write_text(text)
    reported = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / unit.name], check=False, capture_output=True, text=True
    )
    own = [line for line in reported.stderr.splitlines() if unit.name in line]
    assert not own
    for must in (
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "CapabilityBoundingSet=\n",
        "User=pitaudit",
        "Restart=always",
    ):
        assert must in text


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_command_of_a_unit_is_one_that_the_program_takes(unit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [line] = re.findall(r"^ExecStart=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    program, *arguments = shlex.split(line)
    if program.endswith("/pitaudit"):
        _is_taken(arguments, capsys)
    else:
        assert arguments[:2] in (["server", "start"], ["worker", "start"])
        assert "0.0.0.0" not in line  # noqa: S104


def test_compose_starts_each_part_behind_what_it_needs_and_shows_nothing_beyond_this_machine(
    compose: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    services = compose["services"]
    for name, service in services.items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
        assert set(service.get("depends_on", ())) <= services.keys()
        if service.get("image") == "pitaudit" and "entrypoint" not in service:
            _is_taken(service["command"], capsys)
            assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["user"] != "root"
    assert set(compose["volumes"]) == {"data", "kafka"}


def test_the_container_runs_as_nobody_in_particular_and_copies_files_that_are_there() -> None:
    text = (DEPLOYMENT / "Containerfile").read_text(encoding="utf-8")
    root = DEPLOYMENT.parents[1]
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
    assert copied
    for names in copied:
        assert all((root / name).exists() for name in names.split()), names
    assert "--require-hashes" in text
    assert re.search(r"^USER (?!root)", text, re.MULTILINE)


def _is_taken(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Whether the command line takes these arguments: asked for its help it prints that of the command, and refuses none."""
    words = [word for word in arguments if not word.startswith("-")]
    options = {word for word in arguments if word.startswith("--")}
    depth = 2 if words[0] in ("topic", "spool") else 1
    assert main([*words[:depth], "--help"]) == 0
    reported = capsys.readouterr().out
    assert all(option in reported for option in options), (arguments, reported)


def _block(name: str) -> str:
    [block] = re.findall(rf"^```{name}\n(.*?)^```", RUNBOOK, re.MULTILINE | re.DOTALL)
    return str(block)


# Installing and upgrading, as the runbook has them


def test_prefects_pages_are_unpacked_where_its_server_may_write(compose: dict[str, Any]) -> None:
    """Beside its program, where it unpacks them else, neither the unit nor the container may write: there were no pages."""
    unit = (DEPLOYMENT / "systemd" / "pitaudit-prefect.service").read_text(encoding="utf-8")
    [folder] = re.findall(r"^Environment=PREFECT_UI_STATIC_DIRECTORY=(\S+)$", unit, re.MULTILINE)
    [writable] = re.findall(r"^ReadWritePaths=(.*)$", unit, re.MULTILINE)
    assert Path(folder).is_relative_to(writable)
    server = compose["services"]["prefect"]
    assert server["read_only"]
    assert Path(server["environment"]["PREFECT_UI_STATIC_DIRECTORY"]).is_relative_to("/data")


def test_what_is_installed_is_there_and_the_folders_of_the_settings_are_those_that_the_units_may_write() -> None:
    """Archive and lake of the annotated settings lay in /data, which no unit may write."""
    lines = [shlex.split(line) for line in (_block("install") + _block("upgrade")).splitlines()]
    named = [word for line in lines if line[0] == "install" for word in line[3:-1] if line[1] != "-d"]
    files = [
        word.removeprefix("/opt/pitaudit/flows/deployment/") for word in named if not re.fullmatch("-.|pitaudit", word)
    ]
    assert {"environment", "as-pitaudit", "systemd/*.service"} <= set(files)
    assert all(list(DEPLOYMENT.glob(file)) for file in files), files
    chosen = load(DEPLOYMENT / "pitaudit.toml", environment={})
    for unit in UNITS:
        [writable] = re.findall(r"^ReadWritePaths=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        for folder in (chosen.archive, chosen.lake, chosen.reports):
            assert folder is not None and folder.is_relative_to(writable), (unit.name, folder)


def test_every_command_of_the_runbook_is_run_as_the_services_run_theirs_and_is_one_that_the_program_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As root it left files in the lake that the worker could not write; without the secrets no broker let it in."""
    for line in (_block("once") + _block("upgrade")).splitlines():
        program, *arguments = shlex.split(line)
        assert program in ("as-pitaudit", "systemctl", "install", "git", "until"), line
        if program == "as-pitaudit" and arguments[0] == "pitaudit":
            _is_taken(arguments[1:], capsys)


def test_as_pitaudit_takes_settings_and_secrets_as_systemd_does(tmp_path: Path) -> None:
    text = (DEPLOYMENT / "as-pitaudit").read_text(encoding="utf-8")
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    text = text.replace("!= pitaudit ]", f"!= {user} ]")
    for place in ("/etc/pitaudit", "/opt/pitaudit", "/var/lib/pitaudit"):
        (tmp_path / place[1:]).mkdir(parents=True)
        text = text.replace(place, f"{tmp_path}{place}")
    written = """a$HOME b"c #d'e"""
    (tmp_path / "etc/pitaudit/environment").write_text(
        f"# said\n\nPITAUDIT_PSEUDONYM_KEY={written}\nKAFKA_SASL_PASSWORD="
    )
    say = ["sh", "-c", 'pwd; umask; printf "%s\\n" "$PITAUDIT_PSEUDONYM_KEY" "$PITAUDIT_SETTINGS"']
    done = subprocess.run(["sh", "-c", text, "as-pitaudit", *say], capture_output=True, text=True, check=True)
    settings = f"{tmp_path}/etc/pitaudit/pitaudit.toml"
    assert done.stdout.splitlines() == [f"{tmp_path}/opt/pitaudit", "0027", written, settings]


# Backup and restore, as the runbook has them


def test_a_backup_that_the_runbook_makes_is_restored_to_the_same_verdicts(
    pitaudit: Any, archive: Path, tmp_path: Path
) -> None:
    property_ = tmp_path / "property"
    shutil.copytree(archive, property_ / "archive")
    night = (
        "nightly",
        "--archive",
        property_ / "archive",
        "--lake",
        property_ / "lake",
        "--day",
        str(house.DAY),
        "--json",
    )
    before = pitaudit(*night)
    digest = pitaudit("replay", property_ / "archive", "--json").stdout
    place = property_ / "archive" / ".journal" / "offsets" / "pitaudit.events" / "0.json"
    place.parent.mkdir(parents=True)
    place.write_text("{}")  # how far an archiver was
    _run("umask 0022\n" + _block("backup"), property_)
    assert all(kept.stat().st_mode & 0o077 == 0 for kept in (property_ / "backup").iterdir()), "it names players"
    with tarfile.open(property_ / "backup" / "archive.tar") as kept:
        names = kept.getnames()
    sealed = next(name for name in names if name.endswith(".avro"))
    order = [
        names.index(name) for name in ("archive/.journal/offsets/pitaudit.events/0.json", "archive/.journal", sealed)
    ]
    assert order == sorted(order)
    assert len(names) == len(set(names))
    shutil.rmtree(property_ / "archive")
    shutil.rmtree(property_ / "lake")
    _run(_block("restore"), property_)
    after = pitaudit(*night)
    reported = [_without_time(done.stdout) for done in (before, after)]
    assert reported[0]["tables"] == reported[1]["tables"]
    assert reported[1]["replayed"] == []
    assert _without_time(pitaudit("replay", property_ / "archive", "--json").stdout) == _without_time(digest)


def _run(lines: str, property_: Path) -> None:
    """The lines as they are typed, but for where the property lies."""
    subprocess.run(["sh", "-euc", lines.replace("/var/lib/pitaudit", str(property_))], check=True)


def _without_time(text: str) -> dict[str, Any]:
    said = json.loads(text)
    said.pop("seconds")
    return dict(said)


# Prefect's history in a Postgres: the runbook's own lines, with a real Postgres, from an empty cluster to a restored copy

SHIMS = {
    "runuser": 'export PGUSER="$2"; shift 3; exec "$@"',  # the users of the database, not of this machine
    "as-pitaudit": 'export PGUSER=pitaudit; exec "$@"',
    "systemctl": 'echo "$@" >> "$ORDERED"',  # there is no systemd here: what it was ordered is held
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


@pytest.mark.prefect
@pytest.mark.prove
@pytest.mark.timeout(1_200)
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
