"""Fortune 3 Card Poker: one file a despacho, its articles grouped by what they are about.

Articles: ``options``, what the house chooses; ``dealing``, arts. 1 to 3, 7 and 11; ``hand``, arts. 4, 8 and 10; ``betting``,
arts. 5 and 6; ``play``, art. 9 in both texts. ``settlement`` says what is due.

Machines (``replayer.contract.machine``): ``cards``, ``bets``, ``deal``. ``seat_state``, ``croupier`` and ``round_state`` are a
place, the croupier's hand and a round in their middle, each with the fold of its history.
"""

from replayer.law.fortune_3_card_poker.game import GAME

__all__ = ["GAME"]
