"""Folds a seat's history through the machines of the seat and of its hands.

The fold keeps the places of the cards and the positions of the marks, which the machines do not know.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from replayer.contract.cards import NOT_KNOWN, Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import HERE, Fold, Violation, Violations
from replayer.contract.outcomes import LAST, Breach, Judgement, Step
from replayer.contract.rules import TURNS
from replayer.contract.symbols import (
    ANOTHERS,
    DOWN,
    Called,
    Dealt,
    Decided,
    Removed,
    SeatHistory,
    SeatSymbol,
    Staked,
    Turned,
)
from replayer.law.black_jack import marks, play
from replayer.law.black_jack.claims import CLAIM
from replayer.law.black_jack.doubling import CARD_DOWN, DOUBLE_REFUSED, DOUBLING
from replayer.law.black_jack.drawing import CARD_NOT_ASKED
from replayer.law.black_jack.hand import BUST, BUSTED, MANY, NOTHING_TO_SHOW, SHOWN, Action, Cards, cards_of, many
from replayer.law.black_jack.outcome import SeatOutcome
from replayer.law.black_jack.points import CalledTotal, hard_points
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat_state import NEW_SEAT, Ended
from replayer.law.black_jack.settlement import DOUBLE
from replayer.law.black_jack.splitting import MADE, SPLIT_NO_PAIR, SPLIT_TOO_OFTEN
from replayer.law.codes import CARD_ABSENT


class LaidHand(LaidCards):
    """A player's hand on the table, with the positions of its cards and of the events that set its marks.

    Attributes:
        totals: the total announced since each card, by the position that dealt it.
        marks: the position of each mark.
        down_at: the positions that dealt it a card face down since it was doubled, in order.
        unclaimed: what had ended it before a claim closed it.
    """

    __slots__ = ("down_at", "marks", "totals", "unclaimed")

    def __init__(self, made_at: int = 0) -> None:
        super().__init__()
        self.totals: dict[int, int] = {}
        self.marks = {MADE: made_at}
        self.down_at: dict[int, None] = {}
        self.unclaimed = ""

    def counted(self) -> tuple[Cards, CalledTotal]:
        """Its cards as the rules see them, and which of their totals was announced."""
        few = len(self.cards) < MANY  # of more cards, only the points matter
        cards = cards_of(self) if few else many(self.counts)
        return cards, cards.called(self.totals.get(self.last_at, 0))

    def where(self, mark: str) -> int:
        """The position that set a mark."""
        if mark == marks.LAST_CARD:
            return self.last_at
        return next(iter(self.down_at)) if mark == CARD_DOWN else self.marks.get(mark, 0)


REFUSALS: Final = frozenset({DOUBLE_REFUSED, SPLIT_NO_PAIR, SPLIT_TOO_OFTEN, play.DECISION_AFTER_FINAL})
"""Of doubles and splits (arts. 16(1), 17(1)). What is refused leaves the hand as it was, unless what follows tells that it was
carried out all the same (:func:`nothing_came_of`)."""


class SeatFold(Fold[SeatSymbol]):
    """The machines of a seat so far, its hands on the table, and the breaches; ``if_play_went_on`` and ``if_bank_played`` as in
    :class:`replayer.contract.outcomes.Judgement`. ``named_late`` are the cards that were named when turned, by the positions that
    dealt them; ``known_late`` are such cards of a history that names them from the deal on."""

    def __init__(self, history: SeatHistory, rules: Rules, known_late: Collection[int] = ()) -> None:
        super().__init__()
        self.rules = rules
        self.symbols = history.symbols
        self.known_late = known_late
        self.state = NEW_SEAT.faces(history.begin)
        self.laid = [LaidHand()]
        self.not_asked: set[int] = set()  # the positions of the cards that lie there and that nobody asked for
        self.strays: list[Breach] = []  # such cards, removed or not, since the last decision or other card
        self.not_owed: set[int] = set()  # the positions of cards that could not be asked for
        # What had ended the hand but its cards, by the position of a card that came after.
        self.ended_by: dict[int, str] = {}
        self.if_play_went_on: list[Breach] = []
        self.if_bank_played: list[Breach] = []
        self.noted = 0  # the hand at which violations are noted
        self.action = ""  # the decision under way, for messages
        self.played_at = 0
        self.followed_at = defaultdict[int, int](int)  # by hand, its last total, decision or card after the deal
        self.turns_missed = False
        self.named_late: dict[int, Card] = {}
        self.carried_out: set[int] = set()  # the positions of decisions that were refused and carried out

    def follow(self, symbol: SeatSymbol) -> None:
        """Take the next symbol of the seat."""
        self.action = symbol.action if isinstance(symbol, Decided) else ""
        self._add_missing_hands(symbol)
        match symbol:
            case Turned(card, number):
                self._turn(number, card)
            case Removed(card, number):
                self._remove(number, card)
            case _:
                self._step(symbol)

    def where(self, mark: str) -> Sequence[int]:
        """The position that a violation with a mark points at: each hand has its own marks."""
        position = self.laid[self.noted].where(mark) if mark != HERE else 0
        return (position or self.here,)

    def named(self, mark: str) -> Mapping[str, object]:
        """The hand's cards and the decision under way."""
        return {"cards": " ".join(self.laid[self.noted].ranks), "action": self.action}

    def note_at(self, number: int, violations: Violations, *, at_end: bool = False) -> None:
        """Note violations at a hand."""
        self.noted, before = number, len(self.breaches)
        self.note(violations, at_end=at_end)
        for breach in self.breaches[before:]:
            if breach.code == CARD_NOT_ASKED:
                self.not_asked.add(breach.position)
                self.strays.append(breach)

    def _add_missing_hands(self, symbol: SeatSymbol) -> None:
        """Add the hands up to the symbol's own that no decision made."""
        self.note_at(0, self.state.unmade(symbol, self.rules))
        while symbol.hand >= len(self.laid):
            self.state, pair, violations = self.state.grown(symbol, self.rules)
            self.note_at(pair, violations)
            self._lay_new_hand(pair)

    def _lay_new_hand(self, number: int) -> None:
        """Lay a hand made by a split, with the last card of a pair."""
        laid, new = self.laid[number], LaidHand(made_at=self.here)
        if len(laid.cards) == 2 and self.state.hands[number].cards.size == 1:
            new.lay(laid.take_last())
        laid.totals.clear()
        self.laid.append(new)

    # What happens

    def _step(self, symbol: SeatSymbol) -> None:
        number, before = symbol.hand, self.state
        hand, laid = before.hand(number), self.laid[number]
        self._mark(symbol)
        self.state, violations = before.step(symbol, self.rules, all_open=not laid.lying)
        refusals = [found for found in violations if found.code in REFUSALS]
        if refusals:
            staked = hand.double_staked and not hand.doubled
            if not before.staked and nothing_came_of(self.symbols, self.here, before.size, staked=staked):
                self.state = before
                violations = tuple(replace(each, message=f"{each.message}; not carried out") for each in refusals)
            else:
                self.carried_out.add(self.here)
        if self.state.hand(number).closed and not hand.closed:
            laid.unclaimed = hand.ended
        match symbol:
            case Dealt(card, face):
                if hand.asked and not play.owed_as_asked(hand, self.rules):
                    self.not_owed.add(self.here)
                ended = self.ended_by.get(laid.last_at, "") if hand.ended == BUSTED else hand.ended
                if ended:
                    self.ended_by[self.here] = ended
                laid.lay(LaidCard(card, self.here, hidden=face == DOWN, unnamed=self.here in self.known_late))
                if face == DOWN and self.state.hands[number].doubled:
                    laid.down_at[self.here] = None
            case Called(points):
                laid.totals[laid.last_at] = points
        of_the_deal = isinstance(symbol, Dealt) and not self.played_at and hand.cards.size < 2
        if not of_the_deal and not isinstance(symbol, Staked):
            self.followed_at[number] = self.here
        if violations:
            self.note_at(number, violations)
        if self.here not in self.not_asked and not isinstance(symbol, Called):
            self.strays.clear()
        if self.state.played and not before.played:
            self.played_at = self.here
        if self.state.size > before.size:
            self._lay_new_hand(number)
        elif self.state.hand(number).cards.size < hand.cards.size:
            self.laid[before.staked[0]].lay(laid.take_last())  # the stake came first, and separated nothing
            laid.totals.clear()

    def _mark(self, symbol: SeatSymbol) -> None:
        own = self.laid[symbol.hand].marks
        match symbol:
            case Staked(kind) if kind == DOUBLE:
                own.setdefault(DOUBLING, self.here)
            case Decided(Action.DOUBLE.value):
                own[DOUBLING] = self.here
            case Decided(Action.TAKE_PRIZE.value):
                hand = self.state.hands[symbol.hand]
                if not play.passes_over(hand, Action.TAKE_PRIZE, self.state, self.rules):
                    own[CLAIM] = self.here

    def _turn(self, number: int, card: Card) -> None:
        """Turn a card, which may get its name now."""
        laid = self.laid[number]
        lies = laid.turn(card, self.here)
        if lies is None:
            self._absent(number, f"{card} was turned, the hand has none")
        elif lies.card != lies.was:
            self.named_late[lies.dealt_at] = lies.card
            self.state = self.state.with_hand(number, play.name(self.state.hands[number], *laid.counted()))

    def _remove(self, number: int, card: Card) -> None:
        """Remove a card; another may replace it, unless nobody asked for the card or could. Such a one is rightly removed."""
        laid = self.laid[number]
        taken = laid.take(card)
        if taken is None:
            self._absent(number, f"{card} was removed, the hand has none")
            return
        laid.down_at.pop(taken.dealt_at, None)
        asked = taken.dealt_at not in self.not_asked
        owed = asked and taken.dealt_at not in self.not_owed
        if not asked:
            self.not_asked.remove(taken.dealt_at)
            self._forgive()
        elif owed:
            deal, followed = self.rules.regulation.deal, self.followed_at[number] > taken.dealt_at
            if followed or self.state.hands[number].cards.bust:
                ended = "" if followed else "it had bust the hand"
                self.note_at(number, (deal.no_correction(f"the {card}", ended),))
            elif self.played_at < taken.dealt_at and (self.played_at or not self.rules.records("decisions")):
                self.note_at(number, (deal.taken_back(f"the {card}"),))
        drawn, down = 0 < self.played_at < laid.last_at, bool(laid.down_at)
        ended = self.ended_by.get(taken.dealt_at, "")
        hand = play.take_away(
            self.state.hands[number], ended, laid.unclaimed, *laid.counted(), drawn=drawn, down=down, owed=owed
        )
        self.state = self.state.with_hand(number, hand)

    def _forgive(self) -> None:
        """Art. 5(1)(2): a card that nobody asked for does not count if it was removed before any decision or further card that
        stays."""
        while self.strays and self.strays[-1].position not in self.not_asked:
            not_asked = self.strays.pop()
            newest_first = reversed(range(len(self.breaches)))
            del self.breaches[next(at for at in newest_first if self.breaches[at] is not_asked)]

    def _absent(self, number: int, message: str) -> None:
        self.note_at(number, (Violation(CARD_ABSENT, self.rules.regulation.deal.cite(), message),))

    # The end

    def finish(self, number: int) -> Ended:
        """A hand when the history ends; what is missing is noted."""
        laid = self.laid[number]
        ended = self.state.ended(number, self.rules, all_open=not laid.lying)
        if (left := ended.if_bank_played) is not None:
            self.if_bank_played.append(left.at(laid.where(left.mark)))
        self.note_at(number, ended.violations, at_end=True)
        if self.state.must_show(number, self.rules) and any(card.hidden for card in laid.cards.values()):
            if TURNS in self.rules.recorded:
                self._show(number)
            else:
                self.turns_missed = True
        return ended

    def _show(self, number: int) -> None:
        """Check, with the hand's final cards, whether and when they were shown. A card that was taken away is no play."""
        laid, showing = self.laid[number], NOTHING_TO_SHOW
        stay = {at for each in self.laid for at in each.cards}
        turned = {lies.turned_at: lies.card for lies in laid.cards.values() if lies.turned_at}
        for position, symbol in enumerate(self.symbols, 1):
            before = showing
            if (lies := laid.cards.get(position)) is not None and isinstance(symbol, Dealt):
                showing = showing.after(Dealt(lies.card, symbol.face), self.rules) or before
                if showing.over and not before.over:
                    laid.marks[BUST] = position
            elif position in turned:
                showing = showing.after(Turned(turned[position]), self.rules) or before
                if showing.over and showing != before:
                    laid.marks[SHOWN] = position
            elif isinstance(symbol, Decided) or (isinstance(symbol, Dealt) and symbol.face and position in stay):
                showing = showing.after(Decided(""), self.rules) or before  # play goes on, wherever at the seat
        violation, if_went_on = showing.finish(self.rules)
        if violation is not None:
            self.note_at(number, (violation,), at_end=True)
        if if_went_on is not None:
            self.if_play_went_on.append(if_went_on.at(laid.marks[SHOWN] - len(self.symbols) + LAST))


def follow(history: SeatHistory, rules: Rules) -> SeatFold:
    """Follow a seat's history. A card that was named when it was turned counts as named from the deal on, because its player saw
    it."""
    fold = SeatFold(history, rules)
    fold.follow_all(history.symbols)
    late = fold.named_late
    if not late:
        return fold
    as_named = [
        replace(symbol, card=late[at]) if isinstance(symbol, Dealt) and at in late else symbol
        for at, symbol in enumerate(history.symbols, 1)
    ]
    fold = SeatFold(history._replace(symbols=tuple(as_named)), rules, late)
    fold.follow_all(as_named)
    return fold


def judge_seat(history: SeatHistory, rules: Rules, *, steps: bool = False) -> Judgement[SeatOutcome]:
    """The judgement of a seat's history."""
    fold = follow(history, rules)
    hands = [fold.finish(number) for number in range(len(fold.laid))]
    return replace(
        fold.state.of_hands(hands, rules),
        breaches=tuple(fold.breaches),
        steps=tuple(_steps(hands, fold)) if steps else (),
        not_checked=tuple(fold.state.not_checked(rules, turns_missed=fold.turns_missed)),
        if_play_went_on=tuple(fold.if_play_went_on),
        if_bank_played=tuple(fold.if_bank_played),
    )


def carried_out(history: SeatHistory, rules: Rules) -> Collection[int]:
    """The positions of decisions that were refused and carried out; none where cards tell that of all."""
    if not any_declined([each for each in history.symbols if not isinstance(each, Staked)]):
        return ()
    return follow(history, rules).carried_out


def _steps(hands: Sequence[Ended], fold: SeatFold) -> Iterator[Step]:
    """The values of the hands, for the explanation."""
    law = fold.rules.regulation
    for number, (hand, laid) in enumerate(zip(hands, fold.laid, strict=True)):
        cards, outcome = " ".join(laid.ranks), hand.outcome
        if outcome is None:
            continue
        if outcome.natural:
            step = law.natural.defines(cards)
        elif outcome.split_21:
            step = law.natural.after_split(cards)
        elif outcome.bust:
            points = hard_points(tuple(laid.ranks))
            least = " at least" if NOT_KNOWN in laid.ranks else ""
            step = Step(law.scoring.cite(*law.scoring.bust), f"{cards} is {points}{least}: over 21")
        elif not outcome.points:  # of a hand that its player closed, and a card of it is not named
            continue
        else:
            step = law.values.counts(cards, outcome.points)
        yield replace(step, hand=number)


def hands(history: SeatHistory, rules: Rules) -> list[list[Card]]:
    """The cards of each of a seat's hands, in the order dealt."""
    return [list(laid) for laid in follow(history, rules).laid]


# Doubles and splits that the table did not carry out


def nothing_came_of(symbols: Sequence[SeatSymbol], position: int, hands: int, *, staked: bool = False) -> bool:
    """Whether the double or split at a position, from 1, was not carried out; ``hands`` is how many hands the seat had,
    ``staked`` whether the stake for the double was placed before.

    A split was where anything happens at a further hand before the next split is asked for; a double where its stake, or a card
    that stays, comes before the next play of the hand; either where the stake of another bettor on the seat shows it.
    """
    match symbols[position - 1 : position + 1]:
        case [_, Staked(kind)] if kind == ANOTHERS:
            return False
        case [Decided(Action.SPLIT.value), *_]:
            return not _at_further_hand(symbols, position, hands)
        case [Decided(Action.DOUBLE.value, _, hand), *_]:
            return not (staked or _staked_or_dealt(symbols, position, hand))
    return False


def _at_further_hand(symbols: Sequence[SeatSymbol], position: int, hands: int) -> bool:
    for at in range(position, len(symbols)):
        symbol = symbols[at]
        if symbol.hand >= hands:
            return True
        if isinstance(symbol, Decided) and symbol.action == Action.SPLIT:
            return False
    return False


def _staked_or_dealt(symbols: Sequence[SeatSymbol], position: int, hand: int) -> bool:
    dealt = 0
    for at in range(position, len(symbols)):
        symbol = symbols[at]
        if symbol.hand != hand:
            continue
        match symbol:
            case Decided(action) if action in play.PLAYS:
                break
            case Staked(kind) if kind == DOUBLE:
                return True
            case Dealt():
                dealt += 1
            case Removed():
                dealt -= 1
    return dealt > 0


def any_declined(symbols: Sequence[SeatSymbol]) -> bool:
    """Whether a double or split, refused or not, was not carried out."""
    hands = 1
    for position, symbol in enumerate(symbols, 1):
        if nothing_came_of(symbols, position, hands):
            return True
        split = isinstance(symbol, Decided) and symbol.action == Action.SPLIT
        hands = max(hands + split, symbol.hand + 1)
    return False
