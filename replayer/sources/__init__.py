"""Where a log is read from: an archive's sealed table-days, its quarantine, what a topic lost, what lies out of its place."""
