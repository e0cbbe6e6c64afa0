"""Decides when an alarm counts as delivered, at a Prefect server on which this project is installed.

Prefect's own block takes any answer for a delivery, even a gateway's 503, and reads it to its end, into memory, as long as
something comes; and of two simultaneous calls, the one answered first closes the connection of the other. A server loads this
module by its entry point ``prefect.collections`` before it loads a block; one without this project also calls the webhook, with
these faults.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any, Final

from httpx import AsyncBaseTransport, AsyncClient, AsyncHTTPTransport, Request, Response
from prefect.blocks.webhook import Webhook
from prefect.utilities.urls import SSRFProtectedAsyncHTTPTransport

BLOCK: Final = "pitaudit-alarms"
"""The name of the webhook's block; the URL is a secret in it."""

CALL_SECONDS: Final = 30.0
"""What a call may take in all: a server makes two at once, and a webhook that answers in drips would hold up all other alarms."""

UNDELIVERED: Final = "; not told: "
"""Stands between why an alarm did not arrive and its text, where automations.yaml takes them apart again."""


class NotDelivered(Exception):
    """An alarm did not arrive; the message says why and what its text was, and not its address."""

    def __repr__(self) -> str:
        return str(self)  # Prefect makes the failed action's reason of it


class _WithoutBody(AsyncBaseTransport):
    """A transport that takes of an answer its status alone, with the usual phrase: its body may have no end, and its own phrase
    may be anything."""

    def __init__(self, transport: AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: Request) -> Response:
        answer = await self._transport.handle_async_request(request)
        await answer.aclose()
        return Response(answer.status_code)

    async def aclose(self) -> None:
        await self._transport.aclose()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that it takes the place of Prefect's own: so it is meant

    class AnsweredWebhook(Webhook):
        """Prefect's webhook, but that our alarms are delivered only where they are answered with success."""

        _block_type_name = "Webhook"

        async def call(self, payload: dict[str, Any] | str | None = None) -> Response:
            """Call the webhook; other projects' blocks are called unchanged.

            Raises:
                NotDelivered: one of our alarms was not answered, or with anything but a status 2xx.
            """
            if self._block_document_name != BLOCK:
                return await super().call(payload)
            transport = AsyncHTTPTransport if self.allow_private_urls else SSRFProtectedAsyncHTTPTransport
            # Prefect's own client shares its connections with all others, and any other call's end closes them.
            self._client = AsyncClient(transport=_WithoutBody(transport(verify=self.verify)))
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    response = await super().call(payload)
            except Exception as error:
                raise NotDelivered(
                    f"{type(error).__name__} {error}".rstrip() + UNDELIVERED + _alarm_of(payload)
                ) from error
            if not response.is_success:
                answer = f"the webhook answered {response.status_code} {response.reason_phrase}".rstrip()
                raise NotDelivered(answer + UNDELIVERED + _alarm_of(payload))
            return response


def _alarm_of(payload: dict[str, Any] | str | None) -> str:
    """The text of an alarm; of one that says that another did not arrive, the text of that one."""
    try:
        said = json.loads(payload) if isinstance(payload, str) else payload or {}
    except ValueError:
        said = None
    if not isinstance(said, dict):  # automations of one's own
        return str(payload)
    return str(said.get("lost") or said.get("text") or payload)
