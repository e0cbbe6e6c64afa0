"""The text notation of a table's events: one word an event, in the order of the log.

The same words are used in tests, in explanations and in README. A round reads like this::

    #12 1.main=100@p7 2.main=50 nomore 1+9c 2+Td B+6h 1+8d 2+Ah 1.hit 1+4s 1.stand B+Tc B+5s 1.main>+100 2.main>+75 end

=====================  ==========================================================================================
``#12``                round 12 begins; every later word belongs to it until ``#-`` (between rounds)
``1.main=100@p7/0``    seat 1 places 100 on ``main``; player p7, position 0 (seated); ``1b`` and ``Bb`` are second hands
``nomore``             no more bets
``1+9c`` ``1-9c``      nine of clubs to seat 1, face up, face down; ``B`` is the bank; ``??`` a card not named
``B^Tc`` ``1~9c``      hidden card turned up; card removed (``1~9c:cause``)
``B?`` ``B?natural``   bank checked its hidden card; what it found
``!+9c`` ``!-??``      burned, face up, face down
``1.hit`` ``1b.stand@p7``  decision, and who took it
``1=17`` ``B=20``      total announced
``1*3``                streak button of seat 1 moved to 3
``1.main>+150``        settled: what the wager changed in the player's chips (``1.main=100>+150`` where stakes differ)
``void:cause`` ``end`` round void, round closed (``end:name`` by its name in an imported log)
``shuffle:1:hand:6``   shoe 1, method, decks; ``cut:1:player``; ``white:1:60`` (60 cards behind); ``white!1`` drawn
``open:game:MOP:7=50000`` ``close=51000``  table opened (game, currency, seats, inventory), closed
``dealer+D12`` ``dealer-D12``  dealer came, left
``option:bank_soft17=hit:REF:requested:authorised:effective``  option elected, dates as YYYY-MM-DD, empty where missing
``fill:F12=500`` ``credit:C3=500`` ``buyin=100@p7`` ``drop=900`` ``slipvoid:F12=500:cause``  custody
``failed:cause``       equipment failed
``correct:41:cause:WORD``  event 41 corrected; ``WORD`` gives the right wager, card, decision or total
``@13:14:15.000001``   time of the next events of the gaming day's calendar (``@+1`` is the next calendar day)
=====================  ==========================================================================================

Amounts are major units. Words are separated by white space. A text that has white space or a sign of the notation stands
in braces, with ``%7B`` ``%7D`` ``%25`` for braces and the percent sign; ``{}`` is the empty text.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from schemas.cards import UNKNOWN, is_card
from schemas.event import BODY_TYPES, Chips, Event, Remark, micros, moment
from schemas.money import format_amount, parse_amount

Stakes: TypeAlias = dict[tuple[int | None, int, str, str | None], int]
"""What was staked, by seat, hand, wager and player; None is whoever staked first."""
_TICK: Final = 1_000_000

_WORDS: Final = {
    "WagersClosed": "nomore",
    "RoundClosed": "end[:{remark.cause}]",
    "WagerPlaced": "{wager.place}.{wager.kind}={wager.stake_minor}{wager.who}",
    "WagerSettled": "{wager.place}.{wager.kind}[={wager.stake_minor}]>{wager.net_minor}{wager.who}",
    "DecisionTaken": "{decision.place}.{decision.action}{decision.by}",
    "HoleCardChecked": "B?[{decision.action}]",
    "CardDealt": "{card.place}{card.face}{card.card}",
    "CardBurned": "!{card.face}{card.card}",
    "CardTurned": "{card.place}^{card.card}",
    "CardRemoved": "{card.place}~{card.card}[:{remark.cause}]",
    "TotalAnnounced": "{decision.place}={decision.points}",
    "MarkerMoved": "{decision.place}*{decision.points}",
    "ShoeShuffled": "shuffle:{shoe.shoe}:{shoe.method}:{shoe.decks}",
    "ShoeCut": "cut:{shoe.shoe}:{shoe.cut_by}",
    "CutCardPlaced": "white:{shoe.shoe}:{shoe.behind}",
    "CutCardDrawn": "white!{shoe.shoe}",
    "TableOpened": "open:{table.game}:{table.currency}:{table.seats}={chips.amount_minor}",
    "TableClosed": "close={chips.amount_minor}",
    "DealerEntered": "dealer+{table.staff}",
    "DealerLeft": "dealer-{table.staff}",
    "OptionElected": "option:{option.name}={option.value}"
    "[:{option.authorisation}:{option.requested_on}:{option.authorised_on}:{option.effective_on}]",
    "ChipsFilled": "fill:{chips.slip}={chips.amount_minor}",
    "ChipsCredited": "credit:{chips.slip}={chips.amount_minor}",
    "CashBoughtIn": "buyin={chips.amount_minor}{chips.by}",
    "DropCounted": "drop={chips.amount_minor}",
    "SlipVoided": "slipvoid:{chips.slip}={chips.amount_minor}:{remark.cause}",
    "EquipmentFailed": "failed:{remark.cause}",
    "RoundVoided": "void:{remark.cause}",
    "CorrectionMade": "correct:{remark.refers_to}:{remark.cause}:",
}
"""The word of each kind, by which it is printed and read. What stands in brackets is not printed where it is empty, and a text
may end before any of its fields. The word of a correction goes on with what is right."""


class NotationError(ValueError):
    """A word that the notation does not have; the message names it and its position."""


def place(seat: int | None, hand: int = 0) -> str:
    """A hand's name: ``B`` the bank, ``3`` seat 3, ``3b`` its second hand, ``Bb`` the bank's."""
    return f"{'B' if seat is None else seat}{hand_letter(hand) if hand else ''}"


def hand_letter(hand: int) -> str:
    """The letter of a hand, by which a seat's further hands are named: ``b`` its second one."""
    return chr(ord("a") + hand)


# Fields

_BRACED: Final = r"\{[^{}]*\}"
_PLAIN: Final = re.compile(r"[^\s:@/=;>%{}]+")
_NAME: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_PLAYER: Final = re.compile(rf"@(?P<name>[^/{{}}]*|{_BRACED})(?:/(?P<position>-?[0-9]+))?")
_ESCAPES: Final = {"%": "%25", "{": "%7B", "}": "%7D"}
_FACES: Final = {"+": "up", "-": "down"}


def _text(value: str | None, plain: re.Pattern[str] = _PLAIN) -> str:
    """A text as part of a word: nothing for None, in braces where it has anything that means something here."""
    if value is None or plain.fullmatch(value):
        return value or ""
    return "{" + re.sub(r"[%{}]", lambda found: _ESCAPES[found.group()], value) + "}"


def _without_braces(text: str) -> str | None:
    if not text.startswith("{"):
        return text or None
    return re.sub(r"%(25|7B|7D)", lambda found: chr(int(found.group(1), 16)), text[1:-1])


def _some_text(text: str) -> str:
    return _without_braces(text) or ""


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number")
    return int(text)


def _card(text: str) -> str | None:
    if text == UNKNOWN:
        return None
    if not is_card(text):
        raise ValueError(f"{text!r} is no card")
    return text


def _at_place(text: str) -> dict[str, int | None]:
    seat = re.sub(r"[b-z]$", "", text)
    return {"seat": None if seat == "B" else int(seat), "hand": 0 if seat == text else ord(text[-1]) - ord("a")}


def _who(body: Any) -> str:
    position = getattr(body, "position", None)
    if body.player is None and position is None:
        return ""
    return f"@{_text(body.player)}" + ("" if position is None else f"/{position}")


def _at_who(text: str) -> dict[str, str | int | None]:
    if not text:
        return {"player": None, "position": None}
    found = _PLAYER.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} names no player; write it like @p7 or @p7/0")
    position = int(found["position"]) if found["position"] else None
    return {"player": _without_braces(found["name"]), "position": position}


class _Field(NamedTuple):
    """A field in a word: its pattern, how its value is printed, and how it is read."""

    pattern: str
    printed: Callable[[Any], str]
    read: Callable[[str], Any]


_MAYBE_TEXT: Final = _Field(rf"[^:={{}}]*|{_BRACED}", _text, _without_braces)
_SURE_TEXT: Final = _MAYBE_TEXT._replace(read=_some_text)
_NAMED: Final = _Field(rf"\w+|{_BRACED}", lambda name: _text(name, _NAME), _some_text)
_COUNT: Final = _Field(r"[^:=]*", str, _number)
_AMOUNT: Final = _Field(r"-?[0-9.]*", format_amount, parse_amount)
_DATE: Final = _Field(
    r"[^:=]*", lambda day: day.isoformat() if day else "", lambda text: dt.date.fromisoformat(text) if text else None
)
_FIELDS: Final = {
    "place": _Field(r"(?:B|[0-9]+)[b-z]?", lambda body: place(body.seat, body.hand), _at_place),
    "who": _Field(r"(?:@.*)?", _who, _at_who),
    "by": _Field(r"(?:@.*)?", _who, lambda text: {"player": _at_who(text)["player"]}),
    "kind": _NAMED, "action": _NAMED,
    "stake_minor": _AMOUNT, "amount_minor": _AMOUNT,
    "net_minor": _Field(r"[+-]?[0-9.]*", lambda net: format_amount(net or 0, sign=True), parse_amount),
    "card": _Field(r"\S\S", lambda card: card or UNKNOWN, _card),
    "face": _Field(r"[+-]", lambda face: "+" if face == "up" else "-", _FACES.__getitem__),
    "points": _COUNT, "shoe": _COUNT, "decks": _COUNT, "behind": _COUNT, "seats": _COUNT, "refers_to": _COUNT,
    "requested_on": _DATE, "authorised_on": _DATE, "effective_on": _DATE,
    "name": _SURE_TEXT, "value": _SURE_TEXT, "cause": _SURE_TEXT,
}  # fmt: skip
"""By the field's name. All others are texts, or none."""
_SEVERAL: Final = ("place", "who", "by")
"""A seat with its hand, a player with the position, a player: each stands for several fields, or for one of another name."""
_PART: Final = re.compile(r"(?P<sign>[^{[]+)|\{(?P<body>\w+)\.(?P<field>\w+)\}|\[(?P<optional>[^]]+)\]")


# Printing


def word(event: Event) -> str:
    """The word of one event (its time and round not included)."""
    if event.kind not in _WORDS:
        raise NotationError(f"{event.kind} (seq {event.seq}) has no word")
    printed = _printed(_WORDS[event.kind], event)
    return printed + _corrected(event) if event.kind == "CorrectionMade" else printed


def _printed(form: str, event: Event) -> str:
    words = ""
    for part in _PART.finditer(form):
        if part["sign"]:
            words += part["sign"]
        elif part["optional"]:
            printed = _printed(part["optional"], event)
            words += "" if printed == re.sub(r"\{.*?\}", "", part["optional"]) else printed
        elif (body := getattr(event, part["body"])) is not None:
            field = _FIELDS.get(part["field"], _MAYBE_TEXT)
            words += field.printed(body if part["field"] in _SEVERAL else getattr(body, part["field"]))
    return words


def _corrected(event: Event) -> str:
    if event.wager is not None:
        kind = "WagerPlaced" if event.wager.net_minor is None else "WagerSettled"
    elif event.card is not None:
        kind = "CardRemoved" if event.card.card and not event.card.face else "CardDealt"
    elif event.decision is not None:
        called = event.decision.action is None and event.decision.points is not None
        kind = "TotalAnnounced" if called else "DecisionTaken"
    else:
        return "" if event.chips is None else f"chips={format_amount(event.chips.amount_minor)}"
    return word(replace(event, kind=kind, remark=None))


def print_events(events: Iterable[Event], *, times: bool = True) -> str:
    """The events of one table-day as text; with ``times`` every gap other than a second is written out."""
    words: list[str] = []
    current: int | None = None
    expected: int | None = None
    for event in events:
        if event.round != current:
            current = event.round
            words.append(f"\n#{'-' if current is None else current}")
        if times and event.at != expected:
            now = moment(event.at)
            ahead = (now.date() - event.gaming_day).days
            words.append("@" + (f"{ahead:+d}/" if ahead else "") + now.time().isoformat())
        expected = event.at + _TICK
        words.append(word(event))
    return " ".join(words).strip()


# Reading


def _pattern(form: str) -> str:
    words = ""
    for part in _PART.finditer(form):
        if part["sign"]:
            words += re.escape(part["sign"])
        elif part["optional"]:
            pieces = re.findall(r"[^{]*\{.*?\}", part["optional"])
            words += "".join(f"(?:{_pattern(piece)}" for piece in pieces) + ")?" * len(pieces)
        else:
            pattern = _FIELDS.get(part["field"], _MAYBE_TEXT).pattern
            words += f"(?P<{part['body']}__{part['field']}>{pattern})"
    return words


_PATTERNS: Final = {kind: re.compile(_pattern(form), re.DOTALL) for kind, form in _WORDS.items()}
_WORD: Final = re.compile(rf";[^\n]*|(?:[^\s{{}};]|{_BRACED})+|[{{}}]")


def split_words(text: str) -> list[str]:
    """The words of a text; white space inside braces does not separate, ``;`` begins a comment to the line's end."""
    return [found for found in _WORD.findall(text) if not found.startswith(";")]


def parse_word(text: str, blank: Event, stakes: Stakes) -> Event:
    """The event of one word, with the envelope of ``blank``; ``stakes`` remembers stakes for short settlements."""
    if text.startswith("correct:"):
        return _parse_correction(text, blank, stakes)
    found = ((kind, pattern.fullmatch(text)) for kind, pattern in _PATTERNS.items())
    kind, read = next(((kind, match) for kind, match in found if match), ("", None))
    if read is None:
        raise ValueError("no such word")
    bodies: dict[str, dict[str, Any]] = {"card": {"face": "up"}} if kind == "CardTurned" else {}
    for hole, part in read.groupdict().items():
        if part is not None:
            body, _, name = hole.partition("__")
            value = _FIELDS.get(name, _MAYBE_TEXT).read(part)
            bodies.setdefault(body, {}).update(value if name in _SEVERAL else {name: value})
    if "wager" in bodies:
        _remember_stake(bodies["wager"], stakes)
    return replace(blank, kind=kind, **{name: BODY_TYPES[name](**fields) for name, fields in bodies.items()})


def _remember_stake(wager: dict[str, Any], stakes: Stakes) -> None:
    """Remember the stake of a wager that is placed; give a settlement without a stake that of its wager."""
    if wager["seat"] is None:
        raise ValueError("the bank places no wager")
    key = wager["seat"], wager["hand"], wager["kind"], wager["player"]
    if "net_minor" not in wager:
        stakes[key] = wager["stake_minor"]
        stakes.setdefault((*key[:3], None), wager["stake_minor"])
    elif wager.setdefault("stake_minor", stakes.get(key)) is None:
        raise ValueError("no stake: write it (1.main=100>+100) or place the wager first")


def _parse_correction(text: str, blank: Event, stakes: Stakes) -> Event:
    _, number, cause, right = re.split(r":(?![^{}]*\})", text, maxsplit=3)
    if right.startswith("chips="):
        blank = replace(blank, chips=Chips(parse_amount(right[6:])))
    elif right:
        blank = parse_word(right, blank, stakes)
    return replace(blank, kind="CorrectionMade", remark=Remark(_some_text(cause), _number(number)))


def parse_events(
    text: str, *, table_id: str = "T1", gaming_day: dt.date = dt.date(2009, 6, 1), first_seq: int = 1
) -> Iterator[Event]:
    """The events of a text, numbered from ``first_seq``, a second apart from 12:00 UTC where no time is given; NotationError with
    the number of a word that cannot be read."""
    at = micros(dt.datetime.combine(gaming_day, dt.time(12), dt.UTC))
    current: int | None = None
    seq = first_seq
    stakes: Stakes = {}
    for number, text_word in enumerate(split_words(text), 1):
        try:
            if text_word.startswith("#"):
                current = None if text_word == "#-" else _number(text_word[1:])
                stakes.clear()
                continue
            if text_word.startswith("@"):
                ahead, _, clock = text_word[1:].rpartition("/")
                day = gaming_day + dt.timedelta(days=_number(ahead or "0"))
                at = micros(dt.datetime.combine(day, dt.time.fromisoformat(clock), dt.UTC))
                continue
            blank = Event(table_id, seq, at, gaming_day, "Unknown", current)
            yield parse_word(text_word, blank, stakes)
        except (ValueError, KeyError, IndexError) as error:
            raise NotationError(f"word {number}, {text_word!r}: {error}") from error
        seq += 1
        at += _TICK
