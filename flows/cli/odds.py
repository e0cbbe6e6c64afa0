"""``pitaudit odds``."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from flows.cli.options import Whole, Workers, pairs
from flows.cli.terminal import CLEAN, print_json, print_table, shares
from schemas.bounds import MOST_DECKS
from schemas.plural import plural, spoken


def odds(
    *,
    regulation: str,
    decks: Annotated[Whole, Parameter(validator=Number(gte=1, lte=MOST_DECKS))] | None = None,
    ruling: tuple[str, ...] = (),
    workers: Workers | None = None,
    json: bool = False,
) -> int:
    """Compute the exact odds of every wager that does not depend on how a player plays.

    The rules that settle rounds are asked about every possible deal, so that the figures follow each change of a rule;
    nothing is kept between runs. It may take a minute.

    Example: `pitaudit odds --regulation 57/2009 --decks 8`

    Parameters
    ----------
    regulation
        The version: an id, or the number of the instrument that brought it about.
    decks
        Decks in the shoe, 15 at most; without it the shoe never runs out. Fortune 3 Card Poker has one.
    ruling
        Readings other than the default, as ruling=reading.
    workers
        Processes to use; one a core unless set.
    json
        One JSON object on standard output; every probability and expectation is a fraction as text, per stake, from the
        player's side. Always: version, game, readings (those that are not the default), decks. Black Jack: wagers, by
        name, each probability (by odds won, -1 is lost), ev, assumes; bank, by open card, probability (by total, bj,
        bust). Fortune 3 Card Poker: hands, deals; croupier (plays, below: deals); player, by combination: hands, deals,
        croupier_below, wins, ties, loses, raised_ev; ante_and_raise: simple (raise on Q-6-4 or better) and best, each
        raises_on, raises, ev; pair_plus: probability, ev.
    """
    from replayer.law.articles import find_version, require_question
    from replayer.law.odds import odds as compute
    from replayer.law.rulings import find, readings_by

    version = find_version(regulation)
    wanted = pairs(ruling, "--ruling")
    readings = readings_by(wanted)
    for name in wanted:
        require_question(find(name), version)
    with shares("Counting") as step:
        figures = compute(version.id, decks, readings, step, workers)
    if json:
        print_json(figures)
        return CLEAN
    _SHOWN[figures["game"]](figures)
    if figures["readings"]:
        print("Readings: " + ", ".join(f"{name}={reading}" for name, reading in figures["readings"].items()))
    return CLEAN


def _print_black_jack(figures: dict[str, Any]) -> None:
    shoe = plural(figures["decks"], "deck") if figures["decks"] else "a shoe that never runs out"
    rows = [
        (name, won, likely, _percent(likely))
        for name, wager in figures["wagers"].items()
        for won, likely in wager["probability"].items()
    ]
    expected = [
        (name, wager["ev"], _percent(wager["ev"]), wager["assumes"]) for name, wager in figures["wagers"].items()
    ]
    title = f"{figures['version']}, {shoe}"
    print_table(f"{title}: player's expectation", ("wager", "exactly", "about", "assumes"), expected, figures=(1, 2))
    print_table("What it pays, to one", ("wager", "odds", "probability", "about"), rows, figures=(1, 2, 3))
    outcomes = list(dict.fromkeys(outcome for row in figures["bank"].values() for outcome in row["probability"]))
    outcomes.sort(key=lambda outcome: (not outcome.isdigit(), outcome))
    bank = [
        (card, *(_percent(row["probability"].get(outcome, "0")) for outcome in outcomes))
        for card, row in figures["bank"].items()
    ]
    print_table("The bank's hand by its open card", ("open", *outcomes), bank, figures=range(1, len(outcomes) + 1))
    print("Exact fractions of the bank's hands: --json.")


def _print_poker(figures: dict[str, Any]) -> None:
    deals = figures["deals"]
    columns = ("hands", "deals", "croupier_below", "wins", "ties", "loses")
    rows = [
        (name, *(f"{row[column]:,}" for column in columns), _percent(row["raised_ev"]))
        for name, row in figures["player"].items()
    ]
    title = f"{figures['version']}: {figures['hands']:,} hands, {deals:,} deals, every hand played"
    heads = ("combination", *map(spoken, columns), "expectation of ante and raise")
    print_table(title, heads, rows, figures=range(1, len(heads)))
    plays = figures["croupier"]["plays"]
    print(f"The croupier plays in {plays:,} deals, {_percent(Fraction(plays, deals))}.")
    decisions = [
        (name, each["raises_on"], f"{each['raises']:,}", each["ev"], _percent(each["ev"]))
        for name, each in figures["ante_and_raise"].items()
    ]
    heads = ("decision", "raises on", "hands raised", "expectation per ante", "about")
    print_table("Ante and raise", heads, decisions, figures=(2, 3, 4))
    pair_plus = figures["pair_plus"]
    paid = [(won, likely, _percent(likely)) for won, likely in pair_plus["probability"].items()]
    print_table("What Pair Plus pays, to one", ("odds", "probability", "about"), paid, figures=(0, 1, 2))
    print(f"The expectation of Pair Plus is {pair_plus['ev']}, {_percent(pair_plus['ev'])}.")


_SHOWN: Final = {"black_jack": _print_black_jack, "fortune_3_card_poker": _print_poker}


def _percent(value: str | Fraction) -> str:
    """A fraction in percent with four digits, rounded for the eye only."""
    return f"{float(Fraction(value) * 100):.4f}%"
