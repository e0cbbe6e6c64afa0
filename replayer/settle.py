"""Settles the wagers of a table-day again and holds what was paid against what was due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import polars as pl

from replayer.game import Breach, Due, Game, Judgement
from replayer.judge import Asked, Judge
from replayer.law.rulings import Readings
from replayer.stories import SEATS, Stories, seat_key
from schemas.finding import Severity, declare

OVERPAID: Final = declare("OVERPAID", Severity.MONEY, "The house paid more than was due")
UNDERPAID: Final = declare("UNDERPAID", Severity.MONEY, "The house paid less than was due")
WAGER_UNSETTLED: Final = declare("WAGER_UNSETTLED", Severity.MONEY, "A wager that was never settled")
SETTLED_NOTHING: Final = declare("SETTLED_NOTHING", Severity.MONEY, "A settlement of a wager that was never placed")
STAKE_CHANGED: Final = declare("STAKE_CHANGED", Severity.MONEY, "Settled at another stake than was placed")

WHOLE_SEAT: Final = "all"
WHOLE_HAND: Final = "hand"
"""Kinds under which other systems' logs settle a seat, or a hand without its insurance, in one amount."""

STILL_RUNNING: Final = "still running when the log ends"
_NOBODY: Final[Asked[Judgement]] = Asked(Judgement(unjudged="no cards on the log", waits=False), ())


@dataclass(slots=True)
class Noted:
    """A breach and where it was found: the round's index, the seat, and which words to look behind for the position."""

    breach: Breach
    ri: int
    seat: int | None
    of: str
    prefix: int = 1
    seq: int | None = None


@dataclass(slots=True)
class Opinion:
    """What a judge thinks of every seat, bank and round of a table-day."""

    seats: list[Asked[Judgement]]
    banks: list[Asked[Judgement]]
    seat_at: dict[int, int]
    noted: list[Noted] = field(default_factory=list)
    not_checked: Counter[str] = field(default_factory=Counter)


def opinion(stories: Stories, judges: Sequence[Judge | None], game: Game) -> Opinion:
    """Judge all stories; ``judges`` has one entry a round, None where nothing can be judged."""
    ris = stories.seats["ri"].to_list()
    numbers = stories.seats["seat"].to_list()
    told = stories.seats["story"].to_list()
    seats: list[Asked[Judgement]] = []
    for ri, story in zip(ris, told, strict=True):
        judge = judges[ri]
        seats.append(_NOBODY if judge is None else judge.seat(story))
    wanting = [index for index, asked in enumerate(seats) if asked.answer.needs_suits]
    if wanting:
        suited = stories.suited([(ris[index], numbers[index]) for index in wanting], game)
        for index in wanting:
            judge = judges[ris[index]]
            if judge is not None:
                seats[index] = judge.seat(suited[(ris[index], numbers[index])])
    seat_at = {seat_key(ri, seat): index for index, (ri, seat) in enumerate(zip(ris, numbers, strict=True))}
    formed = Opinion(seats, [], seat_at)
    live = [False] * stories.rounds.height
    for ri, seat, asked in zip(ris, numbers, seats, strict=True):
        answer = asked.answer
        if answer.waits:
            live[ri] = True
        if answer.breaches or answer.not_checked:
            formed.noted += [Noted(breach, ri, seat, "seat") for breach in answer.breaches]
            formed.not_checked.update(answer.not_checked)
    columns = stories.rounds.select("bank_story", "round_story").rows()
    for ri, (bank_story, round_story) in enumerate(columns):
        judge = judges[ri]
        if judge is None:
            formed.banks.append(_NOBODY)
            continue
        bank = judge.bank(f"{'live' if live[ri] else 'dead'} {bank_story}")
        formed.banks.append(bank)
        whole = judge.round(round_story)
        for asked, of in ((bank, "bank"), (whole, "round")):
            answer = asked.answer
            if answer.breaches or answer.not_checked:
                prefix = 1 if of == "bank" else _prefix_words(round_story)
                formed.noted += [Noted(breach, ri, None, of, prefix) for breach in answer.breaches]
                formed.not_checked.update(answer.not_checked)
    return formed


def _prefix_words(round_story: str) -> int:
    return 2 if round_story.split(" ", 2)[1:2] in (["white"], ["fresh"], ["unshuffled"]) else 1


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a wager is due, all rulings on the way to it, and why it could not be said where it could not."""

    due: Due
    rulings: str
    reason: str | None


class _Answers:
    """Distinct answers and which wager has which: wagers are many, answers few."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._answers: list[_Answer] = []
        self.of_wager: list[int] = []

    def known(self, key: Hashable) -> bool:
        """Give the wager at hand the answer of ``key`` if there is one already."""
        number = self._numbers.get(key)
        if number is None:
            return False
        self.of_wager.append(number)
        return True

    def add(self, key: Hashable, due: Due, rulings: Iterable[str] = (), reason: str = "") -> None:
        """Give the wager at hand a new answer, known as ``key`` from now on."""
        why = None if due.odds is not None else due.unjudged or reason or "not judged"
        self._numbers[key] = len(self._answers)
        self.of_wager.append(len(self._answers))
        self._answers.append(_Answer(due, " ".join(sorted(set(rulings))), why))

    def dues(self) -> list[Due]:
        """The due of each wager."""
        return [self._answers[number].due for number in self.of_wager]

    def columns(self) -> dict[str, pl.Series]:
        """``num``, ``den``, ``article``, ``rulings`` and ``reason`` of each wager."""
        odds = [answer.due.odds for answer in self._answers]
        distinct = {
            "num": pl.Series([None if o is None else o.numerator for o in odds], dtype=pl.Int64),
            "den": pl.Series([None if o is None else o.denominator for o in odds], dtype=pl.Int64),
            "article": pl.Series([answer.due.article for answer in self._answers], dtype=pl.String),
            "rulings": pl.Series([answer.rulings for answer in self._answers], dtype=pl.String),
            "reason": pl.Series([answer.reason for answer in self._answers], dtype=pl.String),
        }
        rows = pl.Series(self.of_wager, dtype=pl.Int64)
        return {name: values.gather(rows) for name, values in distinct.items()}


_UNKNOWN_DUE: Final = Due(None, "")


def wagers_due(
    stories: Stories,
    judges: Sequence[Judge | None],
    formed: Opinion,
    game: Game,
    why_not: Sequence[str],
    voids: dict[int, str],
    closes: bool,
) -> tuple[pl.DataFrame, list[Due]]:
    """The placed wagers with what they are due: ``num`` / ``den`` of the stake, article, rulings, reason, ``ended_ri``.

    The second part has the whole answer of each row. ``why_not`` says for each round why it cannot be judged (empty
    where it can); ``voids`` maps void rounds to causes; ``closes`` is whether the table closes at the end of the log,
    which ends every carried wager.
    """
    wagers = _with_base(stories.wagers, game)
    _judge_stakes(wagers, judges, formed, why_not)
    answers = _Answers()
    ris = wagers["ri"].to_list()
    ended = list(ris)
    openings = _openings(stories, wagers, game)
    carried = _Carried(stories, judges, formed, game, wagers, voids, closes) if game.carried_wagers else None
    seats = [formed.seat_at.get(key) for key in (wagers["ri"] * SEATS + wagers["seat"]).to_list()]
    columns = wagers.select("seat", "hand", "kind").rows()
    for row, (ri, at, (seat, hand, kind)) in enumerate(zip(ris, seats, columns, strict=True)):
        judge = judges[ri]
        if judge is None or why_not[ri]:
            if not answers.known(why_not[ri]):
                answers.add(why_not[ri], _UNKNOWN_DUE, reason=why_not[ri])
        elif carried is not None and kind in game.carried_wagers:
            asked, ended[row] = carried.due(judge, ri, seat, wagers["player"][row], kind)
            due = _UNKNOWN_DUE if asked is None or asked.answer is None else asked.answer
            answers.add(("carried", row), due, asked.rulings if asked else (), STILL_RUNNING)
        elif ri in voids:
            void = judge.void((kind, voids[ri]))
            answers.add(("void", row), void.answer, void.rulings)
        elif kind in game.opening_wagers:
            opening = openings.get((ri, seat), "")
            key: Hashable = (id(judge), kind, hand, opening)
            if not answers.known(key):
                told = judge.wager((kind, hand, "", "", opening))
                answers.add(key, told.answer, told.rulings)
        else:
            own = _NOBODY if at is None else formed.seats[at]
            bank = formed.banks[ri]
            key = (kind, hand, _gist(own), _gist(bank), id(judge))
            if not answers.known(key):
                told = judge.wager((kind, hand, own.answer.outcome, bank.answer.outcome, ""))
                rulings = {*told.rulings, *own.rulings, *bank.rulings}
                answers.add(key, told.answer, rulings, own.answer.unjudged or bank.answer.unjudged)
    dues = answers.dues()
    for row, due in enumerate(dues):
        if due.breaches:
            seat, seq = wagers["seat"][row], wagers["seq"][row]
            formed.noted += [Noted(breach, ris[row], seat, "wager", seq=seq) for breach in due.breaches]
    return wagers.with_columns(**answers.columns(), ended_ri=pl.Series(ended, dtype=pl.Int64)), dues


def _gist(asked: Asked[Judgement]) -> Hashable:
    """All of a judgement that a wager's due can hang on."""
    return asked.answer.outcome, asked.answer.unjudged, asked.rulings


def _judge_stakes(
    wagers: pl.DataFrame, judges: Sequence[Judge | None], formed: Opinion, why_not: Sequence[str]
) -> None:
    """Note every wager that could not be placed then or so high."""
    parts = ["kind", "hand", "moment", "stake_minor", "base_minor", "position", "seats"]
    several = len({id(judge) for judge in judges}) > 1
    grouped = wagers.group_by(parts, maintain_order=True).agg("ri", "seat", "seq")
    for *situation, ris, seats, seqs in grouped.iter_rows():
        judge = judges[ris[0]]
        answer = None if judge is None else judge.stake(tuple(situation)).answer
        if answer is not None and not several and not answer.breaches and not answer.not_checked:
            continue
        for ri, seat, seq in zip(ris, seats, seqs, strict=True):
            judge = judges[ri]
            if judge is None or why_not[ri]:
                continue
            answer = judge.stake(tuple(situation)).answer
            formed.noted += [Noted(breach, ri, seat, "wager", seq=seq) for breach in answer.breaches]
            formed.not_checked.update(answer.not_checked)


def _with_base(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """Add the stake that each wager rests on, and on how many seats its player placed base wagers in the round."""
    bases = wagers.filter(pl.col("kind").is_in(sorted(game.base_wagers)))
    stakes = bases.group_by("ri", "seat", "player").agg(base_minor=pl.col("stake_minor").sum())
    seats = stakes.filter(pl.col("player").is_not_null()).group_by("ri", "player").agg(seats=pl.len().cast(pl.Int64))
    return (
        wagers.join(stakes, on=["ri", "seat", "player"], how="left", nulls_equal=True, maintain_order="left")
        .join(seats, on=["ri", "player"], how="left", maintain_order="left")
        .with_columns(pl.col("seats").fill_null(1))
    )


def _openings(stories: Stories, wagers: pl.DataFrame, game: Game) -> dict[tuple[int, int], str]:
    keys = wagers.filter(pl.col("kind").is_in(sorted(game.opening_wagers))).select("ri", "seat").unique().rows()
    return stories.suited(keys, game) if keys else {}


class _Carried:
    """Follows wagers that live on into later rounds, by player and seat."""

    def __init__(
        self,
        stories: Stories,
        judges: Sequence[Judge | None],
        formed: Opinion,
        game: Game,
        wagers: pl.DataFrame,
        voids: dict[int, str],
        closes: bool,
    ) -> None:
        self._judges = judges
        self._formed = formed
        self._voids = voids
        self._closes = closes
        self._rounds = stories.rounds.height
        bases = wagers.filter(pl.col("kind").is_in(sorted(game.base_wagers)))
        self._bet = set(bases.select("ri", "seat", "player").rows())

    def due(
        self, judge: Judge, ri: int, seat: int, player: str | None, kind: str
    ) -> tuple[Asked[Due | None] | None, int]:
        """What a wager placed in round ``ri`` comes to and in which round; None while it lives on or cannot be told."""
        results = ""
        for later in range(ri, self._rounds):
            letter = self._letter(later, seat, player)
            if letter is None:
                return None, later
            results += letter
            asked = judge.carried((kind, results))
            if asked.answer is not None:
                return asked, later
        return (judge.carried((kind, results + "C")) if self._closes else None), self._rounds - 1

    def _letter(self, ri: int, seat: int, player: str | None) -> str | None:
        if ri in self._voids:
            return "V"
        if (ri, seat, player) not in self._bet:
            return "A"
        judge, at = self._judges[ri], self._formed.seat_at.get(seat_key(ri, seat))
        if judge is None or at is None:
            return None
        own, bank = self._formed.seats[at].answer, self._formed.banks[ri].answer
        if own.unjudged or (own.waits and bank.unjudged):
            return None
        return judge.result((own.outcome, bank.outcome)).answer


def hold_against(wagers: pl.DataFrame, settled: pl.DataFrame, readings: Readings) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Match each wager with its settlement; gives the verdict rows and the settlements of nothing.

    ``settled`` has ``ri``, ``seq``, ``seat``, ``hand``, ``kind``, ``player``, ``stake_minor``, ``net_minor``.
    """
    whole = settled["kind"].is_in([WHOLE_SEAT, WHOLE_HAND])
    wagers = _exact(wagers, readings)
    if whole.any():
        wagers = _gathered(wagers, settled.filter(whole), readings)
    keys = ["ended_ri", "seat", "hand", "kind", "player"]
    left = wagers
    right = settled.rename({"ri": "ended_ri", "seq": "settled_seq", "stake_minor": "settled_stake"})
    if _ambiguous(left, keys) or _ambiguous(right, keys):
        left, right = left.with_columns(turn=_turn(keys)), right.with_columns(turn=_turn(keys))
        keys.append("turn")
    matched = left.join(right, on=keys, how="left", nulls_equal=True, maintain_order="left")
    if matched["settled_seq"].count() == right.height:
        return matched, right.clear()
    return matched, right.join(left, on=keys, how="anti", nulls_equal=True)


def _ambiguous(rows: pl.DataFrame, keys: list[str]) -> bool:
    """Whether two rows have one name."""
    return rows.select(pl.struct(keys).n_unique()).item() < rows.height if rows.height else False


def _turn(place: list[str]) -> pl.Expr:
    """Which of several wagers with one name this is, in the order of the log."""
    return pl.int_range(pl.len()).over(place)


def _exact(wagers: pl.DataFrame, readings: Readings) -> pl.DataFrame:
    """The due amounts in minor units; what is no whole unit is rounded as ruling X-2 says and kept as a fraction."""
    product = pl.col("stake_minor") * pl.col("num")
    whole = wagers.with_columns(
        due_minor=(product.abs() // pl.col("den")) * product.sign(),
        due_exact=pl.lit(None, dtype=pl.String),
        uneven=(product % pl.col("den") != 0).fill_null(value=False),
    )
    if not whole["uneven"].any():
        return whole
    amounts, exacts, rulings = [], [], []
    columns = ("stake_minor", "num", "den", "due_minor", "uneven", "rulings")
    for stake, num, den, due, uneven, hang_on in whole.select(columns).iter_rows():
        exact = Fraction(stake * num, den) if uneven else None
        amounts.append(due if exact is None else rounded(exact, readings("X-2")))
        exacts.append(None if exact is None else str(exact))
        rulings.append(hang_on if exact is None else " ".join(sorted({*hang_on.split(), "X-2"})))
    return whole.with_columns(
        due_minor=pl.Series(amounts, dtype=pl.Int64),
        due_exact=pl.Series(exacts, dtype=pl.String),
        rulings=pl.Series(rulings, dtype=pl.String),
    )


def rounded(exact: Fraction, reading: str) -> int:
    """``exact`` minor units as whole ones under a reading of ruling X-2, by its size whatever its sign.

    Under ``exact`` no whole amount is the right one: what is given is the one toward nought, and a payment less than a
    unit away from the exact amount is no discrepancy, as no chip could come closer.
    """
    size = abs(exact)
    whole = {"exact": size.__floor__(), "down": size.__floor__(), "up": size.__ceil__()}.get(reading)
    if whole is None:
        whole = (size + Fraction(1, 2)).__floor__()
    return whole if exact >= 0 else -whole


def _gathered(wagers: pl.DataFrame, whole: pl.DataFrame, readings: Readings) -> pl.DataFrame:
    """Put wagers together that the log settles in one amount: their dues and stakes are summed exactly."""
    seats = {(ri, seat) for ri, seat, kind in whole.select("ri", "seat", "kind").rows() if kind == WHOLE_SEAT}
    hands = {
        (ri, seat, hand)
        for ri, seat, hand, kind in whole.select("ri", "seat", "hand", "kind").rows()
        if kind == WHOLE_HAND
    }
    groups: dict[object, list[dict[str, object]]] = {}
    for index, row in enumerate(wagers.iter_rows(named=True)):
        if (row["ri"], row["seat"]) in seats:
            key: object = (row["ri"], row["seat"])
            row |= {"kind": WHOLE_SEAT, "hand": 0}
        elif (row["ri"], row["seat"], row["hand"]) in hands and row["kind"] != "insurance":
            key = (row["ri"], row["seat"], row["hand"])
            row |= {"kind": WHOLE_HAND}
        else:
            key = index
        groups.setdefault(key, []).append(row)
    players = {(ri, seat): player for ri, seat, player in whole.select("ri", "seat", "player").rows()}
    gathered = []
    for rows in groups.values():
        first = rows[0]
        if first["kind"] in (WHOLE_SEAT, WHOLE_HAND):
            first["player"] = players[(first["ri"], first["seat"])]
            first |= _summed(rows, readings)
        gathered.append(first)
    return pl.DataFrame(gathered, schema=wagers.schema)


def _summed(rows: list[dict[str, object]], readings: Readings) -> dict[str, object]:
    reasons = [row["reason"] for row in rows if row["reason"]]
    rulings = {ruling for row in rows for ruling in str(row["rulings"]).split()} - {"X-2"}
    articles = list(dict.fromkeys(str(row["article"]) for row in rows if row["article"]))
    total: dict[str, object] = {
        "stake_minor": sum(int(str(row["stake_minor"])) for row in rows),
        "article": "; ".join(articles),
        "rulings": " ".join(sorted(rulings)),
        "reason": reasons[0] if reasons else None,
        "due_minor": None,
        "due_exact": None,
    }
    if reasons:
        return total
    exact = sum(
        (Fraction(int(str(row["stake_minor"])) * int(str(row["num"])), int(str(row["den"]))) for row in rows),
        Fraction(),
    )
    if exact.denominator == 1:
        return total | {"due_minor": exact.numerator}
    hang_on = " ".join(sorted({*rulings, "X-2"}))
    return total | {"due_minor": rounded(exact, readings("X-2")), "due_exact": str(exact), "rulings": hang_on}
