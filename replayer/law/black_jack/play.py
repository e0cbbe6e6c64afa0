"""A seat's story word by word, every decision held against what was open to the hand.

A play (hit, double, split) that was accepted counts even where the rules forbid it: it is a breach, and the hand is
settled on the cards that it got. A claim to money (even money, half for five cards, a special prize, a surrender) counts
only where the law gives it.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from replayer.game import MOMENTS, Breach
from replayer.law.black_jack.cards import MANY, Cards, cards_of, many
from replayer.law.black_jack.doubling import FIRST_TWO, SPLIT_FIRST_TWO
from replayer.law.black_jack.drawing import TOTALS
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.outcome import CLOSED, EVEN_MONEY, FIVE_CARD_HALF, SURRENDER
from replayer.law.black_jack.points import MOST, NOT_KNOWN, PIPS, Called, best_points, hard_points
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, MAIN, SPLIT
from replayer.law.black_jack.sharing import for_himself
from replayer.law.black_jack.special import DECLINED, TAKEN
from schemas.finding import Severity, declare

DECISION_AFTER_FINAL: Final = declare("DECISION_AFTER_FINAL", Severity.PROCEDURE, "A decision on a hand that was over")
DECISION_UNKNOWN: Final = declare("DECISION_UNKNOWN", Severity.PROCEDURE, "A decision that the game does not have")
CARD_NOT_ASKED: Final = declare("CARD_NOT_ASKED", Severity.PROCEDURE, "A card that nobody asked for")
CARD_NOT_GIVEN: Final = declare("CARD_NOT_GIVEN", Severity.PROCEDURE, "A card asked for and not dealt")
CARD_ABSENT: Final = declare("CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the hand did not have")
HAND_WITHOUT_SPLIT: Final = declare("HAND_WITHOUT_SPLIT", Severity.PROCEDURE, "A further hand that no split made")
TOTAL_NOT_CALLED: Final = declare("TOTAL_NOT_CALLED", Severity.PROCEDURE, "A player's total that was not called")
TOTAL_WRONG: Final = declare("TOTAL_WRONG", Severity.PROCEDURE, "A wrong total called for a player")
DOUBLE_NOT_STAKED: Final = declare("DOUBLE_NOT_STAKED", Severity.MONEY, "A hand doubled without a second stake")
SPLIT_NOT_STAKED: Final = declare("SPLIT_NOT_STAKED", Severity.MONEY, "A hand split off without a stake")
STAKE_NOT_FOLLOWED: Final = declare(
    "STAKE_NOT_FOLLOWED", Severity.PROCEDURE, "A bettor on a shared seat who did not follow a split or a double"
)
BUST_NOT_SHOWN: Final = declare("BUST_NOT_SHOWN", Severity.PROCEDURE, "A hand over 21 that was not shown at once")
STAKE_NOT_DECIDED: Final = declare("STAKE_NOT_DECIDED", Severity.MONEY, "A stake added to a hand without a decision")

HIT: Final = "hit"
STAND: Final = "stand"

STOOD: Final = "stood"
DOUBLED: Final = "doubled"
NO_MODE: Final = "none"
BUSTED: Final = "bust"

TURNS: Final = "turns"
"""What a log tells of that has cards turned."""
ACTS: Final = frozenset("+-.")
"""Signs of cards dealt and of decisions."""
LETTERS: Final = "bcdefghijklmnopqrstuvwxyz"
"""Letters of a seat's further hands."""


class Track:
    """What happened to a hand and where: which card lay how, and the words to which a finding may point.

    Attributes:
        cards: its cards as the log tells them, in the order dealt; ``ranks`` their ranks.
        dealt_at: the words that dealt them.
        hidden: of those that were dealt face down, by the word that dealt it the word that turned it; zero where none did.
        called: the total last announced since its last card; zero where none was.
        down_at: the words that dealt it a card face down since it was doubled.
        made_at, doubled_at, prize_at: the words at which it was split off, was doubled, its prize was decided on.
    """

    __slots__ = ("_face_down", "called", "cards", "dealt_at", "doubled_at", "down_at", "hidden", "made_at", "prize_at", "ranks")

    def __init__(self, made_at: int = 0) -> None:
        self.cards: list[str] = []
        self.ranks: list[str] = []
        self.dealt_at: list[int] = []
        self.hidden: dict[int, int] = {}
        self._face_down: defaultdict[str, list[int]] = defaultdict(list)
        self.called = 0
        self.down_at: list[int] = []
        self.made_at = made_at
        self.doubled_at = 0
        self.prize_at = 0

    def lay(self, card: str, word: int, *, hidden: bool = False) -> None:
        """One more card."""
        self.cards.append(card)
        self.ranks.append(card[0])
        self.dealt_at.append(word)
        self.called = 0
        if hidden:
            self.hidden[word] = 0
            self._face_down[card[0]].append(word)

    def name(self, at: int, card: str) -> None:
        """The log names a card that was not named before; a suit that it does not tell then stays what it was."""
        word = self.dealt_at[at]
        self.cards[at] = card[0] + (card[1:] or self.cards[at][1:])
        self.ranks[at] = card[0]
        if word in self._face_down[NOT_KNOWN]:
            self._face_down[NOT_KNOWN].remove(word)
            insort(self._face_down[card[0]], word)

    def turn(self, rank: str, word: int) -> None:
        """The first card of a rank that lies face down is turned, if there is one."""
        if self._face_down[rank]:
            self.hidden[self._face_down[rank].pop(0)] = word

    def take(self, at: int) -> tuple[str, int, int | None]:
        """Take a card away: what it is, the word that dealt it, and of one dealt face down the word that turned it."""
        card, word = self.cards.pop(at), self.dealt_at.pop(at)
        del self.ranks[at]
        turned = self.hidden.pop(word, None)
        if turned == 0:
            self._face_down[card[0]].remove(word)
        return card, word, turned

    def last(self, rank: str) -> int | None:
        """Where the last card of a rank lies, or else the last one that is not named."""
        for wanted in (rank, NOT_KNOWN):
            if wanted in self.ranks:
                return len(self.ranks) - 1 - self.ranks[::-1].index(wanted)
        return None


class Play:
    """A seat as its story is told.

    Attributes:
        upcard: the class of the bank's open card.
        hands: its hands, and ``tracks`` where in the story each of them got its cards.
        breaches: what the rules forbid.
        mains: how many players bet on the seat; ``insured``: whether one of them took insurance.
        at_once: what was too late if play had gone on to another place by then.
        first_play: the word of the first decision that is a play of a hand; zero before it.
        not_checked: what the log does not record and would have had to show.
        by_upcard: whether anything turned on the bank's open card.
        decided: whether the log records decisions.
    """

    def __init__(self, upcard: str, rules: Rules) -> None:
        self.rules = rules
        self.law = rules.regulation
        self.upcard = upcard
        self.hands = [Hand()]
        self.tracks = [Track()]
        self.breaches: list[Breach] = []
        self.at_once: list[Breach] = []
        self.not_checked: set[str] = set()
        self.words: list[str] = []
        self.first_play = 0
        self.mains = 0
        self.insured = False
        self.by_upcard = False
        self.decided = "decisions" not in rules.options.not_recorded
        self.word = 0

    @property
    def seat(self) -> Seat:
        """The seat as its rights are asked for."""
        return Seat(self.upcard, len(self.hands))

    def tell(self, words: list[str]) -> None:
        """Take in the words of a story, the first of which is the class of the bank's open card."""
        tellers = _TELLERS
        self.words = words
        for self.word in range(1, len(words)):
            text, number = words[self.word], 0
            sign = text[0]
            if "a" <= sign <= "z":
                number = ord(sign) - 97
                if number >= len(self.hands):
                    self._grow(number, text)
                text = text[1:]
                sign = text[:1]
            tellers.get(sign, Play.other)(self, number, text)

    def breach(self, code: str, article: str, message: str, word: int = 0) -> None:
        """Note a breach at a word, or at the one under way."""
        self.breaches.append(Breach(code, article, message, word or self.word))

    def refused(self, breach: Breach | None) -> bool:
        """Note a refusal at the word under way; whether there was one."""
        if breach is None:
            return False
        self.breaches.append(replace(breach, word=self.word))
        return True

    def change(self, number: int, **changes: Any) -> None:
        """Put a hand in the place of another."""
        self.hands[number] = self.hands[number]._replace(**changes)

    def _grow(self, number: int, text: str) -> None:
        """A hand that no decision made so far: a stake on it may come before the decision, or in place of it."""
        splitting = self.law.splitting
        staked = text[1:] == "$split"
        if not staked and self.decided:
            self.breach(HAND_WITHOUT_SPLIT.code, splitting.cite(*splitting.right), "no split made this hand")
        while len(self.hands) <= number:
            pairs = (at for at, hand in enumerate(self.hands) if staked and hand.cards.size == 2)
            pair = next((at for at in pairs if len(set(self.hands[at].cards.ranks)) == 1), None)
            if pair is not None:
                self.refused(splitting.refusal(self.seat, self.hands[pair], self.rules))
            self._divide(pair or 0, moves=pair is not None)
            self.change(-1, undecided=staked)

    def _divide(self, number: int, *, moves: bool) -> None:
        """Part a hand in two; its second card goes to the new one."""
        hand, track, new = self.hands[number], self.tracks[number], Track(made_at=self.word)
        aces = moves and hand.cards.ranks == "AA"
        if moves:
            card, word, turned = track.take(-1)
            new.lay(card, word, hidden=turned == 0)
            if turned:
                new.hidden[word] = turned
        track.called = 0
        # a separated ace stays one, whatever it is separated from then
        kept = hand._replace(cards=cards_of(track.cards), split=True, aces=hand.aces or aces, called=Called.NOTHING)
        self.hands[number] = kept
        self.hands.append(Hand(cards_of(new.cards), split=True, resplit=hand.split, aces=aces))
        self.tracks.append(new)

    # Cards

    def card(self, number: int, text: str) -> None:
        """``+9`` and ``-9``: a card is dealt."""
        self._dealt(number, text[1:], hidden=text[0] == "-")

    def _dealt(self, number: int, text: str, *, hidden: bool = False) -> None:
        hand, track = self.hands[number], self.tracks[number]
        asked, owed = hand.asked, hand.owed
        if asked:
            asked -= 1
        elif owed:
            owed -= 1
        elif hand.cards.size >= 2 and self.decided:
            drawing = self.law.drawing
            self.breach(CARD_NOT_ASKED.code, drawing.cite(*drawing.player), f"nobody asked for the {text}")
        track.lay(text, self.word, hidden=hidden)
        if hidden and hand.doubled:
            track.down_at.append(self.word)
        cards = hand.cards.dealt(text)
        ended = _over(hand.ended, cards)
        self.hands[number] = hand._replace(cards=cards, called=Called.NOTHING, asked=asked, owed=owed, ended=ended)

    def turned(self, number: int, text: str) -> None:
        """``^9``: a card that lay face down is shown."""
        track, text = self.tracks[number], text[1:]
        if NOT_KNOWN in track.ranks:
            track.name(track.ranks.index(NOT_KNOWN), text)
            self._recount(number)
            self.change(number, ended=_over(self.hands[number].ended, self.hands[number].cards))
        elif text[0] not in track.ranks:
            self.breach(CARD_ABSENT.code, self.law.deal.cite(), f"{text} was turned, the hand has none")
        track.turn(text[0], self.word)

    def removed(self, number: int, text: str) -> None:
        """``~9``: a card is taken away; another may come in its place."""
        track, text = self.tracks[number], text[1:]
        at = track.last(text[0])
        if at is None:
            self.breach(CARD_ABSENT.code, self.law.deal.cite(), f"{text} was removed, the hand has none")
            return
        _, word, _ = track.take(at)
        if word in track.down_at:
            track.down_at.remove(word)
        self._recount(number)
        hand = self.hands[number]
        self.change(number, owed=hand.owed + 1, ended="" if hand.ended == BUSTED else hand.ended)

    def _recount(self, number: int) -> None:
        """Something became known of a card that was dealt before: the hand is what it would be had it been so from the first."""
        track = self.tracks[number]
        # No rule asks more of many cards than what they count.
        cards = cards_of(track.cards) if len(track.cards) < MANY else many(track.ranks)
        self.change(number, cards=cards, called=_called(track))

    def called(self, number: int, text: str) -> None:
        """``=17``: a total is announced; with an ace either total is right."""
        track, ranks = self.tracks[number], "".join(self.tracks[number].ranks)
        track.called = int(text[1:])
        self.change(number, called=_called(track))
        if NOT_KNOWN in ranks or track.called in (best_points(ranks), hard_points(ranks)):
            return
        drawing = self.law.drawing
        if not drawing.totals_called:
            return
        self.rules.readings("BJ-33")  # whether or not it had to be called
        message = f"{track.called} was called, the hand has {best_points(ranks)}"
        self.breach(TOTAL_WRONG.code, drawing.cite(*drawing.announced), message)

    def other(self, number: int, text: str) -> None:
        """``9``: a card of which the log does not say how it lay; anything else is no word of the game."""
        if text[:1] in PIPS or text[:1] == NOT_KNOWN:
            self._dealt(number, text)
        else:
            self.breach(DECISION_UNKNOWN.code, "", f"{text!r} is no word of the game")

    # Stakes

    def wager(self, number: int, text: str) -> None:
        """``$double``: a stake is placed."""
        kind, hand, track = text[1:], self.hands[number], self.tracks[number]
        if kind == DOUBLE:
            late = hand.staked_late
            if self.decided and not {"deal_order", "times"} & self.rules.options.not_recorded:
                late |= self.refused(self.law.doubling.staked_late(hand, self.rules))
            self.change(number, staked_late=late, double_stakes=hand.double_stakes + 1)
            track.doubled_at = track.doubled_at or self.word
            if not self.decided and not hand.doubled:
                self._double(number, cards=hand.cards.size)
        elif kind == SPLIT:
            self.change(number, split_stakes=hand.split_stakes + 1)
        elif kind == MAIN:
            self.mains += 1
        elif kind == INSURANCE:
            self.insured = True
            self.by_upcard = True
            self.refused(self.law.insurance.refusal(self.seat))

    # Decisions

    def decision(self, number: int, text: str) -> None:
        """``.hit``, ``.surrender/3``: a decision, with its moment where that matters."""
        action, _, moment = text[1:].partition("/")
        if action == INSURANCE:
            return
        if self.hands[number].asked:
            self._not_given(number)
        self._awaited(number, action)
        hand = self.hands[number]
        if self._for_others(hand, action):
            return
        if hand.ended and not (hand.ended == DOUBLED and action in (HIT, STAND)):
            surrender = self.law.surrender
            article = surrender.cite(*surrender.time) if hand.ended == SURRENDER else self.law.turns.article
            self.breach(DECISION_AFTER_FINAL.code, article, f"{action} on a hand that was over: {hand.ended}")
            if action not in (HIT, DOUBLE, SPLIT):
                return
        if action in _PLAYS and hand.half_agreed:
            self.change(number, half_agreed=False)  # who plays on was not paid half
        handler = _DECISIONS.get(action)
        if handler is None:
            self.breach(DECISION_UNKNOWN.code, "", f"there is no decision {action!r}")
        else:
            handler(self, number, MOMENTS.index(moment) if moment else 0)

    def _for_others(self, hand: Hand, action: str) -> bool:
        """BJ-71, BJ-70b: whether one bettor on a shared seat closed the hand for himself, and what follows is another's."""
        if self.mains < 2 or hand.ended not in (EVEN_MONEY, FIVE_CARD_HALF) or action not in (hand.ended, STAND):
            return False
        return for_himself(hand.ended, self.rules)

    def _awaited(self, number: int, action: str) -> None:
        """Art. 6(5): the total of the first two cards is called before the player plays on them."""
        if action not in _PLAYS or self.first_play:
            return
        self.first_play = self.word
        if self.hands[number].called is Called.NOTHING and self._must_call(number):
            self._uncalled(number, self.law.drawing.cite(*self.law.drawing.announced), self.word)

    def _must_call(self, number: int) -> bool:
        open_ = all(self.tracks[number].hidden.values()) and self.hands[number].known
        return open_ and TOTALS in self.rules.told and self.law.drawing.calls_seats(self.rules)

    def _uncalled(self, number: int, article: str, word: int) -> None:
        self.rules.readings("BJ-33")
        ranks = " ".join(self.tracks[number].ranks)
        self.breach(TOTAL_NOT_CALLED.code, article, f"the total of {ranks} was not called", word)

    def _not_given(self, number: int) -> None:
        self.breach(
            CARD_NOT_GIVEN.code, self.law.busting.cite(*self.law.busting.called), "a card was asked for and not dealt"
        )
        self.change(number, asked=0)

    def hit(self, number: int, _: int) -> None:
        """Art. 6(2), 6(4)."""
        hand = self.hands[number]
        if hand.ended in ("", DOUBLED):
            self.refused(self.law.drawing.refusal(hand, self.rules))
        self.change(number, acted=True, asked=hand.asked + 1)

    def stand(self, number: int, _: int) -> None:
        """Art. 6(2)."""
        self.change(number, acted=True, ended=STOOD)

    def double(self, number: int, _: int) -> None:
        """Art. 17."""
        hand = self.hands[number]
        if not hand.ended:
            self.refused(self.law.doubling.refusal(hand, self.rules))
        self._double(number, cards=hand.cards.size)
        ended = hand.ended if hand.ended in CLOSED else DOUBLED
        self.change(number, acted=True, asked=hand.asked + 1, ended=ended)

    def _double(self, number: int, *, cards: int) -> None:
        """Note the mode: one without authorisation has that of its cards (X-3), one on other cards is in none (art. 17(3))."""
        hand, doubling = self.hands[number], self.law.doubling
        self.tracks[number].doubled_at = self.word
        barred = cards > 2 or (hand.aces and not doubling.aces)
        usual = NO_MODE if barred else SPLIT_FIRST_TWO if hand.split else FIRST_TWO
        self.change(number, doubled=doubling.mode(hand, self.rules) or usual)

    def split(self, number: int, _: int) -> None:
        """Art. 16."""
        staked = next((at for at, grown in enumerate(self.hands) if grown.undecided), None)
        if staked is not None:
            self.change(staked, undecided=False)
            return
        hand = self.hands[number]
        if not hand.ended:
            self.refused(self.law.splitting.refusal(self.seat, hand, self.rules))
        self._divide(number, moves=hand.cards.size == 2)

    def surrender(self, number: int, moment: int) -> None:
        """Art. 18: a claim, which counts only where there is the right to it; what else it may be worth is X-6."""
        law = self.law.surrender
        self.by_upcard = True
        if self.refused(law.refusal(self.seat, self.hands[number], moment, self.rules)):
            self.change(number, half_agreed=True)
            return
        self.refused(law.untimely(self.seat, moment, self.rules))
        early = law.before_check(self.seat, moment, self.rules)
        self.change(number, acted=True, ended=SURRENDER, early=early)

    def even_money(self, number: int, moment: int) -> None:
        """Art. 10(3): a claim, which counts only where there is the right to it."""
        law, hand = self.law.natural, self.hands[number]
        self.by_upcard = True
        refusal = law.even_money_refusal(self.seat, hand, self.rules) or law.even_money_lapsed(moment, self.rules)
        if not self.refused(refusal):
            self.change(number, ended=EVEN_MONEY)

    def five_card_half(self, number: int, moment: int) -> None:
        """Art. 19: a claim, which counts only where there is the right to it."""
        law, hand = self.law.five_cards, self.hands[number]
        self.by_upcard = True
        if not self.refused(law.refusal(self.seat, hand, self.rules) or law.lateness(moment, self.rules)):
            self.change(number, ended=FIVE_CARD_HALF)

    def prize_taken(self, number: int, _: int) -> None:
        """Art. 15: asked for; whether the hand has the cards shows at the end."""
        self.tracks[number].prize_at = self.word
        self.change(number, prize=TAKEN)

    def prize_declined(self, number: int, _: int) -> None:
        """Art. 15: left alone."""
        self.change(number, prize=DECLINED)

    # When the story ends

    def faces(self, number: int) -> None:
        """Art. 17(2): a doubled hand's card that lies face down, where the log tells how cards lie."""
        hand, track = self.hands[number], self.tracks[number]
        if track.down_at and hand.doubled and "faces" not in self.rules.options.not_recorded:
            breach = self.law.doubling.card_down(hand)
            if breach is not None:
                self.breaches.append(replace(breach, word=track.down_at[0]))

    def shown(self, number: int) -> None:
        """Art. 6(2): a hand over 21 is shown at once: before another card or decision here, or elsewhere (``at_once``)."""
        hand, track = self.hands[number], self.tracks[number]
        unknown = self.rules.options.not_recorded
        if not track.hidden or hand.ended in CLOSED or not hand.cards.bust:
            return
        if unknown & {"faces", "deal_order"}:
            return
        if TURNS not in self.rules.told:
            self.not_checked.add(TURNS)
            return
        counted = accumulate(PIPS[rank] for rank in track.ranks)
        bust = next(word for word, points in zip(track.dealt_at, counted, strict=True) if points > MOST)
        turns = [turn for lay, turn in track.hidden.items() if lay <= bust and not 0 < turn < bust]
        if not turns:
            return
        article = self.law.drawing.cite(*self.law.drawing.player)
        last = max(turns) if all(turns) else len(self.words)
        between = (word.lstrip(LETTERS) for word in self.words[bust + 1 : last])
        if not all(turns) or any(word[:1] in ACTS for word in between):
            self.breach(BUST_NOT_SHOWN.code, article, "over 21, and the hidden cards were not shown at once", bust)
        else:
            late = "over 21, and the hidden cards were shown when play had gone on"
            self.at_once.append(Breach(BUST_NOT_SHOWN.code, article, late, last))

    def close(self, number: int) -> None:
        """What must be there when the story ends."""
        if self.hands[number].asked:
            self._not_given(number)
        hand, track = self.hands[number], self.tracks[number]
        drawn = hand.cards.size >= 2 and 0 < self.first_play < track.dealt_at[-1]
        if drawn and hand.called is Called.NOTHING and self._must_call(number):
            self._uncalled(number, self.law.busting.cite(*self.law.busting.called), track.dealt_at[-1])
        doubling, splitting = self.law.doubling, self.law.splitting
        if hand.doubled or hand.double_stakes:
            article, at = doubling.article(self.rules), track.doubled_at
            if not hand.double_stakes:
                self.breach(DOUBLE_NOT_STAKED.code, article, "doubled, and no second stake was placed", at)
            elif not hand.doubled:
                self.breach(STAKE_NOT_DECIDED.code, article, "a second stake was placed, and nobody doubled", at)
                self._double(number, cards=2)
            self._followed(hand.double_stakes, at)
        if hand.split and number:
            article, at = splitting.cite(*splitting.stake), track.made_at
            if hand.undecided:
                message = "a stake on a new hand was placed, and nobody separated"
                self.breach(STAKE_NOT_DECIDED.code, article, message, at)
            elif not hand.split_stakes:
                message = "a pair was separated, and no stake placed on the new hand"
                self.breach(SPLIT_NOT_STAKED.code, article, message, at)
            self._followed(hand.split_stakes, at)

    def _followed(self, stakes: int, at: int) -> None:
        """BJ-71: whether every bettor on the seat must follow; a bet that was not matched stays as it is."""
        if 0 < stakes < self.mains and self.rules.readings("BJ-71") == "forced":
            message = f"{stakes} of {self.mains} bettors followed"
            self.breach(STAKE_NOT_FOLLOWED.code, self.law.shared_seat.elected(self.rules), message, at)


def _over(ended: str, cards: Cards) -> str:
    """Art. 7(2): what ended a hand. One that was closed stays so, whatever cards it is given (arts. 10(3), 18(2), 19)."""
    return BUSTED if cards.bust and ended not in CLOSED else ended


def _called(track: Track) -> Called:
    """Which total of a hand's cards was announced since the last one."""
    if not track.called:
        return Called.NOTHING
    known = NOT_KNOWN not in track.ranks
    return Called.HARD if known and track.called == hard_points("".join(track.ranks)) else Called.BEST


_TELLERS: Final[dict[str, Callable[[Play, int, str], None]]] = {
    "+": Play.card,
    "-": Play.card,
    "^": Play.turned,
    "~": Play.removed,
    "=": Play.called,
    "$": Play.wager,
    ".": Play.decision,
}
_PLAYS: Final = frozenset({HIT, STAND, DOUBLE, SPLIT})
_DECISIONS: Final[dict[str, Callable[[Play, int, int], None]]] = {
    HIT: Play.hit,
    STAND: Play.stand,
    DOUBLE: Play.double,
    SPLIT: Play.split,
    SURRENDER: Play.surrender,
    EVEN_MONEY: Play.even_money,
    FIVE_CARD_HALF: Play.five_card_half,
    TAKEN: Play.prize_taken,
    DECLINED: Play.prize_declined,
}


def follow(story: str, rules: Rules) -> Play:
    """Read a seat's story."""
    words = story.split()
    play = Play(words[0], rules)
    play.tell(words)
    return play
