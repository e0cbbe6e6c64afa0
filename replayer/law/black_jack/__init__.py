"""Black Jack (PT «Black Jack» ou «Vinte e Um», ZH 二十一點): one file a despacho, its articles by what they are about.

``hand``: arts. 8, 9, 11; ``shuffling``: 2, 4; ``dealing``: 5; ``drawing``: 6, 7; ``natural``: 10; ``insurance``: 12;
``side_wagers`` and ``streak``: 13, 14; ``special``: 15, 19; ``splitting``: 16; ``doubling``: 17; ``surrender``: 18;
``sharing``: 20, 21; ``declined``: what 16 and 17 refuse. ``shoe``, ``burned``, ``passes``, ``order_of_play`` and
``round_bounds`` are the machines of a round, ``bank`` and ``hole_card`` those of the bank; ``seat_fold``, ``bank_fold`` and
``round_fold`` fold histories, ``settlement`` says what is due.
"""

from replayer.law.black_jack.game import GAME

__all__ = ["GAME"]
