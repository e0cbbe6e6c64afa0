"""``pitaudit alarms``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from flows.cli.terminal import CLEAN
from flows.cli.through_prefect import answering, prepare
from flows.known_errors import CouldNotRun
from flows.parsed import url

WEBHOOK_VARIABLE: Final = "PITAUDIT_WEBHOOK"


def alarms(*, webhook: str | None = None, file: Path = Path("automations.yaml")) -> int:
    """Have the Prefect server call a webhook when a run fails, crashes, is late or finds something.

    Registers the automations that ship beside prefect.yaml, or brings them up to date. The webhook is called with a JSON
    object, whose key text most chats show as it is.

    Example: `pitaudit alarms --webhook https://chat.example/hooks/abc`

    Parameters
    ----------
    webhook
        The address to call, unless the variable PITAUDIT_WEBHOOK names it, where no list of processes shows it.
    file
        The automations.
    """
    address = webhook or os.environ.get(WEBHOOK_VARIABLE)
    if not address:
        raise CouldNotRun(f"no webhook is named: give --webhook URL, or set {WEBHOOK_VARIABLE}")
    try:
        url(address)
    except (ValueError, TypeError):
        message = "the webhook is no address: it must begin with http:// or https://, and name a host"
        raise CouldNotRun(message) from None
    prepare()
    from flows.alarms import read, register

    read(file)
    with answering():
        for name in register(file, address):
            print(name)
    return CLEAN
