"""The rules that a test judges by: any version of either game, with default options and readings but for what the test names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from replayer.contract.rules import AnyRules, Rules
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.regulation import BlackJackRegulation as BlackJack
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.fortune_3_card_poker.despacho_78_2008 import FortuneRegulation as Fortune
from replayer.law.rulings import readings_by

VERSIONS = {"141/2000": DCE_141_2000, "56/2004": DSEF_56_2004, "42/2007": DSEF_42_2007, "57/2009": DSEF_57_2009}
"""The versions of Black Jack's regulation by their despachos."""


def rules(
    regulation: BlackJack | Fortune = DSEF_57_2009,
    readings: Mapping[str, str] | None = None,
    recorded: Iterable[str] = (),
    **elected: str,
) -> AnyRules:
    """The rules of a version.

    Args:
        regulation: the version; without one, Black Jack's of 57/2009.
        readings: the reading of a doubtful text by its ruling's id, where not the default one: ``{"BJ-8": "always"}``.
        recorded: of what the log tells at all (``totals`` called, ``markers`` moved, cards turned: ``turns``).
        elected: the options that the house elected, as a log writes them: ``deal_procedure="3"``.

    Raises:
        AssertionError: an election that does not hold under this version.
    """
    game = FORTUNE if isinstance(regulation, Fortune) else BLACK_JACK
    options, faults = game.options(elected, regulation)
    assert all(fault.holds for fault in faults), faults
    return Rules(regulation, options, readings_by(readings), recorded=frozenset(recorded))
