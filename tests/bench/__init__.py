"""How fast a table-day is replayed, held against other programs on the same rounds, side by side in one run."""
