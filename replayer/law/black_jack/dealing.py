"""The deal and the order of play: art. 5, and what art. 6(3) says of turns. ``judge_round`` asks every duty of a round.

What a source's log does not record cannot be held against the table: those checks are named as not made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.game import Breach, Judgement, RoundOutcome
from replayer.law.black_jack.drawing import TOTALS
from replayer.law.black_jack.hole_card import HOLE_NOT_CHECKED, must_check
from replayer.law.black_jack.round_story import BANK, CARD, PLAY, At, RoundStory
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shuffling import Path
from replayer.law.provision import Provision
from schemas.finding import Severity, declare
from schemas.money import format_amount

CARD_WITHOUT_BET: Final = declare("CARD_WITHOUT_BET", Severity.PROCEDURE, "Cards at a seat without a wager")
SEAT_NOT_DEALT: Final = declare("SEAT_NOT_DEALT", Severity.PROCEDURE, "A seat with a wager got no cards")
DEAL_ORDER: Final = declare("DEAL_ORDER", Severity.PROCEDURE, "Cards not dealt one at a time from the left")
DEAL_PROCEDURE_CLOSED: Final = declare(
    "DEAL_PROCEDURE_CLOSED", Severity.PROCEDURE, "A deal that the text does not describe for the equipment in use"
)
CARD_FACE: Final = declare("CARD_FACE", Severity.PROCEDURE, "A card dealt face down that belongs face up")
EXPOSED_CARD_KEPT: Final = declare("EXPOSED_CARD_KEPT", Severity.PROCEDURE, "A card that came out face up was kept")
BANK_SECOND_CARD_EARLY: Final = declare(
    "BANK_SECOND_CARD_EARLY", Severity.PROCEDURE, "The bank's second card before the players had acted"
)
BANK_SECOND_CARD_LATE: Final = declare(
    "BANK_SECOND_CARD_LATE", Severity.PROCEDURE, "The bank's hidden second card not dealt before the players act"
)
HOLE_CARD_OPENED_EARLY: Final = declare(
    "HOLE_CARD_OPENED_EARLY", Severity.PROCEDURE, "Play went on after the bank's hidden card was opened"
)
DECISION_ORDER: Final = declare("DECISION_ORDER", Severity.PROCEDURE, "Seats did not act from the left")
CARD_AFTER_END: Final = declare("CARD_AFTER_END", Severity.PROCEDURE, "Cards or decisions after the round was over")
PAID_DURING_DEAL: Final = declare("PAID_DURING_DEAL", Severity.PROCEDURE, "A settlement before any seat had two cards")
TABLE_LIMIT_EXCEEDED: Final = declare(
    "TABLE_LIMIT_EXCEEDED", Severity.PROCEDURE, "More staked in a round than the table's limit for all bets together"
)
CLOSE_MISSING: Final = declare("CLOSE_MISSING", Severity.ADVISORY, "Cards dealt though the bets were never closed")
CLOSE_LATE: Final = declare("CLOSE_LATE", Severity.ADVISORY, "Bets closed after the first card")

SHOWN_BY_A_ROUND: Final = ("shuffle", "cut", "burn", "deal_order", "faces", "decisions", "close", "authorisations")
"""What a round's checks rest on; the options name those that the log's source does not record."""


@dataclass(frozen=True)
class Deal(Provision):
    """Art. 5: to seats with bets and to the bank, one card at a time from the left, by one of up to three procedures.

    ``box`` and ``shoe`` are where procedure 1 stands for the metal box and for shoe and machine; ``opening`` is the
    article that has ``order``, ``exposed`` and ``error`` where it is another one, as in 141/2000. ``late_in_doubt`` is whether no
    sentence says what becomes of a wager that was placed after the deal (X-7), ``from_the_left`` whether the text
    has the cards go round from there; 141/2000 says it of decisions only.
    """

    opening: Provision | None = None
    late_in_doubt: bool = True
    from_the_left: bool = True

    order: Path = (1,)
    exposed: Path = (1, 1)
    error: Path = (1, 2)
    shoe: Path = (2, 1, 1)
    box: Path = (2, 1, 2)
    open_cards: Path = (2, 2, 1)
    open_second: Path = (2, 2, 2)
    hole_first: Path = (2, 3, 1)
    hole_second: Path = (2, 3, 2)
    hole_check: Path = (2, 3, 3)
    hole_down: Path = (2, 3, 5)
    hole_splits: Path = (2, 3, 7)
    hole_limit: Path = (2, 3, 8)

    def breaches(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """What the round shows against this article."""
        unknown = rules.options.not_recorded
        yield from self._only_to_bets(story, rules)
        yield from self._device(story, rules)
        if "deal_order" not in unknown and not story.interrupted:
            yield from self._one_at_a_time(story, rules)
            yield from self._second_card_in_time(story, rules)
            yield from self._checked_in_time(story, rules)
        if "faces" not in unknown:
            yield from self._faces(story, rules)
        yield from self._limits(story)

    def order_article(self) -> str:
        """Where it says that cards go to the seats with bets, one at a time."""
        return (self.opening or self).cite(*self.order)

    def error_article(self) -> str:
        """Where it says that the cards of a round that went wrong are cancelled."""
        return (self.opening or self).cite(*self.error)

    def second_card_article(self, rules: Rules) -> str:
        """Where it says that the bank takes its second card: art. 7(1), in 141/2000 the procedure of the deal itself."""
        busting = rules.regulation.busting
        return str(busting.cite(*busting.second) if busting.second else self.cite(*self._second_path(rules)))

    def table_limit(self, rules: Rules) -> tuple[int, Breach] | None:
        """Under procedure 3 the house may set what all bets on the table may come to in a round."""
        most = rules.options.p3_table_limit
        if most is None or rules.options.deal_procedure != 3:
            return None
        message = f"with this wager the table's bets are more than {format_amount(most)}"
        return most, Breach(TABLE_LIMIT_EXCEEDED.code, self.cite(*self.hole_limit), message)

    # To whom

    def _only_to_bets(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        article = self.order_article() if self.opening is None else self.cite(*self._second_path(rules))
        touched: dict[int, int] = {}
        for at in (*story.deal, *story.play):
            touched.setdefault(at.place, at.word)
        for seat, index in touched.items():
            if seat not in (BANK, *story.seats):
                yield Breach(CARD_WITHOUT_BET.code, article, f"seat {seat} has no wager", index)
        taken_back = any(index < (story.first_card or 0) for index in story.where("pay"))
        if story.first_card is not None and not story.interrupted and not taken_back:
            for seat in story.seats:
                if seat not in touched:
                    message = f"seat {seat} has a wager and got no cards"
                    yield Breach(SEAT_NOT_DEALT.code, article, message, story.first_card)

    def _device(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """BJ-31: procedure 2 is described for shoe and machine only."""
        options = rules.options
        if options.deal_procedure == 2 and options.device == "box" and story.first_card is not None:  # noqa: SIM102
            if rules.readings("BJ-31") == "no":
                message = "the second procedure is for shoe and machine"
                yield Breach(DEAL_PROCEDURE_CLOSED.code, self.cite(*self.open_cards), message, story.first_card)

    # In which order

    def _one_at_a_time(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        article = self.order_article()
        dealt = [at for at in story.deal if at.place in story.seats]
        seats = sorted({at.place for at in dealt})
        expected = seats * 2 if self.from_the_left else _in_any_order(dealt, seats)
        if "decisions" in rules.options.not_recorded:
            dealt = dealt[: len(expected)]  # the rest are cards that players asked for
        for number, at in enumerate(dealt):
            if number >= len(expected):
                message = f"a third card for seat {at.place} before anything was decided"
            elif at.place != expected[number]:
                message = f"seat {at.place} where seat {expected[number]} was next"
            else:
                continue
            yield Breach(DEAL_ORDER.code, article, message, at.word)
            return
        if len(dealt) < len(expected):
            message = f"seat {expected[len(dealt)]} had one card when the deal ended"
            yield Breach(DEAL_ORDER.code, article, message, story.deal_ends)
            return
        yield from self._bank_in_its_pass(story, len(seats), rules)

    def _bank_in_its_pass(self, story: RoundStory, seats: int, rules: Rules) -> Iterator[Breach]:
        """The bank comes last in a pass; in which one its only card comes is fixed in procedure 3 alone (BJ-30)."""
        places = [at.place for at in story.deal if at.place in (BANK, *story.seats)]
        if BANK not in places:
            message = "the bank had no card when the deal ended"
            yield Breach(DEAL_ORDER.code, self.order_article(), message, story.deal_ends)
            return
        before = places.index(BANK)
        index = next(at.word for at in story.deal if at.place == BANK)
        if rules.options.deal_procedure == 3:
            if before != seats:
                message = "the bank's first card belongs at the end of the first pass"
                yield Breach(DEAL_ORDER.code, self.cite(*self.hole_first), message, index)
            return
        if before not in (seats, 2 * seats):
            message = "the bank's card belongs at the end of a pass"
            yield Breach(DEAL_ORDER.code, self.order_article(), message, index)
            return
        reading = rules.readings("BJ-30")
        if reading != "either" and before != {"first": seats, "second": 2 * seats}[reading]:
            message = f"the bank's card belongs at the end of the {reading} pass"
            yield Breach(DEAL_ORDER.code, self.order_article(), message, index)

    def _second_card_in_time(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        second = story.bank_second
        hidden = self.hides_second(rules)
        article = self.cite(*self._second_path(rules))
        last_act = story.play[-1].word if story.play and "decisions" not in rules.options.not_recorded else None
        if not hidden:
            if second is not None and last_act is not None and second.word < last_act:
                message = "the bank's second card is dealt after the players have drawn or stood"
                yield Breach(BANK_SECOND_CARD_EARLY.code, article, message, second.word)
            return
        if last_act is not None and (second is None or second.word > story.first_decision):
            message = "the bank's second card is dealt face down before the players act"
            yield Breach(BANK_SECOND_CARD_LATE.code, article, message, story.first_decision)
        opened = next((at.word for at in story.placed if at.place == BANK and at.sign == "^"), None)
        if opened is not None and last_act is not None and opened < last_act:
            message = "the bank opens its hidden card when the players have acted"
            yield Breach(HOLE_CARD_OPENED_EARLY.code, article, message, opened)

    def _checked_in_time(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """The look at the hidden card comes before anyone plays; BJ-67: whether a surrender may precede it is its own matter."""
        checked = next((at.word for at in story.placed if at.place == BANK and at.sign == "?"), None)
        first = next((at.word for at in story.play if at.place != BANK), None)
        if (
            rules.options.checks_hole
            and checked is not None
            and first is not None
            and first < checked
            and must_check(rules)
        ):
            message = "the bank looked at its hidden card when play had begun"
            yield Breach(HOLE_NOT_CHECKED.code, self.cite(*self.hole_check), message, first)

    def opens_seats(self, rules: Rules) -> bool:
        """Whether a seat's first two cards lie open."""
        return self._seat_face(rules)[0] == "+"

    def hides_second(self, rules: Rules) -> bool:
        """Whether the bank's second card is dealt down before the players act: the box, and the hole card."""
        procedure = rules.options.deal_procedure
        return bool(procedure == 3 or (procedure == 1 and rules.options.device == "box"))

    def _second_path(self, rules: Rules) -> Path:
        procedure = rules.options.deal_procedure
        if procedure == 1:
            return self.box if rules.options.device == "box" else self.shoe
        return self.hole_second if procedure == 3 else self.open_second

    # Which way up

    def _faces(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        first = story.deal[0].word if story.deal else None
        passes: dict[int, int] = {}
        for at in story.deal:
            passes[at.place] = passes.get(at.place, 0) + 1
            if at.place == BANK or passes[at.place] > 2:
                continue
            wanted, path = self._seat_face(rules)
            yield from self._face(at, wanted, path, story, rules, first_of_all=at.word == first)
        bank = next((at for at in story.deal if at.place == BANK), None)
        if bank is not None:
            path = self.hole_first if rules.options.deal_procedure == 3 else self._second_path(rules)
            yield from self._face(bank, "+", path, story, rules, first_of_all=bank.word == first)
        if story.bank_second is not None:
            wanted = "-" if self.hides_second(rules) else "+"
            yield from self._face(story.bank_second, wanted, self._second_path(rules), story, rules, first_of_all=False)

    def _seat_face(self, rules: Rules) -> tuple[str, Path]:
        """How a seat's first two cards lie; empty where both ways are right."""
        procedure = rules.options.deal_procedure
        if procedure == 1:
            return "-", self._second_path(rules)
        if procedure == 2:
            return "+", self.open_cards
        if rules.options.p3_player_faces == "up":
            return "+", self.hole_first
        mixed = rules.readings("BJ-32") == "zh"
        return "" if mixed else "-", self.hole_down

    def _face(
        self, at: At, wanted: str, path: Path, story: RoundStory, rules: Rules, *, first_of_all: bool
    ) -> Iterator[Breach]:
        if not wanted or at.sign in ("", wanted):
            return
        who = "the bank" if at.place == BANK else f"seat {at.place}"
        if wanted == "+":
            yield Breach(CARD_FACE.code, self.cite(*path), f"a card of {who} lies face down", at.word)
        elif not self._may_stay(story, rules, first_of_all=first_of_all):
            message = f"a card of {who} came out face up: it is void, to be taken away and replaced"
            yield Breach(EXPOSED_CARD_KEPT.code, (self.opening or self).cite(*self.exposed), message, at.word)

    def _may_stay(self, story: RoundStory, rules: Rules, *, first_of_all: bool) -> bool:
        """BJ-28: which card the house may treat as valid though it came out face up."""
        if not rules.options.exposed_first_card_valid:
            return False
        if first_of_all and story.shoe == "fresh":
            return True
        return rules.readings("BJ-28") == "as_option"

    # Its bounds

    def _limits(self, story: RoundStory) -> Iterator[Breach]:
        article = self.order_article()
        if story.ended is not None:
            late = next((at for at in story.placed if at.word > story.ended and at.sign in CARD | {PLAY}), None)
            if late is not None:
                yield Breach(CARD_AFTER_END.code, article, "the round was over", late.word)
        paid = next(story.where("pay"), None)
        if story.first_card is None or paid is None or story.interrupted:
            return
        places = [at.place for at in story.deal if at.word < paid and at.place != BANK]
        if story.first_card < paid < story.first_decision and len(places) == len(set(places)):
            message = "nothing is decided before a seat has two cards"
            yield Breach(PAID_DURING_DEAL.code, article, message, paid)


def _in_any_order(dealt: list[At], seats: list[int]) -> list[int]:
    """The seats that were due, pass by pass, where the text does not say from which side: any that still waited for its card,
    the first from the left where the card went to none of them."""
    expected: list[int] = []
    for waiting in (seats.copy(), seats.copy()):
        while waiting:
            came = dealt[len(expected)].place if len(expected) < len(dealt) else None
            due = came if came in waiting else waiting[0]
            waiting.remove(due)
            expected.append(due)
    return expected


@dataclass(frozen=True)
class Turns:
    """The order in which seats act, wherever the instrument has it (57/2009 art. 6(3)); ``article`` is its citation."""

    article: str

    def breaches(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """Each seat makes its final decision before the bank hears the next one; BJ-34: and gets its cards then."""
        for before, at in zip(story.play, story.play[1:], strict=False):
            if at.place < before.place:
                rules.readings("BJ-34")
                message = f"seat {at.place} acts after seat {before.place}"
                yield Breach(DECISION_ORDER.code, self.article, message, at.word)


def closing(story: RoundStory) -> Iterator[Breach]:
    """Bets are closed before the first card; no text says how, side wagers end with the first card (art. 13)."""
    if story.first_card is None:
        return
    closed = next(story.where("nomore"), None)
    if closed is None:
        yield Breach(CLOSE_MISSING.code, "", "no more bets was never said", story.first_card)
    elif closed > story.first_card:
        yield Breach(CLOSE_LATE.code, "", "cards were dealt while bets were open", closed)


def judge_round(text: str, rules: Rules) -> Judgement[RoundOutcome]:
    """Whether the round's procedure was kept. X-5: where it was not, the round stands as it was played, but for art. 5(1)(2)."""
    story = RoundStory.read(text)
    law, unknown = rules.regulation, rules.options.not_recorded
    found = [*law.shuffling.breaches(story, rules), *law.burns.breaches(story, rules), *law.deal.breaches(story, rules)]
    if "decisions" not in unknown and "deal_order" not in unknown:
        found += law.turns.breaches(story, rules)
    if "close" not in unknown:
        found += closing(story)
    if found:
        rules.readings("X-5")
    left_out: tuple[str, ...] = tuple(name for name in SHOWN_BY_A_ROUND if name in unknown)
    if TOTALS not in rules.told and (law.drawing.calls_seats(rules) or law.drawing.calls_bank(rules)):
        left_out += (TOTALS,)
    breaches = tuple(sorted(found, key=lambda breach: breach.word))
    return Judgement(RoundOutcome(), breaches, waits=False, not_checked=left_out)
