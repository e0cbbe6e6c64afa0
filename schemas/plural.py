"""Counts, lists and names in plain words."""

from collections.abc import Sequence


def plural(number: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> plural(1, "table"), plural(2500, "table"), plural(2, "day is", "days are")
    ('1 table', '2,500 tables', '2 days are')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def first_few(names: Sequence[str], most: int) -> str:
    """The first ``most`` names, and how many there are beyond.

    >>> first_few(["1", "2"], 2), first_few(["1", "2", "3"], 2)
    ('1, 2', '1, 2 and 1 more')
    """
    beyond = len(names) - most
    return ", ".join(names[:most]) + (f" and {beyond:,} more" if beyond > 0 else "")


def spoken(name: str) -> str:
    """A name in the log as it is spoken.

    >>> spoken("pair_plus")
    'pair plus'
    """
    return name.replace("_", " ")
