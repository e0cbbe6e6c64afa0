"""Looks up what wagers are due by their kind and by the outcomes of hand and bank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, Generic, NamedTuple

import polars as pl

from replayer.contract.game import AnyWager, Game
from replayer.contract.outcomes import BankOutcome, Judgement, Outcome, SeatOutcome
from replayer.contract.wagers import Due, WagerSituation
from replayer.engine.distinct_values import ColumnOf, Numbered
from replayer.engine.evaluator import Evaluator
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import SEAT_KEY, seat_key
from replayer.engine.judgements import NOT_JUDGED
from replayer.engine.packed_events import HANDS
from replayer.engine.round_context import JudgedDays
from replayer.engine.ruled import NO_RULINGS, Ruled, Rulings
from replayer.log.columns import TEXT, is_wager

_MOST_KEPT: Final = 1 << 17
"""Results kept before a new table takes the place of a full one: some 20 MB."""
_MOST_EVALUATORS: Final = 1 << 9
"""Evaluators known to a table before a new one takes its place."""
_OUTCOMES: Final = 1 << 20
_FATES: Final = 1 << 16
"""Numbers of outcomes and hands, and of fates, stay below these: two pack into one integer with the numbers of an evaluator and a
kind of wager."""


UNKNOWN: Final = Ruled(Due(None, ""))
AFTER_A_VOID: Final = (
    "placed when its round had been declared void: new bets are for a new deal, which is a round of its own"
)
"""Why such a wager has no due: nothing shows that it goes back with the others."""


def numbered_dues() -> Numbered[Ruled[Due]]:
    """Distinct dues by number; evaluators keep theirs, so that equal ones are identical."""
    return Numbered(lambda due: (id(due.value), due.rulings))


def explained(due: Ruled[Due], reason: str) -> Ruled[Due]:
    """A due with the ``reason`` why it is unknown, where it is and gives none itself."""
    known = due.value.odds is not None or due.value.unjudged
    return due if known else Ruled(_unjudged(due.value, reason or "not judged"), due.rulings)


@lru_cache(maxsize=1024)
def _unjudged(due: Due, reason: str) -> Due:
    return replace(due, unjudged=reason)


def due_numbers(
    wagers: pl.DataFrame,
    judged: JudgedDays,
    first_cards: FirstCards,
    rulings: Numbered[Rulings],
    dues: Numbered[Ruled[Due]],
) -> pl.Series:
    """The number of each wager's due; 0 for carried wagers, whose dues depend on later rounds. ``rulings`` has those by which
    wagers may be late."""
    game, context = judged.game, judged.context
    hand_dues = _hand_dues_of(game)
    stands = [evaluator is not None and ri not in context.voids for ri, evaluator in enumerate(context.evaluator_of)]
    placed = wagers.select(
        "ri",
        "seq",
        "seat",
        "hand",
        "kind",
        "splits",
        "late",
        "late_by",
        row=pl.int_range(pl.len()),
        own=_outcomes_of_wagers(wagers, judged, hand_dues.seats),
        bank=pl.lit(_numbers(judged.judgements.banks, hand_dues.banks)).gather(pl.col("ri")),
        evaluator=pl.lit(context.evaluator_numbers).gather(pl.col("ri")),
        plain=is_wager(game.wagers.play)
        & (pl.col("late") == "")
        & (pl.col("late_by") == NO_RULINGS)
        & pl.lit(pl.Series(stands, dtype=pl.Boolean)).gather(pl.col("ri")),
    )
    plain = placed.filter("plain")
    others = placed.filter(~(pl.col("plain") | is_wager(game.wagers.carried)))
    entries, known = hand_dues.numbers(plain, context.evaluators), hand_dues.dues.all
    distinct = entries.unique()
    numbers = entries.replace_strict(distinct, [dues.number(known[number]) for number in distinct.to_list()])
    more = _one_by_one(others, judged, hand_dues, first_cards, rulings, dues)
    of_wager = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    return of_wager.scatter(plain["row"], numbers).scatter(others["row"], pl.Series(more, dtype=pl.Int64))


def _one_by_one(
    wagers: pl.DataFrame,
    judged: JudgedDays,
    hand_dues: HandDues,
    first_cards: FirstCards,
    rulings: Numbered[Rulings],
    dues: Numbered[Ruled[Due]],
) -> list[int]:
    """The dues of wagers on first cards, of late ones or ones that a ruling may make late, of wagers in void rounds and of those
    that cannot be judged."""
    numbers, context = [], judged.context
    known: dict[tuple[object, ...], int] = {}
    parts = ("ri", "seq", "seat", "kind", "hand", "own", "bank", "splits", "late", "late_by")
    for ri, seq, seat, kind, hand, own, bank, splits, late, late_by in wagers.select(parts).iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is None:
            numbers.append(dues.number(explained(UNKNOWN, context.unjudged_reasons[ri])))
        elif seq > context.declared_void.get(ri, seq):
            numbers.append(dues.number(explained(UNKNOWN, AFTER_A_VOID)))
        elif ri in context.voids:
            numbers.append(dues.number(evaluator.void(context.voids[ri])))
        elif kind in judged.game.wagers.first_cards:
            cards = first_cards.of(ri, seat)
            key = (id(evaluator), kind, hand, cards, splits, late)
            number = known.get(key)
            if number is None:
                due = evaluator.wager(WagerSituation(kind, hand, first_cards=cards, splits=splits), late)
                number = known[key] = dues.number(due)
            numbers.append(number)
        else:
            of_seat, of_bank = hand_dues.seats.all[own], hand_dues.banks.all[bank]
            wager: AnyWager = WagerSituation(kind, hand, of_seat.outcome, of_bank.outcome)
            due = evaluator.wager(wager, late)
            rests_on = of_seat.rulings + of_bank.rulings
            if late_by != NO_RULINGS and evaluator.depends_on_lateness(wager):
                rests_on += rulings.all[late_by]
            numbers.append(dues.number(explained(due, of_seat.unjudged or of_bank.unjudged).resting_on(rests_on)))
    return numbers


class _Judged(NamedTuple, Generic[Outcome]):
    """The parts of a judgement that a due can depend on."""

    outcome: Outcome | None
    unjudged: str
    rulings: Rulings

    @classmethod
    def of(cls, judged: Ruled[Judgement[Outcome]]) -> _Judged[Outcome]:
        return cls(judged.value.outcome, judged.value.unjudged, judged.rulings)


def _numbers(judged: ColumnOf[Ruled[Judgement[Outcome]]], numbered: Numbered[_Judged[Outcome]]) -> pl.Series:
    """For each row the number of its outcome."""
    numbers = [numbered.number(_Judged.of(each)) for each in judged.values]
    return pl.Series(numbers, dtype=pl.Int64).gather(judged.of_row)


def _outcomes_of_wagers(
    wagers: pl.DataFrame, judged: JudgedDays, numbered: Numbered[_Judged[SeatOutcome]]
) -> pl.Series:
    """The number of the outcome of each wager's seat, or of its bettor where that may differ."""
    judgements = judged.judgements
    seats = pl.DataFrame({"key": judged.histories.seat_keys, "own": _numbers(judgements.seats, numbered)})
    placed, nobody = wagers.select(SEAT_KEY), numbered.number(_Judged.of(NOT_JUDGED))
    own = placed.join(seats, on="key", how="left", maintain_order="left")["own"].fill_null(nobody)
    if not judgements.of_bettors:
        return own
    of_bettors = [
        (seat_key(ri, seat), player, numbered.number(_Judged.of(judgement)))
        for (ri, seat, player), judgement in judgements.of_bettors.items()
    ]
    bettors = pl.DataFrame(of_bettors, {"key": pl.Int64, "player": TEXT, "one": pl.Int64}, orient="row")
    one = placed.with_columns(wagers["player"]).join(
        bettors, on=["key", "player"], how="left", nulls_equal=True, maintain_order="left"
    )["one"]
    return one.fill_null(own)


class _Results(dict[int, int | None]):
    """The results of a function of numbers so far. It does not keep the function, whose owner keeps it: a table of dues that is
    replaced is freed at once, with all evaluators that it knew."""

    def of(self, keys: pl.Series, function: Callable[[int], int | None]) -> pl.Series:
        distinct = keys.unique()
        numbers = distinct.to_list()
        self.update((key, function(key)) for key in numbers if key not in self)
        return keys.replace_strict(distinct, pl.Series(map(self.__getitem__, numbers), dtype=pl.Int64))


class _Grounds(NamedTuple):
    """What the dues of all wagers on a hand depend on, for banks with the same fate (``BankOutcome.fate``).

    ``wager`` is one of these wagers, reduced; ``meets`` is whether the hand is to be compared with the bank's hand itself.
    """

    wager: AnyWager
    meets: bool
    unjudged: str
    rulings: Rulings


class HandDues:
    """Looks up the dues of wagers that were placed in time and that the outcomes of hand and bank decide.

    It takes three steps by numbers, and asks the law once per distinct key: what the dues of a hand depend on; how the hand
    compares with the bank's, where they depend on that; what each kind of wager on it is due.
    """

    def __init__(self, game: Game) -> None:
        self.seats = Numbered[_Judged[SeatOutcome]]()
        self.banks = Numbered[_Judged[BankOutcome]]()
        self.dues = numbered_dues()
        self._settlement = game.settlement
        self._comparison = game.settlement.comparison
        self._held = sorted(game.wagers.hand)
        self._kinds = sorted(game.wagers.play)
        self._evaluators = Numbered[Evaluator](id)
        # A bank without an outcome differs from one whose outcome has no fate.
        self._fates = Numbered[_Judged[BankOutcome]](
            lambda bank: (bank.outcome is None or (bank.outcome.fate,), *bank[1:])
        )
        self._hands = Numbered[_Grounds]()
        self._met = Numbered[Ruled[BankOutcome | None]]()
        self._not_met = self._met.number(Ruled(None))
        self._results = [_Results() for _ in range(5)]
        self._of_hand, self._of_meeting, self._of_wager, *strengths = self._results
        self._strength_of_seat, self._strength_of_bank = strengths

    @property
    def is_full(self) -> bool:
        """Whether a new one should take its place."""
        held = sum(map(len, self._results)) + len(self.seats.all) + len(self.banks.all)
        return held > _MOST_KEPT or len(self._evaluators.all) > _MOST_EVALUATORS or len(self._fates.all) > _FATES // 2

    def numbers(self, wagers: pl.DataFrame, evaluators: Sequence[Evaluator]) -> pl.Series:
        """The numbers of the wagers' dues; ``own`` and ``bank`` are numbers of outcomes, ``evaluator`` is one of
        ``evaluators``."""
        numbered = pl.Series([self._evaluators.number(each) for each in evaluators], dtype=pl.Int64)
        banks = wagers["bank"].unique()
        fates = pl.Series([self._fates.number(self.banks.all[bank]) for bank in banks.to_list()], dtype=pl.Int64)
        wanted = wagers.select(
            "own",
            "bank",
            evaluator=pl.lit(numbered).gather("evaluator"),
            hand=(pl.col("own") * HANDS + pl.col("hand")) * _FATES + pl.col("bank").replace_strict(banks, fates),
            kind=pl.col("kind").cast(pl.Enum(self._kinds)).to_physical().cast(pl.Int64),
            held=pl.col("kind").is_in(self._held),
        )
        hand = self._of_hand.of(wanted["hand"], self._hand)
        meets = pl.Series([each.meets for each in self._hands.all], dtype=pl.Boolean).gather(hand) & wanted["held"]
        met = pl.Series([self._not_met], dtype=pl.Int64).new_from_index(0, hand.len())
        if meets.any():
            rows = meets.arg_true()
            met = met.scatter(rows, self._meetings(wanted[rows]))
        compared = (wanted["evaluator"] * _OUTCOMES + hand) * _OUTCOMES + met
        return self._of_wager.of(compared * len(self._kinds) + wanted["kind"], self._due)

    def _meetings(self, wanted: pl.DataFrame) -> pl.Series:
        """The numbers of the results of comparing hands with the bank's. Where both have a strength, all hands that are higher
        than, equal to or lower than one hand of the bank under the same rules give one result: the law is asked about one."""
        if self._comparison is None:
            banks = self.banks.all
            return self._of_meeting.of(wanted["bank"], lambda bank: self._met.number(Ruled(banks[bank].outcome)))
        pair = (pl.col("evaluator") * _OUTCOMES + pl.col("own")) * _OUTCOMES + pl.col("bank")
        evaluator = wanted["evaluator"] * _OUTCOMES
        own = self._strength_of_seat.of(evaluator + wanted["own"], partial(self._strength, self.seats.all))
        bank = self._strength_of_bank.of(evaluator + wanted["bank"], partial(self._strength, self.banks.all))
        compared = wanted.select("evaluator", "bank", (own - bank).sign().alias("sign"), pair=pair)
        groups = compared.select(
            group=pl.when(pl.col("sign").is_null())
            .then(-pl.col("pair") - 1)
            .otherwise((pl.col("evaluator") * _OUTCOMES + pl.col("bank")) * 3 + pl.col("sign") + 1),
            pair="pair",
        )
        pair_of = dict(groups.unique("group", keep="any").iter_rows())
        return self._of_meeting.of(groups["group"], lambda group: self._meeting(pair_of[group]))

    def _strength(self, hands: Sequence[_Judged[SeatOutcome] | _Judged[BankOutcome]], key: int) -> int | None:
        evaluator, hand = divmod(key, _OUTCOMES)
        outcome, rules = hands[hand].outcome, self._evaluators.all[evaluator].rules
        return self._comparison.strength(outcome, rules) if self._comparison and outcome is not None else None

    def _hand(self, key: int) -> int:
        key, fate = divmod(key, _FATES)
        own, hand = divmod(key, HANDS)
        seat, bank = self.seats.all[own], self._fates.all[fate]
        meets = self._settlement.meets(seat.outcome, hand, bank.outcome)
        # Any evaluator does: ``reduced`` takes away the same however hand and bank compare.
        met = self._evaluators.all[0].met(seat.outcome, bank.outcome).value if meets else bank.outcome
        wager = self._settlement.reduced(WagerSituation(self._kinds[0], hand, seat.outcome, met))
        unjudged, rulings = seat.unjudged or bank.unjudged, seat.rulings + bank.rulings
        return self._hands.number(_Grounds(wager._replace(bank=bank.outcome), meets, unjudged, rulings))

    def _meeting(self, pair: int) -> int:
        key, bank = divmod(pair, _OUTCOMES)
        evaluator, own = divmod(key, _OUTCOMES)
        seat, of_bank = self.seats.all[own].outcome, self.banks.all[bank].outcome
        return self._met.number(self._evaluators.all[evaluator].met(seat, of_bank))

    def _due(self, key: int) -> int:
        key, kind = divmod(key, len(self._kinds))
        key, meeting = divmod(key, _OUTCOMES)
        evaluator, number = divmod(key, _OUTCOMES)
        hand, met = self._hands.all[number], self._met.all[meeting]
        wager = self._settlement.reduced(hand.wager._replace(kind=self._kinds[kind], bank=met.value or hand.wager.bank))
        due = explained(self._evaluators.all[evaluator].due(wager), hand.unjudged)
        return self.dues.number(due.resting_on(met.rulings + hand.rulings))


_HAND_DUES: Final[dict[str, HandDues]] = {}
"""By game."""


def _hand_dues_of(game: Game) -> HandDues:
    known = _HAND_DUES.get(game.name)
    if known is None or known.is_full:
        known = _HAND_DUES[game.name] = HandDues(game)
    return known
