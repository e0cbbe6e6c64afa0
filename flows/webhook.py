"""What counts as an alarm delivered, at a Prefect server that has this project beside it.

Prefect's own block takes any answer for a delivery, a gateway's 503 and a hook that is gone among them. A server loads this
module by its entry point ``prefect.collections`` before it loads a block. One without this project calls the webhook all the
same, and does not look at what it answers.
"""

from __future__ import annotations

import warnings
from typing import Any, Final

from httpx import Response
from prefect.blocks.webhook import Webhook

BLOCK: Final = "pitaudit-alarms"
"""The name of the webhook's block; the URL is a secret in it."""


class NotDelivered(Exception):
    """A webhook answered, and did not take the call; the message says with which status, and not at which address."""


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that it takes the place of Prefect's own: so it is meant

    class AnsweredWebhook(Webhook):
        """Prefect's webhook, but that our alarms are delivered only where they are answered with success."""

        _block_type_name = "Webhook"

        async def call(self, payload: dict[str, Any] | str | None = None) -> Response:
            """Call the webhook; blocks of others are called as ever.

            Raises:
                NotDelivered: a block of our alarms was answered with anything but a status 2xx.
            """
            response = await super().call(payload)
            if self._block_document_name == BLOCK and not response.is_success:
                raise NotDelivered(f"the webhook answered {response.status_code} {response.reason_phrase}".rstrip())
            return response
