"""The placing of wagers: which ones the game has, when they are placed, how high and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.law.authorisation import WAGER_UNAUTHORISED
from replayer.law.black_jack.doubling import WAGER_TOO_LATE
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, MAIN, SPLIT
from replayer.law.black_jack.sharing import MAX_THREE, MOST_BETS
from replayer.law.black_jack.side_wagers import ANY_PAIR, PERFECT_PAIR
from replayer.law.black_jack.streak import STREAKS
from replayer.law.codes import STAKE_NOT_POSITIVE, WAGER_AFTER_CLOSE
from replayer.law.late_wager import base_of
from replayer.law.provision import Paragraph, Provision
from replayer.outcomes import Breach, Judgement
from replayer.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, HOLE_CHECKED
from replayer.wagers import StakeSituation
from schemas.finding import Severity, declare
from schemas.money import format_amount

WAGER_UNKNOWN: Final = declare("WAGER_UNKNOWN", Severity.MONEY, "A wager that the regulation in force does not have")
WAGER_NOT_OFFERED: Final = declare("WAGER_NOT_OFFERED", Severity.PROCEDURE, "A wager that the house has not elected")
WAGER_TOO_EARLY: Final = declare("WAGER_TOO_EARLY", Severity.PROCEDURE, "A wager on cards placed before there were any")
WAGER_WITHOUT_BASE: Final = declare("WAGER_WITHOUT_BASE", Severity.MONEY, "A wager that rests on no main wager")
STAKE_OUTSIDE_LIMITS: Final = declare("STAKE_OUTSIDE_LIMITS", Severity.PROCEDURE, "A wager beyond the table's limits")
STAKE_UNEQUAL: Final = declare("STAKE_UNEQUAL", Severity.MONEY, "A double or split not equal to the main wager")
INSURANCE_BOUNDS: Final = declare("INSURANCE_BOUNDS", Severity.MONEY, "An insurance beyond its bounds")
SEAT_NOT_ON_LAYOUT: Final = declare(
    "SEAT_NOT_ON_LAYOUT", Severity.PROCEDURE, "A wager on a seat that the layout does not have"
)
SEATS_PER_PLAYER: Final = declare("SEATS_PER_PLAYER", Severity.PROCEDURE, "A player on more seats than allowed")
SEAT_SHARED_BY_TOO_MANY: Final = declare(
    "SEAT_SHARED_BY_TOO_MANY", Severity.PROCEDURE, "A fourth player's wager on one seat"
)

SIDE_WAGERS_TOGETHER: Final = declare(
    "SIDE_WAGERS_TOGETHER", Severity.ADVISORY, "Several kinds of additional wagers by one player"
)
SIDE_WAGER_SURPLUS: Final = declare(
    "SIDE_WAGER_SURPLUS", Severity.PROCEDURE, "A second kind of additional wager where one is allowed"
)
STREAK_ADDED: Final = declare("STREAK_ADDED", Severity.PROCEDURE, "A streak wager added while another one runs")

_ON_A_HAND: Final = frozenset({INSURANCE, DOUBLE, SPLIT})
_ON_OWN_HAND: Final = _ON_A_HAND | {PERFECT_PAIR, *STREAKS}


@dataclass(frozen=True)
class Seats(Provision):
    """Art. 3: the seats of the table; a player may bet on several, as far as the house lets him.

    Attributes:
        layout: the number of seats on the layout; empty where the text does not limit wagers to it.
        limit: the seats of a player.
        one_with_one_deck: whether a player bets on one seat only where one deck is used (141/2000 art. 2(3)).
        replaced: whether a text that is not at hand replaced the article, that of 69/2000 (BJ-35).
    """

    layout: Paragraph = (1,)
    limit: Paragraph = (2,)
    one_with_one_deck: bool = False
    replaced: bool = False

    def unknown(self, rules: Rules) -> bool:
        """Whether nothing is checked, because the text is not at hand."""
        return self.replaced and rules.readings("BJ-35") == "unchecked"

    def on_layout(self, rules: Rules) -> tuple[int, Breach] | None:
        """The number of seats and the breach of a wager beyond them; None where it is not limited."""
        if not self.layout or self.unknown(rules):
            return None
        seats = rules.options.seats
        return seats, Breach(SEAT_NOT_ON_LAYOUT.code, self.cite(*self.layout), f"the table has {seats} seats")

    def most(self, rules: Rules) -> int | None:
        """On how many seats a player may bet; None where nothing limits them."""
        if self.one_with_one_deck and rules.options.decks == 1 and not self.unknown(rules):
            return 1
        return rules.options.max_seats_per_player

    def breaches(self, seats: int, rules: Rules) -> Iterator[Breach]:
        """The breach of a player with main wagers on ``seats`` seats, if they are too many."""
        most = self.most(rules)
        if most is not None and seats > most:
            message = f"the player bets on {seats} seats, {most} allowed"
            yield Breach(SEATS_PER_PLAYER.code, self.cite(*self.limit), message)


def judge_stake(stake: StakeSituation, rules: Rules) -> Judgement[None]:
    """Whether a wager could be placed at its moment and in its amount."""
    found = list(_additional(stake, rules))
    if any(breach.code == WAGER_UNKNOWN.code for breach in found):
        return Judgement(breaches=tuple(found), awaits_bank=False)
    unseen = tuple(sorted(rules.options.not_recorded & {"close", "times"}))
    found += [*_amount(stake, rules), *_bettor(stake, rules), *_beside_others(stake, rules)]
    if not unseen:
        found += _in_time(stake, rules)
    return Judgement(breaches=tuple(found), awaits_bank=False, not_checked=unseen)


def _additional(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    """Art. 13: an additional wager is one that the article has and the house elected."""
    if stake.kind == MAIN or stake.kind in _ON_A_HAND:
        return
    additional = rules.regulation.additional_wagers
    offer = additional.offered.get(stake.kind)
    if offer is None:
        yield Breach(WAGER_UNKNOWN.code, additional.cite(), f"there is no wager {stake.kind!r}")
        return
    article = additional.cite(*offer.paragraph)
    if offer.option not in rules.unauthorised and not offer.elected(rules):
        yield Breach(WAGER_NOT_OFFERED.code, article, f"the house has not elected {offer.option}")
        return
    permission = rules.regulation.authorisation
    if permission is not None and offer.option in rules.unauthorised and offer.option in permission.own:
        message = f"no authorisation for {offer.option} was in effect"
        yield Breach(WAGER_UNAUTHORISED.code, permission.cite(*permission.additional), message)
    if stake.hand and stake.kind != ANY_PAIR:
        if stake.kind == PERFECT_PAIR:
            rules.readings("BJ-45")
        yield Breach(WAGER_NOT_OFFERED.code, article, f"{stake.kind} is for a seat's first cards, not for a split hand")
    elif _is_on_new_pair(stake) and rules.readings("BJ-38") != "new_stake":
        article = additional.cite(*offer.paragraph, 2)
        yield Breach(WAGER_NOT_OFFERED.code, article, "one stake covers the hands split off, or none of them")


def _is_on_new_pair(stake: StakeSituation) -> bool:
    """Whether a stake on any pair is a new one, on a hand of a separated pair (art. 13(1)(2), BJ-38)."""
    return stake.kind == ANY_PAIR and (stake.hand > 0 or stake.parted > 0)


def _has_next_card(stake: StakeSituation) -> bool:
    """Whether the hand of a split, or of a stake on a new pair, already had its second card."""
    return stake.kind in (SPLIT, ANY_PAIR) and stake.begun


def _amount(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    if stake.stake_minor <= 0:
        yield Breach(STAKE_NOT_POSITIVE.code, "", f"a stake of {format_amount(stake.stake_minor)}")
        return
    law, amount = rules.regulation, stake.total_minor
    shown = format_amount(amount)
    if stake.kind == MAIN:
        if stake.beyond(*rules.options.limits(MAIN)):
            yield Breach(STAKE_OUTSIDE_LIMITS.code, "", f"{shown} is beyond the limits posted at the table")
        return
    if stake.kind not in _ON_OWN_HAND:
        return
    base = base_of(stake, rules.readings)
    if base is None:
        message = f"the player has no main wager on the seat of this {stake.kind}"
        yield Breach(WAGER_WITHOUT_BASE.code, _base_article(stake.kind, rules), message)
    elif stake.kind == SPLIT and stake.beyond(base, base):
        rules.readings("BJ-63")
        message = f"split for {shown} on a main wager of {format_amount(base)}"
        yield Breach(STAKE_UNEQUAL.code, law.splitting.cite(*law.splitting.stake), message)
    elif stake.kind == DOUBLE and stake.beyond(base, base) and (amount > base or rules.readings("BJ-65") == "no"):
        message = f"doubled for {shown} on a stake of {format_amount(base)}"
        yield Breach(STAKE_UNEQUAL.code, law.doubling.article(rules), message)
    elif stake.kind == INSURANCE:
        yield from _insurance(stake, base, rules)


def _insurance(stake: StakeSituation, base: int, rules: Rules) -> Iterator[Breach]:
    """The bank accepts from half to the whole of the original wager; BJ-15: or up to a ceiling within that span."""
    law = rules.regulation.insurance
    least, most = law.part_accepted(rules)
    if not stake.beyond(least * base, most * base):
        return
    amount = stake.total_minor
    if amount < least * base and rules.readings("BJ-15") == "ceiling":
        return
    message = f"insurance of {format_amount(amount)} on {format_amount(base)}: {least} to {most} of it is accepted"
    yield Breach(INSURANCE_BOUNDS.code, law.cite(*law.amount), message)


def _bettor(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    """Arts. 3(2) and 20(1)(2): the seats of a player, and the players of a seat."""
    if stake.kind != MAIN:
        return
    law = rules.regulation
    if stake.seats > 1:
        yield from law.seats.breaches(stake.seats, rules)
    number = max(stake.bettors, (stake.position or 0) + 1)
    if rules.options.shared_seat == MAX_THREE and number > MOST_BETS:
        message = f"player number {number} on the seat: at most {MOST_BETS} bet on one"
        yield Breach(SEAT_SHARED_BY_TOO_MANY.code, law.shared_seat.cite(1, 2), message)


def _beside_others(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    """Art. 13: a wager beside other additional ones (BJ-37), or beside running streaks (BJ-52)."""
    additional = rules.regulation.additional_wagers
    items = sorted({additional.offered[kind].paragraph for kind in stake.beside if kind in additional.offered})
    if items and items[0] != additional.offered[stake.kind].paragraph:
        message = f"beside {' '.join(stake.beside)}: the text speaks of one of these wagers"
        reading = rules.readings("BJ-37")
        if reading != "free":
            code = SIDE_WAGERS_TOGETHER if reading == "advisory" else SIDE_WAGER_SURPLUS
            yield Breach(code.code, additional.cite(), message)
    article = additional.alters_a_streak(stake, rules)
    if article:
        message = f"{' '.join(stake.running)} of an earlier round runs on, no streak may be altered"
        yield Breach(STREAK_ADDED.code, article, message)


def _in_time(stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
    law, moment = rules.regulation, stake.moment
    if stake.kind not in _ON_A_HAND and not _is_on_new_pair(stake):
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
    elif _has_next_card(stake):
        yield Breach(WAGER_TOO_LATE.code, article, "placed when the hand had its second card")
    elif moment & BANK_OPEN and stake.kind != ANY_PAIR:
        yield Breach(WAGER_TOO_LATE.code, article, "placed when the bank's second card was known")
    elif stake.kind == INSURANCE and moment & (ADDITIONAL_CARD | HOLE_CHECKED):
        yield from _insurance_late(moment, article, rules)


def too_late(stake: StakeSituation, rules: Rules) -> str:
    """The article whose deadline a wager missed; empty where it came in time, or where the log does not show it. Whether a double
    came after the hand's card is judged from the seat's history (``doubling``)."""
    known = {MAIN, *_ON_A_HAND, *rules.regulation.additional_wagers.offered}
    if stake.kind not in known or not rules.records("close", "times"):
        return ""
    if not stake.moment & CARD_DEALT:  # the text's deadline is the first card, not the dealer's "no more bets"
        return ""
    late = _in_time(stake, rules)
    return next((breach.article for breach in late), "")


def _insurance_late(moment: int, article: str, rules: Rules) -> Iterator[Breach]:
    """BJ-16: no deadline is stated; once the hole card was checked there is nothing left to insure."""
    if moment & HOLE_CHECKED:
        yield Breach(WAGER_TOO_LATE.code, article, "placed after the hole card was checked")
    elif rules.readings("BJ-16") == "before_additional_card":
        yield Breach(WAGER_TOO_LATE.code, article, "placed after the first additional card")


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
