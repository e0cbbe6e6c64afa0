"""Names and other texts as a terminal or a report may show them."""


def printable(text: str) -> str:
    r"""A text, such as a file's name, with all non-printable characters escaped.

    >>> printable("T1\n\udcff (copy)")
    'T1\\n\\udcff (copy)'
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
