"""Players under a pseudonym: the same player has the same one everywhere, and nobody reads the player from it.

The key comes from the environment (``PITAUDIT_PSEUDONYM_KEY``). Without a key a pseudonym only hides a player from the
eye: who has the list of players can try them all. A house therefore sets a key, and keeps it as it keeps its keys.
"""

from __future__ import annotations

import hashlib
import os
from typing import Final

KEY_VARIABLE: Final = "PITAUDIT_PSEUDONYM_KEY"


def pseudonym(player: str, key: str | None = None) -> str:
    """The pseudonym of a player, ``~`` and ten hexadecimal digits (keyed BLAKE2b, RFC 7693).

    ``key`` is taken from the environment where it is not given; a key longer than 64 bytes is refused by the hash.
    """
    secret = (os.environ.get(KEY_VARIABLE, "") if key is None else key).encode()
    return "~" + hashlib.blake2b(player.encode(), digest_size=5, key=secret).hexdigest()
