"""Registers the alarms that ship as ``automations.yaml`` at a Prefect server."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

import yaml  # type: ignore[import-untyped]
from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.events.schemas.automations import AutomationCore
from pydantic import SecretStr, ValidationError

from flows.known_errors import CouldNotRun
from flows.webhook import BLOCK


def register(file: Path, webhook: str) -> list[str]:
    """Make the webhook's block and each automation of a file, or bring them up to date; the names of the automations. Raises
    as :func:`read`, which the caller asks first, so that nothing is changed."""
    headers: Any = {"content-type": "application/json"}
    saved = Webhook(url=SecretStr(webhook), headers=headers).save(BLOCK, overwrite=True)
    automations = read(file, str(saved))
    with get_client(sync_client=True) as client:
        for automation in automations:
            _register(client, automation)
    return [automation.name for automation in automations]


def read(file: Path, block: str = "00000000-0000-0000-0000-000000000000") -> list[AutomationCore]:
    """The automations of a file, with a webhook's block in their place for it. Raises CouldNotRun where the file cannot be
    read, or holds something else."""
    try:
        text = file.read_text(encoding="utf-8")
        filled = Template(text).safe_substitute(webhook=block)
        return [AutomationCore.model_validate(each) for each in yaml.safe_load(filled)["automations"]]
    except OSError as error:
        raise CouldNotRun(
            f"{file}: {error.strerror}; the alarms ship as automations.yaml beside prefect.yaml"
        ) from None
    except (UnicodeDecodeError, yaml.YAMLError, TypeError, KeyError, ValidationError) as error:
        raise CouldNotRun(f"{file} holds no automations: {str(error).splitlines()[0]}") from None


def _register(client: SyncPrefectClient, automation: AutomationCore) -> None:
    known = client.read_automations_by_name(automation.name)
    if not known:
        client.create_automation(automation)
    for earlier in known:
        if AutomationCore.model_validate(earlier.model_dump(exclude={"id"})) != automation:
            client.update_automation(earlier.id, automation)  # which forgets the calls that it has yet to make again
