"""The contract of law and engine: cards, symbols, machines, outcomes, wagers, rules, readings, and the record of a game.

``game`` lists what a game must state, ``machine`` what its states must answer. Nothing here knows a log or one of the games. What
an event must hold is another contract: ``schemas.kinds`` and ``schemas.bounds``.
"""
