"""The events of a log: as columns, stored in little memory, and in plain words. Nothing here checks or judges them."""
