"""One round as it is played: facts are written, and what rules are asked with goes along with them.

Of each seat that is its state, by which the rules say what is open to it and what became of it, and its story, for bets on
first cards and for who bets behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from producers.simulator.table_writer import TableWriter
from replayer.engine.in_play import RoundInPlay
from replayer.engine.judge import Judge, Memory
from replayer.outcomes import BankOutcome, Judgement, SeatOutcome, waited_for
from replayer.states import FirstCardsState, SeatState
from replayer.symbols import DOWN, BankStory, Dealt, Decided, SeatStory, SeatSymbol, Staked
from replayer.wagers import AnyWager, Due, WagerSituation
from schemas.cards import UNKNOWN
from schemas.event import CardAt, Decision, Event, Remark, Wager


class NotJudged(RuntimeError):
    """The rules give no answer to a round that was dealt here; the message says to which part of it."""


class CroupierRules:
    """The rules in force, as a croupier asks them: :class:`replayer.engine.judge.Judge`, and what may be done next."""

    def __init__(self, judge: Judge) -> None:
        game, rules = judge.game, judge.rules
        self.judge = judge
        self.game = game
        self.rules = rules
        self.open: Memory[tuple[SeatState, int], frozenset[str]] = Memory(
            lambda asked: asked[0].open(asked[1], rules), rules
        )
        self.became: Memory[SeatState, Judgement[SeatOutcome]] = Memory(lambda state: state.became(rules), rules)
        self.bank_draws: Memory[BankStory, bool] = Memory(lambda story: game.bank.draws(story, rules), rules)


@dataclass(frozen=True, slots=True)
class Placed:
    """A wager that was placed, and the ``seq`` under which it stands."""

    wager: Wager
    seq: int


class Round:
    """A round. ``wagers`` are those placed, ``paid`` has the ``seq`` of those that were settled before the end.

    ``invalid`` says why nothing can be won or lost in it; empty where it stands.
    """

    def __init__(self, croupier_rules: CroupierRules, writer: TableWriter) -> None:
        self.croupier_rules = croupier_rules
        self.writer = writer
        self.wagers: list[Placed] = []
        self.paid: set[int] = set()
        self.invalid = ""
        self._game = croupier_rules.game
        self._rules = croupier_rules.rules
        self._in_play = RoundInPlay(self._game)
        self._states: dict[
            int, tuple[SeatState, str, int]
        ] = {}  # with the open card that it faces, and how much it followed

    # What happens

    def place(self, wager: Wager, *, carried: bool = False) -> Placed:
        """A wager is placed; one that is carried on into later rounds is none of this round's to settle."""
        placed = Placed(wager, self._write("WagerPlaced", 400, 2500, wager=wager).seq)
        if carried:
            self.writer.intact = True
        else:
            self.wagers.append(placed)
        return placed

    def close_bets(self) -> None:
        """No more bets."""
        self._write("WagersClosed", 1500, 4000)

    def burn(self) -> Event:
        """A card is burned unseen."""
        return self._write("CardBurned", 700, 1500, card=CardAt(face="down"))

    def deal(self, seat: int | None, card: str, face: str, hand: int = 0) -> Event:
        """A card is dealt to a hand, or to the bank where ``seat`` is None."""
        return self._write("CardDealt", 600, 1400, card=CardAt(seat, hand, card, face))

    def turn(self, seat: int | None, card: str, hand: int = 0) -> Event:
        """A hidden card is turned up."""
        return self._write("CardTurned", 300, 900, card=CardAt(seat, hand, card, "up"))

    def check_hole(self, found: str) -> Event:
        """The bank looks at its hidden card; ``found`` is what it saw, empty for nothing."""
        return self._write("HoleCardChecked", 1500, 3500, decision=Decision(action=found) if found else None)

    def decide(self, seat: int, action: str, player: str, hand: int = 0) -> Event:
        """A player decides."""
        return self._write("DecisionTaken", 900, 5000, decision=Decision(seat, hand, action, player))

    def announce(self, seat: int | None, points: int, hand: int = 0) -> Event:
        """A total is called out."""
        return self._write("TotalAnnounced", 300, 800, decision=Decision(seat, hand, points=points))

    def _write(self, kind: str, least: int, most: int, **bodies: Any) -> Event:
        event = self.writer.write(kind, least, most, **bodies)
        self._in_play.take(event)
        return event

    def end(self) -> None:
        """The round is over."""
        if not self.invalid and self.writer.faults.take("round_not_closed"):  # declaring it void ends a round as well
            self.writer.faults.found("ROUND_NOT_CLOSED")
            return
        self.writer.write("RoundClosed", 1000, 3000)

    def fail(self, cause: str) -> None:
        """The shuffler fails, and the round is declared void."""
        self.invalid = cause
        self.writer.write("EquipmentFailed", 2000, 9000, remark=Remark(cause))
        self.writer.write("RoundVoided", 20_000, 60_000, remark=Remark(cause))

    # What the rules say of it

    def story(self, seat: int) -> SeatStory:
        """What happened at a seat so far, with suits."""
        return self._in_play.seat_story(seat)

    def allowed(self, seat: int, hand: int = 0) -> frozenset[str]:
        """What a hand may do now."""
        return self.croupier_rules.open((self._state(seat), hand)).value

    def must_lie_open(self, seat: int, hand: int, code: str) -> bool:
        """Whether the next card of a hand must not lie face down: the rules would find ``code``."""
        state = self._state(seat).follows(Dealt(UNKNOWN, DOWN, hand), self._rules)
        return code in state.missing(self._rules)

    def seat(self, seat: int) -> Judgement[SeatOutcome]:
        """What became of a seat."""
        return self.croupier_rules.became(self._state(seat)).value

    def of_bettor(self, wager: Wager) -> Judgement[SeatOutcome]:
        """What became of a wager's seat for its bettor, who behind a seated player did not follow each split, nor ask for what
        that one asked for himself."""
        if not wager.position:
            return self.seat(wager.seat)
        beside = [placed.wager for placed in self.wagers if placed.wager.seat == wager.seat]
        mine = {each.hand for each in beside if each.player == wager.player}
        shared = self._game.shared_seats
        claims = {claim for claim in shared.claims if shared.for_himself(claim, self._rules)} if shared else set[str]()
        story = self.story(wager.seat)
        own = tuple(each for each in story.symbols if not self._is_foreign(each, mine, claims))
        if own == story.symbols:
            return self.seat(wager.seat)
        return self.croupier_rules.judge.seat(story._replace(symbols=own)).value

    @staticmethod
    def _is_foreign(symbol: SeatSymbol, mine: set[int], claims: set[str]) -> bool:
        """Whether what happened is no matter of the bettor whose hands are ``mine``."""
        if isinstance(symbol, Decided):
            return symbol.hand == 0 and symbol.action in claims
        return isinstance(symbol, Staked) and symbol.hand not in mine

    def bank_story(self) -> BankStory:
        """What happened to the bank's hand so far, and whether a seat waits for it."""
        return self._in_play.bank_story(waited_for(map(self.seat, self._in_play.seats)))

    def bank_draws(self) -> bool:
        """Whether the bank must take another card."""
        return self.croupier_rules.bank_draws(self.bank_story()).value

    def bank(self) -> Judgement[BankOutcome]:
        """What became of the bank."""
        return self.croupier_rules.judge.bank(self.bank_story()).value

    def due(self, wager: Wager, bank: Judgement[BankOutcome]) -> Due:
        """What a wager is due against a bank of which that became.

        Raises:
            NotJudged: the rules do not say.
        """
        if wager.kind in self._game.wagers.first_cards:
            opening = self._first_cards(wager.seat).became()
            situation: AnyWager = WagerSituation(wager.kind, wager.hand, opening=opening)
        else:
            situation = WagerSituation(wager.kind, wager.hand, self.of_bettor(wager).outcome, bank.outcome)
        due = self.croupier_rules.judge.wager(situation).value
        if due.odds is None:
            raise NotJudged(f"{wager.kind} at seat {wager.seat}, {self.story(wager.seat)}: {due.unjudged}")
        return due

    def due_at_once(self, wager: Wager) -> Due | None:
        """What a wager is due before play goes on to the next place; None where it waits."""
        if wager.kind in self._game.wagers.first_cards:
            return None
        situation = WagerSituation(wager.kind, wager.hand, self.seat(wager.seat).outcome)
        due = self.croupier_rules.judge.wager(situation).value
        return None if due.timing is None or due.timing.ahead_of else due

    def due_of_void(self, wager: Wager) -> Due:
        """What a wager is due where the round is invalid."""
        return self.croupier_rules.judge.void((wager.kind, self.invalid)).value

    def _state(self, seat: int) -> SeatState:
        """A seat's state, with what happened since it was last asked for."""
        upcard, happened = self._in_play.upcard, len(self._in_play.seats.get(seat, ()))
        state, faced, followed = self._states.get(seat, (self._game.seat.new, "", 0))
        if faced == upcard and followed == happened:
            return state
        if faced != upcard:
            state = state.faces(upcard)
        for symbol in self._in_play.at_seat(seat, followed):
            state = state.follows(symbol, self._rules)
        self._states[seat] = state, upcard, happened
        return state

    def _first_cards(self, seat: int) -> FirstCardsState:
        law = self._game.first_cards
        if law is None:
            raise ValueError(f"{self._game.name} has no wagers on first cards")
        cards = law.new
        for symbol in self._in_play.at_seat(seat):
            cards = cards.after(symbol)
        return cards
