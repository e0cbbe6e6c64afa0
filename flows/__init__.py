"""Who runs what, when and with which settings: the command line, the nightly runs, the demo. No arithmetic."""
