"""A round as its events arrive: it keeps them, and judges the histories that follow from them.

The histories (:mod:`replayer.engine.histories_in_play`) are judged by the evaluator that judges those of whole table-days. The
state holds the events without amounts and grows with them; it can be stored (pickled) after any of them. What it does not tell
is said in :mod:`replayer.engine.table_in_play`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from replayer.contract.cards import UNNAMED
from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited, BankOutcome, Breach, Judgement, RoundOutcome, SeatOutcome, waited_for
from replayer.contract.symbols import BANK, RoundStart
from replayer.contract.wagers import WHOLE_SEAT
from replayer.engine import event_symbols
from replayer.engine.evaluator import Evaluator, LastJudged, alphabets_of
from replayer.engine.event_symbols import CARD_KINDS, TAKEN, Happened, happened
from replayer.engine.histories_in_play import HistoriesInPlay, Sequenced
from replayer.engine.removed_cards import AtHand, Misdealt, collected
from replayer.engine.ruled import Ruled
from replayer.engine.shared_seats import is_nobodys
from replayer.engine.shoe_in_play import NO_SHOE, Shoe
from replayer.law import calendar  # noqa: F401 - a stored round names its game, which is found there
from schemas.event import Event, Wager


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgements of a round's seats, its bank and the round itself, by the events so far."""

    seats: Mapping[int, Ruled[Judgement[SeatOutcome]]]
    bank: Ruled[Judgement[BankOutcome]]
    round: Ruled[Judgement[RoundOutcome]]


class FoundBreach(NamedTuple):
    """A breach, the sequence number of its event, and its seat; None for breaches of the bank and of the round."""

    seq: int
    seat: int | None
    breach: Breach


@dataclass(slots=True)
class _LastJudgements:
    """The last judgements of a round under an evaluator's rules, and its histories by then, which are not stored with it."""

    evaluator: Evaluator | None = None
    seats: dict[int, LastJudged[str, SeatOutcome]] = field(default_factory=dict)
    bank: LastJudged[Awaited, BankOutcome] | None = None
    round: LastJudged[RoundStart, RoundOutcome] | None = None
    histories: HistoriesInPlay | None = None

    def __reduce__(self) -> tuple[type[_LastJudgements], tuple[()]]:
        return _LastJudgements, ()


@dataclass(slots=True)
class RoundInPlay:
    """A round so far.

    Attributes:
        events: its events in order, without those of ``prepared``.
        prepared: what was done to the shoe since the last card, in order, while a later round may take that card.
    """

    game: Game
    events: list[Sequenced] = field(default_factory=list)
    prepared: list[Sequenced] = field(default_factory=list)
    _bets: dict[int, int] = field(default_factory=dict)
    """The sequence number of the first wager of ``WagerKinds.dealt`` on each seat; a wager with no stake does not count."""
    _bettors: set[tuple[int, int, str | None]] = field(default_factory=set)
    """The seat, hand and player of each base wager."""
    _occupied: set[int] = field(default_factory=set)  # the seats on which one who sits there bets
    _dealt: dict[int, int] = field(default_factory=dict)  # the first card of the bank and of each seat
    _took: bool = False  # it was dealt a card, or one was burned in it that makes no shoe ready
    _misdealt: Misdealt = field(default_factory=Misdealt)
    _settled: set[int] = field(default_factory=set)  # the seats with a settled hand, and with any of them the bank
    _swept: set[int] = field(default_factory=set)  # those of them from which a card was then taken away
    _first: int | None = None  # of its own: what happens to the shoe before it belongs to it as well
    _shoe: Shoe | None = None
    _last: _LastJudgements = field(default_factory=_LastJudgements, compare=False, repr=False)

    def take(self, event: Event, shoe: Shoe = NO_SHOE) -> bool:
        """Take in an event of the round; ``shoe`` is the table's shoe before it, but after it in the case of a shuffle.

        Gives whether the event prepares the shoe for the next card, so that it belongs to the round that takes this one.
        """
        if self._shoe is None:
            self._shoe = shoe
        elif not self._dealt and shoe.shuffled != self._shoe.shuffled:
            self._shoe = self._shoe._replace(shuffled=shoe.shuffled)
        if self._first is None and event.round is not None:
            self._first = event.seq
        prepares = self._prepares(event, shoe)
        self._took = self._took or (event.kind in TAKEN and not prepares)
        done = self._placed(event) if event.kind == "WagerPlaced" else happened(event)
        if _names_card(done):
            self._misdealt.take(done.kind, done.card, (done.seat, done.hand))
        if done.kind == "WagerSettled" and done.said in self.game.wagers.settling:
            self._settled |= {done.seat, BANK}
        elif done.kind == "CardRemoved" and done.seat in self._settled:
            self._swept.add(done.seat)
        elif done.kind == "CardDealt":
            self._dealt.setdefault(done.seat, event.seq)
        if not self._is_nobodys(event):
            (self.prepared if prepares else self.events).append(Sequenced(event.seq, done))
        return prepares

    def _placed(self, event: Event) -> Happened:
        """A wager as the histories have it: of no kind where it has no stake, at no seat where the hand does not decide it or it
        adds to its player's own."""
        placed, wager, kinds = happened(event), event.wager, self.game.wagers
        if wager is None:
            return placed
        if wager.stake_minor <= 0:
            placed, adds = placed._replace(said=""), False
        else:
            if wager.kind in kinds.dealt:
                self._bets.setdefault(wager.seat, event.seq)
            adds = self.game.shared_seats is not None and wager.kind in kinds.base and self._adds(wager)
        return placed._replace(seat=BANK) if adds or wager.kind not in kinds.play else placed

    def _adds(self, base: Wager) -> bool:
        """Whether a base wager is added to one of its named player, who is no second bettor."""
        if base.position == 0:
            self._occupied.add(base.seat)
        bettor = (base.seat, base.hand, base.player)
        adds = bettor in self._bettors and base.player is not None
        self._bettors.add(bettor)
        return adds

    def _is_nobodys(self, event: Event) -> bool:
        """Whether an event is a claim to money that is nobody's."""
        shared, decision = self.game.shared_seats, event.decision
        if shared is None or event.kind != "DecisionTaken" or decision is None or decision.player is None:
            return False
        if decision.action not in shared.claims | self.game.actions.closing:
            return False
        bettors = {player for seat, _, player in self._bettors if seat == decision.seat}
        elsewhere = any(player == decision.player for _, _, player in self._bettors)
        return is_nobodys(decision.player, bettors, decision.seat in self._occupied, elsewhere)

    def _prepares(self, event: Event, shoe: Shoe) -> bool:
        if event.kind == "CutCardDrawn":
            return not self._took
        return event.kind in event_symbols.DONE_TO_CARDS or (event.kind == "CardBurned" and shoe.is_fresh)

    def goes_on(self, event: Event) -> bool:
        """Whether a card dealt is one that was taken away from another hand; it goes on but once."""
        if not self._misdealt.any_taken:
            return False
        dealt, misdealt = happened(event), self._misdealt
        if self._swept:  # what was collected was not misdealt
            misdealt = Misdealt()
            for _, earlier in self._in_order():
                if _names_card(earlier):
                    misdealt.follow(earlier.kind, earlier.card, (earlier.seat, earlier.hand))
        return misdealt.goes_on(dealt.card, (dealt.seat, dealt.hand))

    def take_over(self, earlier: RoundInPlay) -> None:
        """Take over what prepared the shoe in an earlier round, as no card was taken before this one."""
        prepared, earlier.prepared = earlier.prepared, []
        self.prepared = sorted((*self.prepared, *prepared)) if self.prepared else prepared

    def keep_prepared(self) -> None:
        """Keep what prepared the shoe, as a card was taken from it."""
        self.events, self.prepared = sorted((*self.prepared, *self.events)), []
        self._last = _LastJudgements()

    # What it is so far

    def _in_order(self) -> list[Sequenced]:
        """The events in order, without those that :func:`collected` cards."""
        events = sorted((*self.prepared, *self.events)) if self.prepared else self.events
        gone = set().union(*map(self._collected_at, self._swept))
        return [each for each in events if each.seq not in gone] if gone else events

    def _collected_at(self, place: int) -> set[int]:
        separating, settling = self.game.actions.separating, self.game.wagers.settling
        of_hands = {"DecisionTaken": separating, "WagerSettled": settling, "CardDealt": {""}, "CardRemoved": {""}}
        return collected(
            AtHand(seq, event.kind, None if event.said == WHOLE_SEAT or event.seat != place else event.hand)
            for seq, event in self.events
            if event.said in of_hands.get(event.kind, ())
            and (event.seat == place or (place == BANK and event.kind == "WagerSettled"))
        )

    def histories(self) -> HistoriesInPlay:
        """The histories of its seats, its bank and its own."""
        if self.prepared or self._swept:  # which events count may still change
            return HistoriesInPlay(self.game).follow(self._in_order())
        made = self._last.histories = self._last.histories or HistoriesInPlay(self.game)
        return made.follow(self.events)

    def round_start(self) -> RoundStart:
        """How the round began: the seats with wagers before their first card, or before the round's first card, and the shoe."""
        late = next(iter(self._dealt.values()), None)
        bets = [seat for seat, at in self._bets.items() if late is None or at < self._dealt.get(seat, late)]
        return RoundStart(tuple(sorted(bets)), (self._shoe or NO_SHOE).found)

    def judged(self, evaluator: Evaluator) -> Judged:
        """The judgements if nothing more happens, under an evaluator's rules; what has not changed since the last ones is not
        judged anew."""
        if self._last.evaluator is not evaluator:
            self._last = _LastJudgements(evaluator)
        last, alphabets, made = self._last, alphabets_of(self.game), self.histories()
        upcard, seats = made.upcard, dict[int, Ruled[Judgement[SeatOutcome]]]()
        for seat, events in made.seats.items():
            of_symbols, whole = partial(made.seat_symbols, events), partial(made.seat_history, seat)
            at = evaluator.seat.judge_again(upcard, events, last.seats.get(seat), alphabets.seat, of_symbols, whole)
            last.seats[seat], seats[seat] = at, at.judgement
        awaited = waited_for([each.value for each in seats.values()])
        bank_history = partial(made.bank_history, awaited)
        bank = evaluator.bank.judge_again(
            awaited, made.bank, last.bank, alphabets.bank, made.bank_symbols, bank_history
        )
        if bank.judgement.value.played:
            for seat, judgement in seats.items():
                if judgement.value.unplaced:
                    seats[seat] = evaluator.seat(made.seat_history(seat))
        start = self.round_start()
        round_ = evaluator.round.judge_again(
            start, made.round, last.round, alphabets.round, made.round_symbols, partial(made.round_history, start)
        )
        last.bank, last.round = bank, round_
        return Judged(seats, bank.judgement, round_.judgement)

    def breaches(self, judged: Judged) -> list[FoundBreach]:
        """The breaches in the round by its judgements, in the order of seats, bank, round. A void round was broken off: its hands
        breach nothing."""
        made = self.histories()
        places = [
            *((seat, made.seats[seat], judgement.value) for seat, judgement in judged.seats.items()),
            (None, made.bank, judged.bank.value),
        ]
        found = [
            FoundBreach(self._seq(sequenced, breach.position), seat, breach)
            for seat, sequenced, judgement in places
            for breach in judgement.breaches_beside(judged.bank.value)
        ]
        of_hands = [(each.breach.code, each.seq) for each in found]
        for seat, judgement in judged.seats.items():
            late = [(made.seats[seat][one.position].seq, one) for one in judgement.value.if_play_went_on]
            found += [FoundBreach(seq, seat, breach) for seq, breach in late if made.moved_on(seq, seat)]
        outcome = judged.round.value.outcome
        if any(each.event.kind == "RoundVoided" for each in made.round) or (outcome and outcome.invalid_by):
            found.clear()
        conditional = (
            each for each in judged.round.value.conditional if each.stands(of_hands, partial(self._seq, made.round))
        )
        breaches = (*judged.round.value.breaches, *(each.breach for each in conditional))
        return found + [FoundBreach(self._seq(made.round, breach.position), None, breach) for breach in breaches]

    def _seq(self, history: Sequence[Sequenced], position: int) -> int:
        """The sequence number of a position in a history; position 0 is the round's first event."""
        return history[position - 1].seq if position else self._first or 0


def _names_card(event: Happened) -> bool:
    """Whether an event is one at a card that it names."""
    return event.kind in CARD_KINDS and event.card != UNNAMED
