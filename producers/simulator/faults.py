"""Plants faults, each with labels of the findings that an audit should give, and no other consequence."""

from __future__ import annotations

import datetime as dt
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from random import Random
from typing import Final

from producers.simulator.plan import BLACK_JACK, FORTUNE, TablePlan

INVENTORY_VARIANCE: Final = "INVENTORY_VARIANCE"
DROP_VARIANCE: Final = "DROP_VARIANCE"
PATTERN: Final = "repeated_overpayment"
_BOTH: Final = frozenset({BLACK_JACK, FORTUNE})
_BJ: Final = frozenset({BLACK_JACK})
_F3: Final = frozenset({FORTUNE})


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault: in which games it happens, and the findings that it may cause."""

    games: frozenset[str]
    findings: tuple[str, ...]


FAULTS: Final[Mapping[str, Fault]] = {
    # Payments
    "overpaid_winner": Fault(_BOTH, ("OVERPAID",)),  # a winner gets too much
    "underpaid_winner": Fault(_BOTH, ("UNDERPAID",)),  # a winner gets too little
    "natural_paid_even": Fault(_BJ, ("UNDERPAID",)),  # a natural is paid 1 to 1
    "loser_not_collected": Fault(_BOTH, ("OVERPAID",)),  # a losing stake is left with the player
    "push_collected": Fault(_BOTH, ("UNDERPAID",)),  # a stake that goes back is collected
    "push_paid": Fault(_BOTH, ("OVERPAID",)),  # a stake that goes back is paid
    "insurance_paid_without_natural": Fault(_BJ, ("OVERPAID",)),  # insurance is paid though it lost
    "side_wager_overpaid": Fault(_BOTH, ("OVERPAID",)),  # a winning side wager is paid twice
    "stake_capped": Fault(_BOTH, ("OVERPAID", "STAKE_CHANGED")),  # chips are added to a winning stake
    "stake_pinched": Fault(_BOTH, ("OVERPAID", "STAKE_CHANGED")),  # chips are taken off a losing stake
    "settlement_missing": Fault(_BOTH, ("WAGER_UNSETTLED",)),  # a wager is never settled
    "settlement_of_nothing": Fault(_BOTH, ("SETTLED_NOTHING",)),  # a payment to a player who did not bet
    PATTERN: Fault(_BOTH, ("OVERPAID",)),  # a dealer overpays one player five times by the same amount
    # Wagers
    "wager_after_close": Fault(_BOTH, ("WAGER_AFTER_CLOSE",)),  # a wager placed after no more bets
    "raise_unequal": Fault(_F3, ("F3_RAISE_AMOUNT",)),  # a raise that is not as high as the ante
    "double_unequal": Fault(_BJ, ("STAKE_UNEQUAL",)),  # a double for more than the stake
    "fold_forbidden": Fault(_F3, ("F3_FOLD_FORBIDDEN",)),  # a fold by a player who must raise
    # Cards
    "cut_missing": Fault(_BOTH, ("CUT_MISSING", "F3_CUT_MISSING")),  # cards shuffled by hand are not cut
    "shuffle_missing": Fault(_F3, ("F3_NOT_SHUFFLED",)),  # cards dealt again without a shuffle
    "burn_missing": Fault(_BJ, ("BURN_MISSING",)),  # a card to burn is not burned
    "burn_surplus": Fault(_BOTH, ("BURN_SURPLUS", "F3_BURNED")),  # one card too many is burned
    # Two hands get cards in the wrong order.
    "deal_out_of_order": Fault(_BOTH, ("DEAL_ORDER", "F3_DEAL_ORDER", "OVERPAID", "UNDERPAID")),
    # A card is dealt the wrong way up.
    "card_face_wrong": Fault(_BOTH, ("CARD_FACE", "EXPOSED_CARD_KEPT", "F3_CARD_EXPOSED")),
    "double_card_down": Fault(_BJ, ("DOUBLE_CARD_DOWN",)),  # the card of a doubled hand is dealt face down
    "impossible_card": Fault(_BOTH, ("CARD_IMPOSSIBLE",)),  # a card comes out oftener than it can
    # Play
    "decision_out_of_order": Fault(_BJ, ("DECISION_ORDER",)),  # a seat acts before its turn
    "button_not_moved": Fault(_BJ, ("BUTTON_NOT_MOVED",)),  # the streak button stays where it was
    "button_misplaced": Fault(_BJ, ("BUTTON_MISPLACED",)),  # the streak button is moved too far
    "bust_shown_late": Fault(_BJ, ("BUST_NOT_SHOWN",)),  # a hand over 21 is shown at the end of the round only
    "bank_overdrew": Fault(_BJ, ("BANK_SURPLUS_CARD", "OVERPAID", "UNDERPAID")),  # the bank draws though it must not
    "bank_stopped_short": Fault(_BJ, ("BANK_DID_NOT_DRAW",)),  # the bank stands though it must draw
    "hole_card_not_checked": Fault(_BJ, ("HOLE_NOT_CHECKED",)),  # the bank does not look under an ace or a ten
    # Custody
    "fill_not_recorded": Fault(_BOTH, (INVENTORY_VARIANCE,)),  # chips come to the table without a record
    "credit_not_recorded": Fault(_BOTH, (INVENTORY_VARIANCE,)),  # chips leave the table without a record
    "drop_short": Fault(_BOTH, (DROP_VARIANCE,)),  # cash is missing from the box
    # The log
    "event_lost": Fault(_BOTH, ("SEQUENCE_GAP",)),  # an event never reaches the log
    "clock_backwards": Fault(_BOTH, ("CLOCK_BACKWARDS",)),  # the table's clock goes backwards once
    "round_not_closed": Fault(_BOTH, ("ROUND_NOT_CLOSED",)),  # a round is never closed
}
"""Every fault by name."""


@dataclass(frozen=True, slots=True)
class Label:
    """An expected finding of a fault, which has one label for each. ``round`` is None for the whole table-day.

    ``delta_minor`` is paid less due, or counted less expected; 0 where no money moved.
    """

    table_id: str
    gaming_day: dt.date
    round: int | None
    seq: int | None
    seat: int | None
    player: str | None
    dealer: str | None
    fault: str
    fault_id: str
    finding: str
    delta_minor: int

    def to_json(self) -> str:
        """The label as one line."""
        return json.dumps(asdict(self), default=str)


@dataclass(slots=True)
class Favour:
    """The only fault over several rounds: a dealer repeatedly overpays a player by the same amount."""

    fault_id: str
    dealer: str
    player: str
    amount_minor: int
    left: int = 4


class PlantedFaults:
    """Decides which faults happen at a table on a day: at ``rate`` a round, at most one a round, every kind in turn.

    A due fault waits for a round in which it can happen. Three kinds are candidates at a time; after waiting too long they go to
    the end of the queue.
    """

    _CANDIDATES: Final = 3
    _PATIENCE: Final = 8

    def __init__(self, plan: TablePlan, day: dt.date, rate: float, random: Random) -> None:
        kinds = [name for name, fault in FAULTS.items() if plan.game in fault.games]
        random.shuffle(kinds)
        self.labels: list[Label] = []
        self.favour: Favour | None = None
        self.dealer: str | None = None
        self._plan, self._day, self._rate, self._random = plan, day, rate, random
        self._kinds = deque(kinds)
        self._round = 0
        self._due = 0
        self._waited = 0
        self._number = 0
        self._taken = ""
        self._taken_id = ""
        self._used_sums: set[str] = set()

    def next_round(self, number: int) -> None:
        """Begin a round, in which no fault has happened."""
        self._round = number
        self._taken = ""
        if self._random.random() < self._rate:
            self._due += 1
        if self._due:
            self._waited += 1
            if self._waited > self._PATIENCE:
                self._kinds.rotate(-self._CANDIDATES)
                self._waited = 0

    def wants(self, name: str) -> bool:
        """Whether :meth:`take` would return true for this fault."""
        return self._due > 0 and not self._taken and name in list(islice(self._kinds, self._CANDIDATES))

    def take(self, name: str) -> bool:
        """Whether this fault happens now. If so, the caller must add its labels."""
        if not self._due or not self.wants(name):
            return False
        self._kinds.remove(name)
        self._kinds.append(name)
        self._due -= 1
        self._waited = 0
        self._number += 1
        self._taken = name
        self._taken_id = f"{self._plan.table_id}/{self._day}/{self._number}"
        return True

    def plant(self, name: str, finding: str, *, seat: int | None = None) -> bool:
        """:meth:`take`, with the label of its only finding."""
        taken = self.take(name)
        if taken:
            self.expect(finding, seat=seat)
        return taken

    def plant_in_sum(self, name: str, finding: str, delta_minor: int) -> bool:
        """:meth:`plant` for a fault that changes a sum of the whole day, of which there is one a day at most."""
        if finding in self._used_sums or not self.take(name):
            return False
        self._used_sums.add(finding)
        self.expect(finding, delta_minor=delta_minor, of_day=True)
        return True

    def begin_favour(self, player: str, amount_minor: int) -> None:
        """Begin the repeated overpayment with the fault just taken, by this dealer to this player, five times in all."""
        self.favour = Favour(self._taken_id, self.dealer or "", player, amount_minor)

    def repeat_favour(self, player: str) -> int:
        """The amount by which the present dealer overpays this player again; 0 where there is nothing to repeat."""
        favour = self.favour
        if favour is None or self._taken or favour.player != player or favour.dealer != self.dealer:
            return 0
        favour.left -= 1
        if not favour.left:
            self.favour = None
        self._taken = PATTERN
        self._taken_id = favour.fault_id
        return favour.amount_minor

    def expect(
        self,
        finding: str,
        *,
        seq: int | None = None,
        seat: int | None = None,
        player: str | None = None,
        delta_minor: int = 0,
        of_day: bool = False,
    ) -> None:
        """Add an expected finding of the fault that happened in this round."""
        self.labels.append(
            Label(
                self._plan.table_id, self._day, None if of_day else self._round, seq, seat, player, self.dealer,
                self._taken, self._taken_id, finding, delta_minor,
            )
        )  # fmt: skip
