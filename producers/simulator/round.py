"""Plays one round: writes its facts, and steps the states of seats and bank with them.

The states give the open decisions and the outcomes. Histories are built only on demand: for bets on first cards, for bettors
behind a seated player, and for timed decisions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from producers.simulator.croupier_rules import CroupierRules, KnownSeat
from producers.simulator.facts import Fact, cached_fact, card_fact, decision, fact
from producers.simulator.table_writer import TableWriter
from replayer.contract.cards import NOT_KNOWN, UNNAMED
from replayer.contract.machine import AnyBankState, FirstCardsState
from replayer.contract.outcomes import Awaited, BankOutcome, Judgement, SeatOutcome, waited_for
from replayer.contract.symbols import DOWN, UP, Dealt, Decided, SeatSymbol, Staked
from replayer.contract.wagers import Due, WagerSituation
from replayer.engine.event_symbols import Happened, seat_symbol
from replayer.engine.histories_in_play import HistoriesInPlay, Sequenced
from schemas.event import Remark, Wager


class NotJudged(RuntimeError):
    """The rules cannot judge a round that was dealt here; the message says which part of it."""


_symbol = lru_cache(1 << 15)(seat_symbol)
_BURNED: Final = card_fact("CardBurned", None, 0, None, "down")


class Round:
    """A round. ``wagers`` are the placed wagers by their ``seq``, ``paid`` the ``seq`` of those settled before the end.

    ``invalid`` marks a void round.
    """

    def __init__(self, croupier_rules: CroupierRules, writer: TableWriter) -> None:
        croupier_rules.begin_round()
        self.croupier_rules = croupier_rules
        self.writer = writer
        self.wagers: dict[int, Wager] = {}
        self.paid: set[int] = set()
        self.invalid = False
        self._game = croupier_rules.game
        self._rules = croupier_rules.rules
        self._seqs: list[int] = []
        self._happened: list[Happened] = []
        self._in_play = HistoriesInPlay(self._game)
        self._seats: dict[int, KnownSeat] = {}
        self._bank = croupier_rules.new_bank
        self._upcard = NOT_KNOWN
        self._bank_dealt = self._plays = False
        self._awaited: Awaited | None = None  # computed again after an event at a seat

    # What happens

    def place(self, wager: Wager, *, carried: bool = False) -> int:
        """Place a wager; a carried one is not settled by this round."""
        bet = cached_fact("WagerPlaced", wager=wager)
        seq = self._write(bet, 400, 2500)
        if wager.kind in self._game.wagers.play:
            self._step_seat(bet.happened)
        if carried:
            self.writer.intact = True
        else:
            self.wagers[seq] = wager
        return seq

    def close_bets(self) -> None:
        """No more bets."""
        self._write(cached_fact("WagersClosed"), 1500, 4000)

    def burn(self) -> int:
        """A card is burned unseen."""
        seq = self._write(_BURNED, 700, 1500)
        if self._bank_dealt:
            self._step_bank(_BURNED.happened)
        return seq

    def deal(self, seat: int | None, card: str, face: str, hand: int = 0) -> int:
        """A card is dealt to a hand, or to the bank where ``seat`` is None."""
        dealt = card_fact("CardDealt", seat, hand, card, face)
        seq = self._write(dealt, 600, 1400)
        if seat is None:
            self._bank_dealt = True
            self._step_bank(dealt.happened)
            if self._upcard == NOT_KNOWN and dealt.happened.face == UP:
                # Nothing at the seats before it depends on the bank's open card.
                upcard = self._upcard = self._game.seat.upcards.get(dealt.happened.card.rank, NOT_KNOWN)
                faces = self.croupier_rules.faces
                self._seats = {place: faces(known, upcard) for place, known in self._seats.items()}
                self._awaited = None
        else:
            self._step_seat(dealt.happened)
        return seq

    def turn(self, seat: int | None, card: str, hand: int = 0) -> int:
        """A hidden card is turned up. One of a seat has been named since it was dealt, and changes nothing."""
        turned = card_fact("CardTurned", seat, hand, card, "up")
        if seat is None:
            self._step_bank(turned.happened)
        return self._write(turned, 300, 900)

    def check_hole(self, found: str) -> int:
        """The bank looks at its hidden card; ``found`` is what it saw, empty for nothing."""
        check = decision("HoleCardChecked", None, action=found) if found else cached_fact("HoleCardChecked")
        self._step_bank(check.happened)
        return self._write(check, 1500, 3500)

    def decide(self, seat: int, action: str, player: str, hand: int = 0) -> int:
        """A player decides."""
        decided = decision("DecisionTaken", seat, hand, action, player)
        seq = self._write(decided, 900, 5000)
        actions, happened = self._game.actions, decided.happened
        if action in actions.timed:
            happened = self.in_play().seats[seat][-1].event  # with its moment
        self._step_seat(happened)
        if not self._plays and action not in actions.aside:
            self._plays = True
            self._step_bank(decided.happened)
        return seq

    def announce(self, seat: int | None, points: int, hand: int = 0) -> int:
        """A total is called out."""
        called = decision("TotalAnnounced", seat, hand, points=points)
        if seat is None:
            self._step_bank(called.happened)
        else:
            self._step_seat(called.happened)
        return self._write(called, 300, 800)

    def _write(self, fact: Fact, least: int, most: int) -> int:
        seq = self.writer.write(fact, least, most)
        self._seqs.append(seq)
        self._happened.append(fact.happened)
        return seq

    def _step_seat(self, happened: Happened) -> None:
        self._seats[happened.seat] = self.croupier_rules.follows(self._seat_now(happened.seat), happened)
        self._awaited = None

    def _step_bank(self, happened: Happened) -> None:
        self._bank = self.croupier_rules.bank_follows(self._bank, happened)

    def in_play(self) -> HistoriesInPlay:
        """The histories so far, which have suits."""
        return self._in_play.follow([*map(Sequenced, self._seqs, self._happened)])

    def end(self) -> None:
        """Close the round."""
        # A round declared void is ended too.
        if self.invalid or not self.writer.faults.plant("round_not_closed", "ROUND_NOT_CLOSED"):
            self.writer.write(cached_fact("RoundClosed"), 1000, 3000)

    def fail(self, cause: str) -> None:
        """Write that the shuffler failed and the round is void."""
        self.invalid = True
        self.writer.write(fact("EquipmentFailed", remark=Remark(cause)), 2000, 9000)
        self.writer.write(fact("RoundVoided", remark=Remark(cause)), 20_000, 60_000)

    # What the rules say of it

    def allowed(self, seat: int, hand: int = 0) -> frozenset[str]:
        """The decisions open to a hand."""
        return self.croupier_rules.open(self._seat_now(seat), hand)

    def must_lie_open(self, seat: int, hand: int, code: str) -> bool:
        """Whether the next card of a hand must not lie face down: the rules would find ``code``."""
        history = self.in_play().seat_history(seat)
        hidden = history._replace(symbols=(*history.symbols, Dealt(UNNAMED, DOWN, hand)))
        return code in {breach.code for breach in self._game.seat.judge(hidden, self._rules).breaches}

    def seat(self, seat: int) -> Judgement[SeatOutcome]:
        """The judgement of a seat."""
        return self.croupier_rules.judgement(self._seat_now(seat))

    def of_bettor(self, wager: Wager) -> Judgement[SeatOutcome]:
        """The judgement of a wager's seat for its bettor; one behind a seated player may not have matched each split, and has
        no part in what that player claimed for himself."""
        if not wager.position:
            return self.seat(wager.seat)
        mine = {each.hand for each in self.wagers.values() if each.seat == wager.seat and each.player == wager.player}
        shared = self._game.shared_seats
        claims = set[str]()
        if shared is not None:
            claims = {claim for claim in shared.claims if shared.for_himself(claim, self._rules)}
        history = self.in_play().seat_history(wager.seat)
        own = tuple(each for each in history.symbols if not self._is_foreign(each, mine, claims))
        if own == history.symbols:
            return self.seat(wager.seat)
        return self.croupier_rules.evaluator.seat(history._replace(symbols=own)).value

    @staticmethod
    def _is_foreign(symbol: SeatSymbol, mine: set[int], claims: set[str]) -> bool:
        """Whether an event does not concern the bettor whose hands are ``mine``."""
        if isinstance(symbol, Decided):
            return symbol.hand == 0 and symbol.action in claims
        return isinstance(symbol, Staked) and symbol.hand not in mine

    def awaited(self) -> Awaited:
        """What waits for the bank's hand."""
        if self._awaited is None:
            self._awaited = waited_for(map(self.seat, self._seats))
        return self._awaited

    @property
    def bank_state(self) -> AnyBankState:
        """The state of the bank's hand."""
        return self._bank.state

    def bank(self) -> Judgement[BankOutcome]:
        """The judgement of the bank."""
        return self._bank.state.so_far(self.awaited(), self._rules)

    def due(self, wager: Wager, bank: Judgement[BankOutcome]) -> Due:
        """What a wager is due against the bank's outcome."""
        if wager.kind in self._game.wagers.first_cards:
            first_cards = self._first_cards(wager.seat).outcome()
            due = self.croupier_rules.evaluator.wager(
                WagerSituation(wager.kind, wager.hand, first_cards=first_cards)
            ).value
        elif wager.position:
            seat = self.of_bettor(wager).outcome
            due = self.croupier_rules.evaluator.wager(WagerSituation(wager.kind, wager.hand, seat, bank.outcome)).value
        else:
            due = self.croupier_rules.due(wager.kind, wager.hand, self._seat_now(wager.seat), bank.outcome)
        if due.odds is None:
            raise NotJudged(
                f"{wager.kind} at seat {wager.seat}, {self.in_play().seat_history(wager.seat)}: {due.unjudged}"
            )
        return due

    def due_immediately(self, wager: Wager) -> Due | None:
        """The due of a wager that is settled before play goes on to the next place; None for others."""
        if wager.kind in self._game.wagers.first_cards:
            return None
        due = self.croupier_rules.due(wager.kind, wager.hand, self._seat_now(wager.seat), None)
        return None if due.timing is None or due.timing.ahead_of else due

    def due_of_void(self) -> Due:
        """The due of any wager in a void round."""
        return self.croupier_rules.evaluator.void("").value

    def _seat_now(self, seat: int) -> KnownSeat:
        known = self._seats.get(seat)
        return self.croupier_rules.faces(self.croupier_rules.new_seat, self._upcard) if known is None else known

    def _first_cards(self, seat: int) -> FirstCardsState:
        law = self._game.first_cards
        if law is None:
            raise ValueError(f"{self._game.name} has no wagers on first cards")
        cards = law.new
        for happened in self._happened:
            if happened.seat == seat:
                cards = cards.after(_symbol(happened, self._game.actions.timed, suited=True))
        return cards
