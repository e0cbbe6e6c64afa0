"""Several bets on one seat: art. 20."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from replayer.law.black_jack.shuffling import Path
from replayer.law.provision import Provision

SEATED_DECIDES: Final = "seated_decides"
MAX_THREE: Final = "max3_seated_or_nearest"
HIGHEST_DECIDES: Final = "highest_bet_decides"
MOST_BETS: Final = 3


@dataclass(frozen=True)
class Sharing(Provision):
    """Art. 20: who decides where several players bet on one seat. Each is settled on the seat's cards all the same."""

    paths: tuple[tuple[str, Path], ...] = ((SEATED_DECIDES, (1, 1)), (MAX_THREE, (1, 2)), (HIGHEST_DECIDES, (1, 3)))
