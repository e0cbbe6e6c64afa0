"""Fortune 3 Card Poker: one file a despacho, its articles grouped by what they are about.

Articles: ``options``, what the house chooses; ``dealing``, arts. 1 to 3, 7 and 11; ``hand``, arts. 4 and 8; ``betting``, arts. 5
and 6; ``play``, art. 9 in both texts; ``pair_plus``, art. 10. ``settlement`` says what is due.

Machines (``replayer.contract.machine``): ``cards``, ``croupier``, ``bets``, ``order``, ``deal``, ``shoe``. ``seat_state`` and
``round_state`` are a place and a round in their middle. ``seat_fold``, ``croupier_fold`` and ``round_fold`` fold histories.
"""

from replayer.law.fortune_3_card_poker.game import GAME

__all__ = ["GAME"]
