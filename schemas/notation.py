"""The text notation of a table's events: one word an event, in the order of the log.

The same words are used in tests, in explanations and in README. A round reads like this::

    #12 1.main=100@p7 2.main=50 nomore 1+9c 2+Td B+6h 1+8d 2+Ah 1.hit 1+4s 1.stand B+Tc B+5s 1.main>+100 2.main>+75 end

=====================  ==========================================================================================
``#12``                round 12 begins; every later word belongs to it until ``#-`` (between rounds)
``1.main=100@p7/0``    seat 1 places 100 on ``main``; player p7, position 0 (seated); ``1b`` is the seat's second hand
``nomore``             no more bets
``1+9c`` ``1-9c``      nine of clubs to seat 1, face up, face down; ``B`` is the bank; ``??`` a card not named
``B^Tc`` ``1~9c``      hidden card turned up; card removed (``1~9c:cause``)
``B?`` ``B?natural``   bank checked its hidden card; what it found
``!+9c`` ``!-??``      burned, face up, face down
``1.hit`` ``1b.stand@p7``  decision, and who took it
``1=17`` ``B=20``      total announced
``1*3``                streak button of seat 1 moved to 3
``1.main>+150``        settled: what the wager changed in the player's chips (``1.main=100>+150`` where stakes differ)
``void:cause`` ``end`` round void, round closed
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
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from schemas.cards import UNKNOWN, is_card
from schemas.event import (
    CardAt,
    Chips,
    Decision,
    Event,
    Option,
    Remark,
    Shoe,
    Table,
    Wager,
    micros,
    moment,
)
from schemas.money import format_amount, parse_amount

Stakes: TypeAlias = dict[tuple[int | None, int, str, str | None], int]
"""What was staked, by seat, hand, wager and player; None is whoever staked first."""
_TICK: Final = 1_000_000
_FACE: Final = {"up": "+", "down": "-"}
_FACES: Final = {"+": "up", "-": "down"}
_PLAIN: Final = re.compile(r"[^\s:@/=;>%{}]+")
_NAME: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_ESCAPES: Final = {"%": "%25", "{": "%7B", "}": "%7D"}


class NotationError(ValueError):
    """A word that is none of the notation; the message names it and its position."""


def place(seat: int | None, hand: int = 0) -> str:
    """A hand's name: ``B`` the bank, ``3`` seat 3, ``3b`` its second hand."""
    return "B" if seat is None else f"{seat}{'' if hand == 0 else chr(ord('a') + hand)}"


def _text(value: str | None, plain: re.Pattern[str] = _PLAIN) -> str:
    """A text as part of a word: nothing for None, in braces where it has anything that means something here."""
    if value is None or plain.fullmatch(value):
        return value or ""
    return "{" + re.sub(r"[%{}]", lambda found: _ESCAPES[found.group()], value) + "}"


def _who(player: str | None, position: int | None = None) -> str:
    if player is None and position is None:
        return ""
    return f"@{_text(player)}" + ("" if position is None else f"/{position}")


def word(event: Event) -> str:
    """The word of one event (its time and round not included)."""
    match event:
        case Event(kind="WagerPlaced", wager=Wager() as w):
            stake = format_amount(w.stake_minor)
            return f"{place(w.seat, w.hand)}.{_text(w.kind, _NAME)}={stake}{_who(w.player, w.position)}"
        case Event(kind="WagerSettled", wager=Wager() as w):
            net = format_amount(w.net_minor or 0, sign=True)
            who = _who(w.player, w.position)
            stake = format_amount(w.stake_minor)
            return f"{place(w.seat, w.hand)}.{_text(w.kind, _NAME)}={stake}>{net}{who}"
        case Event(kind="CardDealt", card=CardAt() as c):
            return f"{place(c.seat, c.hand)}{_FACE[c.face or 'down']}{c.card or UNKNOWN}"
        case Event(kind="CardTurned", card=CardAt() as c):
            return f"{place(c.seat, c.hand)}^{c.card}"
        case Event(kind="CardRemoved", card=CardAt() as c, remark=remark):
            return f"{place(c.seat, c.hand)}~{c.card}" + (f":{_text(remark.cause)}" if remark else "")
        case Event(kind="CardBurned", card=CardAt() as c):
            return f"!{_FACE[c.face or 'down']}{c.card or UNKNOWN}"
        case Event(kind="HoleCardChecked", decision=decision):
            return "B?" + (_text(decision.action, _NAME) if decision else "")
        case Event(kind="DecisionTaken", decision=Decision() as d):
            return f"{place(d.seat, d.hand)}.{_text(d.action, _NAME)}{_who(d.player)}"
        case Event(kind="TotalAnnounced", decision=Decision() as d):
            return f"{place(d.seat, d.hand)}={d.points}"
        case Event(kind="MarkerMoved", decision=Decision() as d):
            return f"{place(d.seat, d.hand)}*{d.points}"
        case Event(kind="WagersClosed"):
            return "nomore"
        case Event(kind="RoundVoided", remark=Remark() as r):
            return f"void:{_text(r.cause)}"
        case Event(kind="RoundClosed"):
            return "end"
        case Event(kind="CorrectionMade", remark=Remark() as r):
            return f"correct:{r.refers_to}:{_text(r.cause)}:{_corrected(event)}"
        case _:
            return _table_word(event)


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


def _table_word(event: Event) -> str:
    table, shoe, chips, option = event.table, event.shoe, event.chips, event.option
    amount = format_amount(chips.amount_minor) if chips else ""
    match event.kind:
        case "TableOpened" if table:
            return f"open:{_text(table.game)}:{_text(table.currency)}:{table.seats}={amount}"
        case "TableClosed":
            return f"close={amount}"
        case "DealerEntered" if table:
            return f"dealer+{_text(table.staff)}"
        case "DealerLeft" if table:
            return f"dealer-{_text(table.staff)}"
        case "OptionElected" if option:
            dates = [
                d.isoformat() if d else "" for d in (option.requested_on, option.authorised_on, option.effective_on)
            ]
            tail = [_text(option.authorisation), *dates]
            return f"option:{_text(option.name)}={_text(option.value)}" + (":" + ":".join(tail) if any(tail) else "")
        case "ShoeShuffled" if shoe:
            return f"shuffle:{shoe.shoe}:{_text(shoe.method)}:{shoe.decks}"
        case "ShoeCut" if shoe:
            return f"cut:{shoe.shoe}:{_text(shoe.cut_by)}"
        case "CutCardPlaced" if shoe:
            return f"white:{shoe.shoe}:{shoe.behind}"
        case "CutCardDrawn" if shoe:
            return f"white!{shoe.shoe}"
        case "ChipsFilled" if chips:
            return f"fill:{_text(chips.slip)}={amount}"
        case "ChipsCredited" if chips:
            return f"credit:{_text(chips.slip)}={amount}"
        case "CashBoughtIn":
            return f"buyin={amount}{_who(chips.player if chips else None)}"
        case "DropCounted":
            return f"drop={amount}"
        case "SlipVoided" if chips and event.remark:
            return f"slipvoid:{_text(chips.slip)}={amount}:{_text(event.remark.cause)}"
        case "EquipmentFailed" if event.remark:
            return f"failed:{_text(event.remark.cause)}"
        case _:
            raise NotationError(f"{event.kind} (seq {event.seq}) has no word")


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


_PLACE: Final = r"(?P<seat>B|[0-9]+)(?P<hand>[b-z]?)"
_BRACED: Final = r"\{[^{}]*\}"
_PATTERNS: Final = {
    "settled": re.compile(
        rf"{_PLACE}\.(?P<kind>\w+|{_BRACED})(?:=(?P<stake>[0-9.]+))?>(?P<net>[+-]?[0-9.]+)(?P<who>@.*)?", re.DOTALL
    ),
    "placed": re.compile(rf"{_PLACE}\.(?P<kind>\w+|{_BRACED})=(?P<stake>-?[0-9.]+)(?P<who>@.*)?", re.DOTALL),
    "decided": re.compile(rf"{_PLACE}\.(?P<action>\w+|{_BRACED})(?P<who>@.*)?", re.DOTALL),
    "checked": re.compile(rf"B\?(?P<action>\w+|{_BRACED}|)"),
    "dealt": re.compile(rf"{_PLACE}(?P<face>[+-])(?P<card>\S\S)"),
    "burned": re.compile(r"!(?P<face>[+-])(?P<card>\S\S)"),
    "turned": re.compile(rf"{_PLACE}\^(?P<card>\S\S)"),
    "removed": re.compile(rf"{_PLACE}~(?P<card>\S\S)(?::(?P<cause>.*))?", re.DOTALL),
    "announced": re.compile(rf"{_PLACE}=(?P<points>-?[0-9]+)"),
    "moved": re.compile(rf"{_PLACE}\*(?P<points>-?[0-9]+)"),
}
_WORD: Final = re.compile(rf";[^\n]*|(?:[^\s{{}};]|{_BRACED})+|[{{}}]")
_PLAYER: Final = re.compile(rf"@(?P<name>[^/{{}}]*|{_BRACED})(?:/(?P<position>-?[0-9]+))?")


def split_words(text: str) -> list[str]:
    """The words of a text; white space inside braces does not separate, ``;`` begins a comment to the line's end."""
    return [found for found in _WORD.findall(text) if not found.startswith(";")]


def _without_braces(text: str) -> str | None:
    if not text.startswith("{"):
        return text or None
    return re.sub(r"%(25|7B|7D)", lambda found: chr(int(found.group(1), 16)), text[1:-1])


def _split(text: str, separator: str, most: int = 0) -> list[str]:
    """The parts of a text between separators that are not in braces."""
    return re.split(rf"{separator}(?![^{{}}]*\}})", text, maxsplit=most)


def _fields(text: str) -> list[str | None]:
    return [_without_braces(part) for part in _split(text, ":")]


def _player(who: str | None) -> tuple[str | None, int | None]:
    if not who:
        return None, None
    found = _PLAYER.fullmatch(who)
    if found is None:
        raise ValueError(f"{who!r} names no player; write it like @p7 or @p7/0")
    return _without_braces(found["name"]), int(found["position"]) if found["position"] else None


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


def _at_place(found: re.Match[str]) -> tuple[int | None, int]:
    seat = None if found["seat"] == "B" else int(found["seat"])
    return seat, ord(found["hand"]) - ord("a") if found["hand"] else 0


def parse_word(text: str, blank: Event, stakes: Stakes) -> Event:
    """The event of one word, with the envelope of ``blank``; ``stakes`` remembers stakes for short settlements."""
    if text == "nomore":
        return replace(blank, kind="WagersClosed")
    if text == "end":
        return replace(blank, kind="RoundClosed")
    for name, pattern in _PATTERNS.items():
        found = pattern.fullmatch(text)
        if found is None:
            continue
        if name == "checked":
            action = _without_braces(found["action"])
            return replace(blank, kind="HoleCardChecked", decision=None if action is None else Decision(action=action))
        if name == "burned":
            return replace(blank, kind="CardBurned", card=CardAt(card=_card(found["card"]), face=_FACES[found["face"]]))
        seat, hand = _at_place(found)
        match name:
            case "settled" | "placed":
                if seat is None:
                    raise ValueError("the bank places no wager")
                player, position = _player(found["who"])
                kind = _without_braces(found["kind"]) or ""
                key = (seat, hand, kind, player)
                if name == "placed":
                    stake = parse_amount(found["stake"])
                    stakes[key] = stake
                    stakes.setdefault((seat, hand, kind, None), stake)
                    made = Wager(kind, seat, stake, hand, player, position)
                    return replace(blank, kind="WagerPlaced", wager=made)
                known = parse_amount(found["stake"]) if found["stake"] else stakes.get(key)
                if known is None:
                    raise ValueError("no stake: write it (1.main=100>+100) or place the wager first")
                made = Wager(kind, seat, known, hand, player, position, parse_amount(found["net"]))
                return replace(blank, kind="WagerSettled", wager=made)
            case "decided":
                player, _ = _player(found["who"])
                taken = Decision(seat, hand, _without_braces(found["action"]), player)
                return replace(blank, kind="DecisionTaken", decision=taken)
            case "dealt":
                card = CardAt(seat, hand, _card(found["card"]), _FACES[found["face"]])
                return replace(blank, kind="CardDealt", card=card)
            case "turned":
                return replace(blank, kind="CardTurned", card=CardAt(seat, hand, _card(found["card"]), "up"))
            case "removed":
                remark = Remark(_without_braces(found["cause"]) or "") if found["cause"] is not None else None
                return replace(blank, kind="CardRemoved", card=CardAt(seat, hand, _card(found["card"])), remark=remark)
            case "announced":
                made_total = Decision(seat, hand, points=int(found["points"]))
                return replace(blank, kind="TotalAnnounced", decision=made_total)
            case _:
                return replace(blank, kind="MarkerMoved", decision=Decision(seat, hand, points=int(found["points"])))
    return _parse_table_word(text, blank, stakes)


def _parse_table_word(text: str, blank: Event, stakes: Stakes) -> Event:
    if text.startswith("white!"):
        return replace(blank, kind="CutCardDrawn", shoe=Shoe(_number(text[6:])))
    if text.startswith(("dealer+", "dealer-")):
        kind = "DealerEntered" if text[6] == "+" else "DealerLeft"
        return replace(blank, kind=kind, table=Table(staff=_without_braces(text[7:])))
    head, _, rest = text.partition(":")
    if head == "correct":
        number, cause, inner = _split(rest, ":", 2)
        corrected = _parse_corrected(inner, blank, stakes)
        return replace(corrected, kind="CorrectionMade", remark=Remark(_without_braces(cause) or "", _number(number)))
    if head == "option":
        name, tail = _split(rest, "=", 1)
        value, reference, *dates = [*_fields(tail), None, None, None, None][:5]
        requested, authorised, effective = (dt.date.fromisoformat(d) if d else None for d in dates)
        option = Option(_without_braces(name) or "", value or "", reference, requested, authorised, effective)
        return replace(blank, kind="OptionElected", option=option)
    left, right = [*_split(text, "=", 1), ""][:2]
    amount, _, tail = right.partition(":")
    match [*_fields(left)]:
        case ["shuffle", str() as shoe, method, str() as decks]:
            return replace(blank, kind="ShoeShuffled", shoe=Shoe(_number(shoe), method, _number(decks)))
        case ["cut", str() as shoe, by]:
            return replace(blank, kind="ShoeCut", shoe=Shoe(_number(shoe), cut_by=by))
        case ["white", str() as shoe, str() as behind]:
            return replace(blank, kind="CutCardPlaced", shoe=Shoe(_number(shoe), behind=_number(behind)))
        case ["open", game, currency, str() as seats]:
            table = Table(game, currency, _number(seats))
            return replace(blank, kind="TableOpened", table=table, chips=Chips(parse_amount(amount)))
        case ["close"]:
            return replace(blank, kind="TableClosed", chips=Chips(parse_amount(amount)))
        case ["fill" | "credit" as what, slip]:
            kind = "ChipsFilled" if what == "fill" else "ChipsCredited"
            return replace(blank, kind=kind, chips=Chips(parse_amount(amount), slip))
        case ["buyin"]:
            cash, at, player = right.partition("@")
            who, _ = _player(at + player)
            return replace(blank, kind="CashBoughtIn", chips=Chips(parse_amount(cash), player=who))
        case ["drop"]:
            return replace(blank, kind="DropCounted", chips=Chips(parse_amount(amount)))
        case ["slipvoid", slip]:
            remark = Remark(_without_braces(tail) or "")
            return replace(blank, kind="SlipVoided", chips=Chips(parse_amount(amount), slip), remark=remark)
        case ["failed", why]:
            return replace(blank, kind="EquipmentFailed", remark=Remark(why or ""))
        case ["void", why]:
            return replace(blank, kind="RoundVoided", remark=Remark(why or ""))
        case _:
            raise ValueError("no such word")


def _parse_corrected(text: str, blank: Event, stakes: Stakes) -> Event:
    if not text:
        return blank
    if text.startswith("chips="):
        return replace(blank, chips=Chips(parse_amount(text[6:])))
    return parse_word(text, blank, stakes)


def parse_events(
    text: str,
    *,
    table_id: str = "T1",
    gaming_day: dt.date = dt.date(2009, 6, 1),
    first_seq: int = 1,
) -> Iterator[Event]:
    """The events of a text, numbered from ``first_seq``, a second apart from 12:00 UTC where no time is given.

    Raises:
        NotationError: a word that cannot be read, with its number.
    """
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
