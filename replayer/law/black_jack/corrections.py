"""How the errors of a deal were put right (art. 5(1)(2)): which cards of a round do not count, which came in the place of others,
and which were taken away too late to correct anything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from replayer.contract.symbols import BANK, CardTo, PlayAt, RemovedAt, RoundEvent, RoundSymbol, TurnedAt
from replayer.law.black_jack.rules import Rules


@dataclass(slots=True)
class Corrections:
    """The corrections in a round; its history names no cards.

    A card does not count if it was taken back during the deal, as the last one of its place; if it came to the bank between two
    plays and was taken back before the second; if it came to a seat in play and was taken back at once, as if the seat had not
    played; or if it came for one of the deal that was taken away too late, or from a seat when a later one had played.

    Attributes:
        hides_second: whether the bank's second card lies face down.
        gone: the numbers of the cards that do not count.
        moved: those of the dealt cards that may have been replaced, or moved to another place at once, with that of the card that
            came there.
        late: those of the removals that come too late to correct anything, with the place of each: of a card of the bank with
            which play had gone on, and of a card of a seat that had not played when the bank's hand was shown.
    """

    hides_second: bool
    gone: set[int] = field(default_factory=set)
    moved: dict[int, int] = field(default_factory=dict)
    late: dict[int, int] = field(default_factory=dict)
    _standing: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))  # the cards of each place
    _lacking: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))  # those taken back of them
    _between_plays: set[int] = field(default_factory=set)
    _owed: Counter[int] = field(default_factory=Counter)  # the cards that each place gets for those taken away too late
    _played: set[int] = field(default_factory=set)
    _last_played: int = BANK
    _of_bank: int = 0
    _turned: bool = False  # a card of the bank
    _taken: tuple[int, int] | None = None  # the card that the event before took back, and its place

    @classmethod
    def of(cls, symbols: Iterable[RoundSymbol], rules: Rules) -> Corrections:
        """Those in the symbols of a round's history."""
        found, before = cls(rules.options.hides_second), None
        for here, symbol in enumerate(symbols, 1):
            if symbol in (RoundEvent.ENDED, RoundEvent.VOIDED):
                break
            found._take(here, symbol, before)
            before = symbol
        return found

    def _take(self, here: int, symbol: RoundSymbol, before: RoundSymbol | None) -> None:
        taken, self._taken = self._taken, None
        match symbol:
            case CardTo(place):
                self._of_bank += place == BANK
                self._comes(here, place, taken)
            case PlayAt(place):
                self._plays(here, place)
            case RemovedAt(place):
                self._of_bank -= place == BANK
                self._goes(here, place, before)
            case TurnedAt(place) if place == BANK:
                self._turned = True

    @property
    def _shown(self) -> bool:
        """Whether the bank's hand was shown."""
        return self._turned or (self._of_bank > 1 and not self.hides_second)

    def _comes(self, here: int, place: int, taken: tuple[int, int] | None) -> None:
        """A card comes to a place, maybe one that was just ``taken`` from another."""
        if self._owed[place]:
            self._plays(here, place)
        elif not self._played and (taken or self._lacking[place]):
            rightful = self._lacking[taken[1] if taken else place].pop()
            self.moved[rightful] = here
            self._standing[place].append(rightful)
        elif place == BANK or not self._played:
            self._standing[place].append(here)
        else:
            self._plays(here, place)

    def _plays(self, here: int, place: int) -> None:
        """A decision on a seat, or a card to it in play; or the card that a place is owed, which may stand as a decision."""
        if self._owed[place]:
            self._owed[place] -= 1
            self.gone.add(here)
            return
        self._played.add(place)
        self._last_played = place
        self.gone |= self._between_plays
        self._standing.clear()

    def _goes(self, here: int, place: int, before: RoundSymbol | None) -> None:
        """A card is taken away from a place."""
        if place not in (BANK, *self._played) and (self._shown or place < self._last_played):
            self._owed[place] += 1
            if self._shown:
                self.late[here] = place
        elif self._standing[place]:
            taken = self._standing[place].pop()
            self._taken = taken, place
            (self._between_plays if self._played else self.gone).add(taken)
            self._lacking[place].append(taken)
            if taken in self.moved:
                self.gone.add(self.moved.pop(taken))
        elif place == BANK and self._played:
            self.late[here] = place
            self._owed[place] += 1
        elif before == PlayAt(place):
            self.gone.add(here - 1)
