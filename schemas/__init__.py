"""The contract: what is written about a table, and in which words. Knows no rule of any game."""
