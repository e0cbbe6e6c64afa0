"""Despacho do Secretário para a Economia e Finanças n.º 42/2007, 經濟財政司司長批示第42/2007號: amends 56/2004.

It gives arts. 6, 13, 16, 17 and 21 new texts, of which that of art. 6 is at hand. Of arts. 16 and 17 it is taken that
they spare bets against the bank's Black Jack as 57/2009 does (BJ-75), arts. 13 and 21 are taken to be as before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from replayer.law.black_jack.despacho_56_2004 import AUTHORISATION, DSEF_56_2004
from replayer.law.black_jack.doubling import FIRST_TWO, SPLIT_FIRST_TWO
from replayer.law.black_jack.drawing import Soft17
from replayer.law.choice import unset, yes_no

_BY: Final = "42/2007"
_UNSEEN: Final = f"the text of {_BY} is not at hand; it is taken to be as 56/2004"
_SPARING: Final = f"{_UNSEEN}, and to spare stakes against the bank's Black Jack as 57/2009 (BJ-75)"

DSEF_42_2007: Final = replace(
    DSEF_56_2004,
    drawing=replace(
        DSEF_56_2004.drawing,
        gloss="the bank draws to 16 and on a soft 17; players draw below 21 and decide by voice or gesture",
        on17=Soft17(),
        choices=(unset("bank_soft17", "hit", "stand"), yes_no("bank_unseen_extra_valid", on=False)),
        amended_by=_BY,
    ),
    additional_wagers=replace(DSEF_56_2004.additional_wagers, amended_by=_BY, assumed=_UNSEEN),
    splitting=replace(DSEF_56_2004.splitting, spares=True, relief=(6,), unverified=_BY, amended_by=_BY, assumed=_SPARING),
    doubling=replace(
        DSEF_56_2004.doubling, spared=frozenset({FIRST_TWO, SPLIT_FIRST_TWO}), relief=(3,), unverified=_BY, amended_by=_BY,
        assumed=_SPARING,
    ),
    authorisation=replace(AUTHORISATION, amended_by=_BY),
)  # fmt: skip
