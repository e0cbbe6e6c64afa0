"""A round as its events arrive: it keeps the histories so far, and judges them.

The histories are those that :mod:`replayer.engine.history_rows` makes of whole table-days; the same evaluator judges them. The
state holds the events without amounts and grows with them; it can be stored (pickled) after any of them. What it does not tell
is said in :mod:`replayer.engine.table_in_play`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from replayer.contract import symbols
from replayer.contract.cards import UNNAMED
from replayer.contract.game import Game
from replayer.contract.outcomes import (
    Awaited,
    BankOutcome,
    Breach,
    Judgement,
    RoundOutcome,
    SeatOutcome,
    waited_for,
)
from replayer.contract.symbols import BANK, DOWN, BankSymbol, History, RoundStart, RoundSymbol, SeatSymbol
from replayer.contract.wagers import WHOLE_SEAT
from replayer.engine import event_symbols
from replayer.engine.evaluator import Evaluator, Extent, LastJudged, alphabets_of
from replayer.engine.event_symbols import CARD_KINDS, TAKEN, Happened, happened, without_redundant_turns
from replayer.engine.removed_cards import (
    ACTED,
    Acts,
    AtHand,
    Misdealt,
    collected,
    is_taken_back,
    taken_away,
    taken_unnamed,
)
from replayer.engine.ruled import Ruled
from replayer.engine.shoe_in_play import NO_SHOE, Shoe
from replayer.law import calendar  # noqa: F401 - a stored round names its game, which is found there
from schemas.event import Event

_SEAT: Final = frozenset((*event_symbols.SEAT_KINDS, "WagerPlaced"))
_BANK: Final = frozenset(event_symbols.BANK_KINDS)
_ROUND: Final = frozenset(event_symbols.ROUND_KINDS)
_KEPT: Final = ("CardRemoved",)
"""Repeated ones are kept, as later events tell which of them collected a card."""
_DISTINCT: Final = 1 << 16
"""How many distinct events keep their symbols."""


class Sequenced(NamedTuple):
    """An event without amounts and names, with its sequence number."""

    seq: int
    event: Happened


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgements of a round's seats, its bank and the round itself, by the events so far."""

    seats: Mapping[int, Ruled[Judgement[SeatOutcome]]]
    bank: Ruled[Judgement[BankOutcome]]
    round: Ruled[Judgement[RoundOutcome]]


class OpenCard(NamedTuple):
    """The class of the bank's open card, and the sequence number from which on a second card lay open, or was known to make the
    bank's best hand; None where none did."""

    upcard: str
    opened: int | None


class FoundBreach(NamedTuple):
    """A breach, the sequence number of its event, and its seat; None for breaches of the bank and of the round."""

    seq: int
    seat: int | None
    breach: Breach


@dataclass(slots=True)
class _LastJudgements:
    """The last judgements of a round under an evaluator's rules, which are not stored with it."""

    evaluator: Evaluator | None = None
    seats: dict[int, LastJudged[str, SeatOutcome]] = field(default_factory=dict)
    bank: LastJudged[Awaited, BankOutcome] | None = None
    round: LastJudged[RoundStart, RoundOutcome] | None = None

    def __reduce__(self) -> tuple[type[_LastJudgements], tuple[()]]:
        return _LastJudgements, ()


@dataclass(slots=True)
class RoundInPlay:
    """A round so far.

    :meth:`take` takes an event of a log and :meth:`happens` one without amounts, which is all that the simulator needs for the
    histories of seats and bank; :meth:`judged` and :meth:`breaches` are for a table in play.

    Attributes:
        seats: the events at each seat, in the order of the log; ``bank`` likewise.
        moment: the sum of the moments that have passed, see ``replayer.contract.symbols``, without those that depend on which
            cards are taken away again (:meth:`_open_card`, :meth:`_additional_card`).
        bets: the sequence number of the first wager of ``WagerKinds.dealt`` on each seat; a wager with no stake does not count.
        bettors: the seat, hand and player of each base wager: who is named and adds to it is no second bettor.
        hands_only: whether to leave out the round's own history: who plays a round needs only seats and bank.
    """

    game: Game
    hands_only: bool = False
    seats: dict[int, list[Sequenced]] = field(default_factory=dict)
    bank: list[Sequenced] = field(default_factory=list)
    moment: int = 0
    bets: dict[int, int] = field(default_factory=dict)
    bettors: set[tuple[int, int, str | None]] = field(default_factory=set)
    _occupied: set[int] = field(default_factory=set)  # the seats on which one who sits there bets
    _dealt: dict[int, int] = field(default_factory=dict)
    _own: list[Sequenced] = field(default_factory=list)  # the events of its own history
    _prepared: list[Sequenced] = field(default_factory=list)  # others, done to the shoe since the last card
    _took: bool = False  # it was dealt a card, or one was burned in it that makes no shoe ready
    _shuffled: int | None = None  # since the last card
    _open_card_so_far: OpenCard | None = None
    _settled: dict[int, list[AtHand]] = field(default_factory=dict)  # the settlements of hands, by seat
    _first_decision: int | None = None
    _plays: bool = False
    _drawn: list[int] = field(default_factory=list)  # the cards dealt since the first play
    _misdealt: Misdealt | None = None  # since a card was taken away
    _swept: bool = False  # one was taken from a seat with a settled hand
    _acted: list[int] = field(default_factory=list)  # the wagers, decisions and settlements
    _paid: bool = False
    _begun: bool = False
    _first: int | None = None  # of its own: what happens to the shoe before it belongs to it as well
    _shoe: Shoe = NO_SHOE
    _timed: set[int] = field(default_factory=set)  # the seats with timed decisions
    _last: _LastJudgements = field(default_factory=_LastJudgements, compare=False, repr=False)

    def take(self, event: Event, shoe: Shoe = NO_SHOE) -> bool:
        """Take in an event of the round; ``shoe`` is the table's shoe before it, but after it in the case of a shuffle.

        Gives whether the event prepares the shoe for the next card, so that it belongs to the round that takes this one.
        """
        if not self._begun:
            self._begun, self._shoe = True, shoe
        elif not self._dealt and shoe.shuffled != self._shoe.shuffled:
            self._shoe = self._shoe._replace(shuffled=shoe.shuffled)
        if self._first is None and event.round is not None:
            self._first = event.seq
        prepares = self._prepares(event, shoe)
        self._took = self._took or (event.kind in TAKEN and not prepares)
        done, wager = happened(event), event.wager
        if event.kind == "CardRemoved":
            self._swept = self._swept or done.seat in self._settled
            if self._misdealt is None:
                self._misdealt = Misdealt()
                for _, earlier in chain(self.bank, *self.seats.values()):
                    self._lies_or_is_taken(earlier)
        self._lies_or_is_taken(done)
        if event.kind == "WagerSettled" and wager is not None and wager.kind in self.game.wagers.settling:
            hand = None if wager.kind == WHOLE_SEAT else wager.hand
            self._settled.setdefault(wager.seat, []).append(AtHand(event.seq, event.kind, hand))
        if event.kind == "WagerPlaced" and wager is not None:
            if wager.stake_minor > 0:
                if wager.kind in self.game.wagers.dealt:
                    self.bets.setdefault(wager.seat, event.seq)
                if self.game.shared_seats and wager.kind in self.game.wagers.base:
                    if wager.position == 0:
                        self._occupied.add(wager.seat)
                    bettor = (wager.seat, wager.hand, wager.player)
                    if bettor in self.bettors and wager.player is not None:
                        self._acted.append(event.seq)
                        return prepares
                    self.bettors.add(bettor)
            elif done.said in self.game.wagers.play:
                self._acted.append(event.seq)
                self._to_seat(Sequenced(event.seq, done._replace(said="")))
                return prepares
        if not self._is_claimed_by_another(event):
            self.happens(event.seq, done, prepares=prepares)
        return prepares

    def _is_claimed_by_another(self, event: Event) -> bool:
        """Whether an event is a claim to money that is nobody's (:func:`replayer.engine.shared_seats.claims_of_others`)."""
        shared, decision = self.game.shared_seats, event.decision
        if shared is None or event.kind != "DecisionTaken" or decision is None or decision.player is None:
            return False
        if decision.action not in shared.claims | self.game.actions.closing:
            return False
        betting = {player for seat, _, player in self.bettors if seat == decision.seat}
        if not betting or betting & {decision.player, None}:
            return False
        elsewhere = any(player == decision.player for _, _, player in self.bettors)
        return len(betting) == 1 or decision.seat in self._occupied or elsewhere

    def _prepares(self, event: Event, shoe: Shoe) -> bool:
        if event.kind == "CutCardDrawn":
            return not self._took
        return event.kind in event_symbols.DONE_TO_CARDS or (event.kind == "CardBurned" and shoe.is_fresh)

    def _lies_or_is_taken(self, event: Happened) -> None:
        """Take in a card named at a hand, once it matters where each lay."""
        if self._misdealt is not None and _names_card(event):
            self._misdealt.take(event.kind, event.card, (event.seat, event.hand))

    def goes_on(self, event: Event) -> bool:
        """Whether a card dealt is one that was taken away from another hand; it goes on but once."""
        if self._misdealt is None:
            return False
        dealt, misdealt = happened(event), self._misdealt
        if self._swept:  # what was collected was not misdealt
            misdealt = Misdealt()
            for _, earlier in sorted(each for place in self._places() for each in place if _names_card(each.event)):
                misdealt.follow(earlier.kind, earlier.card, (earlier.seat, earlier.hand))
        return misdealt.goes_on(dealt.card, (dealt.seat, dealt.hand))

    def _places(self) -> Iterator[list[Sequenced]]:
        """The events at the bank and at each seat, without those that collected cards."""
        yield self.bank
        yield from map(self._at, self.seats)

    def _at(self, seat: int) -> list[Sequenced]:
        """The events at a seat without those that collected its cards."""
        gone = self._collected_at(seat)
        return [each for each in self.seats[seat] if each.seq not in gone] if gone else self.seats[seat]

    def _collected(self) -> frozenset[int]:
        """The sequence numbers of the events that :func:`collected` cards."""
        return frozenset().union(*map(self._collected_at, self._settled if self._swept else ()))

    def _collected_at(self, seat: int) -> set[int]:
        if not self._swept:
            return set()
        separating = self.game.actions.separating
        at_hands = (
            AtHand(seq, event.kind, event.hand)
            for seq, event in self.seats.get(seat, ())
            if event.kind in ("CardDealt", "CardRemoved")
            or (event.kind == "DecisionTaken" and event.said in separating)
        )
        return collected(sorted((*self._settled.get(seat, ()), *at_hands)))

    def take_over(self, earlier: RoundInPlay) -> None:
        """Take over what prepared the shoe in an earlier round, as no card was taken before this one."""
        prepared, earlier._prepared = earlier._prepared, []
        since = prepared[0].seq
        self._prepared = [*self._prepared, *prepared] if self._prepared else prepared
        if earlier._shuffled is not None and earlier._shuffled >= since:
            self._shuffled, earlier._shuffled = earlier._shuffled, None
        earlier.bank = [each for each in earlier.bank if each.seq < since or each.event.kind != "CardBurned"]
        earlier._own = earlier._without_repetitions(earlier._own, _KEPT)
        earlier._last = _LastJudgements()

    def keep_prepared(self) -> None:
        """Keep what prepared the shoe, as a card was taken from it."""
        self._own, self._prepared = self._without_repetitions(self._in_order(), _KEPT), []

    def happens(self, seq: int, event: Happened, *, prepares: bool = False) -> None:
        """Take in an event of the round, apart from its effect on the bets and the shoe."""
        kind, sequenced = event.kind, Sequenced(seq, event)
        if kind in ACTED:
            self._acted.append(seq)
        if kind in _SEAT and (kind != "WagerPlaced" or event.said in self.game.wagers.play):
            self._to_seat(sequenced)
        if event.seat == BANK and kind in _BANK and (kind != "CardBurned" or BANK in self._dealt):
            self.bank.append(sequenced)
            self._open_card_so_far = None
        if not self.hands_only and (kind in _ROUND or (kind == "WagerSettled" and not self._paid)):
            (self._prepared if prepares else self._own).append(Sequenced(seq, self._in_round(event)))
            if not self._prepared:
                self._own[-2:] = self._without_repetitions(self._own[-2:], _KEPT)
        self._passes(sequenced)

    def _to_seat(self, sequenced: Sequenced) -> None:
        event = sequenced.event
        if event.seat != BANK:
            timed = event.kind == "DecisionTaken" and event.said in self.game.actions.timed
            if timed:
                self._timed.add(event.seat)
            own = Sequenced(sequenced.seq, event._replace(moment=self.moment)) if timed else sequenced
            self.seats.setdefault(event.seat, []).append(own)
        if event.kind == "DecisionTaken" and event.said not in self.game.actions.aside and not self._plays:
            self.bank.append(sequenced)

    def _in_round(self, event: Happened) -> Happened:
        """An event as the round's own history has it (``RoundLaw.drawn_to``)."""
        playing = self._first_decision is not None
        match event.kind:
            case "DecisionTaken":
                return Happened(event.kind, event.seat, number=int(event.said in self.game.no_play))
            case "CardDealt" if playing and self.game.round.drawn_to and event.seat != BANK and self._shuffled is None:
                return Happened("DecisionTaken", event.seat)
            case "CardDealt" | "CardBurned":
                return Happened(event.kind, event.seat, face=event.face)
            case "CardTurned" | "CardRemoved":
                return Happened(event.kind, event.seat)
            case "WagerSettled":
                return Happened(event.kind)
            case "HoleCardChecked":
                return event._replace(hand=0)
            case _:
                return event

    def _passes(self, sequenced: Sequenced) -> None:
        event = sequenced.event
        match event.kind:
            case "ShoeShuffled":
                self._shuffled = sequenced.seq
            case "WagersClosed":
                self.moment |= symbols.BETS_CLOSED
            case "CardDealt":
                self._shuffled = None
                self._dealt.setdefault(event.seat, sequenced.seq)
                self.moment |= symbols.CARD_DEALT
                if self._plays:
                    self._drawn.append(sequenced.seq)
            case "HoleCardChecked":
                self.moment |= symbols.HOLE_CHECKED
            case "DecisionTaken":
                self._first_decision = sequenced.seq if self._first_decision is None else self._first_decision
                self._plays = self._plays or event.said not in self.game.actions.aside
            case "WagerSettled":
                self._paid = True

    # What it is so far

    @property
    def upcard(self) -> str:
        """The class of the bank's first open card of those that it kept (``SeatLaw.upcards``)."""
        return self._open_card().upcard

    def _open_card(self) -> OpenCard:
        """The bank's open cards so far, without those taken away."""
        if self._open_card_so_far is None:
            removed = any(event.kind == "CardRemoved" for _, event in self.bank)
            gone = taken_away(_acts(self.bank)) if removed else {}
            kept = [each for each in self.bank if each.seq not in gone]
            dealt = [each for each in kept if each.event.kind == "CardDealt"]
            up = [each for each in dealt if each.event.face == symbols.UP]
            natural = "HoleCardChecked", symbols.FOUND_NATURAL
            opened = [seq for seq, event in kept if event.kind == "CardTurned" or (event.kind, event.said) == natural]
            if self.game.seat.upcards:
                opened += [each.seq for each in up if each is not dealt[0]]
            elif dealt:  # a card that lay open while the bank was dealt to was exposed, and opens nothing
                opened = [seq for seq in opened if seq > dealt[-1].seq]
            upcard = self.game.seat.upcards.get(up[0].event.card.rank, "?") if up else "?"
            self._open_card_so_far = OpenCard(upcard, min(opened, default=None))
        return self._open_card_so_far

    def _additional_card(self) -> int | None:
        """The sequence number of the first additional card that was not taken away at once; None where there is none."""
        gone = self._taken_back()
        return next((seq for seq in self._drawn if seq not in gone), None)

    def _taken_back(self) -> set[int]:
        """The sequence numbers of the events that dealt or turned cards taken away at once."""
        places = self._places() if self._misdealt is not None else ()
        removed = [pair for place in places for pair in taken_away(_acts(place)).items()]
        return {seq for seq, by in removed if is_taken_back(seq, by, self._acted)}

    def _moved_on(self, seq: int, seat: int) -> bool:
        """Whether play had left a seat by ``seq`` (:meth:`replayer.verdicts.deadlines.PlaceOfPlay.moved_on`)."""
        gone = self._taken_back()
        before = [each for place in self._places() for each in place if each.seq < seq]
        acts = [each for each in before if each.seq not in gone and self._is_play(each.event)]
        return max(acts).event.seat != seat

    def _is_play(self, event: Happened) -> bool:
        """Whether an event is a card or a decision of the place of play; a card turned is only at the bank."""
        if event.kind == "DecisionTaken":
            return event.said not in self.game.actions.aside
        return event.kind == "CardDealt" or (event.kind == "CardTurned" and event.seat == BANK)

    def round_start(self) -> RoundStart:
        """How the round began: the seats with wagers before their first card, or before the round's first card, and the shoe."""
        late = next(iter(self._dealt.values()), None)
        bets = [seat for seat, at in self.bets.items() if late is None or at < self._dealt.get(seat, late)]
        return RoundStart(tuple(sorted(bets)), self._shoe.found)

    def seat_history(self, seat: int) -> symbols.SeatHistory:
        """A seat's history, with suits."""
        timed = self.game.actions.timed
        return History(self.upcard, tuple(_seat_symbol(each, timed, suited=True) for each in self.at_seat(seat)))

    def at_seat(self, seat: int) -> list[Happened]:
        """The events at a seat; a timed decision gets its moment."""
        events, timed = self._at(seat) if seat in self.seats else (), self.game.actions.timed
        if seat not in self._timed:
            return [event for _, event in events]
        opened, additional = self._moments()

        def passed(seq: int) -> int:
            of_bank = symbols.BANK_OPEN if opened is not None and seq >= opened else 0
            return of_bank | (symbols.ADDITIONAL_CARD if additional is not None and seq > additional else 0)

        return [
            event._replace(moment=event.moment | passed(seq)) if event.said in timed else event for seq, event in events
        ]

    def _moments(self) -> tuple[int | None, int | None]:
        """The sequence numbers on which the moments of timed decisions depend: of the bank's opened card, and of the first
        additional one."""
        return self._open_card().opened, self._additional_card()

    def bank_history(self, awaited: Awaited) -> symbols.BankHistory:
        """The bank's history."""
        suited = self.game.bank.suited
        return History(awaited, tuple(_bank_symbol(each, suited=suited) for each in self._at_bank()))

    def _at_bank(self) -> list[Happened]:
        if not self.game.bank.suited and any(event.kind == "CardRemoved" for _, event in self.bank):
            unnamed = taken_unnamed(_acts(self.bank))
            return [event._replace(card=UNNAMED) if seq in unnamed else event for seq, event in self.bank]
        return [event for _, event in self.bank]

    def _at_round(self) -> list[Sequenced]:
        """The events of the round's own history, in order."""
        if not self._prepared and self._misdealt is None:
            return self._own
        gone = self._collected()
        return self._without_repetitions([each for each in self._in_order() if each.seq not in gone])

    def _in_order(self) -> list[Sequenced]:
        return sorted((*self._prepared, *self._own), key=attrgetter("seq"))

    def _without_repetitions(self, events: list[Sequenced], also_counted: tuple[str, ...] = ()) -> list[Sequenced]:
        """Events of the round's own history, in order, without repetitions once play began."""
        if self._first_decision is None:
            return events
        counted = (*event_symbols.COUNTED, *also_counted, *(() if self.game.round.drawn_to else ("CardDealt",)))
        kept: list[Sequenced] = []
        for each in events:
            again = kept and kept[-1].event == each.event and each.event.kind not in counted
            if not again or each.seq < self._first_decision:
                kept.append(each)
        return kept

    def round_history(self) -> symbols.RoundHistory:
        """The round's history."""
        return History(self.round_start(), tuple(self._symbols_of_round()))

    def judged(self, evaluator: Evaluator) -> Judged:
        """The judgements if nothing more happens, under an evaluator's rules; what has not changed since the last ones is not
        judged anew."""
        if self._last.evaluator is not evaluator:
            self._last = _LastJudgements(evaluator)
        last, alphabets, upcard = self._last, alphabets_of(self.game), self.upcard
        timed = self._moments() if self._timed else None
        seats = dict[int, Ruled[Judgement[SeatOutcome]]]()
        for seat in sorted(self.seats):
            of_seat = Extent(upcard, len(self.seats[seat]), timed if seat in self._timed else None)
            of_symbols, whole = partial(self._symbols_at_seat, seat), partial(self.seat_history, seat)
            at = evaluator.seat.judge_again(of_seat, last.seats.get(seat), alphabets.seat, of_symbols, whole)
            last.seats[seat], seats[seat] = at, at.judgement
        of_bank = Extent(waited_for([each.value for each in seats.values()]), len(self.bank))
        bank_history = partial(self.bank_history, of_bank.begin)
        bank = evaluator.bank.judge_again(of_bank, last.bank, alphabets.bank, self._symbols_at_bank, bank_history)
        if bank.judgement.value.played:
            for seat, judgement in seats.items():
                if judgement.value.unplaced:
                    seats[seat] = evaluator.seat(self.seat_history(seat))
        of_round = Extent(self.round_start(), len(self._at_round()), self._collected())
        round_ = evaluator.round.judge_again(
            of_round, last.round, alphabets.round, self._symbols_of_round, self.round_history
        )
        last.bank, last.round = bank, round_
        return Judged(seats, bank.judgement, round_.judgement)

    def _symbols_at_seat(self, seat: int) -> list[SeatSymbol]:
        """The symbols of a seat that the automata take."""
        timed, suited = self.game.actions.timed, self.game.seat.suited
        events = without_redundant_turns(self.at_seat(seat), self.game.turns_nothing, mark_shown=False)
        return [_seat_symbol(each, timed, suited=each.card.rank in suited) for each in events]

    def _symbols_at_bank(self) -> list[BankSymbol]:
        suited = self.game.bank.suited
        events = without_redundant_turns(self._at_bank(), self.game.turns_nothing, mark_shown=True)
        return [_bank_symbol(each, suited=suited) for each in events]

    def _symbols_of_round(self) -> list[RoundSymbol]:
        return [_round_symbol(event) for _, event in self._at_round()]

    def breaches(self, judged: Judged) -> list[FoundBreach]:
        """The breaches in the round by its judgements, in the order of seats, bank, round. A void round was broken off: its hands
        breach nothing."""
        places = [
            *((seat, self._at(seat), judgement.value) for seat, judgement in judged.seats.items()),
            (None, self.bank, judged.bank.value),
        ]
        found = [
            FoundBreach(self._seq(sequenced, breach.position), seat, breach)
            for seat, sequenced, judgement in places
            for breach in judgement.breaches_beside(judged.bank.value)
        ]
        of_hands = [(each.breach.code, each.seq) for each in found]
        for seat, judgement in judged.seats.items():
            late = [(self._at(seat)[one.position].seq, one) for one in judgement.value.if_play_went_on]
            found += [FoundBreach(seq, seat, breach) for seq, breach in late if self._moved_on(seq, seat)]
        outcome, events = judged.round.value.outcome, self._at_round()
        if any(each.event.kind == "RoundVoided" for each in events) or (outcome and outcome.invalid_by):
            found.clear()
        conditional = (
            each for each in judged.round.value.conditional if each.stands(of_hands, partial(self._seq, events))
        )
        breaches = (*judged.round.value.breaches, *(each.breach for each in conditional))
        return found + [FoundBreach(self._seq(events, breach.position), None, breach) for breach in breaches]

    def _seq(self, history: Sequence[Sequenced], position: int) -> int:
        """The sequence number of a position in a history; position 0 is the round's first event."""
        return history[position - 1].seq if position else self._first or 0


def _names_card(event: Happened) -> bool:
    """Whether an event is one at a card that it names."""
    return event.kind in CARD_KINDS and event.card != UNNAMED


def _acts(events: Iterable[Sequenced]) -> Acts:
    return ((seq, event.kind, event.card, event.face == DOWN) for seq, event in events if event.kind in CARD_KINDS)


_seat_symbol = lru_cache(_DISTINCT)(event_symbols.seat_symbol)
_bank_symbol = lru_cache(_DISTINCT)(event_symbols.bank_symbol)
_round_symbol = lru_cache(_DISTINCT)(event_symbols.round_symbol)
