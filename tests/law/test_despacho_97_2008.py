"""Fortune 3 Card Poker with art. 9 as 97/2008 rewrote it, clause by clause."""

from __future__ import annotations

from dataclasses import fields

from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008


def test_only_art9_is_amended() -> None:
    for field in fields(DSEF_78_2008):
        same = getattr(DSEF_78_2008, field.name) is getattr(DSEF_97_2008, field.name)
        assert same == (field.name != "play")
    assert DSEF_97_2008.play.cite(6) == "78/2008 art. 9(6) (97/2008)"
