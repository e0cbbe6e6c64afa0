"""Exact probabilities and expectations of wagers, computed by asking the very rules that settle rounds.

Nothing is kept between calls, so a changed rule changes the figures. Every probability and expectation is a text
``n/d``, per unit of the stake it belongs to, from the player's side.
"""

from __future__ import annotations

from typing import Any, Final

from replayer.contract.readings import Readings
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.calendar import version_named
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.odds import black_jack, fortune
from replayer.law.rulings import not_default, readings_by
from replayer.processes.spread import Progress
from schemas.bounds import MOST_DECKS

_OF_GAME: Final = {
    BLACK_JACK.name: (black_jack.compute, MOST_DECKS, f"from one to {MOST_DECKS}"),
    FORTUNE.name: (fortune.compute, 1, "one deck (78/2008 art. 1)"),
}
"""By game what computes its odds, and the most decks that it is dealt from; a game need not have odds."""


class NotComputable(ValueError):
    """The version's text is not at hand, or its game has no odds or no such shoe; the message says why."""


def odds(
    version_id: str,
    decks: int | None = None,
    readings: Readings | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
) -> dict[str, Any]:
    """What can be computed of a version's wagers without knowing how a player plays.

    Args:
        version_id: as ``pitaudit law`` lists them.
        decks: of the shoe; None for one that never runs out. Fortune 3 Card Poker always has one deck.
        readings: of the rulings; the default ones where None.
        progress: called with the parts of the work that are done and their number.
        workers: processes; None for one a core, 1 for none but this one.

    Returns:
        ``version``, ``game``, ``readings`` (those that are not the default) and, for Fortune 3 Card Poker:

        - ``decks`` 1, ``hands`` 22,100, ``deals`` 22,100 x 18,424
        - ``croupier``: deals in which the croupier ``plays`` or is ``below`` a queen
        - ``player``: by combination the ``hands``, ``deals``, and of these ``croupier_below``, ``wins``, ``ties``,
          ``loses``; ``raised_ev`` of ante and raise together, per ante, when every such hand plays
        - ``ante_and_raise``: ``simple`` (raise on Q-6-4 or better) and ``best`` (the better decision for every hand),
          each with ``raises_on`` (the lowest hand that raises), ``raises`` (hands) and ``ev`` per ante
        - ``pair_plus``: ``probability`` by odds won (-1 is lost) and ``ev``

        for Black Jack:

        - ``decks``, None for a shoe that never runs out
        - ``wagers``: for each wager that the version has ``probability`` by odds won, ``ev``, ``assumes``
        - ``bank``: for each open card the ``probability`` of what the bank's hand comes to

    Raises:
        UnknownVersion: no such version.
        NotComputable: its text is not at hand, its game has no odds, or ``decks`` is not possible.
    """
    version = version_named(version_id)
    readings = readings or readings_by()
    if version.not_settled:
        raise NotComputable(f"{version_id}: {version.not_settled}")
    if version.game not in _OF_GAME:
        raise NotComputable(f"{version_id}: no odds of {version.game} are computed, only of {', '.join(_OF_GAME)}")
    compute, most, shoe = _OF_GAME[version.game]
    if decks is not None and not 1 <= decks <= most:
        raise NotComputable(f"{decks} decks make no shoe; it has {shoe}")
    figures: dict[str, Any] = {"version": version_id, "game": version.game, "readings": not_default(readings)}
    return figures | compute(version_id, decks, readings, workers, progress)
