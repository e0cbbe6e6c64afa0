"""Events in plain words, for explanations, findings and messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from schemas.event import Event, Shoe
from schemas.money import format_amount
from schemas.notation import hand_letter, place
from schemas.plural import plural, spoken

_WORDS = {
    "WagersClosed": "No more bets",
    "HoleCardChecked": "Bank looks at its hidden card",
    "RoundClosed": "Round over",
    "CutCardDrawn": "The white card comes out",
    "TableOpened": "Table opened, chips counted",
    "TableClosed": "Table closed, chips counted",
    "ChipsFilled": "Chips from the cage",
    "ChipsCredited": "Chips to the cage",
    "CashBoughtIn": "Cash bought in",
    "DropCounted": "Drop counted",
    "SlipVoided": "Slip voided",
    "OptionElected": "Option elected",
    "DealerEntered": "Dealer comes",
    "DealerLeft": "Dealer leaves",
    "ShoeShuffled": "Cards shuffled",
    "ShoeCut": "Cards cut",
    "CutCardPlaced": "White card put in",
    "EquipmentFailed": "Equipment failed",
    "RoundVoided": "Round declared void",
}
_FOUND = {"natural": "Black Jack", "none": "no Black Jack"}
"""What a look at the hidden card found."""


def say(event: Event, round_corrected: int | None = None) -> str:
    """An event in plain words. A player is named only where the event names him; of a correction ``round_corrected`` is the
    round of what it corrects, if that is another one."""
    if event.kind == "CorrectionMade" and event.remark is not None:
        of = f"seq {event.remark.refers_to}" + (f" in round {round_corrected}" if round_corrected is not None else "")
        return f"Correction of {of} ({event.remark.cause}): {_corrected_content(event)}"
    card, wager, decision = event.card, event.wager, event.decision
    if wager is not None and event.kind == "WagerPlaced":
        placed = f"{format_amount(wager.stake_minor)} on {spoken(wager.kind)}"
        return f"Seat {place(wager.seat, wager.hand)} places {placed}{_who(wager.player)}"
    if wager is not None and wager.net_minor is not None:
        net = format_amount(wager.net_minor, sign=True)
        return f"Seat {place(wager.seat, wager.hand)}: {spoken(wager.kind)} settled at {net}{_who(wager.player)}"
    if card is not None:
        shown = card.card or "a card not named"
        where = _hand(card.seat, card.hand)
        match event.kind:
            case "CardDealt":
                return f"{shown} to {where}, face {card.face}"
            case "CardTurned":
                return f"{shown} turned up at {where}"
            case "CardBurned":
                return f"{shown} burned, face {card.face}"
            case _:
                cause = f" ({event.remark.cause})" if event.remark else ""
                return f"{shown} removed from {where}{cause}"
    if decision is not None and event.kind in ("DecisionTaken", "TotalAnnounced", "MarkerMoved"):
        where = _hand(decision.seat, decision.hand).removeprefix("the ").capitalize()
        match event.kind:
            case "DecisionTaken":
                return f"{where}: {spoken(decision.action or '')}{_who(decision.player)}"
            case "TotalAnnounced":
                return f"{where}: {decision.points} announced"
            case _:
                return f"{where}: streak button to {decision.points}"
    said = _WORDS.get(event.kind, event.kind)
    if event.kind == "HoleCardChecked" and decision is not None and decision.action:
        return f"{said}: {_FOUND.get(decision.action, decision.action)}"
    if event.chips is not None:
        slip = f" on slip {event.chips.slip}" if event.chips.slip else ""
        said = f"{said}: {format_amount(event.chips.amount_minor)}{slip}"
    if event.option is not None:
        said = f"{said}: {event.option.name} = {event.option.value}"
    if event.shoe is not None:
        said += _shoe(event.shoe)
    if event.table is not None and event.table.staff is not None:
        said = f"{said}: {event.table.staff}"
    return f"{said}: {event.remark.cause}" if event.remark else said


def _who(player: str | None) -> str:
    return f" ({player})" if player else ""


def _shoe(shoe: Shoe) -> str:
    """What was done to a shoe, in plain words.

    >>> _shoe(Shoe(2, method="hand", decks=6)), _shoe(Shoe(2, cut_by="player")), _shoe(Shoe(2, behind=60)), _shoe(Shoe(2))
    (' (hand, 6 decks)', ' by player', ', 60 cards behind it', '')
    """
    if shoe.decks is not None:
        return f" ({shoe.method}, {plural(shoe.decks, 'deck')})"
    if shoe.behind is not None:
        return f", {plural(shoe.behind, 'card')} behind it"
    return f" by {shoe.cut_by}" if shoe.cut_by else ""


def _hand(seat: int | None, hand: int) -> str:
    """A hand in plain words.

    >>> _hand(None, 0), _hand(None, 1), _hand(3, 1)
    ('the bank', 'the bank, hand b', 'seat 3b')
    """
    if seat is not None:
        return f"seat {place(seat, hand)}"
    return f"the bank, hand {hand_letter(hand)}" if hand else "the bank"


def _corrected_content(event: Event) -> str:
    if event.card is not None:
        return f"{event.card.card or 'a card not named'} at {_hand(event.card.seat, event.card.hand)}"
    if event.chips is not None:
        return format_amount(event.chips.amount_minor)
    if event.wager is None and event.decision is None:
        return "gives nothing"
    kind = "TotalAnnounced" if event.decision is not None and event.decision.points is not None else "DecisionTaken"
    if event.wager is not None:
        kind = "WagerPlaced" if event.wager.net_minor is None else "WagerSettled"
    return say(replace(event, kind=kind, remark=None))


def without_player(event: Event) -> Event:
    """The event without its player, for texts that must not name him even by pseudonym."""
    return with_player(event, lambda _: None)


def with_player(event: Event, named: Callable[[str], str | None]) -> Event:
    """The event with its player under another name, or under none."""
    for name in ("wager", "decision", "chips"):
        body = getattr(event, name)
        if body is not None and body.player is not None:
            event = replace(event, **{name: replace(body, player=named(body.player))})
    return event
