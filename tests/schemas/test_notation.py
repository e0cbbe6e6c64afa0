"""The notation prints and parses every kind of event, and says which word it cannot read."""

import dataclasses
import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.cards import UNKNOWN
from schemas.codec import encode
from schemas.event import CardAt, Chips, Decision, Event, Option, Remark, Shoe, Table, Wager, micros
from schemas.kinds import KINDS
from schemas.notation import NotationError, parse_events, place, print_events, split_words, word
from tests.schemas.strategies import CARDS, FACES, TEXT

DAY = dt.date(2026, 1, 5)
SEATS = st.integers(0, 99)
HANDS = st.integers(0, 25)
SOME = TEXT.filter(bool)
MAYBE = st.none() | TEXT
COUNTS = st.integers(-(2**31), 2**31 - 1)
STAKES = st.integers(0, 2**63 - 1)
NETS = st.integers(-(2**63), 2**63 - 1)
DATES = st.none() | st.dates(dt.date(1900, 1, 1), dt.date(2200, 1, 1))
MAYBE_CARD = st.none() | CARDS
PLACES = st.tuples(SEATS | st.none(), HANDS)


def placed(kind: str, **bodies: st.SearchStrategy[object]) -> st.SearchStrategy[Event]:
    return st.builds(Event, st.just("T1"), st.just(1), st.just(0), st.just(DAY), st.just(kind), st.none(), **bodies)


def card(faces: st.SearchStrategy[str | None], cards: st.SearchStrategy[str | None]) -> st.SearchStrategy[CardAt]:
    return st.builds(lambda at, card, face: CardAt(*at, card, face), PLACES, cards, faces)


WAGER = st.builds(
    Wager, kind=SOME, seat=SEATS, stake_minor=STAKES, hand=HANDS, player=MAYBE, position=st.none() | COUNTS
)
SETTLED = st.builds(lambda wager, net: dataclasses.replace(wager, net_minor=net), WAGER, NETS)
POINTS = st.builds(lambda at, points: Decision(*at, points=points), PLACES, COUNTS)
DECIDED = st.builds(lambda at, action, player: Decision(*at, action, player), PLACES, SOME, MAYBE)
DEALT = card(FACES, MAYBE_CARD)
AMOUNT = st.builds(Chips, NETS)
CAUSE = st.builds(Remark, TEXT)
CORRECTS = st.builds(Remark, TEXT, NETS)
STAFF = st.builds(Table, staff=SOME)
BURNED = st.builds(lambda card, face: CardAt(card=card, face=face), MAYBE_CARD, FACES)

EVERY_KIND = {
    "TableOpened": placed("TableOpened", table=st.builds(Table, SOME, SOME, COUNTS), chips=AMOUNT),
    "TableClosed": placed("TableClosed", chips=AMOUNT),
    "OptionElected": placed("OptionElected", option=st.builds(Option, SOME, TEXT, MAYBE, DATES, DATES, DATES)),
    "DealerEntered": placed("DealerEntered", table=STAFF),
    "DealerLeft": placed("DealerLeft", table=STAFF),
    "ShoeShuffled": placed("ShoeShuffled", shoe=st.builds(Shoe, COUNTS, SOME, COUNTS)),
    "ShoeCut": placed("ShoeCut", shoe=st.builds(Shoe, COUNTS, cut_by=SOME)),
    "CutCardPlaced": placed("CutCardPlaced", shoe=st.builds(Shoe, COUNTS, behind=COUNTS)),
    "CutCardDrawn": placed("CutCardDrawn", shoe=st.builds(Shoe, COUNTS)),
    "CardBurned": placed("CardBurned", card=BURNED),
    "WagerPlaced": placed("WagerPlaced", wager=WAGER),
    "WagersClosed": placed("WagersClosed"),
    "CardDealt": placed("CardDealt", card=DEALT),
    "CardTurned": placed("CardTurned", card=card(st.just("up"), CARDS)),
    "HoleCardChecked": placed("HoleCardChecked", decision=st.none() | st.builds(Decision, action=SOME)),
    "CardRemoved": placed("CardRemoved", card=card(st.none(), CARDS), remark=st.none() | CAUSE),
    "TotalAnnounced": placed("TotalAnnounced", decision=POINTS),
    "DecisionTaken": placed("DecisionTaken", decision=DECIDED),
    "WagerSettled": placed("WagerSettled", wager=SETTLED),
    "MarkerMoved": placed("MarkerMoved", decision=POINTS),
    "EquipmentFailed": placed("EquipmentFailed", remark=CAUSE),
    "RoundVoided": placed("RoundVoided", remark=CAUSE),
    "RoundClosed": placed("RoundClosed", remark=st.none() | CAUSE),
    "ChipsFilled": placed("ChipsFilled", chips=st.builds(Chips, NETS, SOME)),
    "ChipsCredited": placed("ChipsCredited", chips=st.builds(Chips, NETS, SOME)),
    "CashBoughtIn": placed("CashBoughtIn", chips=st.builds(Chips, NETS, player=MAYBE)),
    "DropCounted": placed("DropCounted", chips=AMOUNT),
    "SlipVoided": placed("SlipVoided", chips=st.builds(Chips, NETS, SOME), remark=CAUSE),
    "CorrectionMade": st.one_of(
        placed("CorrectionMade", remark=CORRECTS),
        placed("CorrectionMade", remark=CORRECTS, wager=WAGER | SETTLED),
        placed("CorrectionMade", remark=CORRECTS, card=DEALT | card(st.none(), CARDS)),
        placed("CorrectionMade", remark=CORRECTS, decision=DECIDED | POINTS),
        placed("CorrectionMade", remark=CORRECTS, chips=AMOUNT),
    ),
}


@st.composite
def table_days(draw: st.DrawFn) -> list[Event]:
    """Some events of any kinds, numbered, at any times, in any rounds."""
    listed = draw(st.lists(st.one_of(*EVERY_KIND.values()), min_size=1, max_size=6))
    rounds = st.none() | st.integers(-5, 10**6)
    times = st.integers(micros(dt.datetime(1950, 1, 1, tzinfo=dt.UTC)), micros(dt.datetime(2150, 1, 1, tzinfo=dt.UTC)))
    return [
        dataclasses.replace(event, seq=seq, at=draw(times), round=draw(rounds)) for seq, event in enumerate(listed, 7)
    ]


def test_every_kind_has_its_words() -> None:
    assert set(EVERY_KIND) == set(KINDS) - {"Unknown"}


@pytest.mark.parametrize("kind", EVERY_KIND)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_an_event_of_every_kind_is_read_back_from_its_word(kind: str, data: st.DataObject) -> None:
    event = data.draw(EVERY_KIND[kind])
    printed = print_events([event])
    assert list(parse_events(printed, gaming_day=DAY)) == [event], printed


@given(table_days())
@settings(max_examples=200, deadline=None)
def test_a_table_day_is_read_back_with_its_times_and_rounds(listed: list[Event]) -> None:
    printed = print_events(listed)
    assert list(parse_events(printed, gaming_day=DAY, first_seq=7)) == listed, printed


def test_the_example_of_the_documentation_reads_as_it_says() -> None:
    text = (
        "#12 1.main=100@p7 2.main=50 nomore 1+9c 2+Td B+6h 1+8d 2+Ah 1.hit 1+4s 1.stand "
        "B+Tc B+5s 1.main>+100 2.main>+75 end"
    )
    listed = list(parse_events(text))
    assert [event.kind for event in listed] == [
        *["WagerPlaced"] * 2,
        "WagersClosed",
        *["CardDealt"] * 5,
        "DecisionTaken",
        "CardDealt",
        "DecisionTaken",
        *["CardDealt"] * 2,
        *["WagerSettled"] * 2,
        "RoundClosed",
    ]
    assert {event.round for event in listed} == {12}
    assert listed[0].wager == Wager("main", 1, 10_000, player="p7")
    assert listed[-3].wager == Wager("main", 1, 10_000, net_minor=10_000)
    assert listed[-2].wager == Wager("main", 2, 5_000, net_minor=7_500)
    assert listed[5].card == CardAt(None, 0, "6h", "up")
    for event in listed:
        encode(event)


@pytest.mark.parametrize(
    ("text", "position", "bad"),
    [
        ("1+9c 1+1h", 2, "1+1h"),
        ("nomore shout", 2, "shout"),
        ("1.main=100 nomore 2.main>+50", 3, "2.main>+50"),
        ("B.main=100", 1, "B.main=100"),
        ("end\n; a comment\n1.main=1.001", 2, "1.main=1.001"),
        ("#x", 1, "#x"),
        ("@25:00:00", 1, "@25:00:00"),
        ("1+9c }", 2, "}"),
        ("{1+9c", 1, "{"),
        ("fill:F1=", 1, "fill:F1="),
        ("correct:41", 1, "correct:41"),
        ("option:x", 1, "option:x"),
        ("option:x=y:REF:2026-13-01", 1, "option:x=y:REF:2026-13-01"),
        ("1.hit@a/b", 1, "1.hit@a/b"),
        ("open:bj:MOP:seven=1", 1, "open:bj:MOP:seven=1"),
    ],
)
def test_a_word_that_cannot_be_read_is_named_with_its_position(text: str, position: int, bad: str) -> None:
    with pytest.raises(NotationError) as raised:
        list(parse_events(text))
    assert f"word {position}, {bad!r}" in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "1.main=１00", "１.main=100", "1.main=100@p1/１", "1.main=100>+１00", "1=１7", "1*３", "#１", "@+１/13:14:15", "white!１",
        "shuffle:１:hand:6", "shuffle:1:hand:６", "cut:１:player", "white:1:６0", "open:bj:MOP:７=1", "open:bj:MOP:7=１",
        "correct:１:typo:", "fill:F1=1_000", "drop=٣",
    ],
)  # fmt: skip
def test_a_number_is_written_in_ascii_digits_wherever_it_stands(text: str) -> None:
    """A stake in the digits of another script was taken, a clock and a date in them was not."""
    with pytest.raises(NotationError):
        list(parse_events(text))


def test_comments_end_with_the_line_and_braces_keep_their_text_together() -> None:
    text = "nomore ; 1+9c {\nvoid:{a b; c} ;end"
    assert split_words(text) == ["nomore", "void:{a b; c}"]
    assert [event.remark for event in parse_events("#1 " + text)] == [None, Remark("a b; c")]


def test_a_card_that_the_log_does_not_name_and_the_names_of_places() -> None:
    assert word(Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(None, 0, None, "down"))) == f"B-{UNKNOWN}"
    assert [place(None), place(None, 1), place(3), place(3, 1), place(3, 2)] == ["B", "Bb", "3", "3b", "3c"]


def test_an_event_without_words_says_so() -> None:
    with pytest.raises(NotationError, match=r"Unknown \(seq 1\) has no word"):
        word(Event("T1", 1, 0, DAY, "Unknown"))
