"""Folds a round's history through the machines of a round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from replayer.law.black_jack.dealing import CARD_FACE, CARD_WITHOUT_BET, EXPOSED_CARD_KEPT
from replayer.law.black_jack.marks import (
    BANK_OPENED,
    DEAL_ENDS,
    DECLARED_VOID,
    FIRST_CARD,
    FIRST_PLAY,
    PAID,
    SECOND_CARD,
    SHUFFLED,
    SHUFFLED_AGAIN,
    START,
    WHITE_CARD_OUT,
    bank_card,
    burn,
    card,
    later_burn,
    white_card,
)
from replayer.law.black_jack.round_state import RoundState, stands
from replayer.law.black_jack.rules import Rules
from replayer.machine import HERE, Violation
from replayer.outcomes import Breach, IfDealtRight, Judgement, RoundOutcome
from replayer.symbols import (
    BANK,
    UP,
    Burned,
    CardTo,
    Ended,
    Failed,
    Paid,
    PlayAt,
    RemovedAt,
    RoundHistory,
    RoundSymbol,
    Shuffled,
    TurnedAt,
    Voided,
    WhiteCardOut,
    WhiteCardPut,
)


@dataclass(slots=True)
class _Fold:
    """A round so far, which positions set which mark, how many there were of what, and what was found."""

    rules: Rules
    state: RoundState
    here: int = 0
    marks: dict[str, list[int]] = field(default_factory=lambda: {START: [0]})
    counts: Counter[str] = field(default_factory=Counter)
    cards: Counter[int] = field(default_factory=Counter)
    shuffled_since: list[int] = field(default_factory=list)
    went_on: int = 0  # before it was declared void, if it was
    breaches: list[Breach] = field(default_factory=list)

    def follow(self, symbol: RoundSymbol, *, stands: bool) -> None:
        """The next position of the history; a card ``stands`` unless it was taken back before anything followed on it."""
        self._mark(symbol, stands=stands)
        self.state, violations = self.state.step(symbol, self.rules, stands=stands)
        self.note(violations)
        if isinstance(symbol, Shuffled):  # what the cards before it lacked is said at their marks
            self._marks_shuffle()

    def note(self, violations: Iterable[Violation]) -> None:
        """Keep what was violated, at the positions of its mark."""
        for found in violations:  # mostly none
            positions = [self.here] if found.mark == HERE else self.marks[found.mark]
            message = found.message.format_map(self.counts)
            self.breaches += [Breach(found.code, found.article, message, position) for position in positions]

    def unfounded(self, symbols: Iterable[RoundSymbol]) -> IfDealtRight | None:
        """Whether it was declared void though nothing was wrong with it by any article, be it what the declaration excuses: told
        where play had begun and the bank has its second card."""
        told = DECLARED_VOID in self.marks and FIRST_PLAY in self.marks and self.state.bank_cards > 1
        if not told or any(isinstance(each, Failed | RemovedAt) for each in symbols):
            return None
        violation = self.rules.regulation.deal.void_unfounded(self.rules)
        excused = self.state.finish(self.rules, interrupted=False)
        broken = [each.article for each in self.breaches] + [each.article for each in excused]
        if violation is None or any(broken):
            return None
        breach = Breach(violation.code, violation.article, violation.message, *self.marks[violation.mark])
        return IfDealtRight(breach, self.went_on)

    def first(self, mark: str) -> None:
        """The first event of its kind sets the mark."""
        self.marks.setdefault(mark, [self.here])

    def _mark(self, symbol: RoundSymbol, *, stands: bool) -> None:
        match symbol:
            case CardTo(place) if place != BANK and self.state.passes.over:
                self.first(FIRST_CARD)
                self._marks_play(aside=False)
            case CardTo(place):
                self.first(FIRST_CARD)
                self._goes_on()
                if stands and not self.state.bounds.over:
                    self._counts_card(place)
            case PlayAt(_, aside):
                self._marks_play(aside=aside or not stands)
            case TurnedAt(place) if place == BANK:
                self.first(BANK_OPENED)
            case Paid():
                self.first(PAID)
            case Voided():
                self.first(DECLARED_VOID)
            case WhiteCardPut(behind):
                self._counts_white_card(behind)
            case WhiteCardOut() if not self.state.shoe.out:
                self.marks[WHITE_CARD_OUT] = [self.here]
            case Burned(face):
                self._counts_burn(seen=face == UP)

    def _counts_card(self, place: int) -> None:
        self.cards[place] += 1
        number = self.cards[place]
        self.marks[bank_card(number) if place == BANK else card(place, number)] = [self.here]
        if place == BANK and number == 2:
            self.marks[SECOND_CARD] = [self.here]

    def _marks_play(self, *, aside: bool) -> None:
        over = self.state.bounds.over
        if not over:
            self.first(DEAL_ENDS)
        if not aside:
            self._goes_on()
            if not over:
                self.first(FIRST_PLAY)

    def _goes_on(self) -> None:
        """The round goes on: what was shuffled before was shuffled in it."""
        if DECLARED_VOID not in self.marks:
            self.went_on = self.here
        if self.shuffled_since:
            self.marks.setdefault(SHUFFLED_AGAIN, []).extend(self.shuffled_since)
            self.shuffled_since.clear()

    def _marks_shuffle(self) -> None:
        if self.state.shoe.dealt:
            self.shuffled_since.append(self.here)
        self.marks[SHUFFLED] = [self.here]
        self.counts = Counter(unseen=self.counts["unseen"])

    def _counts_white_card(self, behind: int) -> None:
        self.counts["whites"] += 1
        self.counts["behind"] = behind
        self.marks[white_card(self.counts["whites"])] = [self.here]

    def _counts_burn(self, *, seen: bool) -> None:
        if self.state.burned.opens(self.rules):
            self.counts["burned"] += 1
            self.marks[burn(self.counts["burned"])] = [self.here]
        elif not seen:
            self.counts["unseen"] += 1
            self.marks[later_burn(self.counts["unseen"])] = [self.here]


def _put_right(symbols: Sequence[RoundSymbol]) -> tuple[set[int], dict[int, int]]:
    """What art. 5(1)(2) put right: the numbers of cards that do not count, and of those of the deal that may have been given to
    another place at once, with the number of the card that came there.

    A card does not count that was taken back while they were dealt, each time the last one of its place; nor does one that came
    to the bank between two plays, if it was taken back before the second; nor one to a seat in play that was taken back at once:
    the seat did not play.
    """
    standing: defaultdict[int, list[int]] = defaultdict(list)
    gone: set[int] = set()
    given: dict[int, int] = {}
    between_plays: set[int] = set()
    playing = False
    taken, of = 0, BANK  # the card that the event before took back, and its place
    for index, symbol in enumerate(symbols, 1):
        before, taken = taken, 0
        match symbol:
            case Ended() | Voided():
                break
            case CardTo(place) if before and place != of and not playing:
                given[before] = index
                standing[place].append(before)
            case CardTo(place) if place == BANK or not playing:
                standing[place].append(index)
            case PlayAt() | CardTo():
                playing = True
                gone |= between_plays
                standing.clear()
            case RemovedAt(place) if standing[place]:
                taken, of = standing[place].pop(), place
                (between_plays if playing else gone).add(taken)
                if taken in given:
                    gone.add(given.pop(taken))
            case RemovedAt(place) if index > 1 and symbols[index - 2] == PlayAt(place):
                gone.add(index - 1)
    return gone, given


def _fold(history: RoundHistory, rules: Rules) -> _Fold:
    """A history folded. Art. 5(1)(2): a card given to another place lies there as if it had been dealt to it, whatever was dealt
    in between; a history names no cards, so that it is another one where less is wrong then."""
    gone, given = _put_right(history.symbols)
    fold = _followed(history, rules, gone, {})
    if not given:
        return fold
    cards = {taken: history.symbols[later - 1] for taken, later in given.items()}
    moved = _followed(history, rules, (gone - given.keys()) | set(given.values()), cards)
    return min(fold, moved, key=lambda each: len(each.breaches))


def _followed(history: RoundHistory, rules: Rules, gone: Set[int], given: Mapping[int, RoundSymbol]) -> _Fold:
    """The same where the cards ``gone`` do not count, and those ``given`` lie at another place."""
    symbols = history.symbols
    fold = _Fold(rules, RoundState.begun(history.begin, rules))
    for fold.here, symbol in enumerate(symbols, 1):
        fold.follow(given.get(fold.here, symbol), stands=fold.here not in gone)
    fold.first(DEAL_ENDS)
    interrupted = any(isinstance(symbol, Voided | Failed) for symbol in symbols)
    fold.note(fold.state.finish(rules, interrupted=interrupted))
    return fold


_CANCELLED: Final = frozenset({CARD_WITHOUT_BET.code, CARD_FACE.code, EXPOSED_CARD_KEPT.code})
"""What is wrong with a card as it lies: nothing of a round whose cards are all cancelled (art. 5(1)(2))."""


def judge_round(history: RoundHistory, rules: Rules) -> Judgement[RoundOutcome]:
    """Whether the round's procedure was kept. X-5: where it was not, the round stands as it was played, but for art. 5(1)(2)."""
    fold = _fold(history, rules)
    void = DECLARED_VOID in fold.marks
    found = [breach for breach in fold.breaches if not (void and breach.code in _CANCELLED)]
    if found:
        rules.readings("X-5")
    breaches = tuple(sorted(found, key=lambda breach: breach.position))
    return replace(stands(rules), breaches=breaches, if_dealt_right=fold.unfounded(history.symbols))
