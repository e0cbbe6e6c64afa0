"""Seats on which several players bet: who decides there, whether all match a wager, and what each of them has.

A seat's history names no player, so it credits all bettors with what only one of them may have done: a claim to money; a
stake on a hand made of another; a stake placed after its hand got another card. Where their outcomes may differ, the history
is judged once for each one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

import polars as pl

from replayer.contract.game import Game, SharedSeatLaw
from replayer.contract.outcomes import Judgement, SeatOutcome
from replayer.contract.rules import AnyRules, ElectedOptions
from replayer.contract.symbols import ANOTHERS, DOWN, Dealt, History, Removed, SeatSymbol, Staked, Turned
from replayer.contract.wagers import Bet
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import OF_SEATS, Histories, Subject, seat_key
from replayer.engine.judgements import NotedBreach
from replayer.engine.round_context import JudgedDays, RoundContext
from replayer.engine.ruled import Ruled
from replayer.log.columns import SUM, is_wager, may_repeat, of_kind, without

State = TypeVar("State", bound=Hashable)
Event = TypeVar("Event")
Bettor = tuple[int, int, str | None]
"""A round's index, a seat, a player."""
_OwnPart: TypeAlias = tuple[tuple[int, SeatSymbol], ...]
"""A bettor's own symbols, each with the number of common symbols before it."""
CLAIMANT_UNKNOWN: Final[Ruled[Judgement[SeatOutcome]]] = Ruled(
    Judgement(unjudged="which of the bettors on the seat asked for it is not told")
)


@dataclass(frozen=True, slots=True)
class _SharedSeat:
    """A seat with several bettors: the wagers in play (``seq``, kind, hand, player) and the claims (``seq``, claim, player)."""

    wagers: Sequence[tuple[int, str, int, str | None]]
    claims: Sequence[tuple[int, str, str | None]]

    @property
    def followed(self) -> bool:
        """Whether all bettors have stakes on the same hands."""
        hands: defaultdict[str | None, set[int]] = defaultdict(set)
        for _, _, hand, player in self.wagers:
            hands[player].add(hand)
        return len({frozenset(own) for own in hands.values()}) == 1

    def card_between(self, events: Sequence[tuple[int, SeatSymbol]], base: frozenset[str]) -> bool:
        """Whether a hand was dealt a card between two stakes of one kind on it; kinds in ``base`` do not count."""
        placed: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for seq, kind, hand, _ in self.wagers:
            if kind not in base:
                placed[kind, hand].append(seq)
        in_parts = [(hand, min(seqs), max(seqs)) for (_, hand), seqs in placed.items() if len(seqs) > 1]
        return any(
            first < seq < last and isinstance(symbol, Dealt) and symbol.hand == hand
            for hand, first, last in in_parts
            for seq, symbol in events
        )


def judge_bettors(events: pl.DataFrame, judged: JudgedDays) -> Mapping[Bettor, Ruled[Judgement[SeatOutcome]]]:
    """The judgements of the bettors whose outcome may differ from that of their seat."""
    histories, game = judged.histories, judged.game
    shared = _shared_seats(events, histories, game)
    keys = pl.Series([seat_key(*place) for place in shared], dtype=pl.Int64)
    if keys.is_empty():
        return {}
    seqs, whole = histories.seqs(Subject.SEAT, keys), histories.build(OF_SEATS, keys, game)
    found: dict[Bettor, Ruled[Judgement[SeatOutcome]]] = {}
    for ((ri, seat), what), key, history in zip(shared.items(), keys, whole, strict=True):
        evaluator = judged.context.evaluator_of[ri]
        if evaluator is not None:
            happened = list(zip(seqs.get(key, ()), history.symbols, strict=True))
            each = _judge_each(what, history.begin, happened, evaluator, game)
            found |= {(ri, seat, player): judgement for player, judgement in each}
    return found


def _judge_each(
    shared: _SharedSeat, upcard: str, history: Sequence[tuple[int, SeatSymbol]], evaluator: Evaluator, game: Game
) -> Iterator[tuple[str | None, Ruled[Judgement[SeatOutcome]]]]:
    """Each bettor's judgement. It is unknown where a claim that names nobody makes a difference to the bettor, and, to one who
    is not named, that of somebody else than the bettors who are."""
    law, rules = game.shared_seats, evaluator.rules
    with rules.readings.consulted() as doubts:
        own = {seq: player for seq, claim, player in shared.claims if law and law.for_himself(claim, rules)}
    if not own and shared.followed and not shared.card_between(history, game.wagers.base):
        return
    players = dict.fromkeys(player for *_, player in shared.wagers)
    base = game.wagers.base if not own else frozenset[str]()  # who claims for himself has the hand to himself
    whose = own | {seq: player for seq, kind, _, player in shared.wagers if kind not in base}
    common: list[SeatSymbol] = []
    added: defaultdict[str | None, list[tuple[int, SeatSymbol]]] = defaultdict(list)
    asking: defaultdict[str | None, list[tuple[int, SeatSymbol]]] = defaultdict(list)
    carried_out = law.carried_out(History(upcard, tuple(symbol for _, symbol in history)), rules) if law else ()
    for at, (seq, symbol) in enumerate(history, 1):
        if seq not in whose:
            common.append(symbol)
            if at in carried_out:  # for all, whoever staked
                common.append(Staked(ANOTHERS, symbol.hand))
            continue
        named = whose[seq]
        may_have_asked = [named]
        if seq in own and named is None:
            may_have_asked = [*players]
        elif seq in own and named not in players:  # he may be a bettor whom the log does not name
            may_have_asked = [None]
        else:
            added[named].append((len(common), symbol))
        for player in may_have_asked:
            asking[player].append((len(common), symbol))
    own_parts = {player: (tuple(added[player]), tuple(asking[player])) for player in players}
    distinct = list(dict.fromkeys(chain.from_iterable(own_parts.values())))  # most bettors on a seat do the same
    judged = dict(zip(distinct, _judge_parts(upcard, common, distinct, evaluator, game), strict=True))
    for player, (named_alone, with_unnamed) in own_parts.items():
        one, other = judged[named_alone], judged[with_unnamed]
        judgement = one if one.value.outcome == other.value.outcome else CLAIMANT_UNKNOWN
        yield player, judgement.resting_on({*doubts, *one.rulings, *other.rulings})


class _Progress(NamedTuple, Generic[State]):
    """The states of the machines of a bettor's seat, none where they no longer determine the outcome, and the rulings so far."""

    states: tuple[State, ...]
    rulings: frozenset[str] = frozenset()


def _judge_parts(
    upcard: str, common: Sequence[SeatSymbol], own_parts: Sequence[_OwnPart], evaluator: Evaluator, game: Game
) -> Iterator[Ruled[Judgement[SeatOutcome]]]:
    """The judgement of a seat for each bettor, given by his own part."""
    rules, shared_seats = evaluator.rules, game.shared_seats

    def judged(
        begin: tuple[State, ...],
        after: Callable[[State, SeatSymbol, AnyRules], State | None],
        judge: Callable[[tuple[State, ...], AnyRules], Judgement[SeatOutcome] | None],
    ) -> Iterator[Ruled[Judgement[SeatOutcome]]]:
        def step(progress: _Progress[State], symbol: SeatSymbol) -> _Progress[State]:
            with rules.readings.consulted() as rulings:
                states = [then for state in progress.states if (then := after(state, symbol, rules)) is not None]
            whole = len(states) == len(progress.states)
            return _Progress(tuple(states) if whole else (), progress.rulings | rulings)

        for own_part, progress in zip(own_parts, final_states(_Progress(begin), common, own_parts, step), strict=True):
            with rules.readings.consulted() as rulings:
                judgement = judge(progress.states, rules) if progress.states else None
            if judgement is None:  # it is judged from its events
                yield evaluator.seat(History(upcard, tuple(_merged(common, own_part))))
            else:
                yield Ruled(judgement).resting_on(progress.rulings | rulings)

    # Where no card lay face down, was turned or taken away, and what was asked for was carried out, a seat's state determines its
    # outcome even if a rule was broken.
    moved = any(
        isinstance(each, Turned | Removed) or (isinstance(each, Dealt) and each.face == DOWN) for each in common
    )
    if moved or (shared_seats and shared_seats.declined(common)):
        return judged(
            game.seat.begin(upcard, rules), lambda machine, symbol, law: machine.after(symbol, law), game.seat.judgement
        )
    seat = game.seat.new.faces(upcard)
    return judged((seat,), lambda seat, symbol, law: seat.step(symbol, law)[0], lambda seats, law: seats[0].so_far(law))


@dataclass(slots=True)
class _Group(Generic[State]):
    """The branches that have reached one state."""

    state: State
    branches: set[int]


def final_states(
    begin: State,
    common: Sequence[Event],
    own: Sequence[Sequence[tuple[int, Event]]],
    step: Callable[[State, Event], State],
) -> list[State]:
    """The final states of histories that share an initial state and the events in ``common``; ``own`` has the further events of
    each history, in order, each with the number of common events before it.

    Takes one step per own event, and per common event one for each distinct state reached by then.
    """
    coming: defaultdict[int, list[tuple[int, Event]]] = defaultdict(list)
    for branch, events in enumerate(own):
        for before, event in events:
            coming[before].append((branch, event))
    first = _Group(begin, set(range(len(own))))
    of_branch = [first for _ in own]
    standing = {begin: first}

    def join(group: _Group[State], into: dict[State, _Group[State]]) -> None:
        there = into.setdefault(group.state, group)
        if there is group:
            return
        if len(there.branches) < len(group.branches):  # the larger one stays: branches seldom move
            there, group = group, there
            into[there.state] = there
        there.branches |= group.branches
        for branch in group.branches:
            of_branch[branch] = there

    for number in range(len(common) + 1):
        for branch, event in coming[number]:
            left = of_branch[branch]
            left.branches.remove(branch)
            if not left.branches:
                del standing[left.state]
            of_branch[branch] = _Group(step(left.state, event), {branch})
            join(of_branch[branch], standing)
        if number < len(common):
            moved: dict[State, _Group[State]] = {}
            for group in standing.values():
                group.state = step(group.state, common[number])
                join(group, moved)
            standing = moved
    return [group.state for group in of_branch]


def _merged(common: Sequence[SeatSymbol], added: Sequence[tuple[int, SeatSymbol]]) -> Iterator[SeatSymbol]:
    """The common symbols with a bettor's own ones in their places."""
    at = 0
    for before, symbol in added:
        yield from common[at:before]
        yield symbol
        at = before
    yield from common[at:]


def _shared_seats(events: pl.DataFrame, histories: Histories, game: Game) -> Mapping[tuple[int, int], _SharedSeat]:
    """The seats with several bettors on which something was claimed, a further hand staked, or one kind staked several times."""
    place = ["ri", "seat"]
    placed = histories.wagers.select(*place, "bettor", base=is_wager(game.wagers.base))
    bases = placed.filter("base")
    if not may_repeat(bases, place):
        return {}
    several = bases.group_by(place).agg(bettors=pl.col("bettor").n_unique()).filter(pl.col("bettors") > 1)
    if several.is_empty():
        return {}
    claims: defaultdict[tuple[int, int], list[tuple[int, str, str | None]]] = defaultdict(list)
    taken = _claims(events, game).join(histories.rounds.select("round", "ri"), on="round")
    for ri, seat, seq, claim, by in taken.select("ri", "seat", "seq", "claim", "by").iter_rows():
        claims[ri, seat].append((seq, claim, by))
    stakes = histories.wagers.filter(is_wager(game.wagers.play)).join(several, on=place, how="semi")
    further = stakes.filter(pl.col("hand") > 0).select(place).unique()
    rests = stakes.filter(~is_wager(game.wagers.base)).group_by(*place, "kind", "hand").len()
    wanted = {*claims, *further.iter_rows(), *rests.filter(pl.col("len") > 1).select(place).iter_rows()}
    wagers: defaultdict[tuple[int, int], list[tuple[int, str, int, str | None]]] = defaultdict(list)
    for ri, seat, seq, kind, hand, player in stakes.select(*place, "seq", "kind", "hand", "player").iter_rows():
        if (ri, seat) in wanted:
            wagers[ri, seat].append((seq, kind, hand, player))
    return {where: _SharedSeat(placed, claims.get(where, ())) for where, placed in wagers.items()}


def _claims(events: pl.DataFrame, game: Game, more: frozenset[str] = frozenset()) -> pl.DataFrame:
    """The claims to money, with ``more`` of them: ``seq``, ``round``, ``seat``, ``claim``, ``by``."""
    columns = ("seq", "round", "decision_seat", "decision_action", "decision_player")
    taken = of_kind(events, ("DecisionTaken",), *columns)
    claimed = taken.filter(
        pl.col("decision_action").is_in(sorted(game.shared_seats.claims | more if game.shared_seats else ()))
    )
    return claimed.rename({"decision_seat": "seat", "decision_action": "claim", "decision_player": "by"})


def is_nobodys(by: str, bettors: Collection[str | None], seated: bool, elsewhere: bool) -> bool:
    """Whether a claim to money is nobody's, so that nothing turns on it: it was made ``by`` a named player who has not bet on the
    seat, where all ``bettors`` so far are named, unless he may be the seated player: several bet, none is known to be ``seated``,
    and he bets nowhere ``elsewhere`` in the round."""
    strangers = bool(bettors) and by not in bettors and None not in bettors
    return strangers and (len(bettors) == 1 or seated or elsewhere)


def claims_of_others(events: pl.DataFrame, game: Game) -> pl.Series:
    """The ``seq`` of claims to money that are nobody's (:func:`is_nobodys`)."""
    claims = _claims(events, game, game.actions.closing).drop_nulls("by")
    if claims.is_empty():
        return claims["seq"]
    columns = ("seq", "round", *(f"wager_{each}" for each in ("seat", "kind", "player", "position", "stake_minor")))
    wagers = of_kind(events, ("WagerPlaced",), *columns).filter(pl.col("round").is_in(claims["round"].implode()))
    bases = wagers.filter(pl.col("wager_kind").is_in(sorted(game.wagers.base)) & (pl.col("wager_stake_minor") > 0))
    laid = bases.select("round", seat="wager_seat", player="wager_player", position="wager_position", placed="seq")
    bets = claims.join(laid, on=["round", "seat"]).filter(pl.col("placed") < pl.col("seq"))
    elsewhere = claims.join(laid, left_on=["round", "by"], right_on=["round", "player"])
    betting = elsewhere.filter(pl.col("placed") < pl.col("seq"))["seq"]
    on_seats = bets.group_by("seq", "by").agg(pl.col("player").unique(), seated=(pl.col("position") == 0).any())
    made = on_seats.with_columns(elsewhere=pl.col("seq").is_in(betting.implode())).iter_rows()
    return pl.Series([seq for seq, *claim in made if is_nobodys(*claim)], dtype=pl.Int64)


def judge_deciders(events: pl.DataFrame, wagers: pl.DataFrame, judged: JudgedDays) -> list[NotedBreach]:
    """The decisions by players who had none to take at the seat, and the wagers that not all of its bettors matched; ``wagers``
    are all wagers placed."""
    game, context = judged.game, judged.context
    shared, taken = game.shared_seats, _named_decisions(events, judged.histories.rounds["round"])
    noted = list(_decisions_of_strangers(taken, wagers, judged))
    if shared is not None:
        if (wagers["position"] > 0).any():  # where all are seated, nobody shares
            others = taken.filter(~pl.col("seq").is_in([each.seq for each in noted]))
            noted += _decisions_of_others(others, _shared_bets(wagers, game), context, shared)
        noted += _unmatched(wagers, context, game, shared)
    return noted


def _decisions_of_strangers(taken: pl.DataFrame, wagers: pl.DataFrame, judged: JudgedDays) -> Iterator[NotedBreach]:
    """The decisions at a seat by a named player who does not bet there, where all bettors of the seat are named. Where several
    bet and the log does not say who sits, a player without a bet elsewhere may be the seated player."""
    place = ["ri", "seat"]
    staked = wagers.filter(is_wager(judged.game.wagers.base) & (pl.col("stake_minor") > 0))
    bases = staked.select(*place, "position", by="player", placed="seq")
    own = taken.join(bases, on=[*place, "by"]).filter(pl.col("placed") < pl.col("seq"))["seq"]
    theirs = without(taken, own)
    if theirs.is_empty():
        return
    named = bases.filter(pl.col("by").null_count().over(place) == 0)
    known = named.filter((pl.col("by").n_unique() == 1).over(place) | (pl.col("position") == 0).any().over(place))
    betting = theirs.join(bases, on=["ri", "by"], how="semi").join(named, on=place, how="semi")
    strangers = theirs.join(bases, on=["ri", "by"], how="anti").join(known, on=place, how="semi")
    for ri, seat, seq, action in betting.vstack(strangers).select(*place, "seq", "action").iter_rows():
        evaluator = judged.context.evaluator_of[ri]
        breach = None if evaluator is None else judged.game.seat.judge_other(action, evaluator.rules)
        if breach is not None:
            yield NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq)


def _shared_bets(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """The bets on seats on which not all bettors sit, one row per player; each bet without a player is a row of its own."""
    place = ["ri", "seat"]
    bases = wagers.filter(is_wager(game.wagers.base))
    beside = bases.filter(pl.col("position") > 0).select(place).unique()
    shared = bases.join(beside, on=place, how="semi", maintain_order="left")
    unnamed = pl.when(pl.col("player").is_null()).then("seq").alias("unnamed")
    return shared.group_by(*place, "player", unnamed, maintain_order=True).agg(
        position=pl.when(pl.col("position").null_count() == 0).then(pl.col("position").min()),
        stake_minor=pl.col("stake_minor").cast(SUM).sum(),
    )


def _decisions_of_others(
    taken: pl.DataFrame, bets: pl.DataFrame, context: RoundContext, law: SharedSeatLaw[object, ElectedOptions]
) -> Iterator[NotedBreach]:
    """The decisions ``taken`` by a named player that another bettor of the seat had to take."""
    place = ["ri", "seat"]
    shared = taken.join(bets.select(place).unique(), on=place, how="semi")
    doubtful = shared.join(_clear_deciders(bets), on=place, how="left").filter(
        pl.col("by").ne_missing(pl.col("decider"))
    )
    if doubtful.is_empty():
        return
    several = bets.group_by(place).agg(pl.col("player").n_unique()).filter(pl.col("player") > 1)
    decisions = doubtful.join(several, on=place, how="semi")
    deciders: dict[tuple[int, int], frozenset[str]] = {}
    laid = bets.join(decisions.select(place).unique(), on=place, how="semi")
    for ri, seat, *columns in laid.group_by(place).agg("player", "position", "stake_minor").iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is not None:
            of_seat = tuple(Bet(*bet) for bet in zip(*columns, strict=True))
            deciders[ri, seat] = law.deciders(of_seat, evaluator.rules)
    for ri, seq, seat, action, by in decisions.select("ri", "seq", "seat", "action", "by").iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is not None:
            breach = law.judge(action, by, deciders[ri, seat], evaluator.rules)
            if breach is not None:
                yield NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq)


def _clear_deciders(bets: pl.DataFrame) -> pl.DataFrame:
    """The seated players with the highest bet on their seat: these may decide under any version, so the law is not asked."""
    place = ["ri", "seat"]
    most = pl.col("stake_minor") == pl.col("stake_minor").max().over(place)
    return bets.filter(most).filter(pl.col("position") == 0).select(*place, decider="player").unique(place)


def _named_decisions(events: pl.DataFrame, rounds: pl.Series) -> pl.DataFrame:
    """The decisions of named players: ``ri``, ``seat``, ``seq``, ``action``, ``by``."""
    columns = ("seq", "round", "decision_seat", "decision_action", "decision_player")
    named = of_kind(events, ("DecisionTaken",), *columns).drop_nulls(["round", "decision_player"])
    return named.select(
        "seq",
        ri=rounds.search_sorted(named["round"]).cast(pl.Int64),
        seat=pl.col("decision_seat").cast(pl.Int32),
        action=pl.col("decision_action").cast(pl.String),
        by=pl.col("decision_player"),
    )


def _unmatched(
    wagers: pl.DataFrame, context: RoundContext, game: Game, law: SharedSeatLaw[object, ElectedOptions]
) -> Iterator[NotedBreach]:
    """The first wager of each kind on each hand that some bettor of the seat did not match, where all are named and all must."""
    not_followed = [law.not_followed(evaluator.rules) for evaluator in context.evaluators]
    if not any(not_followed):
        return
    place, base = ["ri", "seat"], is_wager(game.wagers.base)
    laid = wagers.filter(base | is_wager(law.followed))
    named = laid.filter(pl.col("player").null_count().over(place) == 0)
    bettors = named.filter(base).group_by(place).agg(bettors=pl.col("player").unique())
    stakes = named.filter(~base).group_by(*place, "kind", "hand").agg("player", seq=pl.col("seq").min())
    for ri, seat, players, seq, of_seat in (
        stakes.join(bettors, on=place).select(*place, "player", "seq", "bettors").iter_rows()
    ):
        breach = not_followed[context.evaluator_numbers[ri]] if not context.unjudged_reasons[ri] else None
        if breach is not None and not set(of_seat) <= set(players):
            yield NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq)
