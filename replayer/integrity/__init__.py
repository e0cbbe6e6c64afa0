"""Whether the log itself can be believed: order, completeness, the contract of each kind. It knows no rule of any game."""
