"""The placing of wagers: which ones the game has, when they are placed, how high and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.contract.outcomes import Breach, Judgement
from replayer.contract.symbols import BANK_OPEN, BETS_CLOSED, CARD_DEALT
from replayer.contract.wagers import StakeSituation
from replayer.law.black_jack.doubling import WAGER_TOO_LATE
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, MAIN, PLAY_WAGERS, SPLIT
from replayer.law.black_jack.side_wagers import ANY_PAIR, PERFECT_PAIR, is_on_new_pair
from replayer.law.black_jack.streak import STREAKS
from replayer.law.codes import STAKE_NOT_POSITIVE, WAGER_AFTER_CLOSE
from replayer.law.late_wager import base_of
from replayer.law.provision import Paragraph, Provision
from schemas.bounds import LAST_SEAT
from schemas.finding import Severity, declare
from schemas.money import format_amount

WAGER_TOO_EARLY: Final = declare("WAGER_TOO_EARLY", Severity.PROCEDURE, "A wager on cards placed before there were any")
WAGER_WITHOUT_BASE: Final = declare("WAGER_WITHOUT_BASE", Severity.MONEY, "A wager that rests on no main wager")
STAKE_OUTSIDE_LIMITS: Final = declare("STAKE_OUTSIDE_LIMITS", Severity.PROCEDURE, "A wager beyond the table's limits")
SEAT_NOT_ON_LAYOUT: Final = declare(
    "SEAT_NOT_ON_LAYOUT", Severity.PROCEDURE, "A wager on a seat that the layout does not have"
)
SEATS_PER_PLAYER: Final = declare("SEATS_PER_PLAYER", Severity.PROCEDURE, "A player on more seats than allowed")

_ON_A_HAND: Final = PLAY_WAGERS - {MAIN}
_ON_OWN_HAND: Final = _ON_A_HAND | {PERFECT_PAIR, *STREAKS}


@dataclass(frozen=True)
class Seats(Provision):
    """Art. 3: the seats of the table; a player may bet on several, as far as the house lets him.

    Attributes:
        layout: the number of seats on the layout; empty where the text does not limit wagers to it.
        limit: the seats of a player.
        one_with_one_deck: whether a player bets on one seat only where one deck is used (141/2000 art. 2(3)).
        most_on_layout: the most seats that the text lets a layout have.
        replaced: whether a text that is not at hand replaced the article, that of 69/2000 (BJ-35).
    """

    layout: Paragraph = (1,)
    limit: Paragraph = (2,)
    one_with_one_deck: bool = False
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
        return seats, Breach(SEAT_NOT_ON_LAYOUT.code, self.cite(*self.layout), f"the table has {seats} seats")

    def most(self, rules: Rules) -> int | None:
        """On how many seats a player may bet; None where nothing limits them."""
        if self.one_with_one_deck and rules.options.decks == 1 and not self.unknown(rules):
            return 1
        return rules.options.max_seats_per_player

    def breaches(self, seats: int, rules: Rules) -> Iterator[Breach]:
        """The breach of a player with main wagers on ``seats`` seats, if they are too many."""
        most = self.most(rules) if seats > 1 else None
        if most is not None and seats > most:
            message = f"the player bets on {seats} seats, {most} allowed"
            yield Breach(SEATS_PER_PLAYER.code, self.cite(*self.limit), message)


def judge_stake(stake: StakeSituation, rules: Rules) -> Judgement[None]:
    """Whether a wager could be placed at its moment and in its amount."""
    law, amount = rules.regulation, _amount(stake, rules)
    additional = law.additional_wagers
    if stake.kind == MAIN:
        found = [*amount, *law.seats.breaches(stake.seats, rules), *law.shared_seat.too_many(stake, rules)]
    elif stake.kind in _ON_A_HAND:
        found = [*amount]
    elif stake.kind in additional.offered:
        found = [*additional.not_offered(stake, rules), *amount, *additional.beside_others(stake, rules)]
    else:
        return Judgement(breaches=(additional.unknown(stake.kind),), awaits_bank=False)
    unseen = tuple(sorted(rules.options.not_recorded & {"close", "times"}))
    if not unseen:
        found += _in_time(stake, rules)
    return Judgement(breaches=tuple(found), awaits_bank=False, not_checked=unseen)


def _amount(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    if stake.stake_minor <= 0:
        yield Breach(STAKE_NOT_POSITIVE.code, "", f"a stake of {format_amount(stake.stake_minor)}")
        return
    law = rules.regulation
    if stake.kind == MAIN:
        if stake.beyond(*rules.options.limits(MAIN)):
            message = f"{format_amount(stake.total_minor)} is beyond the limits posted at the table"
            yield Breach(STAKE_OUTSIDE_LIMITS.code, "", message)
        return
    if stake.kind not in _ON_OWN_HAND:
        return
    base = base_of(stake, rules.readings)
    if stake.unnamed:
        return
    if base is None:
        message = f"the player has no main wager on the seat of this {stake.kind}"
        yield Breach(WAGER_WITHOUT_BASE.code, _base_article(stake.kind, rules), message)
    elif stake.kind == SPLIT:
        yield from law.splitting.of_stake(stake, base, rules)
    elif stake.kind == DOUBLE:
        yield from law.doubling.of_stake(stake, base, rules)
    elif stake.kind == INSURANCE:
        yield from law.insurance.of_stake(stake, base, rules)


def _in_time(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    law, moment = rules.regulation, stake.moment
    if stake.kind not in _ON_A_HAND and not is_on_new_pair(stake):
        if moment & (BETS_CLOSED | CARD_DEALT):
            additional = law.additional_wagers
            offer = None if stake.kind == MAIN else additional.offered[stake.kind]
            article = law.deal.order_article() if offer is None else additional.cite(*(offer.moment or offer.paragraph))
            when = "the first card was dealt" if moment & CARD_DEALT else "no more bets was said"
            yield Breach(WAGER_AFTER_CLOSE.code, article, f"placed after {when}")
        return
    article = _hand_article(stake.kind, rules)
    if not moment & CARD_DEALT:
        yield Breach(WAGER_TOO_EARLY.code, article, "placed before any card was dealt")
    elif stake.kind in (SPLIT, ANY_PAIR) and stake.begun:
        yield Breach(WAGER_TOO_LATE.code, article, "placed when the hand had its second card")
    elif moment & BANK_OPEN and stake.kind != ANY_PAIR:
        yield Breach(WAGER_TOO_LATE.code, article, "placed when the bank's second card was known")
    elif stake.kind == INSURANCE:
        yield from law.insurance.late(moment, rules)


def too_late(stake: StakeSituation, rules: Rules) -> str:
    """The article whose deadline a wager missed; empty where it came in time, or where the log does not show it. Whether a double
    came after the hand's card is judged from the seat's history (``doubling``)."""
    known = {MAIN, *_ON_A_HAND, *rules.regulation.additional_wagers.offered}
    if stake.kind not in known or not rules.records("close", "times"):
        return ""
    if not stake.moment & CARD_DEALT:  # the text's deadline is the first card, not the dealer's "no more bets"
        return ""
    return next((breach.article for breach in _in_time(stake, rules)), "")


def _base_article(kind: str, rules: Rules) -> str:
    """The article that ties a wager to the original one, or (BJ-45) to the player's own hand."""
    if kind in _ON_A_HAND:
        return _hand_article(kind, rules)
    if kind == PERFECT_PAIR:
        rules.readings("BJ-45")
    additional = rules.regulation.additional_wagers
    return str(additional.cite(*additional.offered[kind].paragraph))


def _hand_article(kind: str, rules: Rules) -> str:
    law = rules.regulation
    if kind == INSURANCE:
        return law.insurance.cite(*law.insurance.amount)
    if kind == ANY_PAIR:
        return law.additional_wagers.cite(*law.additional_wagers.offered[kind].paragraph, 2)  # only of a new pair
    return law.splitting.cite(*law.splitting.right) if kind == SPLIT else law.doubling.article(rules)
