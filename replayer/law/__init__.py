"""Regulations as dated data: one record a version, one field an article, in the order of the law. It knows no log.

``black_jack`` and ``fortune_3_card_poker`` have their despachos, the articles, and the states of a hand, of the bank and of a
round; ``settlement`` of each says by which article a payment is due. ``calendar`` names the version in force on a day,
``rulings`` the doubtful texts with their readings, ``authorisation`` the permission that options need, ``odds`` exact odds.
"""
