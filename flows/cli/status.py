"""``pitaudit status``."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from flows.cli.options import Brokers, Days, NamedArchive, NamedLake, SettingsFile, settings_of
from flows.cli.terminal import CLEAN, FOUND, print_json, say
from flows.known_errors import CouldNotRun


def status(
    *,
    folder: NamedArchive = None,
    lake: NamedLake = None,
    kafka: Brokers | None = None,
    no_kafka: bool = False,
    topic: str | None = None,
    days: Days | None = None,
    spool: tuple[Path, ...] = (),
    serve: str | None = None,
    every: Annotated[float, Parameter(validator=Number(gte=1, lte=3600))] = 15.0,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Say how the property stands: topic, archive, lake and spools, what is open, late, unjudged, quarantined or behind.

    It changes nothing and keeps no run waiting. Exit 1 where somebody should look, the worst named first: messages lost;
    journals, spools or places damaged; verdicts damaged, logs replaced; no archiver for three minutes, no answer from the
    brokers; a message that was recorded five minutes ago and is not in the archive (10,000 messages where no broker is asked),
    or in a spool; a table-day that is open though its gaming day has been over for five minutes and the archiver's quiet time;
    a table absent, not sealed, damaged or failed on a judged day; a gaming day without verdicts two hours after its end, or
    one with logs that is too far back for a night; a run that has held the lake for three hours; a log in a place that tells no
    gaming day; a table-day dated beyond today; an import that is under way or was killed; messages in quarantine; wagers that
    could not be judged; findings of a gaming day into which nobody said to have looked (`pitaudit acknowledge --day`). Losses
    and refusals from before the days looked at are listed, and raise no alarm.

    With --serve it shows the same over HTTP until it is stopped: / for people, /metrics for Prometheus (text format 0.0.4),
    /health for a probe (200, or 503 where somebody should look or that is not known).

    Example: `pitaudit status --archive archive --lake lake`

    Parameters
    ----------
    kafka
        HOST:PORT of a broker, several with commas between, unless the settings name them. It is asked where the topic ends;
        without one, how far behind the archive is is known as its archiver wrote it last.
    no_kafka
        Ask no broker, even where the settings name one.
    topic
        The topic that is taken over. Unless set it is that of the settings where a broker is known, else every one of which the
        archive has anything.
    days
        How many of the last gaming days that the lake knows are looked at; 7 unless set.
    spool
        Folders of spools on this machine, to be looked at as well.
    serve
        PORT or HOST:PORT to serve at; only this machine reaches it unless a host is named. 0 takes a free port. Whoever reaches
        it may read it: there is no password.
    every
        With --serve, seconds between two looks at least, however often somebody asks.
    json
        One JSON object on standard output: at, fine, sentence, alarms (each with alarm, count and message), topics, archive,
        lake, spools, seconds.
    """
    from flows.status import DAYS, Status, look
    from flows.status.text import status_text
    from producers.kafka_client import settings_from

    chosen = settings_of(settings, archive=folder, lake=lake, kafka_bootstrap_servers=kafka)
    if chosen.archive is None and chosen.lake is None:
        raise CouldNotRun(
            "no archive and no lake is named: give --archive DIR or --lake DIR, or set them in pitaudit.toml"
        )
    if kafka is not None and no_kafka:
        raise CouldNotRun("--kafka and --no-kafka do not go together")
    brokers = chosen.kafka_bootstrap_servers
    kafka_settings = settings_from()

    def make() -> Status:
        return look(
            chosen.archive, chosen.lake, topic=topic or (chosen.kafka_topic if brokers else None),
            brokers=None if no_kafka else brokers, kafka=kafka_settings, spools=spool, days=days or DAYS, settings=chosen,
        )  # fmt: skip

    if serve is None:
        stands = make()
        if json:
            print_json(stands.to_dict())
        else:
            print(status_text(stands))
        return CLEAN if stands.fine else FOUND
    if json:
        raise CouldNotRun("--serve and --json do not go together: ask /health or /metrics of what is served")
    from flows.status.serving import Figures, StatusServer, address

    at = address(serve)
    with Figures(make, every) as figures:
        try:
            server = StatusServer(at, figures)
        except (OSError, OverflowError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise CouldNotRun(f"--serve {serve}: {why}; name another address or port") from None
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: threading.Thread(target=server.shutdown).start())
        say(f"serving the status at {server.url}, also at {server.url}metrics and {server.url}health")
        if not server.on_loopback:
            say("other machines can reach it, and there is no password")
        with server:
            server.serve_forever()
    return CLEAN
