"""How much, how often, how unlikely: lake, marts, reconciliation, queries, report. Works on verdicts only."""
