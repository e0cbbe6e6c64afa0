"""The events of a log as columns, in little memory, and in words."""
