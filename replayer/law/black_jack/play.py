"""A seat's story word by word, every decision held against what was open to the hand.

A play (hit, double, split) that was accepted counts even where the rules forbid it: it is a breach, and the hand is
settled on the cards that it got. A claim to money (even money, half for five cards, a special prize, a surrender) counts
only where the law gives it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from replayer.game import MOMENTS, Breach
from replayer.law.black_jack.doubling import FIRST_TWO, SPLIT_FIRST_TWO
from replayer.law.black_jack.drawing import TOTALS
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.outcome import CLOSED, EVEN_MONEY, FIVE_CARD_HALF, SURRENDER
from replayer.law.black_jack.points import MOST, NOT_KNOWN, PIPS, best_points, hard_points
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


class Play:
    """A seat as its story is told.

    Attributes:
        seat: its hands.
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
        self.seat = Seat(upcard)
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

    def tell(self, words: list[str]) -> None:
        """Take in the words of a story, the first of which is the class of the bank's open card."""
        hands, tellers = self.seat.hands, _TELLERS
        self.words = words
        for self.word in range(1, len(words)):
            text = words[self.word]
            sign, hand = text[0], hands[0]
            if "a" <= sign <= "z":
                number = ord(sign) - 97
                hand = hands[number] if number < len(hands) else self._grow(number, text)
                text = text[1:]
                sign = text[:1]
            tellers.get(sign, Play.other)(self, hand, text)

    def breach(self, code: str, article: str, message: str, word: int = 0) -> None:
        """Note a breach at a word, or at the one under way."""
        self.breaches.append(Breach(code, article, message, word or self.word))

    def refused(self, breach: Breach | None) -> bool:
        """Note a refusal at the word under way; whether there was one."""
        if breach is None:
            return False
        self.breaches.append(replace(breach, word=self.word))
        return True

    def _grow(self, number: int, text: str) -> Hand:
        """A hand that no decision made so far: a stake on it may come before the decision, or in place of it."""
        splitting, hands = self.law.splitting, self.seat.hands
        staked = text[1:] == "$split"
        if not staked and self.decided:
            self.breach(HAND_WITHOUT_SPLIT.code, splitting.cite(*splitting.right), "no split made this hand")
        while len(hands) <= number:
            pair = next((h for h in hands if len(h.ranks) == 2 and h.ranks[0] == h.ranks[1]), None) if staked else None
            if pair is not None:
                self.refused(splitting.refusal(self.seat, pair, self.rules))
            self._divide(pair or hands[0], moves=pair is not None)
            hands[-1].undecided = staked
        return hands[number]

    def _divide(self, hand: Hand, *, moves: bool) -> None:
        """Part a hand in two; its second card goes to the new one."""
        grown = Hand(split=True, resplit=hand.split, made_at=self.word)
        if moves:
            grown.aces = hand.ranks == "AA"
            hand.aces |= grown.aces  # a separated ace stays one, whatever it is separated from then
            grown.ranks, grown.suits = hand.ranks[1], hand.suits[1:]
            hand.ranks, hand.suits = hand.ranks[0], hand.suits[:1]
            word = hand.dealt_at.pop()
            grown.dealt_at.append(word)
            if word in hand.hidden:
                grown.hidden[word] = hand.hidden.pop(word)
        hand.split = True
        hand.called = 0
        self.seat.hands.append(grown)

    # Cards

    def card(self, hand: Hand, text: str) -> None:
        """``+9`` and ``-9``: a card is dealt."""
        if text[0] == "-":
            hand.hidden[self.word] = 0
        self._dealt(hand, text[1:])

    def _dealt(self, hand: Hand, text: str) -> None:
        if hand.asked:
            hand.asked -= 1
        elif hand.owed:
            hand.owed -= 1
        elif len(hand.ranks) >= 2 and self.decided:
            drawing = self.law.drawing
            self.breach(CARD_NOT_ASKED.code, drawing.cite(*drawing.player), f"nobody asked for the {text}")
        hand.ranks += text[0]
        hand.suits += text[1:]
        hand.dealt_at.append(self.word)
        hand.called = 0
        self._bust(hand)

    def _bust(self, hand: Hand) -> None:
        """Art. 7(2). A hand that was closed stays so, whatever cards it is given (arts. 10(3), 18(2), 19)."""
        if hand.ended == BUSTED or hand.ended in CLOSED or NOT_KNOWN in hand.ranks:
            return
        if hard_points(hand.ranks) > MOST:
            hand.ended = BUSTED

    def turned(self, hand: Hand, text: str) -> None:
        """``^9``: a card that lay face down is shown."""
        text = text[1:]
        at = hand.ranks.find(NOT_KNOWN)
        if at >= 0:
            hand.ranks = hand.ranks[:at] + text[0] + hand.ranks[at + 1 :]
            if text[1:]:
                hand.suits = hand.suits[:at] + text[1] + hand.suits[at + 1 :]
            self._bust(hand)
        elif text[0] not in hand.ranks:
            self.breach(CARD_ABSENT.code, self.law.deal.cite(), f"{text} was turned, the hand has none")
        cards = zip(hand.ranks, hand.dealt_at, strict=True)
        lay = next((word for rank, word in cards if rank == text[0] and hand.hidden.get(word) == 0), None)
        if lay is not None:
            hand.hidden[lay] = self.word

    def removed(self, hand: Hand, text: str) -> None:
        """``~9``: a card is taken away; another may come in its place."""
        text = text[1:]
        at = hand.ranks.rfind(text[0])
        if at < 0:
            at = hand.ranks.rfind(NOT_KNOWN)
        if at < 0:
            self.breach(CARD_ABSENT.code, self.law.deal.cite(), f"{text} was removed, the hand has none")
            return
        hand.ranks = hand.ranks[:at] + hand.ranks[at + 1 :]
        hand.suits = hand.suits[:at] + hand.suits[at + 1 :]
        hand.hidden.pop(hand.dealt_at.pop(at), None)
        hand.owed += 1
        if hand.ended == BUSTED:
            hand.ended = ""

    def called(self, hand: Hand, text: str) -> None:
        """``=17``: a total is announced; with an ace either total is right."""
        hand.called = int(text[1:])
        if NOT_KNOWN in hand.ranks or hand.called in (best_points(hand.ranks), hard_points(hand.ranks)):
            return
        drawing = self.law.drawing
        if not drawing.totals_called:
            return
        self.rules.readings("BJ-33")  # whether or not it had to be called
        message = f"{hand.called} was called, the hand has {best_points(hand.ranks)}"
        self.breach(TOTAL_WRONG.code, drawing.cite(*drawing.announced), message)

    def other(self, hand: Hand, text: str) -> None:
        """``9``: a card of which the log does not say how it lay; anything else is no word of the game."""
        if text[:1] in PIPS or text[:1] == NOT_KNOWN:
            self._dealt(hand, text)
        else:
            self.breach(DECISION_UNKNOWN.code, "", f"{text!r} is no word of the game")

    # Stakes

    def wager(self, hand: Hand, text: str) -> None:
        """``$double``: a stake is placed."""
        kind = text[1:]
        if kind == DOUBLE:
            if self.decided and not {"deal_order", "times"} & self.rules.options.not_recorded:
                hand.staked_late |= self.refused(self.law.doubling.staked_late(hand, self.rules))
            hand.double_stakes += 1
            hand.doubled_at = hand.doubled_at or self.word
            if not self.decided and not hand.doubled:
                self._double(hand, cards=len(hand.ranks))
        elif kind == SPLIT:
            hand.split_stakes += 1
        elif kind == MAIN:
            self.mains += 1
        elif kind == INSURANCE:
            self.insured = True
            self.by_upcard = True
            self.refused(self.law.insurance.refusal(self.seat))

    # Decisions

    def decision(self, hand: Hand, text: str) -> None:
        """``.hit``, ``.surrender/3``: a decision, with its moment where that matters."""
        action, _, moment = text[1:].partition("/")
        if action == INSURANCE:
            return
        if hand.asked:
            self._not_given(hand)
        self._awaited(hand, action)
        if self._for_others(hand, action):
            return
        if hand.ended and not (hand.ended == DOUBLED and action in (HIT, STAND)):
            surrender = self.law.surrender
            article = surrender.cite(*surrender.time) if hand.ended == SURRENDER else self.law.turns.article
            self.breach(DECISION_AFTER_FINAL.code, article, f"{action} on a hand that was over: {hand.ended}")
            if action not in (HIT, DOUBLE, SPLIT):
                return
        if action in _PLAYS:
            hand.half_agreed = False  # who plays on was not paid half
        handler = _DECISIONS.get(action)
        if handler is None:
            self.breach(DECISION_UNKNOWN.code, "", f"there is no decision {action!r}")
        else:
            handler(self, hand, MOMENTS.index(moment) if moment else 0)

    def _for_others(self, hand: Hand, action: str) -> bool:
        """BJ-71, BJ-70b: whether one bettor on a shared seat closed the hand for himself, and what follows is another's."""
        if self.mains < 2 or hand.ended not in (EVEN_MONEY, FIVE_CARD_HALF) or action not in (hand.ended, STAND):
            return False
        return for_himself(hand.ended, self.rules)

    def _awaited(self, hand: Hand, action: str) -> None:
        """Art. 6(5): the total of the first two cards is called before the player plays on them."""
        if action not in _PLAYS or self.first_play:
            return
        self.first_play = self.word
        if not hand.called and self._must_call(hand):
            self._uncalled(hand, self.law.drawing.cite(*self.law.drawing.announced), self.word)

    def _must_call(self, hand: Hand) -> bool:
        open_ = all(hand.hidden.values()) and NOT_KNOWN not in hand.ranks
        return open_ and TOTALS in self.rules.told and bool(self.law.drawing.calls_seats(self.rules))

    def _uncalled(self, hand: Hand, article: str, word: int) -> None:
        self.rules.readings("BJ-33")
        self.breach(TOTAL_NOT_CALLED.code, article, f"the total of {' '.join(hand.ranks)} was not called", word)

    def _not_given(self, hand: Hand) -> None:
        self.breach(
            CARD_NOT_GIVEN.code, self.law.busting.cite(*self.law.busting.called), "a card was asked for and not dealt"
        )
        hand.asked = 0

    def hit(self, hand: Hand, _: int) -> None:
        """Art. 6(2), 6(4)."""
        if hand.ended in ("", DOUBLED):
            self.refused(self.law.drawing.refusal(hand, self.rules))
        hand.acted = True
        hand.asked += 1

    def stand(self, hand: Hand, _: int) -> None:
        """Art. 6(2)."""
        hand.acted = True
        hand.ended = STOOD

    def double(self, hand: Hand, _: int) -> None:
        """Art. 17."""
        if not hand.ended:
            self.refused(self.law.doubling.refusal(hand, self.rules))
        self._double(hand, cards=len(hand.ranks))
        hand.acted = True
        hand.asked += 1
        if hand.ended not in CLOSED:
            hand.ended = DOUBLED

    def _double(self, hand: Hand, *, cards: int) -> None:
        """Note the mode: one without authorisation has that of its cards (X-3), one on other cards is in none (art. 17(3))."""
        hand.doubled_at = self.word
        doubling = self.law.doubling
        barred = cards > 2 or (hand.aces and not doubling.aces)
        usual = NO_MODE if barred else SPLIT_FIRST_TWO if hand.split else FIRST_TWO
        hand.doubled = doubling.mode(hand, self.rules) or usual

    def split(self, hand: Hand, _: int) -> None:
        """Art. 16."""
        staked = next((grown for grown in self.seat.hands if grown.undecided), None)
        if staked is not None:
            staked.undecided = False
            return
        if not hand.ended:
            self.refused(self.law.splitting.refusal(self.seat, hand, self.rules))
        self._divide(hand, moves=len(hand.ranks) == 2)

    def surrender(self, hand: Hand, moment: int) -> None:
        """Art. 18: a claim, which counts only where there is the right to it; what else it may be worth is X-6."""
        law = self.law.surrender
        self.by_upcard = True
        if self.refused(law.refusal(self.seat, hand, moment, self.rules)):
            hand.half_agreed = True
            return
        self.refused(law.untimely(self.seat, moment, self.rules))
        hand.acted = True
        hand.ended = SURRENDER
        hand.early = law.before_check(self.seat, moment, self.rules)

    def even_money(self, hand: Hand, moment: int) -> None:
        """Art. 10(3): a claim, which counts only where there is the right to it."""
        law = self.law.natural
        self.by_upcard = True
        refusal = law.even_money_refusal(self.seat, hand, self.rules) or law.even_money_lapsed(moment, self.rules)
        if not self.refused(refusal):
            hand.ended = EVEN_MONEY

    def five_card_half(self, hand: Hand, moment: int) -> None:
        """Art. 19: a claim, which counts only where there is the right to it."""
        law = self.law.five_cards
        self.by_upcard = True
        if not self.refused(law.refusal(self.seat, hand, self.rules) or law.lateness(moment, self.rules)):
            hand.ended = FIVE_CARD_HALF

    def prize_taken(self, hand: Hand, _: int) -> None:
        """Art. 15: asked for; whether the hand has the cards shows at the end."""
        hand.prize, hand.prize_at = TAKEN, self.word

    def prize_declined(self, hand: Hand, _: int) -> None:
        """Art. 15: left alone."""
        hand.prize = DECLINED

    def faces(self, hand: Hand) -> None:
        """Art. 17(2): a doubled hand's card that lies face down, where the log tells how cards lie."""
        down = next((word for word in hand.hidden if word > hand.doubled_at), 0) if hand.doubled else 0
        if down and "faces" not in self.rules.options.not_recorded:
            breach = self.law.doubling.card_down(hand)
            if breach is not None:
                self.breaches.append(replace(breach, word=down))

    def shown(self, hand: Hand) -> None:
        """Art. 6(2): a hand over 21 is shown at once: before another card or decision here, or elsewhere (``at_once``)."""
        unknown = self.rules.options.not_recorded
        if not hand.hidden or hand.ended in CLOSED or NOT_KNOWN in hand.ranks or hard_points(hand.ranks) <= MOST:
            return
        if unknown & {"faces", "deal_order"}:
            return
        if TURNS not in self.rules.told:
            self.not_checked.add(TURNS)
            return
        bust = next(w for n, w in enumerate(hand.dealt_at, 1) if hard_points(hand.ranks[:n]) > MOST)
        turns = [turn for lay, turn in hand.hidden.items() if lay <= bust and not 0 < turn < bust]
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

    def close(self, hand: Hand) -> None:
        """What must be there when the story ends."""
        if hand.asked:
            self._not_given(hand)
        drawn = bool(hand.dealt_at) and 0 < self.first_play < hand.dealt_at[-1]
        if drawn and not hand.called and self._must_call(hand):
            self._uncalled(hand, self.law.busting.cite(*self.law.busting.called), hand.dealt_at[-1])
        doubling, splitting = self.law.doubling, self.law.splitting
        if hand.doubled or hand.double_stakes:
            article, at = doubling.article(self.rules), hand.doubled_at
            if not hand.double_stakes:
                self.breach(DOUBLE_NOT_STAKED.code, article, "doubled, and no second stake was placed", at)
            elif not hand.doubled:
                self.breach(STAKE_NOT_DECIDED.code, article, "a second stake was placed, and nobody doubled", at)
                self._double(hand, cards=2)
            self._followed(hand.double_stakes, at)
        if hand.split and hand is not self.seat.hands[0]:
            article, at = splitting.cite(*splitting.stake), hand.made_at
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


_TELLERS: Final[dict[str, Callable[[Play, Hand, str], None]]] = {
    "+": Play.card,
    "-": Play.card,
    "^": Play.turned,
    "~": Play.removed,
    "=": Play.called,
    "$": Play.wager,
    ".": Play.decision,
}
_PLAYS: Final = frozenset({HIT, STAND, DOUBLE, SPLIT})
_DECISIONS: Final[dict[str, Callable[[Play, Hand, int], None]]] = {
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
