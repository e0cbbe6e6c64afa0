"""Players under a pseudonym: the same player has the same one everywhere, and nobody reads the player from it.

With the empty key, the default, anybody who holds a list of player ids can work the pseudonyms out: that keeps names off a
screen, nothing more. A house sets a key (``PITAUDIT_PSEUDONYM_KEY`` in the environment) where outputs leave its
surveillance room.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

KEY_VARIABLE: Final = "PITAUDIT_PSEUDONYM_KEY"
WITHOUT_KEY: Final = (
    "players stand under pseudonyms without a key, which whoever holds a list of player ids can work out: "
    f"set {KEY_VARIABLE}"
)
"""What whoever writes or shows such pseudonyms must say."""
SHORT_KEY: Final = (
    f"{KEY_VARIABLE} is short enough to be guessed by whoever holds a list of player ids: set one such as "
    "`openssl rand -hex 32` makes"
)
_LEAST: Final = 16
"""Bytes of a key that nobody finds by trying (NIST SP 800-131A: 112 bits and more)."""
_PERSON: Final = b"pitaudit.player"
_SIZE: Final = 8


class KeyRefused(ValueError):
    """The key of the pseudonyms hides nobody; the message says what to set."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Keyed BLAKE2b digests of player ids (RFC 7693): 16 hexadecimal digits behind a ``p``."""

    key: bytes = field(default=b"", repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Pseudonyms:
        """With the key in ``PITAUDIT_PSEUDONYM_KEY``, else the empty one; KeyRefused where it has blanks at its ends: a line's
        end that a file added would be part of it, and blanks alone keep no secret."""
        key = environment.get(KEY_VARIABLE, "")
        if key != key.strip():
            raise KeyRefused(
                f"{KEY_VARIABLE} begins or ends with a blank or the end of a line, which would make other pseudonyms: set the "
                "key alone, such as `openssl rand -hex 32` makes, or take the variable away"
            )
        return cls(os.fsencode(key))

    @property
    def weakness(self) -> str:
        """Why others than those who know the key can work the pseudonyms out; empty where nobody else can."""
        if not self.key:
            return WITHOUT_KEY
        return SHORT_KEY if len(self.key) < _LEAST else ""

    @property
    def print(self) -> str:
        """Tells one key from another in a manifest, without telling the key; empty for the empty key."""
        return self._digest(b"", b"pitaudit.key") if self.key else ""

    def of(self, player: str) -> str:
        """The pseudonym of a player id."""
        return "p" + self._digest(player.encode(), _PERSON)

    def _digest(self, data: bytes, person: bytes) -> str:
        # BLAKE2b takes keys of 64 bytes; a longer one is digested first.
        key = self.key if len(self.key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(self.key).digest()
        return hashlib.blake2b(data, digest_size=_SIZE, key=key, person=person).hexdigest()
