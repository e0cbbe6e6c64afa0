"""The shoe of a table in play, as the rounds dealt from it need it."""

from __future__ import annotations

from typing import Final, NamedTuple

from replayer.contract.symbols import FoundShoe
from schemas.cards import DECK


class Shoe(NamedTuple):
    """The table's shoe as a round needs it: the sequence numbers of the last shuffle, of the last white card, of the last card
    dealt or burned (except burns that make a shoe ready), and of the last event after a gap between two rounds; 0 for none.
    ``cards`` are left in it, ``behind`` of them lie behind the white card; None where unknown. ``between`` says that the
    white card came out between rounds: the round that takes the next card is the one that came to it."""

    shuffled: int = 0
    white: int = 0
    taken: int = 0
    gap: int = 0
    cards: int | None = None
    behind: int | None = None
    between: bool = False

    @property
    def is_fresh(self) -> bool:
        """Whether no card was taken since it was shuffled, except burns that make it ready."""
        return self.shuffled > self.taken

    @property
    def found(self) -> FoundShoe:
        """How a round finds it."""
        if not (self.shuffled or self.gap):
            return FoundShoe.UNSHUFFLED
        if self.white > max(self.shuffled, self.gap):
            return FoundShoe.WHITE_CARD_OUT
        return FoundShoe.FRESH if self.is_fresh else FoundShoe.USED

    def after_gap(self, seq: int) -> Shoe:
        """After a gap between two rounds, which may hide a shuffle."""
        return self._replace(gap=seq, cards=None, between=False)

    def after_shuffle(self, seq: int, decks: int | None) -> Shoe:
        """After it was shuffled."""
        return self._replace(shuffled=seq, cards=len(DECK) * decks if decks else None, behind=None, between=False)

    def with_white(self, behind: int | None) -> Shoe:
        """After a white card was put into it."""
        return self._replace(behind=max(self.behind or 0, behind or 0))

    def gives(self, seq: int) -> Shoe:
        """After a card was dealt or burned. The white card before it was out by then, whether or not the log has it."""
        if self.cards is None:
            return self
        white = self.white if self.behind is None or self.cards > self.behind else seq
        # Each card comes here: _replace takes three times as long.
        return Shoe(self.shuffled, white, self.taken, self.gap, self.cards - 1, self.behind, self.between)

    def taken_from(self, seq: int) -> Shoe:
        """After a card was dealt or burned that makes no shoe ready."""
        return Shoe(self.shuffled, seq if self.between else self.white, seq, self.gap, self.cards, self.behind)

    def shows_white(self, seq: int, *, between: bool) -> Shoe:
        """After the white card came out, in a round or between two; nothing changes where the cards were shuffled since."""
        if seq < max(self.shuffled, self.gap):
            return self
        return self._replace(between=True) if between else self._replace(white=seq)


NO_SHOE: Final = Shoe()
"""The shoe of a table of which the log tells nothing yet."""
