"""The placing of wagers: which ones the game has, when they are placed, how high and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.contract.outcomes import Breach, Judgement
from replayer.contract.wagers import StakeSituation
from replayer.law.black_jack.doubling import Doubling
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, MAIN, PLAY_WAGERS, SPLIT
from replayer.law.black_jack.side_wagers import PERFECT_PAIR
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.streak import STREAKS
from replayer.law.codes import STAKE_NOT_POSITIVE
from replayer.law.regulation import Paragraph, Provision
from replayer.law.untimely import base_of
from schemas.bounds import LAST_SEAT
from schemas.finding import of_money, of_procedure
from schemas.money import format_amount
from schemas.plural import spoken

WAGER_WITHOUT_BASE: Final = of_money("WAGER_WITHOUT_BASE", "A wager that rests on no main wager")
STAKE_OUTSIDE_LIMITS: Final = of_procedure("STAKE_OUTSIDE_LIMITS", "A wager beyond the table's limits")
SEAT_NOT_ON_LAYOUT: Final = of_procedure("SEAT_NOT_ON_LAYOUT", "A wager on a seat that the layout does not have")
SEATS_PER_PLAYER: Final = of_procedure("SEATS_PER_PLAYER", "A player on more seats than allowed")

_ON_A_HAND: Final = PLAY_WAGERS - {MAIN}
_ON_OWN_HAND: Final = _ON_A_HAND | {PERFECT_PAIR, *STREAKS}


@dataclass(frozen=True)
class Seats(Provision):
    """Art. 3: the seats of the table; a player may bet on several, as far as the house lets him.

    Attributes:
        layout: the number of seats on the layout; empty where the text does not limit wagers to it.
        limit: the seats of a player.
        by_who_sits: whether a player bets on one seat only where one deck is used, and on others beside his own only where who
            sits there bets as well (141/2000 art. 2(3)).
        most_on_layout: the most seats that the text lets a layout have.
        replaced: whether a text that is not at hand replaced the article, that of 69/2000 (BJ-35).
    """

    layout: Paragraph = (1,)
    limit: Paragraph = (2,)
    by_who_sits: bool = False
    most_on_layout: int = LAST_SEAT
    replaced: bool = False

    def unknown(self, rules: Rules) -> bool:
        """Whether nothing is checked, because the text is not at hand."""
        return self.replaced and rules.readings("BJ-35") == "unchecked"

    def on_layout(self, rules: Rules) -> tuple[int, Breach] | None:
        """The number of seats and the breach of a wager beyond them; None where it is not limited."""
        if not self.layout or self.unknown(rules):
            return None
        seats = min(rules.options.seats, self.most_on_layout)
        return seats, Breach(SEAT_NOT_ON_LAYOUT, self.cite(*self.layout), f"the table has {seats} seats")

    def most(self, rules: Rules) -> int | None:
        """On how many seats a player may bet; None where nothing limits them."""
        if self.by_who_sits and rules.options.decks == 1 and not self.unknown(rules):
            return 1
        return rules.options.max_seats_per_player

    def breaches(self, seats: int, rules: Rules) -> Iterator[Breach]:
        """The breach of a player with main wagers on ``seats`` seats, if they are too many."""
        most = self.most(rules) if seats > 1 else None
        if most is not None and seats > most:
            message = f"the player bets on {seats} seats, {most} allowed"
            yield Breach(SEATS_PER_PLAYER, self.cite(*self.limit), message)

    def without_occupant(self, rules: Rules) -> Breach | None:
        """141/2000 art. 2(3): the breach of a further seat on which a player bets from behind while who sits there does not: it
        is one whether he sits elsewhere or stands. None where the text has no such limit, or lets him bet on one seat at all."""
        if not self.by_who_sits or rules.options.decks == 1 or self.unknown(rules):
            return None
        message = "the player bets on another seat as well, and nobody who sits at this one bets"
        return Breach(SEATS_PER_PLAYER, self.cite(*self.limit), message)


def judge_stake(stake: StakeSituation, rules: Rules) -> Judgement[None]:
    """Whether a wager could be placed at its moment and in its amount."""
    law, amount = rules.regulation, _amount(stake, rules)
    additional = law.additional_wagers
    if stake.kind == MAIN:
        found = [*amount, *law.seats.breaches(stake.seats, rules), *law.shared_seat.too_many(stake, rules)]
    elif stake.kind in _ON_A_HAND:
        found = [*amount, *(law.insurance.early(stake, rules) if stake.kind == INSURANCE else ())]
    elif stake.kind in additional.offered:
        found = [*additional.not_offered(stake, rules), *amount, *additional.beside_others(stake, rules)]
    else:
        return Judgement(breaches=(additional.unknown(stake.kind),))
    untimely = in_time(stake, rules)
    unseen = tuple(sorted(rules.options.not_recorded & {"close", "times"}))
    return Judgement(breaches=(*found, untimely) if untimely else tuple(found), not_checked=unseen)


def _amount(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    if stake.stake_minor <= 0:
        yield Breach(STAKE_NOT_POSITIVE, "", f"a stake of {format_amount(stake.stake_minor)}")
        return
    if stake.kind == MAIN:
        if message := stake.outside(*rules.options.limits(MAIN)):
            yield Breach(STAKE_OUTSIDE_LIMITS, "", message)
        return
    if stake.kind not in _ON_OWN_HAND:
        return
    on_hand, on_own_hand = _on_a_hand(stake.kind, rules), stake.kind == DOUBLE and stake.hand > 0
    base = stake.base_minor if on_own_hand else base_of(stake, rules.readings)
    if stake.unnamed:
        return
    if base is None:
        there = "stake on the hand" if on_own_hand else "main wager on the seat"
        message = f"the player has no {there} of this {spoken(stake.kind)}"
        additional = rules.regulation.additional_wagers
        article = on_hand.article(rules) if on_hand else additional.placing(stake.kind, rules)
        yield Breach(WAGER_WITHOUT_BASE, article, message)
    elif on_hand:
        yield from on_hand.of_stake(stake, base, rules)


def in_time(stake: StakeSituation, rules: Rules) -> Breach | None:
    """The breach of a wager that was placed too early or too late; None where it came in time, or where the log does not show it.
    Whether a double came after the hand's card is judged from the seat's history (``doubling``)."""
    additional = rules.regulation.additional_wagers
    if stake.kind not in {MAIN, *_ON_A_HAND, *additional.offered} or not rules.records("close", "times"):
        return None
    if stake.kind == MAIN:
        return rules.regulation.deal.in_time(stake)
    return (_on_a_hand(stake.kind, rules) or additional).in_time(stake, rules)


def _on_a_hand(kind: str, rules: Rules) -> Splitting | Doubling | Insurance | None:
    """The article of a wager on a hand in play; None of any other wager."""
    law = rules.regulation
    if kind == INSURANCE:
        return law.insurance
    return law.splitting if kind == SPLIT else law.doubling if kind == DOUBLE else None
