"""JSON with its own digest: what was written is read, what was altered, or has unacceptable values, is refused."""

from typing import Any

import pytest

from replayer.sources.safe_texts import TextRefused, digested_json, read_digested_json


@pytest.mark.parametrize("line", [False, True])
@pytest.mark.parametrize("values", [{"a": 1}, {"z": [1]}, {"a": 'x"\n', "z": {"sha256": "0"}, "陳": "陳"}])
def test_a_text_with_its_digest_holds_with_no_byte_changed(values: dict[str, Any], line: bool) -> None:
    text = digested_json(values, line=line).encode()
    assert read_digested_json(text, line=line) == values
    assert text.count(b"\n") == 1 or not line
    for at in range(len(text)):
        for other in (b"", b" ", bytes([text[at] ^ 1]), bytes([text[at]]) * 2):
            if text[:at] + other + text[at + 1 :] != text:
                with pytest.raises(TextRefused):
                    read_digested_json(text[:at] + other + text[at + 1 :], line=line)


def test_a_digest_makes_no_unacceptable_value_acceptable() -> None:
    for values, why in (
        ({"a": 1 << 64}, "64 bits"),
        ({"a": [float("inf")]}, "no number"),
        ({"sha256": 1}, "stands twice"),
    ):
        with pytest.raises(TextRefused, match=why):
            read_digested_json(digested_json(values).encode())


def test_a_line_that_was_cut_off_is_told_to_be_so_in_that_line() -> None:
    line = digested_json({"a": 1}, line=True).encode()
    for cut in range(len(line) - 1):
        with pytest.raises(TextRefused, match="line 1,"):
            read_digested_json(line[:cut] + b"\n", line=True)


def test_what_a_path_without_a_meaning_in_utf_8_brings_into_a_note_can_be_read_again() -> None:
    text = digested_json({"why": "a\udcff/陳 cannot be read"})
    assert read_digested_json(text.encode()) == {"why": "a?/陳 cannot be read"}
