"""Names and other texts as a terminal or a report may show them."""


def printable(text: str) -> str:
    r"""A text, such as a file's name, with all non-printable characters escaped.

    >>> printable("T1\n\udcff (copy)")
    'T1\\n\\udcff (copy)'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
