"""What is due and what was paid, round by round: replay of table-days, their verdicts, their digests. It names no game."""
