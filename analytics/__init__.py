"""How much, how often, how unlikely: lake, marts, reconciliation, queries, report. Reads verdicts only."""
