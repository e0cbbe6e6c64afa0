"""The histories of seats, banks and rounds, as ``replayer.contract.game`` describes them, and their symbols from packed events.

Everything here is columns; no rule of any game is applied. ``replayer.contract.symbols`` defines the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from itertools import pairwise, repeat
from typing import Final, Generic

import numpy as np
import polars as pl
from numpy.typing import NDArray

from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited
from replayer.contract.symbols import BankSymbol, Begin, FoundShoe, History, Of, RoundStart, RoundSymbol, SeatSymbol
from replayer.engine.distinct_values import Numbered
from replayer.engine.event_symbols import Happened, bank_symbol, round_symbol, seat_symbol
from replayer.engine.packed_events import UNITS, part_of, rows_without_redundant_turns, unpack
from replayer.engine.transitions import Symbols
from schemas.bounds import LAST_SEAT
from schemas.cards import RANKS, UNKNOWN

SEATS: Final = LAST_SEAT + 1
"""Seats are below this, so that they pack into one integer with a round."""
SEAT_KEY: Final = (pl.col("ri") * SEATS + pl.col("seat")).alias("key")
"""The key of a seat's rows, in columns."""


def seat_key(ri: int, seat: int) -> int:
    """The key of a seat's rows."""
    return ri * SEATS + seat


class Subject(Enum):
    """What a history or a breach is about."""

    SEAT = auto()
    BANK = auto()
    ROUND = auto()
    WAGER = auto()
    CARD = auto()
    MARKER = auto()


@dataclass(frozen=True, slots=True)
class Histories:
    """The situations of stacked table-days.

    Attributes:
        rounds: one row a round, in order: ``ri`` (0, 1, ...), ``round``, ``first_seq``, ``last_seq``, ``started_at``,
            ``ended_at``, ``closed_at``, ``shoe``, ``found``.
        seats: one row a seat with any fact in a round: ``ri``, ``seat``.
        wagers: one row a wager placed: ``ri``, ``seq``, ``at``, ``seat``, ``hand``, ``kind``, ``player``, ``position``,
            ``stake_minor``, ``moment``, ``begun`` (whether its hand, if made of another, had been dealt a card), ``bettor``
            (a number, by which the bettors of a seat are told apart).
        rows: the facts behind the histories of seats, banks and rounds: ``key``, ``seq`` and packed ``code``, in order.
        upcards: by round the class of the bank's first open card.
        left: for each ``ri`` and ``seat`` its ``number`` from the left, and whether a ``bet`` lay there when it was dealt to.
        texts: the packed texts, by their numbers.
        nobodys: the claims that are left out, by ``seq`` (:func:`replayer.engine.shared_seats.claims_of_others`).
    """

    rounds: pl.DataFrame
    seats: pl.DataFrame
    wagers: pl.DataFrame
    rows: Mapping[Subject, pl.DataFrame]
    upcards: pl.Series
    left: pl.DataFrame
    texts: Mapping[int, str]
    nobodys: pl.Series

    @property
    def seat_keys(self) -> pl.Series:
        """The keys of ``seats``, in order. (The keys of banks and rounds are the indices of the rounds.)"""
        return self.seats.select(SEAT_KEY).to_series()

    def of_seats(self) -> Histories:
        """Only what is read after judging, without how rounds begin: of three million events, the rows of banks and rounds take
        more memory than the rest."""
        return replace(self, rows={Subject.SEAT: self.rows[Subject.SEAT]}, left=self.left.clear())

    def round_starts(self, seat: str) -> list[RoundStart]:
        """How each round begins. ``seat`` is the column of ``left`` with its seats: their own numbers or those from the left."""
        bets = self.left.filter("bet")
        begins = bets["ri"].search_sorted(pl.int_range(self.rounds.height + 1, eager=True), side="left").to_list()
        seats, founds = tuple(bets[seat].to_list()), self.rounds["found"].to_list()
        start = cache(lambda bets, found: RoundStart(bets, FoundShoe(found)))  # most are the same
        return [start(seats[begin:end], found) for (begin, end), found in zip(pairwise(begins), founds, strict=True)]

    def symbols(self, kind: HistoryKind[Begin, Of], keys: pl.Series, alphabet: Numbered[Of], game: Game) -> Symbols:
        """The symbols of seats, banks or rounds, by their numbers in an alphabet.

        ``keys`` are all there are from the first to the last of them, in order. Seats have their numbers from the left; turned
        cards are left out where they change nothing (``Game.turns_nothing``), and the bank's then lie as
        :data:`replayer.contract.symbols.SHOWN`.
        """
        rows = self.between(kind.subject, keys[0], keys[-1] + 1)
        if kind.subject is Subject.ROUND:
            rows = _renumbered(rows, self.left)
        elif game.turns_nothing:
            rows = rows_without_redundant_turns(rows, game.turns_nothing, mark_shown=kind.subject is Subject.BANK)
        suited = game.bank.suited if kind.subject is Subject.BANK else game.seat.suited
        return self._symbols(rows, keys, alphabet, self._symbol_of(kind, game, suited))

    def build(self, kind: HistoryKind[Begin, Of], keys: pl.Series, game: Game) -> list[History[Begin, Of]]:
        """The histories of seats, banks or rounds with the given keys, each given once (see :func:`seat_key`).

        Their cards have suits. Those of banks begin with :attr:`Awaited.HAND`.
        """
        symbol_of = cache(self._symbol_of(kind, game, _ALL))
        by_key: dict[int, list[Of]] = {key: [] for key in keys.to_list()}
        for key, code in self._of(kind.subject, keys).select("key", "code").iter_rows():
            by_key[key].append(symbol_of(code))
        begins = kind.begins(self, keys)
        return [History(begin, tuple(symbols)) for begin, symbols in zip(begins, by_key.values(), strict=True)]

    def seqs(self, subject: Subject, keys: pl.Series) -> dict[int, list[int]]:
        """For each key the sequence numbers of its symbols."""
        found = self._of(subject, keys).group_by("key", maintain_order=True).agg("seq")
        return dict(zip(found["key"].to_list(), found["seq"].to_list(), strict=True))

    def with_suits(
        self, keys: pl.Series, alphabet: Numbered[SeatSymbol], game: Game
    ) -> tuple[Symbols, NDArray[np.int64]]:
        """The symbols of the seats of ``keys``, in order, with suits, by their numbers in an alphabet, and each one's ``seq``."""
        rows = self._of(Subject.SEAT, keys)
        return self._symbols(rows, keys, alphabet, self._symbol_of(OF_SEATS, game, _ALL)), rows["seq"].to_numpy()

    def _symbol_of(self, kind: HistoryKind[Begin, Of], game: Game, suited: frozenset[str]) -> Callable[[int], Of]:
        """The function from packed events to symbols; cards have suits where their ranks are ``suited``."""
        texts, decisions = self.texts, kind.subject is not Subject.ROUND
        return lambda code: kind.symbol(unpack(code, texts, decisions=decisions), game, suited)

    def _symbols(
        self, rows: pl.DataFrame, keys: pl.Series, alphabet: Numbered[Of], symbol_of: Callable[[int], Of]
    ) -> Symbols:
        """The symbols of packed rows by their numbers in an alphabet."""
        codes = rows["code"].unique().to_list()
        numbers = rows["code"].replace_strict(
            codes, [alphabet.number(symbol_of(code)) for code in codes], return_dtype=pl.Int64
        )
        begins = rows["key"].search_sorted(keys, side="left").cast(pl.Int64).to_numpy()
        return Symbols(numbers.to_numpy(), begins, np.diff(begins, append=rows.height))

    def between(self, subject: Subject, first: int, end: int) -> pl.DataFrame:
        """The rows from one key to below another, in place."""
        begin, end = self.rows[subject]["key"].search_sorted(pl.Series([first, end], dtype=pl.Int64))
        return self.rows[subject].slice(begin, end - begin)

    def _of(self, subject: Subject, keys: pl.Series) -> pl.DataFrame:
        return self.rows[subject].filter(pl.col("key").is_in(keys.implode()))


_ALL: Final = frozenset((*RANKS, UNKNOWN[0]))


@dataclass(frozen=True, slots=True, eq=False)
class HistoryKind(Generic[Begin, Of]):
    """The histories of seats, of banks or of rounds. ``symbol`` gives the symbol of an event, by the ranks of cards that have
    suits; ``begins``, what the histories with some keys begin with."""

    subject: Subject
    symbol: Callable[[Happened, Game, frozenset[str]], Of]
    begins: Callable[[Histories, pl.Series], Iterable[Begin]]


OF_SEATS: Final[HistoryKind[str, SeatSymbol]] = HistoryKind(
    Subject.SEAT,
    lambda event, game, suited: seat_symbol(event, game.actions.timed, suited=event.card.rank in suited),
    lambda histories, keys: histories.upcards.gather(keys // SEATS),
)
OF_BANKS: Final[HistoryKind[Awaited, BankSymbol]] = HistoryKind(
    Subject.BANK,
    lambda event, _, suited: bank_symbol(event, suited=event.card.rank in suited),
    lambda _, keys: repeat(Awaited.HAND, keys.len()),
)
OF_ROUNDS: Final[HistoryKind[RoundStart, RoundSymbol]] = HistoryKind(
    Subject.ROUND,
    lambda event, *_: round_symbol(event),
    lambda histories, keys: map(histories.round_starts("seat").__getitem__, keys),
)


def _renumbered(round_rows: pl.DataFrame, left: pl.DataFrame) -> pl.DataFrame:
    """Round rows with the seats' numbers from the left in place of their own."""
    numbers = left.select(SEAT_KEY, more=pl.col("number") - pl.col("seat"))
    return (
        round_rows.with_columns(place=pl.col("key") * SEATS + part_of("seat"))
        .join(numbers, left_on="place", right_on="key", how="left", maintain_order="left")
        .select("key", "seq", code=pl.col("code") + pl.col("more").fill_null(0) * UNITS["seat"])
    )
