"""A round explained, card by card, with every rule applied. It has no rules of its own and names no game."""
