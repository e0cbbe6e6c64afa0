"""The reconciliation of a gaming day."""
