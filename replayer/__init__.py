"""The judge: rebuilds rounds from the log and settles every wager again under the regulation in force.

``sources`` reads a log from an archive, as columns (``log``); ``integrity`` inspects the log itself; ``engine`` cuts it into
rounds and has each game's part of ``law`` judge them, through the ``contract`` that all games keep; ``verdicts`` holds what is
due against what was paid; ``explanation`` tells one round. ``processes`` spreads the work.
"""
