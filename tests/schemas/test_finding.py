"""A code: declared once, with its severity and meaning, and its name everywhere else."""

from __future__ import annotations

import json

import pytest

from replayer.law.codes import OPTION_UNKNOWN
from schemas.finding import CODES, Severity, of_money


def test_a_code_is_its_name_to_files_and_other_processes() -> None:
    assert CODES["OPTION_UNKNOWN"] is OPTION_UNKNOWN
    assert json.dumps({"code": OPTION_UNKNOWN}) == '{"code": "OPTION_UNKNOWN"}'
    assert OPTION_UNKNOWN.__reduce__() == (str, ("OPTION_UNKNOWN",))  # a process that did not declare it can read it


def test_a_code_is_declared_once() -> None:
    with pytest.raises(ValueError, match="finding code OPTION_UNKNOWN is declared twice"):
        of_money("OPTION_UNKNOWN", "Something else")
    assert OPTION_UNKNOWN.severity is Severity.PROCEDURE
