"""Events that keep the contract: one for each body, with every field of it."""

from __future__ import annotations

import datetime as dt

from schemas.event import CardAt, Chips, Decision, Denomination, Event, Option, Remark, Shoe, Table, Wager

DAY = dt.date(2026, 1, 5)
EVENT = Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, 0, "Th", "up"))
HOLDERS: dict[str, Event] = {
    "table": Event("T1", 1, 0, DAY, "TableOpened", table=Table("g", "MOP", 7, "D1"), chips=Chips(1)),
    "option": Event("T1", 1, 0, DAY, "OptionElected", option=Option("n", "v", "A", DAY, DAY, DAY)),
    "shoe": Event("T1", 1, 0, DAY, "ShoeShuffled", shoe=Shoe(1, "hand", 6, "player", 60)),
    "card": EVENT,
    "wager": Event("T1", 1, 0, DAY, "WagerSettled", 1, wager=Wager("main", 1, 100, 0, "p", 0, 5)),
    "decision": Event("T1", 1, 0, DAY, "TotalAnnounced", 1, decision=Decision(1, 0, "a", "p", 17)),
    "chips": Event("T1", 1, 0, DAY, "ChipsFilled", chips=Chips(1, "F1", "p", (Denomination(1, 1),))),
    "remark": Event("T1", 1, 0, DAY, "CorrectionMade", 1, card=CardAt(1), remark=Remark("c", 1)),
}
