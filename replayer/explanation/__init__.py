"""A round explained, card by card, with every rule applied."""
