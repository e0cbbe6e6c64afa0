"""How a fact gets into the log."""
