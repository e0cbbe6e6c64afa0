"""Player ids on their way into the lake: replaced by keyed digests, so that one player stays one, without a name.

With the empty key, the default, anybody who holds a list of player ids can work the pseudonyms out: that keeps names
off a screen, nothing more. Set the key where the lake leaves the surveillance room.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

KEY_VARIABLE: Final = "PITAUDIT_PSEUDONYM_KEY"
_PERSON: Final = b"pitaudit.player"
_SIZE: Final = 8


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Keyed BLAKE2b digests of player ids: 16 hexadecimal digits behind a ``p``."""

    key: bytes = field(default=b"", repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Pseudonyms:
        """With the key in ``PITAUDIT_PSEUDONYM_KEY``; the empty key where it is not set."""
        return cls(environment.get(KEY_VARIABLE, "").encode())

    @property
    def print(self) -> str:
        """Tells one key from another in a manifest, without telling the key; empty for the empty key."""
        return self._digest(b"", b"pitaudit.key") if self.key else ""

    def of(self, player: str) -> str:
        """The pseudonym of a player id."""
        return "p" + self._digest(player.encode(), _PERSON)

    def applied(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with its ``player`` column replaced, nulls kept; frames without one come back as they are."""
        if "player" not in frame.columns:
            return frame
        known = frame["player"].drop_nulls().unique().to_list()
        return frame.with_columns(
            pl.col("player").replace_strict(known, [self.of(player) for player in known], return_dtype=pl.String)
        )

    def _digest(self, data: bytes, person: bytes) -> str:
        # BLAKE2b takes keys of 64 bytes; a longer one is digested first.
        key = self.key if len(self.key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(self.key).digest()
        return hashlib.blake2b(data, digest_size=_SIZE, key=key, person=person).hexdigest()
