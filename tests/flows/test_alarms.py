"""The alarms that ship: a real Prefect server calls a real webhook for every kind of run that somebody must look at."""

from __future__ import annotations

import asyncio
import datetime as dt
import fnmatch
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import Any

import pytest
import yaml

from tests import house
from tests.commands import Run
from tests.servers import NOWHERE, answered_by, ask, prefect_server
from tests.waiting import wait_for

REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "automations.yaml"
TO_LOOK_AT, NOT_DELIVERED = "pitaudit: a run to look at", "pitaudit: an alarm that did not arrive"
SECONDS = 120


class Hook:
    """A webhook on loopback and what it was called with; refused with each of some statuses first."""

    def __init__(
        self, port: int = 0, refusals: Iterable[int] = (), before_answer: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        self.called: list[dict[str, Any]] = []
        self.refused: list[tuple[int, dict[str, Any]]] = []
        self.refusals = list(refusals)
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                call = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status = hook.refusals.pop(0) if hook.refusals else 204
                if status == 204:
                    hook.called.append(call)
                else:
                    hook.refused.append((status, call))
                if before_answer:
                    before_answer(call)
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alarm"

    def wait_for(self, state: str, of: str) -> dict[str, Any]:
        """The call about a run in a state; waits for it."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for call in self.called:
                if (call["state"], call["flow_run"]) == (state, of):
                    return call
            time.sleep(0.2)
        pytest.fail(f"no alarm of {of} in state {state}; there were {self.called}")


@contextmanager
def listening(
    port: int = 0, refusals: Iterable[int] = (), before_answer: Callable[[dict[str, Any]], None] | None = None
) -> Iterator[Hook]:
    """A webhook that is answered while the block runs."""
    made = Hook(port, refusals, before_answer)
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def hook() -> Iterator[Hook]:
    with listening() as made:
        yield made


def ours(api: str) -> list[dict[str, Any]]:
    return [each for each in ask(api, "/automations/filter", {}) if each["name"].startswith("pitaudit: ")]


@pytest.fixture
def alarms(pitaudit: Run, prefect_api: str, hook: Hook) -> Run:
    """Registers the shipped alarms."""

    def register(webhook: str = hook.url) -> subprocess.CompletedProcess[str]:
        return pitaudit("alarms", "--file", SHIPPED, PREFECT_API_URL=prefect_api, PITAUDIT_WEBHOOK=webhook)

    return register


@pytest.mark.prefect
def test_a_run_that_found_something_calls_the_webhook(
    alarms: Run, pitaudit: Run, prefect_api: str, hook: Hook, archive: Path, tmp_path: Path
) -> None:
    assert alarms().returncode == 0
    before = {(each["id"], each["updated"]) for each in ours(prefect_api)}
    again = alarms()
    names = [TO_LOOK_AT, "pitaudit: a run that fell silent", "pitaudit: a run that never began", NOT_DELIVERED]
    assert again.stdout.splitlines() == names
    unchanged = {(each["id"], each["updated"]) for each in ours(prefect_api)}
    assert unchanged == before and len(before) == len(names), (
        "a changed one forgets the calls that it has yet to make again"
    )

    ordered = ("nightly", "--archive", archive, "--lake", tmp_path / "lake", "--day", house.DAY)
    pitaudit(*ordered, PREFECT_API_URL=prefect_api)
    found = hook.wait_for("NotClean", "nightly 2009-06-01")
    assert found["text"] == "pitaudit nightly 2009-06-01: NotClean: 1 overpaid 50.00 MOP"


@pytest.mark.prefect
def test_runs_that_end_at_once_or_are_late_call_the_webhook_once_each(
    alarms: Run, prefect_api: str, hook: Hook
) -> None:
    assert alarms().returncode == 0
    end_at_once(prefect_api, hook, [("clean", "COMPLETED"), ("failing", "FAILED"), ("crashing", "CRASHED")])

    flow = ask(prefect_api, "/flows/", {"name": "nightly"})["id"]
    deployment = ask(prefect_api, "/deployments/", {"name": "never-worked", "flow_id": flow})["id"]
    since = (dt.datetime.now(dt.UTC) - dt.timedelta(minutes=1)).isoformat()
    scheduled = {"type": "SCHEDULED", "state_details": {"scheduled_time": since}}
    ask(prefect_api, f"/deployments/{deployment}/create_flow_run", {"name": "waiting", "state": scheduled})
    assert hook.wait_for("Late", "waiting")["deployment"] == "never-worked"

    assert not [call for call in hook.called if call["flow_run"] == "clean"], "a clean run is no alarm"


@pytest.mark.prefect
@pytest.mark.prove
@pytest.mark.timeout(1_200)
def test_of_many_runs_that_end_at_once_on_a_busy_machine_each_calls_the_webhook_once(
    alarms: Run, prefect_api: str, hook: Hook
) -> None:
    """In the forms before, each second event failed in SQLite four times, and some alarms were lost: each time another one."""
    assert alarms().returncode == 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        for round_ in range(3):
            states = itertools.cycle(("FAILED", "CRASHED", "COMPLETED"))
            end_at_once(prefect_api, hook, [(f"{round_}-{number}", next(states)) for number in range(9)])
    finally:
        for each in busy:
            each.kill()
            each.wait()


def fail(api: str, name: str) -> None:
    """A nightly run that failed."""
    flow = ask(api, "/flows/", {"name": "nightly"})["id"]
    ended = {"type": "FAILED", "message": "on purpose"}
    ask(api, "/flow_runs/", {"flow_id": flow, "name": name, "state": ended})


def end_at_once(api: str, hook: Hook, runs: list[tuple[str, str]]) -> None:
    """Let runs begin and then end in the same moment; hold that of each but the completed one call came."""
    flow = ask(api, "/flows/", {"name": "nightly"})["id"]
    began = {"flow_id": flow, "state": {"type": "RUNNING"}}
    known = {name: ask(api, "/flow_runs/", {**began, "name": name})["id"] for name, _ in runs}
    time.sleep(
        1
    )  # an event that overtakes the one before is kept back, for a quarter of an hour where it does so by little

    def end(name: str, state: str) -> None:
        ask(api, f"/flow_runs/{known[name]}/set_state", {"state": {"type": state, "message": f"{name} on purpose"}})

    with ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(end, *zip(*runs, strict=True)))
    for name, state in runs:
        if state != "COMPLETED":
            assert hook.wait_for(state.capitalize(), name)["message"] == f"{name} on purpose"
    reported = Counter(call["flow_run"] for call in hook.called)
    assert {name: reported[name] for name, _ in runs} == {name: int(state != "COMPLETED") for name, state in runs}


def automations() -> list[dict[str, Any]]:
    """The automations that ship, as they are written."""
    return list(yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))["automations"])


def test_no_event_of_an_alarm_is_given_to_a_second_trigger() -> None:
    """Where another trigger fails at an event (SQLite, a busy machine), Prefect puts it away, and ours would never see it."""
    from prefect.events.schemas.automations import EventTrigger  # noqa: PLC0415 - a second, for this test alone

    from flows.alarms import read  # noqa: PLC0415
    from flows.run_states import NOT_CLEAN  # noqa: PLC0415

    [alarm, *others] = [each.trigger for each in read(SHIPPED, str(uuid.UUID(int=0)))]
    assert isinstance(alarm, EventTrigger)
    assert alarm.expect == {f"prefect.flow-run.{name}" for name in ("Failed", "Crashed", "TimedOut", "Late", NOT_CLEAN)}
    for other in others:
        assert isinstance(other, EventTrigger)
        patterns = other.expect | other.after
        assert patterns
        assert not [event for event in alarm.expect if any(fnmatch.fnmatchcase(event, each) for each in patterns)]


def test_an_alarm_is_reported_though_prefects_api_says_nothing_of_its_run() -> None:
    """It answers 503 while SQLite is locked; the payload was made of what it says, so that the alarm failed and was lost."""
    from prefect.server.events.jinja_filters import all_filters  # noqa: PLC0415 - seconds, for this test alone
    from prefect.server.events.schemas.events import ReceivedEvent  # noqa: PLC0415
    from prefect.server.utilities.user_templates import (  # noqa: PLC0415
        register_user_template_filters,
        render_user_template,
    )

    run = f"prefect.flow-run.{uuid.UUID(int=1)}"
    state = {"prefect.state-name": "Failed", "prefect.state-message": "2 tables failed"}
    flow = {
        "prefect.resource.id": "prefect.flow.1",
        "prefect.resource.role": "flow",
        "prefect.resource.name": "nightly",
    }
    now = dt.datetime.now(dt.UTC).isoformat()
    event = ReceivedEvent.model_validate(
        {
            "id": uuid.UUID(int=2), "occurred": now, "received": now, "event": "prefect.flow-run.Failed", "related": [flow],
            "resource": {"prefect.resource.id": run, "prefect.resource.name": "nightly 2009-06-01", **state},
        }
    )  # fmt: skip
    payload = automations()[0]["actions"][0]["payload"]
    register_user_template_filters(all_filters)
    said = asyncio.run(render_user_template(payload, {"event": event, "flow_run": None}))
    assert json.loads(said)["text"] == "pitaudit nightly 2009-06-01: Failed: 2 tables failed"


def block_of(url: str) -> Any:
    """The webhook's block as a server that has this project loads it."""
    from flows.webhook import BLOCK, AnsweredWebhook  # noqa: PLC0415 - seconds, for two tests alone

    block = AnsweredWebhook(url=url)
    block._block_document_name = BLOCK
    return block


def test_an_alarm_that_is_answered_first_leaves_the_connection_of_another_open() -> None:
    """Prefect's blocks share one pool of connections, which each call closes at its end: an alarm at the same time was lost."""
    slow, asked, answered = {"text": "slow"}, threading.Event(), threading.Event()

    def answer(call: dict[str, Any]) -> None:
        if call == slow:
            asked.set()
            assert answered.wait(SECONDS)

    async def call(hook: Hook, payload: dict[str, Any]) -> int:
        return (await block_of(hook.url).call(json.dumps(payload))).status_code

    async def at_once(hook: Hook) -> list[int]:
        first = asyncio.create_task(call(hook, slow))
        assert await asyncio.to_thread(asked.wait, SECONDS)
        second = await call(hook, {"text": "quick"})
        answered.set()
        return [await first, second]

    with listening(before_answer=answer) as hook:
        assert asyncio.run(at_once(hook)) == [204, 204]
    assert hook.called == [slow, {"text": "quick"}]


def test_a_webhook_that_answers_in_drips_holds_up_no_other_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect makes two calls at once, and waited for each as long as something of the answer came."""
    from flows import webhook  # noqa: PLC0415 - seconds, for this test alone

    monkeypatch.setattr(webhook, "CALL_SECONDS", 1.0)

    def drip(client: StreamRequestHandler) -> None:
        client.wfile.write(b"HTTP/1.1 200 OK\r\nserver: ")
        for _ in range(30):
            client.wfile.write(b".")
            time.sleep(0.2)

    with answered_by(drip) as address:
        block = block_of(f"{address}/alarm")
        with pytest.raises(webhook.NotDelivered, match="TimeoutError; not told: a table is absent"):
            asyncio.run(block.call(json.dumps({"text": "a table is absent"})))


def test_of_an_answer_only_the_status_is_read_and_the_phrase_is_not_the_servers() -> None:
    """An answer without end filled the memory of the Prefect server, and a phrase stood in its log as it came."""
    from flows import webhook  # noqa: PLC0415 - seconds, for this test alone

    closed = threading.Event()

    def answer_without_end(client: StreamRequestHandler) -> None:
        status = b"200 OK" if b"fine" in client.rfile.readline() else b"503 \x1b[31m" + b"secret" * 99
        try:
            client.wfile.write(b"HTTP/1.1 " + status + b"\r\ncontent-type: text/plain\r\n\r\n")
            while True:
                client.wfile.write(bytes(1 << 16))
        finally:
            closed.set()

    with answered_by(answer_without_end) as address:
        asyncio.run(block_of(f"{address}/fine").call(json.dumps({"text": "a table is absent"})))
        assert closed.wait(SECONDS)
        with pytest.raises(webhook.NotDelivered, match=r"^the webhook answered 503 Service Unavailable; not told: "):
            asyncio.run(block_of(address).call(json.dumps({"text": "a table is absent"})))


@pytest.mark.prefect
def test_an_alarm_that_was_answered_with_an_error_does_not_count_as_delivered(pitaudit: Run, prefect_api: str) -> None:
    """Prefect's own block takes any answer for a delivery: a gateway's 503 was an alarm that nobody saw and nobody missed."""
    assert entry_points(group="prefect.collections", name="pitaudit"), (
        "pyproject.toml names it: `make dev` installs anew"
    )
    since = dt.datetime.now(dt.UTC).isoformat()
    with listening(refusals=[503]) as refusing:
        variables = {"PREFECT_API_URL": prefect_api, "PITAUDIT_WEBHOOK": refusing.url}
        assert pitaudit("alarms", "--file", SHIPPED, **variables).returncode == 0
        fail(prefect_api, "refused")
        failed = wait_for_a_refusal(prefect_api, since)
    assert [(status, call["flow_run"]) for status, call in refusing.refused] == [(503, "refused")]
    reason = failed["payload"]["reason"]
    assert reason.startswith(
        "Webhook call failed: the webhook answered 503 Service Unavailable; not told: pitaudit nightly"
    )
    assert reason.endswith(": Failed: on purpose")
    assert refusing.url not in json.dumps(failed), "the address is a secret"


def wait_for_a_refusal(api: str, since: str) -> dict[str, Any]:
    """The event of an alarm that was answered and is not delivered; waits for it."""
    wanted = {"occurred": {"since": since}, "event": {"name": ["prefect.automation.action.failed"]}}

    def refused() -> list[dict[str, Any]]:
        events = ask(api, "/events/filter", {"filter": wanted})["events"]
        return [event for event in events if "the webhook answered" in event["payload"]["reason"]]

    return dict(wait_for(refused, SECONDS, every=0.3)[0])


@pytest.fixture
def impatient(tmp_path: Path) -> Path:
    """The shipped alarms, but an alarm that did not arrive is called again after ten seconds."""
    shipped = SHIPPED.read_text(encoding="utf-8")
    head, mark, tail = shipped.partition(f'- name: "{NOT_DELIVERED}"')
    assert tail.count("within: 300") == 1
    file = tmp_path / "alarms.yaml"
    file.write_text(head + mark + tail.replace("within: 300", "within: 10"), encoding="utf-8")
    return file


def register(pitaudit: Run, file: Path, api: str, webhook: str) -> None:
    """Register the alarms of a file with a server, to be reported to a webhook."""
    assert pitaudit("alarms", "--file", file, PREFECT_API_URL=api, PITAUDIT_WEBHOOK=webhook).returncode == 0


@pytest.mark.prefect
@pytest.mark.prove
def test_an_alarm_that_the_webhook_refuses_is_reported_until_it_takes_it(
    pitaudit: Run, impatient: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Refused by a gateway, by a hook that is gone, by one that moved; then the right address is registered."""
    home = tmp_path_factory.mktemp("refused")
    with prefect_server(home) as api, listening(refusals=[500, 404, 302, *[404] * 99]) as refusing:
        register(pitaudit, impatient, api, refusing.url)
        fail(api, "refused")
        wait_for(lambda: len(refusing.refused) >= 4, 2 * SECONDS)
        with listening() as hook:
            register(pitaudit, impatient, api, hook.url)
            call = hook.wait_for("NotDelivered", "")
            refused = list(refusing.refused)
            time.sleep(25)
            assert hook.called == [call], "what arrived is not reported again"
    assert [call["flow_run"] for _, call in refused[:1]] == ["refused"]
    assert [status for status, _ in refused[:4]] == [500, 404, 302, 404]
    answered = ("500 Internal Server Error", "404 Not Found", "302 Found")
    for (_, reported), answer in zip(refused[1:], answered, strict=False):
        assert reported["state"] == "NotDelivered" and f"the webhook answered {answer}" in reported["text"]
    assert "the webhook answered 404 Not Found" in call["text"]
    assert call["lost"] == refused[0][1]["text"], "what the first call was to tell, however often it was refused"
    assert call["text"].count(call["lost"]) == 1


@pytest.mark.prefect
@pytest.mark.prove
def test_an_alarm_at_which_the_webhook_did_not_answer_is_reported_until_it_does(
    pitaudit: Run, impatient: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Prefect tries an action once."""
    home = tmp_path_factory.mktemp("deaf")
    with prefect_server(home) as api:
        with listening() as gone:  # its port is closed when the block ends
            url = gone.url
        register(pitaudit, impatient, api, url)
        fail(api, "reported to nobody")
        time.sleep(40)  # it is not reported again and again meanwhile only because nobody listens
        with listening(port=int(url.rpartition(":")[2].partition("/")[0])) as hook:
            call = hook.wait_for("NotDelivered", "")
            time.sleep(15)
        assert "an alarm did not arrive at 20" in call["text"] and "ConnectError" in call["text"]
        assert "(pitaudit nightly (reported to nobody)" in call["text"] and ": Failed: on purpose)" in call["text"]
        assert hook.called == [call]


@pytest.mark.prefect
@pytest.mark.prove
def test_alarms_that_were_lost_at_the_same_time_are_each_reported_until_they_arrive(
    pitaudit: Run, impatient: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """They shared one memory at the server, where the last of them took the place of the others."""
    lost = ["the first", "the second", "the third"]
    home = tmp_path_factory.mktemp("lost")
    with prefect_server(home) as api, listening(refusals=[503] * 99) as refusing:
        register(pitaudit, impatient, api, refusing.url)
        for name in lost[:2]:
            fail(api, name)
        wait_for(lambda: any(call["state"] == "NotDelivered" for _, call in refusing.refused), 2 * SECONDS)
        fail(api, lost[2])  # while the others are reported again
        time.sleep(30)
        with listening() as hook:
            register(pitaudit, impatient, api, hook.url)
            time.sleep(40)
    reported = sorted(call["lost"] for call in hook.called)
    assert len(reported) == len(lost) and all(f"({name})" in text for name, text in zip(lost, reported, strict=True)), (
        reported
    )


NOBODY = {"PITAUDIT_WEBHOOK": "http://127.0.0.1:9/", "PREFECT_API_URL": NOWHERE}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "no webhook is named: give --webhook URL, or set PITAUDIT_WEBHOOK"),
        ({"PITAUDIT_WEBHOOK": "chat.example"}, "it must begin with http"),
        ({"PITAUDIT_WEBHOOK": "https://chat.example:99999/x"}, "it must begin with http"),
        ({"PITAUDIT_WEBHOOK": "https://[::1/x"}, "it must begin with http"),
        ({"PITAUDIT_WEBHOOK": "https://chat.example/x "}, "it must begin with http"),
        ({"PITAUDIT_WEBHOOK": "https://chat.example/x\ny"}, "it must begin with http"),
        ({"PITAUDIT_WEBHOOK": "http://127.0.0.1:9/"}, "no Prefect server is named"),
        pytest.param(NOBODY, "does not answer", marks=pytest.mark.prefect),
    ],
)
def test_alarms_that_cannot_be_registered_are_reported_in_one_line(
    pitaudit: Run, variables: dict[str, str], said: str
) -> None:
    done = pitaudit("alarms", "--file", SHIPPED, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.prefect
@pytest.mark.parametrize("text", ["", "automations: 3", "a: [", "automations: [{name: x}]"])
def test_a_file_without_automations_changes_nothing(pitaudit: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "alarms.yaml"
    file.write_text(text, encoding="utf-8")
    done = pitaudit("alarms", "--file", file, **NOBODY)
    assert done.returncode == 2 and f"{file} holds no automations" in done.stderr
