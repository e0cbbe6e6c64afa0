"""Cuts table-days into rounds, judges what happened in them, and settles the wagers again; it names no game."""
