"""A table for a day: opened, dealt at, filled and credited, closed and counted, so that every chip can be accounted for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Final, Protocol

from producers.simulator import black_jack, fortune
from producers.simulator.chance import seeded_random, shuffle
from producers.simulator.croupier_rules import CroupierRules
from producers.simulator.facts import cached_fact, counted, fact, settled
from producers.simulator.faults import DROP_VARIANCE, INVENTORY_VARIANCE, Label, PlantedFaults
from producers.simulator.people import Crowd, Player, Rota
from producers.simulator.plan import BLACK_JACK, FORTUNE, MAJOR, TablePlan, authorised
from producers.simulator.round import Round
from producers.simulator.streaks import Streaks
from producers.simulator.table_writer import SECOND, Clock, TableWriter
from replayer.contract.rules import Rules
from replayer.engine.evaluator import evaluator_of
from replayer.law.calendar import games, version_at
from replayer.law.regulation import Version
from replayer.law.rulings import readings_by
from schemas.cards import DECK, SUITS, CardName
from schemas.event import Chips, Option, Shoe, Table, Wager
from schemas.table_day import EncodedDay


class Croupier(Protocol):
    """How a game is dealt; a module each."""

    @property
    def ROUND_SECONDS(self) -> int:  # noqa: N802  a constant of the module
        """How long a round usually takes."""

    def prepare(self, table: SimulatedTable) -> None:
        """Prepare the cards for a round."""

    def play(self, table: SimulatedTable, round_: Round) -> None:
        """Play a round from the first bet to the end."""


CROUPIERS: Final[Mapping[str, Croupier]] = {BLACK_JACK: black_jack, FORTUNE: fortune}

_LOT: Final = 10_000 * MAJOR
"""Chips move between table and cage in multiples of this, except at closing."""


class NotPlayed(ValueError):
    """The game cannot be simulated on that day; the message says why."""


class Cards:
    """The cards of some decks. ``behind`` is the number of cards behind the white card, None where there is none.

    ``seen`` are the cards that the log names since the last shuffle.
    """

    def __init__(self, decks: int, random: Random) -> None:
        self.decks = decks
        self.seen: list[CardName] = []
        self.behind: int | None = None
        self.white_is_out = False
        self._random = random
        self._left: list[CardName] = []

    def shuffle(self, behind: int | None = None) -> None:
        """Put all the cards together and shuffle them."""
        self._left = list(DECK) * self.decks
        shuffle(self._random, self._left)
        self.seen.clear()
        self.behind = behind
        self.white_is_out = False

    def __len__(self) -> int:
        return len(self._left)

    def white_comes(self) -> bool:
        """Whether the white card comes out before the next card; true once."""
        if self.behind is None or self.white_is_out or len(self._left) > self.behind:
            return False
        self.white_is_out = True
        return True

    def draw(self) -> CardName:
        """The next card."""
        return self._left.pop()

    def misread(self, card: CardName) -> CardName | None:
        """A card of the same rank of which the log has every copy; misreading ``card`` as that one makes one too many."""
        twins = (CardName(card[0] + suit) for suit in SUITS)
        return next((twin for twin in twins if twin != card and self.seen.count(twin) == self.decks), None)


@cache
def _croupier_rules(version: Version, elected: tuple[tuple[str, str], ...]) -> CroupierRules:
    game = games()[version.game]
    options, faults = game.options(dict(elected), version.regulation)
    for fault in faults:
        if not fault.holds:
            raise NotPlayed(f"{fault.name}={fault.value}: {fault.reason}")
    return CroupierRules(evaluator_of(game, Rules(version.regulation, options, readings_by())))


def _version(plan: TablePlan, at: int) -> Version:
    version = version_at(plan.game, at)
    if version is None or version.regulation is None:
        raise NotPlayed(f"{plan.table_id}: no text of {plan.game} is at hand for that day; choose another with --day")
    return version


def _allowed_options(plan: TablePlan, version: Version) -> dict[str, str]:
    """The plan's options that the regulation leaves to the house without doubt."""
    _, faults = games()[plan.game].options(plan.options, version.regulation)
    refused = {fault.name for fault in faults}
    return {name: value for name, value in plan.options.items() if name not in refused}


def simulate_table_day(
    plan: TablePlan, day: dt.date, last_seq: int = 0, *, rounds: int, seed: object = 0, faults: float = 0.0
) -> tuple[EncodedDay, tuple[Label, ...]]:
    """Simulate a table for a gaming day: its events, numbered from ``last_seq`` + 1, and the findings that are expected of it.

    The same arguments give the same. ``faults`` is the rate of planted faults a round; with 0 the day is lawful in every respect.
    NotPlayed where the game is not simulated, no text of its regulation is at hand for that day, or it refuses the options.
    """
    table = SimulatedTable(plan, day, rounds, seed, faults, last_seq)
    table.open()
    for number in range(1, rounds + 1):
        table.play_round(number)
    table.close()
    return table.writer.written(), tuple(table.faults.labels)


class SimulatedTable:
    """A table, whose events are numbered from ``last_seq`` + 1. The games' croupiers use its public members."""

    def __init__(
        self, plan: TablePlan, day: dt.date, rounds: int, seed: object, faults: float, last_seq: int = 0
    ) -> None:
        if plan.game not in CROUPIERS:
            raise NotPlayed(f"{plan.table_id}: {plan.game} is not simulated; there are {', '.join(CROUPIERS)}")
        self.plan = plan
        self.random: Random = seeded_random(seed, day, plan.table_id)
        self.croupier = CROUPIERS[plan.game]
        self.faults = PlantedFaults(plan, day, faults, seeded_random(seed, day, plan.table_id, "faults"))
        self._clock = Clock(day, rounds, self.croupier.ROUND_SECONDS, self.random)
        self.writer = TableWriter(plan.table_id, day, last_seq, self._clock, self.faults)
        self._version = _version(plan, self._clock.at)
        self._day, self._rounds = day, rounds
        self._elected = _allowed_options(plan, self._version)
        self.croupier_rules = _croupier_rules(self._version, tuple(self._elected.items()))
        rules = self.croupier_rules.rules
        self.cards = Cards(rules.options.decks, self.random)
        self.shoe = 0
        self.first_of_shoe = False
        self.crowd = Crowd(
            plan, self.random,
            most_seats=1 if plan.game == FORTUNE else rules.regulation.seats.most(rules) or 2,
            sharing=plan.game != FORTUNE,
        )  # fmt: skip
        self._rota = Rota(plan, day, seed)
        self._tray = plan.float_minor
        self._cash = 0
        self._drop_missing = 0
        self._slip = 0
        self.streaks = Streaks()
        self.last_round = False
        self.round: Round | None = None
        self._committed: dict[str, int] = {}
        self._players: dict[str, Player] = {}

    # The day

    def open(self) -> None:
        """Write the dealer's arrival, the opening count and the options in force."""
        self._relieve()
        table = Table(self.plan.game, self.plan.currency, self.plan.seats)
        self.writer.write(fact("TableOpened", table=table, chips=counted(self._tray)), 60_000, 120_000)
        asked, granted, effective = authorised(self._day)
        for name, value in self._elected.items():
            if self.plan.game == FORTUNE:  # its regulation has no authorisations
                option = Option(name, value)
            else:
                reference = f"DICJ-{asked.year}-{self.plan.table_id}-{name}"
                option = Option(name, value, reference, asked, granted, effective)
            self.writer.write(fact("OptionElected", option=option), 500, 2000)

    def play_round(self, number: int) -> None:
        """Simulate the events between two rounds, and the round."""
        self.faults.next_round(number)
        self._clock.keep_up(self._rounds - number + 1)
        self._relieve()
        self._custody()
        favoured = {self.faults.favour.player} if self.faults.favour else set[str]()
        self.crowd.move(stays=self.streaks.players | favoured)
        self._wait_for_new_regulation()
        self.croupier.prepare(self)
        self.last_round = number == self._rounds
        self.writer.round = number
        self.writer.intact = bool(self.streaks.players)
        self._committed.clear()
        self._players.clear()
        self.round = Round(self.croupier_rules, self.writer)
        self.croupier.play(self, self.round)
        self.first_of_shoe = False
        self.writer.round = None

    def close(self) -> None:
        """Bring the chips to the table's float, and write the closing, the dealer's departure and the count of the drop."""
        self._move_chips(self._tray - self.plan.float_minor)
        self.writer.write(fact("TableClosed", chips=counted(self._tray)), 120_000, 240_000)
        self.writer.write(fact("DealerLeft", table=Table(staff=self.faults.dealer)), 5_000, 20_000)
        self.writer.write(fact("DropCounted", chips=Chips(self._cash - self._drop_missing)), 900_000, 1_500_000)

    # Chips

    def bet(self, player: Player, wager: Wager, round_: Round, *, carried: bool = False) -> int:
        """Place a player's wager; one with too few chips buys some. Returns the ``seq``."""
        self._players[player.name] = player
        committed = self._committed[player.name] = self._committed.get(player.name, 0) + wager.stake_minor
        if player.chips_minor < committed:
            lots = -((player.chips_minor - committed) // (20 * self.plan.minimum_minor))
            cash = lots * 20 * self.plan.minimum_minor
            self._ensure_in_tray(cash)
            player.chips_minor += cash
            self._cash += cash
            self._tray -= cash
            self.writer.write(fact("CashBoughtIn", chips=counted(cash, player=player.name)), 4_000, 12_000, beside=True)
        return round_.place(wager, carried=carried)

    def pay(self, wager: Wager, net_minor: int, stake_minor: int | None = None) -> int:
        """Settle a wager with a net, on its own stake unless another is recorded; returns the ``seq``."""
        self._ensure_in_tray(net_minor)
        self._tray -= net_minor
        if wager.player in self._players:
            self._players[wager.player].chips_minor += net_minor
        stake = wager.stake_minor if stake_minor is None else stake_minor
        return self.writer.write(settled(wager, stake, net_minor), 800, 2500)

    def _custody(self) -> None:
        """Fill a low tray, credit a full one, and plant faults of custody."""
        full = self.plan.float_minor
        if not 3 * full // 4 <= self._tray <= 3 * full // 2:
            self._move_chips((self._tray - full) // _LOT * _LOT)
        amount = int(1 + self.random.random() * 9) * _LOT
        plant = self.faults.plant_in_sum
        if plant("fill_not_recorded", INVENTORY_VARIANCE, amount):
            self._tray += amount
        elif self._tray > full // 2 + amount and plant("credit_not_recorded", INVENTORY_VARIANCE, -amount):
            self._tray -= amount
        elif self._cash > amount and plant("drop_short", DROP_VARIANCE, -amount):
            self._drop_missing = amount

    def _ensure_in_tray(self, amount_minor: int) -> None:
        """Fill the tray if it has less than an amount, even during a round."""
        if amount_minor > self._tray:
            self._move_chips(self._tray - amount_minor - self.plan.float_minor)

    def _move_chips(self, surplus_minor: int) -> None:
        """Send chips to the cage; a negative surplus is fetched from there."""
        if not surplus_minor:
            return
        self._slip += 1
        self._tray -= surplus_minor
        slip = f"{'C' if surplus_minor > 0 else 'F'}-{self.plan.table_id}-{self._day:%y%m%d}-{self._slip:03d}"
        kind = "ChipsCredited" if surplus_minor > 0 else "ChipsFilled"
        self.writer.write(fact(kind, chips=counted(abs(surplus_minor), slip)), 60_000, 180_000, beside=True)

    # Cards

    def draw(self, round_: Round, seat: int | None, face: str, hand: int = 0) -> str:
        """Deal the next card to a hand, or to the bank; returns the card as the log names it."""
        card = self._next_card()
        twin = self.cards.misread(card) if self.faults.wants("impossible_card") else None
        if twin is not None and self.faults.take("impossible_card"):
            card = twin
            self.faults.expect("CARD_IMPOSSIBLE", seq=round_.deal(seat, card, face, hand))
        else:
            round_.deal(seat, card, face, hand)
        self.cards.seen.append(card)
        return card

    def burn(self, round_: Round) -> None:
        """Burn the next card."""
        self._next_card()
        round_.burn()

    def _next_card(self) -> CardName:
        """The next card of the shoe; the white card comes out first if it is next."""
        if self.cards.white_comes():
            self.writer.write(cached_fact("CutCardDrawn", shoe=Shoe(self.shoe)), 500, 1500)
        return self.cards.draw()

    def shuffled(self, method: str, decks: int, behind: int | None = None) -> None:
        """Shuffle all cards, and write the event."""
        self.cards.shuffle(behind)
        self.shoe += 1
        self.first_of_shoe = True
        least, most = (60_000, 150_000) if method == "hand" and decks > 1 else (8_000, 20_000)
        self.writer.write(cached_fact("ShoeShuffled", shoe=Shoe(self.shoe, method, decks)), least, most)

    # People

    def _relieve(self) -> None:
        """Change to the next dealer of the string, when due."""
        due = self._rota.at(self._clock.at)
        if due == self.faults.dealer:
            return
        if self.faults.dealer is not None:
            self.writer.write(fact("DealerLeft", table=Table(staff=self.faults.dealer)), 2_000, 5_000)
        self.faults.dealer = due
        self.writer.write(fact("DealerEntered", table=Table(staff=due)), 3_000, 8_000)

    def _wait_for_new_regulation(self) -> None:
        """Delay the round past the moment at which another regulation comes into force."""
        version = _version(self.plan, self._clock.at + 600 * SECOND)
        if version is self._version:
            return
        if version != _version(self.plan, self._clock.at):
            self._clock.at += 600 * SECOND
        self._version = version
        self.croupier_rules = _croupier_rules(version, tuple(self._elected.items()))
