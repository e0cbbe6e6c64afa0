"""Where a log is read from."""
