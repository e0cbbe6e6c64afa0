"""A count in plain words."""


def plural(number: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> plural(1, "table"), plural(2500, "table"), plural(2, "day is", "days are")
    ('1 table', '2,500 tables', '2 days are')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
