"""Deals Black Jack: the croupier's steps in order, under each of the three procedures."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from producers.simulator.chance import pick
from producers.simulator.facts import cached_fact, cached_wager
from producers.simulator.people import Player, Seat
from producers.simulator.round import Round
from producers.simulator.settlement import settle, settle_immediately
from producers.simulator.skills import View
from replayer.contract.cards import Card
from replayer.contract.outcomes import Awaited, BankOutcome, Judgement
from replayer.contract.symbols import Dealt, History
from replayer.law.black_jack.bank import TEN_OR_ACE, BankState
from replayer.law.black_jack.points import MOST, best_points, is_soft
from replayer.law.black_jack.regulation import BlackJackOptions
from schemas.event import Shoe

if TYPE_CHECKING:
    from producers.simulator.table import SimulatedTable

ROUND_SECONDS: Final = 80
_OUTSIDE_TURN: Final = frozenset({"insurance", "even_money", "surrender", "special_prize"})
"""Decisions that are not part of a hand's turn."""
_LEAST_BEHIND: Final = 60
_MOST_BEHIND: Final = 90
"""The least and most cards behind the white card."""
_SIDE_WAGERS: Final = (
    ("side_any_pair", ("any_pair",)),
    ("side_sevens", ("sevens",)),
    ("side_over_under", ("over_13", "under_13")),
    ("side_perfect_pair", ("perfect_pair",)),
)
_ASSUMED_CARDS: Final = {18: "T8", 19: "T9", 20: "TK", 21: "T56"}
_ASSUMED_BUST: Final = "T6T"


def prepare(table: SimulatedTable) -> None:
    """Shuffle when due: a box before every round, a shoe after the white card, a machine when it is loaded."""
    options: BlackJackOptions = table.croupier_rules.rules.options
    if options.device == "auto":
        if table.shoe:
            table.cards.shuffle()
        else:
            table.shuffled("auto", options.decks)
        return
    if table.shoe and options.device == "shoe" and not table.cards.white_is_out:
        return
    white = options.device == "shoe" and options.decks > 1
    behind = _LEAST_BEHIND + int(table.random.random() * (_MOST_BEHIND - _LEAST_BEHIND)) if white else None
    table.shuffled("hand", options.decks, behind)
    if not table.faults.plant("cut_missing", "CUT_MISSING"):
        cut_by = "player" if table.random.random() < 0.8 else "bank"
        table.writer.write(cached_fact("ShoeCut", shoe=Shoe(table.shoe, cut_by=cut_by)), 3000, 9000)
    if white:
        table.writer.write(cached_fact("CutCardPlaced", shoe=Shoe(table.shoe, behind=behind)), 1500, 4000)


def play(table: SimulatedTable, round_: Round) -> None:
    """Play a round: bets, burned cards, the deal, the players' turns, the bank's hand, payment."""
    _Croupier(table, round_).play()


@dataclass(slots=True)
class _Hand:
    """A hand of a seat or of the bank: the ranks of its cards, the cards, and whether each lies face down."""

    ranks: str = ""
    cards: list[str] = field(default_factory=list)
    down: list[bool] = field(default_factory=list)

    def take(self, card: str, *, down: bool = False) -> None:
        self.ranks += card[0]
        self.cards.append(card)
        self.down.append(down)

    def split(self) -> _Hand:
        """Split off the last card as a new hand."""
        other = _Hand()
        other.take(self.cards.pop(), down=self.down.pop())
        self.ranks = self.ranks[:-1]
        return other


class _Croupier:
    """A round at a table, step by step."""

    def __init__(self, table: SimulatedTable, round_: Round) -> None:
        self.table = table
        self.round = round_
        self.options: BlackJackOptions = table.croupier_rules.rules.options
        self.faults = table.faults
        self.random = table.random
        self.seats = list(table.crowd)
        self.hands = {seat.number: [_Hand()] for seat in self.seats}
        self.bank = _Hand()

    def play(self) -> None:
        """Play the round from the first bet to the end."""
        for seat in self.seats:
            self._bet(seat)
        self.round.close_bets()
        self._bet_late()
        self._burn()
        self._deal()
        assumed = None
        if not self._before_the_turns():
            for seat in self._turn_order():
                self._turn(seat)
            assumed = self._play_bank()
        for seat in self.seats:
            for hand in range(len(self.hands[seat.number])):
                self._open(seat.number, hand)
        settle(self.table, self.round, assumed)
        self.table.streaks.advance(self.table, self.round, last=self.table.last_round)
        self.round.end()

    # Bets

    def _bet(self, seat: Seat) -> None:
        least = self.table.plan.minimum_minor
        stake = seat.seated.unit_minor * pick(self.random, (1, 1, 1, 1, 2, 2, 3))
        for position, player in seat.bettors():
            self._place("main", seat, player, min(stake, player.unit_minor) if position else stake, position)
        for option, kinds in _SIDE_WAGERS:
            if getattr(self.options, option) and self.random.random() < seat.seated.skill.side_wager:
                self._place(pick(self.random, kinds), seat, seat.seated, least, 0)
        if self.options.side_streak:
            self.table.streaks.bet(self.table, self.round, seat)

    def _place(self, kind: str, seat: Seat, player: Player, stake: int, position: int, hand: int = 0) -> int:
        wager = cached_wager(kind, seat.number, stake, player.name, position, hand)
        return self.table.bet(player, wager, self.round)

    def _bet_late(self) -> None:
        """A fault: somebody bets behind a seat after the bets are closed."""
        seat = pick(self.random, self.seats)
        if len(seat.behind) < 2 and self.faults.take("wager_after_close"):
            late = self.table.crowd.newcomer()
            stake = self._stake_of("main", seat.number, 0, seat.seated)
            seq = self._place("main", seat, late, stake, len(seat.behind) + 1)
            self.faults.expect("WAGER_AFTER_CLOSE", seq=seq, seat=seat.number, player=late.name)

    def _stake_of(self, kind: str, seat: int, hand: int, player: Player) -> int:
        """A player's stake on a hand in one kind of wager; 0 where there is none."""
        wanted = (kind, seat, hand, player.name)
        wagers = self.round.wagers.values()
        return next((w.stake_minor for w in wagers if (w.kind, w.seat, w.hand, w.player) == wanted), 0)

    # Cards

    def _burn(self) -> None:
        """Burn cards before the deal, as the house elected."""
        if self.table.first_of_shoe:
            count = 1 if self.options.burn_initial == "one" else self.options.decks
        else:
            count = 0 if self.options.device == "box" or self.options.burn_later == "none" else 1
        if count and self.faults.plant("burn_missing", "BURN_MISSING"):
            count -= 1
        elif self.faults.plant("burn_surplus", "BURN_SURPLUS"):
            count += 1
        for _ in range(count):
            self.table.burn(self.round)

    def _deal(self) -> None:
        """Deal two cards to each seat, one at a time from the left, and the bank's at the end of each pass."""
        numbers = [seat.number for seat in self.seats]
        first = list(numbers)
        at = int(self.random.random() * (len(numbers) - 1)) if len(numbers) > 1 else 0
        in_order = self.round.croupier_rules.rules.regulation.deal.from_the_left  # the text of 2000 names no side
        if len(numbers) > 1 and in_order and self.faults.plant("deal_out_of_order", "DEAL_ORDER"):
            first[at], first[at + 1] = first[at + 1], first[at]
        procedure = self.options.deal_procedure
        down = procedure == 1 or (procedure == 3 and self.options.p3_player_faces == "down")
        for number in first:
            self._deal_to(number, down=down)
        self.bank.take(self.table.draw(self.round, None, "up"))
        for number in numbers:
            wrong = self.faults.plant("card_face_wrong", "EXPOSED_CARD_KEPT" if down else "CARD_FACE")
            self._deal_to(number, down=down != wrong)
        if self.options.hides_second:
            self.bank.take(self.table.draw(self.round, None, "down"), down=True)
        if not down:
            for number in numbers:
                self._announce(number, 0)

    def _deal_to(self, seat: int, *, down: bool, hand: int = 0) -> None:
        card = self.table.draw(self.round, seat, "down" if down else "up", hand)
        self.hands[seat][hand].take(card, down=down)

    def _open(self, seat: int, hand: int) -> None:
        """Turn the hidden cards of a hand."""
        dealt = self.hands[seat][hand]
        if any(dealt.down):
            for card, down in zip(dealt.cards, dealt.down, strict=True):
                if down:
                    self.round.turn(seat, card, hand)
            dealt.down = [False] * len(dealt.cards)

    def _draw_to(self, seat: int, hand: int, *, down: bool = False) -> None:
        self._deal_to(seat, down=down, hand=hand)
        self._announce(seat, hand)

    def _announce(self, seat: int, hand: int) -> None:
        if self.table.plan.announce:
            self.round.announce(seat, best_points(self.hands[seat][hand].ranks), hand)

    # Before the turns

    def _before_the_turns(self) -> bool:
        """Insurance, even money, the check of the hidden card, surrender; returns whether the bank's natural ends the round."""
        up = self.bank.ranks[0]
        if up in TEN_OR_ACE:
            for seat in self.seats:
                self._offer(seat)
        checked = True
        if self.options.checks_hole and up in TEN_OR_ACE:
            checked = not (
                self.faults.wants("hole_card_not_checked")
                and any("hit" in self.round.allowed(seat.number) for seat in self.seats)
                and self.faults.plant("hole_card_not_checked", "HOLE_NOT_CHECKED")
            )
            if checked and "A" in self.bank.ranks and best_points(self.bank.ranks) == 21:
                self.round.check_hole("natural")
                self.round.turn(None, self.bank.cards[1])
                return True
            if checked:
                self.round.check_hole("")
        if checked:
            for seat in self.seats:
                self._offer_surrender(seat)
        return False

    def _offer(self, seat: Seat) -> None:
        number, player, roll = seat.number, seat.seated, self.random.random()
        allowed = self.round.allowed(number)
        if "even_money" in allowed and roll < player.skill.even_money:
            self.round.decide(number, "even_money", player.name)
        elif "insurance" in allowed and roll < player.skill.insurance:
            least, most = self.options.insurance_accepts
            part = least or most
            stake = Fraction(self._stake_of("main", number, 0, player)) * part
            self.round.decide(number, "insurance", player.name)
            self._place("insurance", seat, player, int(stake), 0)

    def _offer_surrender(self, seat: Seat) -> None:
        """Surrender, before anybody draws, as the law requires."""
        ranks = self.hands[seat.number][0].ranks
        gives_up = self.bank.ranks[0] in seat.seated.skill.surrenders.get(best_points(ranks), "")
        if gives_up and not is_soft(ranks) and "surrender" in self.round.allowed(seat.number):
            self.round.decide(seat.number, "surrender", seat.seated.name)

    # The turns

    def _turn_order(self) -> list[Seat]:
        """The seats from the left, unless a fault lets one act before its turn."""
        seats = list(self.seats)
        if not self.faults.wants("decision_out_of_order"):
            return seats
        for at in range(len(seats) - 1):
            both = all("hit" in self._choices(seat.number) for seat in seats[at : at + 2])
            if both and self.faults.plant("decision_out_of_order", "DECISION_ORDER"):
                seats[at], seats[at + 1] = seats[at + 1], seats[at]
                break
        return seats

    def _turn(self, seat: Seat) -> None:
        number, hand = seat.number, 0
        while hand < len(self.hands[number]):
            while (allowed := self._choices(number, hand) - _OUTSIDE_TURN) - {"stand"}:
                view = View(self.hands[number][hand].ranks, self.bank.ranks[0], allowed)
                action = seat.seated.skill.choose(view, self.random)
                self._act(seat, hand, action)
                self._show_bust(number, hand)
                if action == "stand":  # a player who wants half for five cards asks for it at once
                    break
            hand += 1
        settle_immediately(self.table, self.round, number)

    def _choices(self, seat: int, hand: int = 0) -> frozenset[str]:
        """The decisions that players consider: none draws at 21, though the text of 2000 allows it."""
        allowed = self.round.allowed(seat, hand)
        return allowed - {"hit"} if best_points(self.hands[seat][hand].ranks) == MOST else allowed

    def _show_bust(self, seat: int, hand: int) -> None:
        """Turn the hidden cards of a hand over 21 at once, unless a fault delays it."""
        if best_points(self.hands[seat][hand].ranks) <= MOST or not any(self.hands[seat][hand].down):
            return
        if not self.faults.plant("bust_shown_late", "BUST_NOT_SHOWN"):
            self._open(seat, hand)

    def _act(self, seat: Seat, hand: int, action: str) -> None:
        number = seat.number
        self.round.decide(number, action, seat.seated.name, hand)
        if action == "hit":
            self._draw_to(number, hand)
        elif action == "double":
            self._add_stakes("double", seat, hand, hand)
            down = (
                self.faults.wants("double_card_down")
                and self.round.must_lie_open(number, hand, "DOUBLE_CARD_DOWN")  # not by the text of 2000
                and self.faults.plant("double_card_down", "DOUBLE_CARD_DOWN")
            )
            self._draw_to(number, hand, down=down)
        elif action == "split":
            new_hand = len(self.hands[number])
            self.hands[number].append(self.hands[number][hand].split())
            self._add_stakes("split", seat, hand, new_hand)
            self._draw_to(number, hand)
            self._draw_to(number, new_hand)

    def _add_stakes(self, kind: str, seat: Seat, hand: int, new: int) -> None:
        """Place the seated player's second stake, and those of players behind who follow."""
        for position, player in seat.bettors():
            stake = self._stake_of("main" if hand == 0 else "split", seat.number, hand, player)
            if not stake or (position and self.random.random() < 0.5):
                continue
            unequal = kind == "double" and not position and self.faults.take("double_unequal")
            seq = self._place(kind, seat, player, 2 * stake if unequal else stake, position, new)
            if unequal:
                self.faults.expect("STAKE_UNEQUAL", seq=seq, seat=seat.number, player=player.name)

    # The bank

    def _play_bank(self) -> Judgement[BankOutcome] | None:
        """Play the bank's hand; returns the outcome that the croupier assumes where it differs from the lawful one."""
        options = self.options
        burns_before_second = options.burn_later == "round_start_and_bank_second" and not options.hides_second
        if any(self.bank.down):
            self.round.turn(None, self.bank.cards[1])
        while self._bank_draws():
            if len(self.bank.ranks) == 1 and burns_before_second:
                self.table.burn(self.round)
            elif len(self.bank.ranks) > 1 and self.faults.plant("bank_stopped_short", "BANK_DID_NOT_DRAW"):
                return None
            self._draw_bank()
        points = best_points(self.bank.ranks)
        finished = 17 <= points < 21 and not is_soft(self.bank.ranks) and self.round.awaited() is Awaited.HAND
        if not finished or not self.faults.plant("bank_overdrew", "BANK_SURPLUS_CARD"):
            return None
        self._draw_bank()
        as_if = _ASSUMED_CARDS.get(best_points(self.bank.ranks), _ASSUMED_BUST)
        return self.round.croupier_rules.evaluator.bank(
            History(Awaited.HAND, tuple(Dealt(Card(rank)) for rank in as_if))
        ).value

    def _bank_draws(self) -> bool:
        state = self.round.bank_state
        return isinstance(state, BankState) and state.draws(self.round.awaited(), self.table.croupier_rules.rules)

    def _draw_bank(self) -> None:
        self.bank.take(self.table.draw(self.round, None, "up"))
        if self.table.plan.announce:
            self.round.announce(None, best_points(self.bank.ranks))
