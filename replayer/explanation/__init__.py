"""A round explained, card by card, with the rules by which it was settled. It has no rules of its own and names no game."""
