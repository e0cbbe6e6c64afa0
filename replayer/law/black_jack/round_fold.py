"""Folds a round's history through the machines of a round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from replayer.contract.machine import Fold
from replayer.contract.outcomes import IfDealtRight, Judgement, RoundOutcome
from replayer.contract.symbols import (
    BANK,
    UP,
    BankLooked,
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
from replayer.law.black_jack.dealing import CARD_FACE, CARD_WITHOUT_BET, EXPOSED_CARD_KEPT
from replayer.law.black_jack.drawing import CARD_NOT_ASKED, CARD_NOT_GIVEN
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
    burn,
    card,
    later_burn,
    white_card,
)
from replayer.law.black_jack.round_state import RoundState, stands
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.splitting import HAND_WITHOUT_SPLIT

_MISDEALT: Final = frozenset({CARD_NOT_ASKED.code, HAND_WITHOUT_SPLIT.code})
_NOT_GIVEN: Final = frozenset({CARD_NOT_GIVEN.code})


@dataclass(slots=True)
class _Fold(Fold[RoundSymbol]):
    """The round so far, and the numbers for messages. The cards at the positions ``gone`` do not count, those ``moved`` lie
    at another place."""

    rules: Rules
    state: RoundState
    gone: Set[int]
    moved: Mapping[int, RoundSymbol]
    counts: Counter[str] = field(default_factory=Counter)
    cards: Counter[int] = field(default_factory=Counter)
    shuffled_since: list[int] = field(default_factory=list)
    shuffled_again: list[int] = field(default_factory=list)
    begun: bool = False  # whether a seat played or the bank looked before the round was declared void
    went_on: int = 0  # the last position at which the round went on, before it was declared void

    def follow(self, symbol: RoundSymbol) -> None:
        """Take the next symbol; a card ``stands`` unless it was taken back before anything followed on it."""
        symbol, stands = self.moved.get(self.here, symbol), self.here not in self.gone
        self._mark(symbol, stands=stands)
        self.state, violations = self.state.step(symbol, self.rules, stands=stands)
        self.note(violations)
        if isinstance(symbol, Shuffled):  # after the violations of the cards before it, which need their own marks
            self._marks_shuffle()

    def where(self, mark: str) -> Sequence[int]:
        """The positions that a violation with a mark points at; all shuffles during the round have one mark."""
        return self.shuffled_again if mark == SHUFFLED_AGAIN else Fold.where(self, mark)

    def named(self, mark: str) -> Mapping[str, object]:
        """The numbers so far."""
        return self.counts

    def unfounded(self, symbols: Iterable[RoundSymbol]) -> IfDealtRight | None:
        """The breach of declaring the round void though it broke no article, not even one that the declaration excuses. Judged
        only where a seat had played or the bank had looked: before that a card may have come too soon."""
        judged = DECLARED_VOID in self.marks and self.begun
        if not judged or any(isinstance(each, Failed | RemovedAt) for each in symbols):
            return None
        violation = self.rules.regulation.deal.void_unfounded(self.rules)
        excused = self.state.finish(self.rules, interrupted=False)
        broken = [each.article for each in self.breaches] + [each.article for each in excused]
        if violation is None or any(broken):
            return None
        return IfDealtRight(violation.at(self.marks[violation.mark]), self.went_on, _MISDEALT, _NOT_GIVEN)

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
            case BankLooked():
                self._begins()
            case Paid():
                self.first(PAID)
            case Voided():
                self.first(DECLARED_VOID)
            case WhiteCardPut(behind):
                self._counts_white_card(behind)
            case WhiteCardOut() if not self.state.shoe.out:
                self.marks[WHITE_CARD_OUT] = self.here
            case Burned(face):
                self._counts_burn(seen=face == UP)

    def _counts_card(self, place: int) -> None:
        self.cards[place] += 1
        number = self.cards[place]
        self.marks[card(place, number)] = self.here
        if place == BANK and number == 2:
            self.marks[SECOND_CARD] = self.here

    def _marks_play(self, *, aside: bool) -> None:
        if not self.state.bounds.over:
            self.first(DEAL_ENDS)
        if not aside:
            self._goes_on()
            self._begins()
            self.first(FIRST_PLAY)

    def _begins(self) -> None:
        """A seat played, or the bank looked at its hidden card: the deal is done."""
        self.begun |= DECLARED_VOID not in self.marks

    def _goes_on(self) -> None:
        """The round goes on, so that the shuffles before were made during it."""
        if DECLARED_VOID not in self.marks:
            self.went_on = self.here
        self.shuffled_again += self.shuffled_since
        self.shuffled_since.clear()

    def _marks_shuffle(self) -> None:
        if self.state.shoe.dealt:
            self.shuffled_since.append(self.here)
        self.marks[SHUFFLED] = self.here
        self.counts = Counter(unseen=self.counts["unseen"])

    def _counts_white_card(self, behind: int) -> None:
        self.counts["whites"] += 1
        self.counts["behind"] = behind
        self.marks[white_card(self.counts["whites"])] = self.here

    def _counts_burn(self, *, seen: bool) -> None:
        if self.state.burned.opens(self.rules):
            self.counts["burned"] += 1
            self.marks[burn(self.counts["burned"])] = self.here
        elif not seen:
            self.counts["unseen"] += 1
            self.marks[later_burn(self.counts["unseen"])] = self.here


def _corrections(symbols: Sequence[RoundSymbol]) -> tuple[set[int], dict[int, int]]:
    """Corrections by art. 5(1)(2): the numbers of the cards that do not count, and of the dealt cards that may have been moved to
    another place at once, each with the number of the card that came there.

    A card does not count if it was taken back during the deal, as the last one of its place; if it came to the bank between two
    plays and was taken back before the second; or if it came to a seat in play and was taken back at once, as if the seat had not
    played.
    """
    standing: defaultdict[int, list[int]] = defaultdict(list)
    gone: set[int] = set()
    moved: dict[int, int] = {}
    between_plays: set[int] = set()
    playing = False
    taken, taken_from = 0, BANK  # the card that the event before took back, and its place
    for index, symbol in enumerate(symbols, 1):
        before, taken = taken, 0
        match symbol:
            case Ended() | Voided():
                break
            case CardTo(place) if before and place != taken_from and not playing:
                moved[before] = index
                standing[place].append(before)
            case CardTo(place) if place == BANK or not playing:
                standing[place].append(index)
            case PlayAt() | CardTo():
                playing = True
                gone |= between_plays
                standing.clear()
            case RemovedAt(place) if standing[place]:
                taken, taken_from = standing[place].pop(), place
                (between_plays if playing else gone).add(taken)
                if taken in moved:
                    gone.add(moved.pop(taken))
            case RemovedAt(place) if index > 1 and symbols[index - 2] == PlayAt(place):
                gone.add(index - 1)
    return gone, moved


def _fold(history: RoundHistory, rules: Rules) -> _Fold:
    """Fold a history. Art. 5(1)(2): a card moved to another place counts as dealt there, whatever was dealt in between. A history
    names no cards, so that a card counts as moved where that leaves fewer breaches."""
    gone, moved = _corrections(history.symbols)
    fold = _fold_corrected(history, rules, gone, {})
    if not moved:
        return fold
    cards = {taken: history.symbols[later - 1] for taken, later in moved.items()}
    other = _fold_corrected(history, rules, (gone - moved.keys()) | set(moved.values()), cards)
    return min(fold, other, key=lambda each: len(each.breaches))


def _fold_corrected(history: RoundHistory, rules: Rules, gone: Set[int], moved: Mapping[int, RoundSymbol]) -> _Fold:
    """Fold a history without the cards ``gone``, and with those ``moved``."""
    symbols = history.symbols
    fold = _Fold(rules, RoundState.new(history.begin, rules), gone, moved)
    fold.first(START)
    fold.follow_all(symbols)
    fold.first(DEAL_ENDS)
    interrupted = any(isinstance(symbol, Voided | Failed) for symbol in symbols)
    fold.note(fold.state.finish(rules, interrupted=interrupted))
    return fold


_CANCELLED: Final = frozenset({CARD_WITHOUT_BET.code, CARD_FACE.code, EXPOSED_CARD_KEPT.code})
"""Violations of a card as it lies, which do not count in a round whose cards are all cancelled (art. 5(1)(2))."""


def judge_round(history: RoundHistory, rules: Rules, *, steps: bool = False) -> Judgement[RoundOutcome]:
    """The judgement of a round's history, without steps. X-5: despite breaches the round stands, except by art. 5(1)(2)."""
    fold = _fold(history, rules)
    void = DECLARED_VOID in fold.marks
    found = [breach for breach in fold.breaches if not (void and breach.code in _CANCELLED)]
    if found:
        rules.readings("X-5")
    breaches = tuple(sorted(found, key=lambda breach: breach.position))
    return replace(stands(rules), breaches=breaches, if_dealt_right=fold.unfounded(history.symbols))
