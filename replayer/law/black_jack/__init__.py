"""Black Jack (PT «Black Jack» ou «Vinte e Um», ZH 二十一點): one file a despacho, its articles by what they are about.

Articles: ``shuffling``: 1, 2, 4; ``stakes``: 3; ``dealing``: 5; ``drawing``: 6, 7; ``winning``: 8 to 11; ``insurance``: 12;
``side_wagers`` and ``streak``: 13, 14; ``claims``: 15, 18, 19; ``splitting``: 16; ``doubling``: 17; ``sharing``: 20.
``deadlines`` has what several of them say of when wagers are placed, ``settlement`` what is due. ``house_rules`` are those
outside Macau.

States: ``hand`` is a seat and its hands, ``bank`` the bank, ``round_state`` a round, made of ``shoe`` and ``deal_and_play``,
``first_cards`` what side wagers turn on; each has the fold of its history, that of a seat is ``seat_fold``. ``play`` and
``seat_state`` have the steps of a hand and of its seat.
"""

from replayer.law.black_jack.game import GAME

__all__ = ["GAME"]
