"""Reads the mapping file: the column of each fact in another system's round log, its spelling, and the facts that are missing.

A map is TOML. `pitaudit import --help` explains every key; :class:`Map` is a map that was read and checked.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from producers.mapping.cells import DEFAULT_RANKS, DEFAULT_SUITS, REMEMBERED, CardText, read_amount, read_day
from producers.mapping.map_section import MapFaulty, Section
from producers.recorder import GamingDays
from replayer.contract.rules import OptionFault, Rules
from replayer.integrity.checks import ROUND_NUMBERS
from replayer.law import black_jack, fortune_3_card_poker
from replayer.law.black_jack.regulation import OF_THE_TABLE, BlackJackRegulation
from replayer.law.calendar import text_of, version_named
from replayer.law.choice import MAY_BE_MISSING, Choice
from replayer.law.fortune_3_card_poker.despacho_78_2008 import FortuneRegulation
from replayer.law.rulings import readings_by
from replayer.sources.layout import require_table_id
from replayer.sources.safe_files import MOST_SMALL, read_file
from replayer.sources.safe_texts import TextRefused, read_toml
from schemas.bounds import LAST_SEAT
from schemas.cards import CardName, is_card
from schemas.money import DECIMALS

FACTS: Final = {
    "table": "table id",
    "day": "gaming day, as 2026-01-05",
    "date": "calendar's date of that time, where it has a column of its own",
    "time": "when the round began",
    "round": "number of the round",
    "seat": "number of the seat",
    "hand": "which of a seat's hands, where a pair can be split",
    "player": "who bet",
    "cards": "the hand's cards in the order dealt",
    "bank": "the bank's cards in the order dealt, the open one first",
    "stake": "stake",
    "base": "stake of a hand before it was doubled",
    "doubled": "whether the hand was doubled",
    "insurance": "stake of the insurance wager",
    "pair_plus": "stake of Pair Plus",
    "raise": "stake of the raise, 0 or empty where the player folded",
    "surrender": "whether the hand was surrendered",
    "decisions": "the player's decisions on the hand, in order",
    "result": "what came of it",
    "insurance_result": "what came of the insurance wager, where it is told apart",
    "pair_plus_result": "what came of Pair Plus, where it is told apart",
    "raise_result": "what came of the raise, where it is told apart",
    "seats": "JSON: the list of a round's seats",
    "hands": "JSON: the list of a seat's hands",
}
"""The facts that a column can have."""
LISTS: Final = frozenset({"seats", "hands"})
"""Facts whose cells are lists of parts of a row."""
REQUIRED: Final = ("cards", "bank", "stake", "result")
BLACK_JACK: Final = black_jack.GAME.name
FORTUNE: Final = fortune_3_card_poker.GAME.name
SIDE_WAGERS: Final = {BLACK_JACK: ("insurance",), FORTUNE: ("pair_plus", "raise")}
"""The wagers beside the stake that a log may have in each game."""
_ALL_SIDE_WAGERS: Final = tuple(kind for kinds in SIDE_WAGERS.values() for kind in kinds)
_ONLY_IN: Final = {
    BLACK_JACK: ("hands", "hand", "base", "doubled", "insurance", "insurance_result", "surrender", "decisions"),
    FORTUNE: ("pair_plus", "pair_plus_result", "raise", "raise_result"),
}
"""Facts of one game only."""
_BLACK_JACK_KEYS: Final = (
    ("cards", "hands_separator"), ("stakes", "base"), ("stakes", "double"), ("stakes", "covers"), ("result", "covers"),
)  # fmt: skip
"""Keys of the map that say nothing of another game."""

ALWAYS_MISSING: Final = frozenset(
    {"shuffle", "cut", "burn", "deal_order", "totals", "hole_check", "close", "custody", "authorisations"}
)
"""A map has no columns for these, so they always count as not recorded."""

COUNTED: Final = {"unix": 1_000_000, "unix_ms": 1_000}
"""Time formats that count from 1970, and the microseconds of one unit."""
TIME_FORMS: Final = ("iso", *COUNTED)
"""Named time formats; others are patterns of ``strptime``."""
_CURRENCY: Final = re.compile("[A-Z]{3}")
"""A code of ISO 4217; a text beside amounts may be a sign such as $ as well."""
HOUSE_RULES: Final = "bj.house"
ACTIONS: Final = (
    *("hit", "stand", "double", "split", "surrender"),
    *("insurance", "no_insurance", "even_money", "five_card_half"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """The format of the file.

    Attributes:
        format: ``csv`` or ``jsonl``.
        header: the columns' names where a CSV file has no header line, else empty.
        row: the content of a row, a ``card``, a ``hand`` or a ``round``.
        bank: the bank's word in the column seat, where a row is a card.
        seats: the numbers for ``{seat}`` in columns' names.
        on_bad_row: ``refuse`` the file, or put rows of bad rounds into ``quarantine``.
    """

    format: str
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    row: str
    bank: str
    seats: tuple[int, ...]
    on_bad_row: str


@dataclass(frozen=True, slots=True)
class TableMap:
    """The table-day of the rounds; ``id`` and ``gaming_day`` are None where a column has them, ``seats`` where the number of
    seats is unknown."""

    id: str | None
    gaming_day: dt.date | None
    regulation: str
    game: str
    currency: str
    seats: int | None
    named_rounds: bool
    time_format: str
    gaming_days: GamingDays


@dataclass(frozen=True, slots=True)
class Stakes:
    """The format of amounts. ``unit_minor`` is the value of 1; ``currency`` may stand beside a number; ``base_minor`` is a fixed
    stake before doubling, where no column has it; ``decimal_comma`` is None where the map does not tell; a stake ``covers`` a
    ``hand``, a ``seat``, or the ``first`` bet, which each further hand of the seat has again."""

    unit_minor: Fraction
    currency: str
    decimal_comma: bool | None
    double_inside: bool
    covers: str
    base_minor: int | None


@dataclass(frozen=True, slots=True)
class Results:
    """The format of the results; ``words`` gives multiples of the stake by the fact, ``result`` or a side wager's."""

    given: str
    covers: str
    words: Mapping[str, Mapping[str, Fraction]]


@dataclass(frozen=True)
class Map:
    """A map. ``columns`` has the column's name for each fact of the source; ``hole_card``: by its rules the bank's second card is
    dealt face down, before play."""

    path: Path
    source: Source
    table: TableMap
    columns: Mapping[str, str]
    cards: CardText
    hands_separator: str
    stakes: Stakes
    results: Results
    actions: Mapping[str, str]
    actions_separator: str
    hole_card: bool
    rules: Mapping[str, str]
    not_recorded: frozenset[str]

    def column(self, fact: str, seat: int | None = None) -> str | None:
        """The column of a fact, with ``{seat}`` in its name filled in; None where the source does not have it."""
        name = self.columns.get(fact)
        return name if name is None or seat is None else name.replace("{seat}", str(seat))

    @property
    def side_wagers(self) -> tuple[str, ...]:
        """The wagers beside the stake that the game has."""
        return SIDE_WAGERS[self.table.game]

    @cached_property
    def minor_units(self) -> Callable[[str], int]:
        """Reads an amount, each text once: a log repeats most of them. A number of JSON may have the text of another cell."""
        unit, currency, comma = self.stakes.unit_minor, self.stakes.currency, self.stakes.decimal_comma
        return lru_cache(REMEMBERED, typed=True)(
            partial(read_amount, unit_minor=unit, currency=currency, decimal_comma=comma)
        )

    @cached_property
    def shareable(self) -> dict[str, bool]:
        """The mapped facts of which hands must not share a cell, and whether the hands of one seat may."""
        sides = [fact for kind in self.side_wagers for fact in (kind, f"{kind}_result")]
        as_mapped = {"stake": self.stakes.covers != "hand", "result": self.results.covers == "seat"}
        facts = ("cards", "stake", "result", "doubled", "surrender", "decisions", *sides)
        return {fact: as_mapped.get(fact, fact in sides) for fact in facts if fact in self.columns}


SECTIONS: Final = ("source", "table", "columns", "cards", "stakes", "result", "decisions", "rules")


def read_map(path: Path) -> Map:
    """Read a mapping file. Raises MapFaulty where it is missing, no TOML, or has unknown, wrong or contradicting values."""
    try:
        text, raw = read_toml(read_file(path, MOST_SMALL))
    except OSError as error:
        raise MapFaulty(f"{path}: {error.strerror}") from None
    except TextRefused as error:
        raise MapFaulty(f"{path}: {error}; a map is TOML in UTF-8") from None
    for name in raw:
        if name not in SECTIONS:
            line = next(
                (n for n, found in enumerate(text.splitlines(), 1) if re.search(rf"\b{re.escape(name)}\b", found)), 1
            )
            raise MapFaulty(f"{path}, line {line}: no such table or key [{name}]; a map has {', '.join(SECTIONS)}")
    parts = {name: Section(path, text, name, raw.get(name, {})) for name in SECTIONS}
    source = _source(parts["source"])
    columns = _columns(parts["columns"], source.row)
    stakes, results = _stakes(parts["stakes"]), _results(parts["result"])
    table = _table(parts["table"], columns, stakes.currency)
    cards, hands_separator = _cards(parts["cards"], "" if source.row == "card" else " ")
    actions, actions_separator = _actions(parts["decisions"], columns)
    _require_game(parts, table.game, columns)
    _require_consistent(parts, source, columns, stakes, results)
    rules, hole_card, open_hands = _rules(parts["rules"], table, columns)
    not_recorded = parts["rules"].texts("not_recorded")
    for name in not_recorded:
        if name not in MAY_BE_MISSING:
            raise parts["rules"].fault("not_recorded", f"{name!r} is none of {', '.join(MAY_BE_MISSING)}")
    needs = (("times", "time"), ("decisions", "decisions"), (ROUND_NUMBERS, "round"))
    missing = {name for name, fact in needs if fact not in columns} | ({ROUND_NUMBERS} if table.named_rounds else set())
    faces = () if open_hands else ("faces",)  # no log tells when hands that are dealt face down were opened
    return Map(
        path, source, table, columns, cards, hands_separator, stakes, results, actions, actions_separator,
        hole_card, rules, ALWAYS_MISSING.union(not_recorded, missing, faces),
    )  # fmt: skip


def _source(section: Section) -> Source:
    form = section.one_of("format", ("csv", "jsonl"), "csv")
    encoding = section.text("encoding", "utf-8")
    with section.explained("encoding", f"{encoding!r} is no encoding; try utf-8, cp1252 or utf-16"):
        "".encode(encoding)
    delimiter = section.text("delimiter", ",")
    if len(delimiter) != 1:
        raise section.fault("delimiter", 'one character is wanted, as "," or "\\t"')
    source = Source(
        form,
        encoding,
        delimiter,
        section.texts("header"),
        section.one_of("row", ("hand", "round", "card"), "hand"),
        section.text("bank"),
        section.numbers("seats"),
        section.one_of("on_bad_row", ("refuse", "quarantine"), "refuse"),
    )
    if len(set(source.seats)) < len(source.seats) or any(seat < 1 for seat in source.seats):
        raise section.fault("seats", "each seat once, numbered from 1, is wanted")
    section.done()
    return source


def _columns(section: Section, row: str) -> dict[str, str]:
    columns = {fact: name for fact in FACTS if (name := section.text(fact))}
    section.done()
    if row == "card" and "bank" in columns:
        raise section.fault("bank", "leave it out: where a row is a card, [source] bank is its word in the column seat")
    needed = ("seat" if row == "card" and fact == "bank" else fact for fact in REQUIRED)
    for fact in needed:
        if fact not in columns:
            raise section.fault(fact, f"missing: which column holds {FACTS[fact]}?")
    facts: dict[str, str] = {}
    for fact, name in columns.items():
        if (other := facts.setdefault(name, fact)) != fact:
            raise section.fault(fact, f"column {name!r} is mapped to {other} as well; it can be one of them")
    return columns


def _table(section: Section, columns: Mapping[str, str], beside_amounts: str) -> TableMap:
    table_id = section.text("id") or None
    if (table_id is None) == ("table" not in columns):
        raise section.fault("id", "give either a fixed table id here or a column table")
    with section.explained("id"):
        require_table_id(table_id or "T1")
    day = section.get("gaming_day", (str, dt.date), "a date, as 2026-01-05")
    with section.explained("gaming_day", f"{str(day)!r} is no date of a log; write 2026-01-05"):
        gaming_day = None if day is None else read_day(str(day))
    if (gaming_day is None) == ("day" not in columns and "time" not in columns):
        raise section.fault("gaming_day", "give either a fixed day here, or a column day, or a column time")
    regulation = section.text("regulation", HOUSE_RULES)
    with section.explained("regulation"):
        version = version_named(regulation)
    if version.regulation is None:
        raise section.fault("regulation", f"the text of {regulation} is not at hand")
    zone_name = section.text("zone", "Asia/Macau")
    with section.explained("zone", "no such time zone; write it like Europe/Lisbon"):
        zone = ZoneInfo(zone_name)
    begins = section.get("day_begins", (str, dt.time), "a time, as 06:00", dt.time(6))
    with section.explained("day_begins", f"{begins!r} is no time; write 06:00"):
        cut_off = dt.time.fromisoformat(begins) if isinstance(begins, str) else begins
    if cut_off.tzinfo is not None:
        raise section.fault("day_begins", f"{begins!r} has a zone of its own; write 06:00, which is local time of zone")
    form = section.text("time_format", "iso")
    if "date" in columns and ("time" not in columns or form in COUNTED):
        raise section.fault("time_format", "a column date goes with a column time that does not count from 1970")
    if form not in TIME_FORMS and not _is_complete(form):
        message = (
            f"{form!r} is none of {', '.join(TIME_FORMS)}, and no form such as %d/%m/%Y %H:%M that tells day, year and minute; "
            "the calendar's day, not the gaming day, may stand in a column date, and its form before that of the time; of a "
            "zone it may tell the offset (%z), not the name; %p goes with %I"
        )
        raise section.fault("time_format", message)
    currency = section.text("currency", "MOP")
    if not currency.strip() or not currency.isprintable():
        raise section.fault(
            "currency", f"{currency!r} is empty or has a character that cannot be seen; write it like MOP"
        )
    if _CURRENCY.fullmatch(beside_amounts) and beside_amounts != currency:
        raise section.fault("currency", f"it is {currency}, and [stakes] currency is {beside_amounts}; let them agree")
    seats = section.get("seats", int, "a whole number")
    if seats is not None and not 1 <= seats <= LAST_SEAT:
        raise section.fault("seats", f"{seats}: a table has 1 to {LAST_SEAT} seats")
    plan = TableMap(
        table_id,
        gaming_day,
        regulation,
        version.game,
        currency,
        seats,
        bool(section.choice("named_rounds")),
        form,
        GamingDays(zone, cut_off),
    )
    section.done()
    return plan


def _is_complete(form: str) -> bool:
    """Whether a time format is complete: for missing parts 1900, January or midnight would be assumed. The name of a zone (%Z)
    would be ignored, and so would %p beside %H."""
    known = dt.datetime(2009, 11, 23, 21, 47)  # noqa: DTZ001 - as a clock on the wall shows it
    try:
        read = dt.datetime.strptime(known.replace(tzinfo=dt.UTC).strftime(form), form)  # noqa: DTZ007
    except ValueError:
        return False
    halves_ignored = "%p" in form and "%I" not in form
    return read.replace(tzinfo=None) == known and "%Z" not in form and not halves_ignored


def _cards(section: Section, separator: str) -> tuple[CardText, str]:
    ranks = {spelling.upper(): rank for spelling, rank in section.labels("ranks").items()}
    suits = {spelling.upper(): suit for spelling, suit in section.labels("suits").items()}
    for key, given, values in (("ranks", ranks, set(DEFAULT_RANKS.values())), ("suits", suits, set("cdhs"))):
        for spelling, value in given.items():
            if value not in values:
                raise section.fault(key, f"{spelling} = {value!r}: one of {' '.join(sorted(values))} is wanted")
    # A log that calls clubs P may call hearts C: the usual letter of a suit that the map spells is no longer taken for it.
    usual = {text: suit for text, suit in DEFAULT_SUITS.items() if text != suit.upper() or suit not in suits.values()}
    names = {name.upper(): CardName(card) for name, card in section.labels("names").items()}
    for name, card in names.items():
        if not is_card(card):
            raise section.fault("names", f"{name} = {card!r}: a card like Th is wanted, or Tx without its suit")
    cards = CardText(
        section.text("separator", separator),
        section.one_of("order", ("rank_suit", "suit_rank"), "rank_suit") == "suit_rank",
        {**DEFAULT_RANKS, **ranks},
        {**usual, **suits},
        frozenset(section.texts("hidden")),
        names,
    )
    hands_separator = section.text("hands_separator")
    if hands_separator and hands_separator in cards.separator:
        message = f"it stands between the cards of a hand too, as the separator {cards.separator!r} says"
        raise section.fault("hands_separator", message)
    section.done()
    return cards, hands_separator


def _stakes(section: Section) -> Stakes:
    unit_minor = (section.fraction("unit", Fraction(1)) or 0) * Fraction(10**DECIMALS)
    if unit_minor <= 0:
        raise section.fault("unit", "what 1 in the source means must be more than zero")
    base = section.fraction("base")
    base_minor = None if base is None else base * unit_minor
    if base_minor is not None and base_minor.denominator != 1:
        raise section.fault("base", "it is no whole number of minor units")
    stakes = Stakes(
        unit_minor,
        section.text("currency"),
        section.choice("decimal_comma"),
        section.one_of("double", ("inside", "beside"), "inside") == "inside",
        section.one_of("covers", ("hand", "seat", "first"), "hand"),
        None if base_minor is None else base_minor.numerator,
    )
    section.done()
    return stakes


def _results(section: Section) -> Results:
    results = Results(
        section.one_of("as", ("net", "returned", "words"), "net"),
        section.one_of("covers", ("hand", "seat"), "hand"),
        {"result": section.fractions("words")}
        | {f"{kind}_result": section.fractions(f"{kind}_words") for kind in _ALL_SIDE_WAGERS},
    )
    section.done()
    if (results.given == "words") != bool(results.words["result"]):
        raise section.fault("words", 'as = "words" and a table of words go together')
    return results


def _actions(section: Section, columns: Mapping[str, str]) -> tuple[dict[str, str], str]:
    actions, separator = section.labels("words"), section.text("separator")
    section.done()
    for word, action in actions.items():
        if action not in ACTIONS:
            raise section.fault("words", f"{word} = {action!r} is no decision; there are {', '.join(ACTIONS)}")
    if bool(actions) != ("decisions" in columns):
        raise section.fault("words", "a column decisions and what its words mean go together")
    return actions, separator


def _require_game(parts: Mapping[str, Section], game: str, columns: Mapping[str, str]) -> None:
    for other, facts in _ONLY_IN.items():
        for fact in facts if other != game else ():
            if fact in columns:
                raise parts["columns"].fault(fact, f"{game}, which [table] regulation names, has none")
    if game == FORTUNE and "raise" not in columns:
        raise parts["columns"].fault("raise", f"missing: which column holds {FACTS['raise']}?")
    for section, key in _BLACK_JACK_KEYS if game != BLACK_JACK else ():
        if parts[section].has(key):
            raise parts[section].fault(key, f"it says nothing of {game}")


def _rules(section: Section, table: TableMap, columns: Mapping[str, str]) -> tuple[dict[str, str], bool, bool]:
    """The rules, whether the bank has a hole card, and whether the hands are dealt open, or as such a log is taken to tell it."""
    rules = {name: _option_text(value) for name, value in section.others().items() if name != "not_recorded"}
    if table.game == FORTUNE:
        law = text_of(table.regulation, FortuneRegulation)
        _, faults = fortune_3_card_poker.GAME.options(rules, law)
        _require_no_fault(section, faults, law.choices)
        return rules, False, True
    rules.pop("bank_second_card", None)
    moments = ("before_play", "after_play")
    taken = ""
    if "deal_procedure" not in rules:
        moment = section.one_of("bank_second_card", moments, moments[0])
        rules["deal_procedure"] = "3" if moment == moments[0] else "2"
        taken = f"missing; bank_second_card = {moment} would be "
    regulation = text_of(table.regulation, BlackJackRegulation)
    options, faults = black_jack.GAME.options(rules, regulation)
    _require_no_fault(section, faults, (*OF_THE_TABLE, *regulation.choices), taken)
    if "surrender" in rules and options.surrender and columns.keys().isdisjoint({"surrender", "decisions"}):
        message = (
            "no column says who gave up, who would be taken to have stood; map surrender or decisions in [columns]"
        )
        raise section.fault("surrender", message)
    due = moments[0 if options.hides_second else 1]
    if section.one_of("bank_second_card", moments, due) != due:
        message = f"deal_procedure = {rules['deal_procedure']} deals that card {due}; leave one of the two out"
        raise section.fault("bank_second_card", message)
    return rules, options.hides_second, regulation.deal.opens_seats(Rules(regulation, options, readings_by()))


def _require_no_fault(
    section: Section, faults: Iterable[OptionFault], choices: Iterable[Choice], taken: str = ""
) -> None:
    """Refuse what a regulation does not have; ``taken`` says from where a deal procedure is taken that the map does not name."""
    names = [choice.name for choice in choices]
    for fault in faults:
        if not fault.holds:
            whence = taken if fault.name == "deal_procedure" else ""
            offered = "" if fault.name in names else f"; there are {', '.join(names)}"
            raise section.fault(fault.name, f"{whence}{fault.value!r}: {fault.reason}{offered}")


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _require_consistent(
    parts: Mapping[str, Section], source: Source, columns: Mapping[str, str], stakes: Stakes, results: Results
) -> None:
    numbered = any("{seat}" in name for name in columns.values())
    for fact in ("seats", "seat") if numbered else ():
        if fact in columns:
            raise parts["columns"].fault(fact, "leave it out: columns with {seat} in their names tell their seats")
    if numbered != bool(source.seats):
        raise parts["source"].fault("seats", "columns with {seat} in their names and a list of seats go together")
    if (source.row == "card") != bool(source.bank):
        raise parts["source"].fault("bank", 'row = "card" goes with the word that the column seat has for the bank')
    if source.row != "round" and (numbered or "seats" in columns or "hands" in columns):
        raise parts["source"].fault("row", 'several seats or hands in a row need row = "round"')
    if source.row != "round" and "round" not in columns:
        raise parts["columns"].fault("round", "missing: rows of one round are told by its number")
    if source.format == "csv" and ("seats" in columns or "hands" in columns):
        raise parts["columns"].fault("seats", "lists of seats and hands are for jsonl")
    for kind in _ALL_SIDE_WAGERS:
        result = f"{kind}_result"
        if results.given == "words" and kind in columns and result not in columns:
            message = f"words tell nothing of {kind}: map {result} too, or leave the {kind} column out"
            raise parts["columns"].fault(kind, message)
        if result in columns and kind not in columns:
            raise parts["columns"].fault(kind, f"missing: the stake that {result} belongs to")
        if results.given == "words" and result in columns and not results.words[result]:
            raise parts["result"].fault(f"{kind}_words", f"missing: what each word of {result} pays")
    if (not stakes.double_inside or stakes.covers == "first") and columns.keys().isdisjoint({"doubled", "decisions"}):
        message = "no column says which hands were doubled; map doubled or decisions in [columns]"
        raise parts["stakes"].fault("double", message)
    if stakes.base_minor is not None and "base" in columns:
        raise parts["stakes"].fault("base", "a fixed base and a column base exclude each other")
    if (stakes.base_minor is not None or "base" in columns) and (stakes.covers != "hand" or not stakes.double_inside):
        message = (
            'it shows the double inside the stake of a hand: leave it out, or covers = "seat" and double = "beside"'
        )
        raise parts["stakes"].fault("base", message)
