"""What became of each bettor on a shared seat where that is not one and the same.

A seat's story names nobody, so it says of all bettors what one of them asked for, as with even money, that there are
stakes on its further hands, which not all of them need have placed, and that a stake came when its hand had another card,
which may be true of one of them. Here the story is told once for each of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import polars as pl

from replayer.engine.branches import ends_of
from replayer.engine.judge import Judge
from replayer.engine.round_context import RoundContext
from replayer.engine.ruled import Ruled
from replayer.engine.stories import Stories, seat_key
from replayer.game import Game
from replayer.outcomes import Judgement, SeatOutcome
from replayer.rules import AnyRules
from replayer.symbols import DOWN, Dealt, Removed, SeatSymbol, Story, Turned
from schemas.cards import UNKNOWN

Bettor = tuple[int, int, str | None]
"""A round's index, a seat, a player."""
_OwnPart: TypeAlias = tuple[tuple[int, SeatSymbol], ...]
"""What a bettor alone did, each behind so many of what is everybody's."""
NOT_TOLD: Final[Ruled[Judgement[SeatOutcome]]] = Ruled(
    Judgement(unjudged="which of the bettors on the seat asked for it is not told")
)


@dataclass(frozen=True, slots=True)
class _Shared:
    """A seat on which several bet: the wagers in play (``seq``, kind, hand, player) and the claims (``seq``, claim, player)."""

    wagers: Sequence[tuple[int, str, int, str | None]]
    claims: Sequence[tuple[int, str, str | None]]

    @property
    def followed(self) -> bool:
        """Whether everybody has a stake on every further hand on which anybody has one."""
        hands: defaultdict[str | None, set[int]] = defaultdict(set)
        for _, _, hand, player in self.wagers:
            hands[player].add(hand)
        return len({frozenset(own) for own in hands.values()}) == 1

    @property
    def staked_together(self) -> Mapping[tuple[str, int], tuple[int, int]]:
        """By kind and hand on which several stakes lie, the ``seq`` of the first one and of the last."""
        placed: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for seq, kind, hand, _ in self.wagers:
            placed[kind, hand].append(seq)
        return {what: (min(seqs), max(seqs)) for what, seqs in placed.items() if len(seqs) > 1}

    def card_between(self, told: Sequence[tuple[int, SeatSymbol]], base: frozenset[str]) -> bool:
        """Whether a hand was dealt a card between two stakes of a kind on it, those of ``base`` apart."""
        return any(
            first < seq < last and isinstance(symbol, Dealt) and symbol.hand == hand
            for (kind, hand), (first, last) in self.staked_together.items()
            if kind not in base
            for seq, symbol in told
        )


def judge_bettors(
    events: pl.DataFrame, stories: Stories, context: RoundContext, game: Game
) -> Mapping[Bettor, Ruled[Judgement[SeatOutcome]]]:
    """What became of the bettors for whom it may differ from what became of their seat."""
    shared = _shared(events, stories, game)
    keys = pl.Series([seat_key(*place) for place in shared], dtype=pl.Int64)
    if keys.is_empty():
        return {}
    seqs, told = stories.seqs("seat", keys), stories.whole("seat", keys, game)
    found: dict[Bettor, Ruled[Judgement[SeatOutcome]]] = {}
    for ((ri, seat), what), key, story in zip(shared.items(), keys, told, strict=True):
        judge = context.of(ri)
        if judge is not None:
            happened = list(zip(seqs.get(key, ()), story.symbols, strict=True))
            each = _each(what, story.begin, happened, judge, game)
            found |= {(ri, seat, player): asked for player, asked in each}
    return found


def _claims(game: Game) -> frozenset[str]:
    """The decisions that ask for money on a hand."""
    return game.shared_seats.claims if game.shared_seats else frozenset()


def _for_himself(claim: str, rules: AnyRules, game: Game) -> bool:
    return game.shared_seats is not None and game.shared_seats.for_himself(claim, rules)


def _each(
    shared: _Shared, upcard: str, story: Sequence[tuple[int, SeatSymbol]], judge: Judge, game: Game
) -> Iterator[tuple[str | None, Ruled[Judgement[SeatOutcome]]]]:
    with judge.rules.readings.asked() as doubts:
        own = {seq: player for seq, claim, player in shared.claims if _for_himself(claim, judge.rules, game)}
    if not own and shared.followed and not shared.card_between(story, game.wagers.base):
        return
    players = dict.fromkeys(player for *_, player in shared.wagers)
    if None in own.values():
        yield from ((player, NOT_TOLD) for player in players)
        return
    base = game.wagers.base if not own else frozenset[str]()  # who claims for himself has the hand to himself
    whose = own | {seq: player for seq, kind, _, player in shared.wagers if kind not in base}
    common: list[SeatSymbol] = []
    added: defaultdict[str | None, list[tuple[int, SeatSymbol]]] = defaultdict(list)
    for seq, symbol in story:
        if seq in whose:
            added[whose[seq]].append((len(common), symbol))
        else:
            common.append(symbol)
    own_parts = {player: tuple(added.get(player, ())) for player in players}
    distinct = list(dict.fromkeys(own_parts.values()))  # most bettors on a seat do the same
    judged = dict(zip(distinct, _became(upcard, common, distinct, judge, game), strict=True))
    for player, own_part in own_parts.items():
        yield player, judged[own_part].resting_on(doubts)


class _Stands(NamedTuple):
    """Where a bettor's seat stands: the states of its machines, none where they do not tell any more, and the rulings so far."""

    machines: tuple[Any, ...]
    rulings: frozenset[str] = frozenset()


def _became(
    upcard: str, common: Sequence[SeatSymbol], own_parts: Sequence[_OwnPart], judge: Judge, game: Game
) -> Iterator[Ruled[Judgement[SeatOutcome]]]:
    """What became of a seat to each of those who have a part of their own in what happened there."""
    rules = judge.rules
    # Where no card lay face down, was turned or taken away, a seat's state tells all, whatever rule was not kept.
    tells = not any(isinstance(each, Turned | Removed) or _is_down(each) for each in common)

    def step(stands: _Stands, symbol: SeatSymbol | None) -> _Stands:
        if symbol is None:
            return stands
        with rules.readings.asked() as asked:
            if tells:
                machines = tuple(seat.follows(symbol, rules) for seat in stands.machines)
            else:
                machines = tuple(machine.after(symbol, rules) for machine in stands.machines)
        return _Stands(() if None in machines else machines, stands.rulings | asked)

    begin = (game.seat.new.faces(upcard),) if tells else game.seat.begins(upcard)
    changes = _without_known_turns(common) if "seat" in game.turns_nothing else common
    for own_part, stands in zip(own_parts, ends_of(_Stands(begin), changes, own_parts, step), strict=True):
        told = None
        with rules.readings.asked() as asked:
            if stands.machines:
                told = stands.machines[0].became(rules) if tells else game.seat.of(stands.machines).judged(rules)
        if told is None:  # it is judged by itself
            yield judge.seat(Story(upcard, tuple(_merged(common, own_part))))
        else:
            yield Ruled(told).resting_on(stands.rulings | asked)


def _is_down(symbol: SeatSymbol) -> bool:
    return isinstance(symbol, Dealt) and symbol.face == DOWN


def _without_known_turns(symbols: Sequence[SeatSymbol]) -> list[SeatSymbol | None]:
    """What happened, with None in place of each card turned that was dealt to the same hand before, where the log named all of
    the hand's cards as they were dealt (``Game.turns_nothing``)."""
    unnamed = {each.hand for each in symbols if isinstance(each, Dealt) and each.card == UNKNOWN}
    dealt: set[tuple[str, int]] = set()
    changes: list[SeatSymbol | None] = []
    for each in symbols:
        if isinstance(each, Dealt):
            dealt.add((each.card, each.hand))
        known = isinstance(each, Turned) and each.hand not in unnamed and (each.card, each.hand) in dealt
        changes.append(None if known else each)
    return changes


def _merged(common: Sequence[SeatSymbol], added: Sequence[tuple[int, SeatSymbol]]) -> Iterator[SeatSymbol]:
    """What is everybody's, and a bettor's own part, each behind so many of the others."""
    at = 0
    for before, symbol in added:
        yield from common[at:before]
        yield symbol
        at = before
    yield from common[at:]


def _shared(events: pl.DataFrame, stories: Stories, game: Game) -> Mapping[tuple[int, int], _Shared]:
    """The seats on which several players bet and on which anything was claimed, a further hand staked, or staked by several."""
    place = ["ri", "seat"]
    bases = stories.wagers.filter(pl.col("kind").is_in(sorted(game.wagers.base)))
    several = bases.group_by(place).agg(players=pl.col("player").n_unique()).filter(pl.col("players") > 1)
    if several.is_empty():
        return {}
    columns = ("seq", "round", "decision_seat", "decision_action", "decision_player")
    taken = events.lazy().filter(pl.col("decision_action").is_in(sorted(_claims(game)))).select(columns).collect()
    claims: defaultdict[tuple[int, int], list[tuple[int, str, str | None]]] = defaultdict(list)
    taken = taken.join(stories.rounds.select("round", "ri"), on="round")
    for ri, seat, *claim in taken.select(
        "ri", "decision_seat", "seq", "decision_action", "decision_player"
    ).iter_rows():
        claims[ri, seat].append((claim[0], claim[1], claim[2]))
    told = stories.wagers.filter(pl.col("kind").is_in(sorted(game.wagers.play))).join(several, on=place, how="semi")
    further = told.filter(pl.col("hand") > 0).select(place).unique()
    rests = told.filter(~pl.col("kind").is_in(sorted(game.wagers.base))).group_by(*place, "kind", "hand").len()
    wanted = {*claims, *further.iter_rows(), *rests.filter(pl.col("len") > 1).select(place).iter_rows()}
    wagers: defaultdict[tuple[int, int], list[tuple[int, str, int, str | None]]] = defaultdict(list)
    for ri, seat, seq, kind, hand, player in told.select(*place, "seq", "kind", "hand", "player").iter_rows():
        if (ri, seat) in wanted:
            wagers[ri, seat].append((seq, kind, hand, player))
    return {where: _Shared(placed, claims.get(where, ())) for where, placed in wagers.items()}
