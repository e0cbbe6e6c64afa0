"""Whose a table is follows from the order of the claims alone, whoever reads them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from producers.claims import Claim, Owners

FIRST = Claim("T1", 1, "spool-a", 10_000, host="pit-3", pid=7, at=1_767_585_600_000_000)


def owner_of(*claims: Claim) -> Claim | None:
    owners = Owners()
    for claim in claims:
        owners.add(claim)
    return owners.of("T1")


def test_of_two_who_claim_a_free_table_the_first_has_it() -> None:
    assert owner_of(FIRST, Claim("T1", 1, "spool-b", 10_000)) == FIRST


def test_a_recorder_that_starts_again_follows_its_own_claim() -> None:
    again = Claim("T1", 2, "spool-a", 10_000, follows=FIRST.session)
    assert owner_of(FIRST, again) == again


def test_a_copy_of_a_spool_that_was_claimed_since_is_refused() -> None:
    again = Claim("T1", 2, "spool-a", 10_000, follows=FIRST.session)
    copy = Claim("T1", 3, "spool-a", 10_000, follows=FIRST.session)
    assert owner_of(FIRST, again, copy) == again


def test_a_table_is_taken_over_only_deliberately() -> None:
    deliberate = Claim("T1", 2, "spool-b", 10_000, follows=FIRST.session, takes_over=True)
    assert owner_of(FIRST, replace(deliberate, takes_over=False, follows="")) == FIRST
    assert owner_of(FIRST, deliberate) == deliberate


def test_of_two_who_take_over_at_once_the_first_has_it() -> None:
    one, two = (Claim("T1", 2, spool, 10_000, takes_over=True) for spool in ("spool-b", "spool-c"))
    assert owner_of(FIRST, one, two) == one


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abc"), st.sampled_from("abc"), st.booleans()), max_size=12)
)
def test_the_numbers_of_the_claims_that_are_taken_only_rise(said: list[tuple[int, str, str, bool]]) -> None:
    owners, taken = Owners(), [0]
    for number, session, follows, takes_over in said:
        claim = Claim("T1", number, "spool", 0, session=session, follows=follows, takes_over=takes_over)
        if owners.add(claim):
            assert owners.of("T1") == claim
            taken.append(number)
    assert taken == sorted(set(taken))


def test_a_claim_is_read_back_and_says_who_where_and_since_when() -> None:
    assert Claim.from_json(FIRST.to_json()) == FIRST
    assert str(FIRST) == "the recorder of spool spool-a on pit-3 (process 7) since 2026-01-05 04:00:00 UTC, claim 1"


@pytest.mark.parametrize(
    "change",
    [{"number": "1"}, {"number": 0}, {"at": 10**20}, {"at": -1}, {"table_id": None}, {"takes_over": 1}, {"more": 1}],
)
def test_what_is_no_claim_gives_nobody_a_table(change: dict[str, object]) -> None:
    said = json.loads(FIRST.to_json()) | change
    assert Claim.from_json(json.dumps(said).encode()) is None


@pytest.mark.parametrize("text", [b"", b"no claim", b"[]", b"7", b"{}", b'{"a":' * 99])
def test_what_is_no_json_gives_nobody_a_table(text: bytes) -> None:
    assert Claim.from_json(text) is None
