"""Deals Fortune 3 Card Poker: the croupier's steps in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from producers.simulator.chance import pick
from producers.simulator.facts import cached_fact, cached_wager
from producers.simulator.people import Seat
from producers.simulator.round import Round
from producers.simulator.settlement import refund, settle
from producers.simulator.skills import Skill
from replayer.contract.cards import card_of
from replayer.contract.symbols import BANK
from replayer.law.fortune_3_card_poker.cards import CARDS, hand_of
from replayer.law.fortune_3_card_poker.options import MACHINE, Options
from replayer.law.fortune_3_card_poker.rules import Rules
from schemas.event import Shoe

if TYPE_CHECKING:
    from producers.simulator.table import SimulatedTable

ROUND_SECONDS: Final = 85
_PAIR_PLUS_ONLY: Final = 0.04
_SHUFFLER_FAILS: Final = 0.004
"""The probability that the shuffler fails during a deal."""


def _shuffle(options: Options) -> str:
    """How the house shuffles: by machine where it chose nothing."""
    return options.shuffle or MACHINE


def prepare(table: SimulatedTable) -> None:
    """Shuffle the deck before the round, unless a fault omits it."""
    left = len(table.cards)
    if left >= CARDS * (table.plan.seats + 1) and table.faults.plant("shuffle_missing", "F3_NOT_SHUFFLED"):
        return
    method = _shuffle(table.croupier_rules.rules.options)
    table.shuffled(method, 1)
    if method == MACHINE:
        return
    if not table.faults.plant("cut_missing", "F3_CUT_MISSING"):
        cut_by = "player" if table.random.random() < 0.7 else "bank"
        table.writer.write(cached_fact("ShoeCut", shoe=Shoe(table.shoe, cut_by=cut_by)), 2000, 6000)
    table.writer.write(cached_fact("CutCardPlaced", shoe=Shoe(table.shoe, behind=0)), 1000, 2500)


def play(table: SimulatedTable, round_: Round) -> None:
    """Play a round: bets, three cards each, raise or fold, the croupier's hand, payment."""
    seats = list(table.crowd)
    for seat in seats:
        _bet(table, round_, seat)
    round_.close_bets()
    _bet_late(table, round_, seats)
    if table.faults.take("burn_surplus"):
        table.cards.draw()
        table.faults.expect("F3_BURNED", seq=round_.burn())
    hands = _deal(table, round_)
    if hands is None:
        refund(table, round_)
        round_.end()
        return
    played = [seat for seat in seats if _decide(table, round_, seat, hands[seat.number])]
    for card in hands[BANK]:
        round_.turn(None, card)
    for seat in played:
        for card in hands[seat.number]:
            round_.turn(seat.number, card)
    settle(table, round_)
    round_.end()


def _bet(table: SimulatedTable, round_: Round, seat: Seat) -> None:
    """Place an ante, Pair Plus, or both."""
    random, player = table.random, seat.seated
    stake = player.unit_minor * pick(random, (1, 1, 1, 2))
    alone = random.random() < _PAIR_PLUS_ONLY
    kinds = ["pair_plus"] if alone else ["ante"]
    if not alone and random.random() < 2 * player.skill.side_wager:
        kinds.append("pair_plus")
    for kind in kinds:
        amount = stake if kind == kinds[0] else table.plan.minimum_minor
        table.bet(player, cached_wager(kind, seat.number, amount, player.name), round_)


def _bet_late(table: SimulatedTable, round_: Round, seats: list[Seat]) -> None:
    """A fault: a player without Pair Plus bets it after the bets are closed."""
    bets = {(wager.seat, wager.kind) for wager in round_.wagers.values()}
    late = next((seat for seat in seats if (seat.number, "pair_plus") not in bets), None)
    if late is None or not table.faults.take("wager_after_close"):
        return
    wager = cached_wager("pair_plus", late.number, table.plan.minimum_minor, late.seated.name)
    seq = table.bet(late.seated, wager, round_)
    table.faults.expect("WAGER_AFTER_CLOSE", seq=seq, seat=late.number, player=late.seated.name)


def _deal(table: SimulatedTable, round_: Round) -> dict[int, list[str]] | None:
    """Deal three cards to every hand with a bet and to the croupier, in lawful order; None if the shuffler fails."""
    law, options = table.croupier_rules.rules.regulation, table.croupier_rules.rules.options
    places = tuple(sorted({wager.seat for wager in round_.wagers.values()}))
    hands: dict[int, list[str]] = {place: [] for place in (*places, BANK)}
    order = [*law.distribution.order(places, in_turn=bool(law.distribution.in_turn(options, _shuffle(options))))]
    fails = _shuffle(options) == MACHINE and table.random.random() < _SHUFFLER_FAILS
    last = int(table.random.random() * (len(order) - 1)) + 1 if fails else len(order)
    if not fails and table.faults.plant("deal_out_of_order", "F3_DEAL_ORDER"):
        at = next(at for at in range(len(order)) if order[at] != order[at + 1])
        order[at], order[at + 1] = order[at + 1], order[at]
        round_.invalid = True
    for place in order[:last]:
        exposed = place != BANK and table.faults.plant("card_face_wrong", "F3_CARD_EXPOSED")
        hands[place].append(table.draw(round_, place or None, "up" if exposed else "down"))
    if fails:
        round_.fail("shuffler failed")
        return None
    return hands


def _decide(table: SimulatedTable, round_: Round, seat: Seat, hand: list[str]) -> bool:
    """Raise or fold; returns whether the player's hand is opened in the end."""
    allowed, player = round_.allowed(seat.number), seat.seated
    if not allowed:
        return True
    if "fold" not in allowed and table.faults.take("fold_forbidden"):
        seq = round_.decide(seat.number, "fold", player.name)
        table.faults.expect("F3_FOLD_FORBIDDEN", seq=seq, seat=seat.number, player=player.name)
        return False
    if "fold" in allowed and not _worth_playing(hand, player.skill, table.croupier_rules.rules):
        round_.decide(seat.number, "fold", player.name)
        return False
    ante = next(w.stake_minor for w in round_.wagers.values() if w.seat == seat.number and w.kind == "ante")
    round_.decide(seat.number, "raise", player.name)
    unequal = table.faults.take("raise_unequal")
    raised = cached_wager("raise", seat.number, 2 * ante if unequal else ante, player.name)
    seq = table.bet(player, raised, round_)
    if unequal:
        table.faults.expect("F3_RAISE_AMOUNT", seq=seq, seat=seat.number, player=player.name)
    return True


def _worth_playing(hand: list[str], skill: Skill, rules: Rules) -> bool:
    if not skill.raises_from:
        return True
    least = hand_of(map(card_of, skill.raises_from))
    sign: int = rules.regulation.combinations.compare(hand_of(map(card_of, hand)), least, rules.readings)
    return sign >= 0
