"""A player's hand from the first bet to the decision, read from a seat story (``replayer.game``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from replayer.game import Breach, Judgement, Step
from replayer.law.fortune_3_card_poker.cards import CARDS, NOT_KNOWN, write_hand
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, NULL, RAISED, VOID
from replayer.law.fortune_3_card_poker.play import ANTE, PAIR_PLUS, RAISE
from replayer.law.fortune_3_card_poker.rules import Rules
from schemas.cards import UNKNOWN, UNKNOWN_SUIT
from schemas.finding import Severity, declare

F3_DECISION_MISSING: Final = declare("F3_DECISION_MISSING", Severity.PROCEDURE, "An ante without raise or fold")
F3_DECISION_FORBIDDEN: Final = declare("F3_DECISION_FORBIDDEN", Severity.PROCEDURE, "A decision that was not open")
F3_FOLD_FORBIDDEN: Final = declare("F3_FOLD_FORBIDDEN", Severity.MONEY, "A fold with Pair Plus, where one must raise")
F3_RAISE_MISSING: Final = declare("F3_RAISE_MISSING", Severity.MONEY, "A player who plays and placed no raise")
F3_RAISE_UNDECIDED: Final = declare("F3_RAISE_UNDECIDED", Severity.PROCEDURE, "A raise without the decision to play")

UNSEEN: Final = "a card of the hand, or a suit that counts, is not on the log"
STRAY: Final = "a card of another hand is on the log at this place"


def lay(cards: list[str], word: str) -> bool:
    """Lay the card of a word: dealt, or turned where it lay. False where the card turned never lay there."""
    card = word[1:]
    if word[0] in "+-":
        cards.append(card)
    elif word[0] == "^" and card not in cards:
        for hidden in (card[0] + UNKNOWN_SUIT, UNKNOWN):
            if hidden in cards:
                cards[cards.index(hidden)] = card
                return True
        return False
    return True


@dataclass(slots=True)
class SeatStory:
    """A seat story, read: the words of ante and raise, each decision with whether three cards and an ante lay there by then, whether
    hand was dealt when no bet lay there (``null``), or before there was an ante (``ante_late``) or Pair Plus
    (``pair_plus_late``)."""

    ante_at: int | None = None
    ante_late: bool = False
    pair_plus: bool = False
    pair_plus_late: bool = False
    null: bool = False
    raised_at: int | None = None
    cards: list[str] = field(default_factory=list)
    decisions: list[tuple[int, str, bool, bool]] = field(default_factory=list)
    stray: bool = False

    @property
    def ante(self) -> bool:
        """Whether there is one."""
        return self.ante_at is not None

    @property
    def decided(self) -> bool:
        """Whether to raise or to fold was decided."""
        return any(action in ("raise", "fold") for _, action, *_ in self.decisions)


def read_seat(story: str) -> SeatStory:
    """Take a seat story apart."""
    seat = SeatStory()
    for number, word in enumerate(story.split(" ")):
        mark = word[0]
        if mark in "+-" and not seat.cards and not seat.ante and not seat.pair_plus:
            seat.null = True
        if mark in "+-^":
            if not lay(seat.cards, word):
                seat.stray = True
        elif mark == ".":
            seat.decisions.append((number, word[1:], len(seat.cards) == CARDS, seat.ante))
        elif mark == "$":
            kind = word[1:]
            if kind == ANTE:
                seat.ante_late |= seat.ante_at is None and bool(seat.cards)
                seat.ante_at = number
            elif kind == PAIR_PLUS:
                seat.pair_plus_late |= not seat.pair_plus and bool(seat.cards)
                seat.pair_plus = True
            elif kind == RAISE:
                seat.raised_at = number
        elif "b" <= mark <= "z":
            seat.stray = True
    return seat


def judge_seat(story: str, rules: Rules) -> Judgement:
    """What became of a seat, written as ``play`` says, and what was against the rules."""
    seat = read_seat(story)
    if seat.stray:
        return Judgement(f"{NULL} {NOT_KNOWN}", waits=False, unjudged=STRAY)
    in_order = not {"deal_order", "decisions", "times"} & rules.options.not_recorded
    if not (seat.ante or seat.pair_plus) or (seat.null and in_order):
        return Judgement(NULL, waits=False)
    if len(seat.cards) not in (0, CARDS):
        return Judgement(VOID, waits=False)
    hand = write_hand(seat.cards) if seat.cards else NOT_KNOWN
    fate, breaches = _fate(seat, rules)
    if not seat.cards and in_order:  # a bet waits for a hand that was never dealt, and so is no more than a null one
        if not seat.decided:
            breaches = tuple(found for found in breaches if found.code == F3_DECISION_FORBIDDEN.code)
        return Judgement(NULL, breaches, waits=False)
    unjudged = UNSEEN if hand == NOT_KNOWN and fate != FOLDED else ""
    unseen = ("decisions",) if "decisions" in rules.options.not_recorded else ()
    return Judgement(f"{fate} {hand}", breaches, (_step(fate, hand, rules),), fate == RAISED, unjudged, False, unseen)


def _ante_is_void(seat: SeatStory, rules: Rules) -> bool:
    """X-7: whether a hand that does not play has no ante, since it came after the cards (6(3)): there is then nothing to fold,
    and Pair Plus stands alone. To one who plays it is no matter: ante and raise are void together, Pair Plus is paid."""
    plays = seat.raised_at is not None or any(action == "raise" for _, action, *_ in seat.decisions)
    if not seat.ante_late or plays or {"close", "deal_order", "times"} & rules.options.not_recorded:
        return False
    return rules.readings("X-7") == "void"


def _beside_pair_plus(seat: SeatStory, rules: Rules) -> bool:
    """Whether the ante has Pair Plus beside it. X-7: one that came after the cards (6(3)) may be none."""
    late = seat.pair_plus_late and not {"close", "deal_order", "times"} & rules.options.not_recorded
    return seat.pair_plus and not (late and rules.readings("X-7") == "void")


def _fate(seat: SeatStory, rules: Rules) -> tuple[str, tuple[Breach, ...]]:
    """Whether the player plays: the first decision counts; where none is told, the raise that was placed or not."""
    play = rules.regulation.art9
    found: list[Breach] = []
    told = "decisions" not in rules.options.not_recorded
    decided, decided_at, in_time = "", 0, True
    for number, action, dealt, ante in seat.decisions:
        known = action in ("raise", "fold")
        if known and not decided:
            decided, decided_at, in_time = action, number, dealt
            continue
        article = play.cite(*play.decided_by)
        if not ante:
            text = f"{action} without an ante"
        elif known:
            article = play.cite(play.fold_item if action == "fold" else play.raise_item)
            text = f"{action} after {decided}"
        else:
            text = f"{action!r} is no decision here"
        found.append(Breach(F3_DECISION_FORBIDDEN.code, article, text, number))
    if not seat.ante or _ante_is_void(seat, rules):
        rules.readings("F3-16")
        if decided:
            article = play.cite(*play.decided_by)
            found.append(Breach(F3_DECISION_FORBIDDEN.code, article, f"{decided} without an ante", decided_at))
        return ALONE, tuple(found)
    if decided == "fold" and not play.may_fold(rules.readings, pair_plus=_beside_pair_plus(seat, rules)):
        found.append(Breach(F3_FOLD_FORBIDDEN.code, play.must_raise(), "both bets: one must raise", decided_at))
    if not in_time:
        article = play.cite(play.fold_item if decided == "fold" else play.raise_item)
        found.append(Breach(F3_DECISION_FORBIDDEN.code, article, f"{decided} before the cards", decided_at))
    if told and not decided and seat.raised_at is None:
        text = "neither raise nor fold: taken as not playing"
        found.append(Breach(F3_DECISION_MISSING.code, play.cite(*play.decided_by), text, seat.ante_at or 0))
    if told and not decided and seat.raised_at is not None:
        text = "a raise was placed, the decision is not on the log"
        found.append(Breach(F3_RAISE_UNDECIDED.code, play.cite(play.raise_item), text, seat.raised_at))
    if decided == "raise" and seat.raised_at is None:
        text = "the player plays, and placed no raise"
        found.append(Breach(F3_RAISE_MISSING.code, play.cite(play.raise_item), text, decided_at))
    if decided == "fold":
        stands = play.fold_stands(rules.readings, pair_plus=_beside_pair_plus(seat, rules))
        if stands and seat.raised_at is not None and all(action != "raise" for _, action, *_ in seat.decisions):
            text = "a raise was placed on a hand that does not play"
            found.append(Breach(F3_RAISE_UNDECIDED.code, play.cite(play.raise_item), text, seat.raised_at))
        return (FOLDED if stands else RAISED), tuple(found)
    return (RAISED if decided or seat.raised_at is not None else FOLDED), tuple(found)


def _step(fate: str, hand: str, rules: Rules) -> Step:
    law = rules.regulation
    rank = law.art8.certain.get(hand)
    held = f"{hand} ({rank.combination})" if rank else hand
    if fate == ALONE:
        return Step(law.art5.cite(2), f"{held}: Pair Plus alone, no decision is asked")
    if fate == RAISED:
        return Step(law.art9.cite(law.art9.raise_item), f"{held}: plays against the croupier")
    return Step(law.art9.cite(law.art9.fold_item), f"{held}: does not play")
