"""A compressed week with a real broker and a real Prefect server, disturbed at random: ``make soak``."""
