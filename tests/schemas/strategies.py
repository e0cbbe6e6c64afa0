"""Hypothesis strategies for events: any event that the contract takes, of every kind, straight from its declaration."""

import datetime as dt
from typing import Any

from hypothesis import strategies as st

from schemas.bounds import NUMBERS
from schemas.cards import DECK, RANKS
from schemas.event import CardAt, Chips, Decision, Denomination, Event, Option, Remark, Shoe, Table, Wager
from schemas.kinds import BODIES, SHAPES, UNKNOWN_KIND

LONG = st.integers(-(2**63), 2**63 - 1)
INT = st.integers(-(2**31), 2**31 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DATE = st.dates(dt.date(1900, 1, 1), dt.date(2200, 1, 1))


def within(path: str) -> st.SearchStrategy[int]:
    """A number that a field may hold, its ends among them."""
    least, most = NUMBERS[path]
    return st.integers(least, most) | st.sampled_from((least, most))


CARDS = st.sampled_from([*DECK, *(f"{rank}x" for rank in RANKS)])
FACES = st.sampled_from(["up", "down"])
KINDS = sorted(SHAPES.keys() - {UNKNOWN_KIND})

FIELDS: dict[str, tuple[type, dict[str, st.SearchStrategy[Any]]]] = {
    "table": (Table, {"game": TEXT, "currency": TEXT, "seats": within("table.seats"), "staff": TEXT}),
    "option": (
        Option,
        {
            "name": TEXT,
            "value": TEXT,
            "authorisation": TEXT,
            "requested_on": DATE,
            "authorised_on": DATE,
            "effective_on": DATE,
        },
    ),
    "shoe": (
        Shoe,
        {
            "shoe": within("shoe.shoe"),
            "method": TEXT,
            "decks": within("shoe.decks"),
            "cut_by": TEXT,
            "behind": within("shoe.behind"),
        },
    ),
    "card": (CardAt, {"seat": within("card.seat"), "hand": within("card.hand"), "card": CARDS, "face": FACES}),
    "wager": (
        Wager,
        {
            "kind": TEXT,
            "seat": within("wager.seat"),
            "stake_minor": within("wager.stake_minor"),
            "hand": within("wager.hand"),
            "player": TEXT,
            "position": within("wager.position"),
            "net_minor": within("wager.net_minor"),
        },
    ),
    "decision": (
        Decision,
        {
            "seat": within("decision.seat"),
            "hand": within("decision.hand"),
            "action": TEXT,
            "player": TEXT,
            "points": within("decision.points"),
        },
    ),
    "chips": (
        Chips,
        {
            "amount_minor": within("chips.amount_minor"),
            "slip": TEXT,
            "player": TEXT,
            "denominations": st.lists(
                st.builds(Denomination, within("chips.denominations.value_minor"), within("chips.denominations.count")),
                max_size=3,
            ).map(tuple),
        },
    ),
    "remark": (Remark, {"cause": TEXT, "refers_to": within("remark.refers_to")}),
}
ALWAYS = {
    "option": {"name", "value"},
    "shoe": {"shoe"},
    "card": {"hand"},
    "decision": {"hand"},
    "remark": {"cause"},
} | {"wager": {"kind", "seat", "stake_minor", "hand"}, "chips": {"amount_minor"}}
"""Fields that a body cannot be without, whatever the kind."""


@st.composite
def events(draw: st.DrawFn, kind: str | None = None) -> Event:
    """An event of a kind (of any kind by default): what it requires is there, all else may be."""
    kind = draw(st.sampled_from(KINDS)) if kind is None else kind
    shape = SHAPES[kind]
    needed = {name: {path.split(".")[1] for path in shape.required if path.startswith(name + ".")} for name in BODIES}
    bodies: dict[str, Any] = {}
    for name in sorted(shape.bodies):
        if needed[name] or draw(st.booleans()):
            made, strategies = FIELDS[name]
            sure = needed[name] | ALWAYS.get(name, set())
            bodies[name] = made(
                **{
                    field: draw(strategy)
                    for field, strategy in strategies.items()
                    if field in sure or draw(st.booleans())
                }
            )
    round_number = draw(within("round")) if "round" in shape.required or draw(st.booleans()) else None
    at = draw(st.integers(-(2**55), 2**55))
    return Event(draw(TEXT), draw(within("seq")), at, draw(DATE), kind, round_number, **bodies)
