"""Events take the room of the values in them, and checks that find little copy nothing."""

from __future__ import annotations

import datetime as dt
import gc
import random

import polars as pl
import pytest

from replayer.integrity.inspection import inspect
from replayer.log.columns import FLAT, TEXT, TableDay
from replayer.log.compaction import PIECE, by_pieces, compacted, in_own_memory, only, share_nulls
from tests.texts import frame_of

DAY = dt.date(2026, 1, 5)
ROUND = "#{n} 1.main=100@p{n} nomore 1+9c B+6h 1+Td 1.stand@p{n} B+Tc B+5s 1.main>-100@p{n} end"


def events(rounds: int = 40) -> pl.DataFrame:
    played = " ".join(ROUND.format(n=n) for n in range(1, rounds + 1))
    text = f"open:black_jack:MOP:7=100000 shuffle:1:hand:6 {played} #- buyin=100@p1 close=100000"
    return frame_of(text, DAY)


def room(column: pl.Series) -> list[tuple[int, int]]:
    """Where the numbers of a column lie, piece by piece: the first byte of the room, and the one after the piece."""
    pieces = [chunk.to_arrow() for chunk in column.get_chunks()]
    held = [(piece.buffers()[1].address, piece.offset, len(piece), piece.type.bit_width // 8) for piece in pieces]
    return [(at + offset * width, at + (offset + length) * width) for at, offset, length, width in held]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_rows_that_are_left_out_are_those_that_a_filter_leaves_out(share: float) -> None:
    day = events(400)
    chance = random.Random(7)
    for frame in (day, share_nulls(day), pl.concat([day.head(70), day.tail(-70)], rechunk=False)):
        kept = pl.Series([chance.random() >= share for _ in range(frame.height)])
        assert only(frame, kept).equals(frame.filter(kept))
        assert only(frame, kept).schema == FLAT


def test_what_another_library_made_is_the_same_in_room_of_its_own() -> None:
    day = events()
    remark = pl.lit("a text too long to stand in a row") + pl.col("seq").cast(pl.String)
    long = day.with_columns(remark_cause=remark.cast(TEXT))
    for frame in (day, long, day.clear()):
        again = in_own_memory(frame)
        assert again.equals(frame) and again.schema == FLAT
        assert frame.is_empty() or room(again["seq"]) != room(frame["seq"])


def test_empty_columns_of_all_pieces_lie_in_one_place() -> None:
    one, other = share_nulls(events(3)), share_nulls(events(30))
    for name in ("remark_refers_to", "option_effective_on", "shoe_behind"):
        ((first, _),), ((second, _),) = room(one[name]), room(other[name])
        assert first == second
    assert one.equals(events(3)) and other.equals(events(30))


def test_columns_of_which_no_row_has_two_lie_in_one_room() -> None:
    day = compacted(in_own_memory(pl.concat([events(400)] * 3)))
    for names in (
        ("card_seat", "wager_seat", "decision_seat"),
        ("card_hand", "wager_hand", "decision_hand"),
        ("card_card", "wager_kind", "decision_action"),
        ("wager_player", "decision_player"),
        ("round", "chips_amount_minor"),
    ):
        assert len({first for name in names for first, _ in room(day[name].to_physical())}) == 1, names
    assert day.equals(pl.concat([events(400)] * 3))


def test_columns_of_which_a_row_has_two_keep_their_values() -> None:
    """An event with two bodies breaks the contract, and is to be found with both."""
    day = events(400)
    card, stake = (pl.when(pl.col("kind") == "DecisionTaken").then(pl.lit(value)) for value in (7, 2**62))
    two = day.with_columns(
        card_seat=pl.coalesce(card.cast(pl.Int32), "card_seat"), wager_net_minor=pl.coalesce(stake, "wager_net_minor")
    )
    alone = compacted(in_own_memory(two))
    assert alone.equals(two) and alone.schema == FLAT


def test_an_event_takes_no_more_than_eighty_bytes() -> None:
    """So many of the gigabyte in which a table-day of three million is judged; 150 when each column had a room of its own."""
    day, another = (compacted(in_own_memory(pl.concat([events(400)] * times))) for times in (3, 2))

    def rooms(frame: pl.DataFrame) -> dict[int, int]:
        flat = [frame[name].to_physical() for name, kind in frame.schema.items() if not kind.is_nested()]
        return {begin: end - begin for column in flat for begin, end in room(column)}

    own = {begin: size for begin, size in rooms(day).items() if begin not in rooms(another)}
    assert 40 < sum(own.values()) / day.height < 80


def test_a_work_row_by_row_is_the_same_piece_by_piece() -> None:
    frame = pl.concat([events(400)] * 5).with_columns(seq=pl.int_range(1, pl.len() + 1))
    assert frame.height > PIECE
    assert by_pieces(frame, lambda piece: piece.filter(pl.col("seq") % 3 == 0)).equals(
        frame.filter(pl.col("seq") % 3 == 0)
    )
    assert by_pieces(frame.clear(), lambda piece: piece).schema == FLAT


def test_a_log_with_repeated_missing_and_malformed_events_is_not_copied_to_be_judged() -> None:
    """3.4 GB for two million events were six copies of one table-day."""
    day = events(100)
    seqs = day["seq"].to_list()
    day = day.filter(~pl.col("seq").is_in([seqs[300]]))
    day = pl.concat([day.head(500), day.slice(499, 1), day.tail(-500)], rechunk=True)
    log = inspect(TableDay("T1", DAY, day))
    assert {finding.code for finding in log.findings} >= {"EVENT_REPEATED", "SEQUENCE_GAP"}
    ((begin, end),) = room(day["wager_stake_minor"])
    for judged in (log.events, log.books):
        pieces = room(judged["wager_stake_minor"])
        assert pieces and all(begin <= first and last <= end for first, last in pieces)


def test_texts_last_no_longer_than_the_events_that_have_them() -> None:
    """A process that reads an archive's table-days one after the other must not keep the players of them all."""
    gc.collect()  # what other tests left
    first = share_nulls(frame_of("open:black_jack:MOP:7=100000 #- buyin=100@nobody-else", DAY))
    numbers = first["chips_player"].drop_nulls().to_physical().to_list()
    del first
    gc.collect()
    second = share_nulls(frame_of("open:black_jack:MOP:7=100000 #- buyin=100@another", DAY))
    assert second["chips_player"].drop_nulls().to_physical().to_list() == numbers  # counted from the same number again
