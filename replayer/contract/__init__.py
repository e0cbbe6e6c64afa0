"""What the law and the engine agree on: cards, symbols, machines, outcomes, wagers, rules, and the record of a game."""
