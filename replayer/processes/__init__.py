"""How work runs: spread over processes, and what judging does in its own."""
