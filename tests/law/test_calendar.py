"""Exactly one version of each game on every day, or a gap that is stated here."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import pytest

from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000_AS_MADE
from replayer.law.calendar import VERSIONS, UnknownVersion, games, local_day, version_at, version_named

HOUR = 3600 * 1_000_000


def noon(day: dt.date) -> int:
    """Noon in Macau, four in the morning UTC, in microseconds."""
    return ((day - dt.date(1970, 1, 1)).days * 24 + 4) * HOUR


def walk() -> list[dt.date]:
    first, last = dt.date(2000, 8, 6), dt.date(2030, 12, 31)
    return [first + dt.timedelta(days=number) for number in range((last - first).days + 1)]


def test_one_version_of_each_game_on_every_day() -> None:
    found: Counter[tuple[str, str | None]] = Counter()
    for day in walk():
        for game in games():
            version = version_at(game, noon(day))
            assert version is None or version.game == game
            found[(game, version.id if version else None)] += 1
    days = len(walk())
    assert sum(number for (game, _), number in found.items() if game == "black_jack") == days
    assert found[("black_jack", None)] == 0
    # The one gap: no Fortune 3 Card Poker before 12 August 2008.
    assert found[("fortune_3_card_poker", None)] == (dt.date(2008, 8, 12) - dt.date(2000, 8, 6)).days
    # 78/2008 as it was made held for 126 days.
    assert found[("fortune_3_card_poker", "f3.78-2008")] == 126
    assert {version for _, version in found} == {v.id for v in VERSIONS if v.in_force} | {None}


@pytest.mark.parametrize(
    ("version", "first", "before"),
    [
        ("bj.141-2000", dt.date(2000, 8, 6), None),
        ("bj.56-2004", dt.date(2004, 5, 18), "bj.141-2000"),
        ("bj.56-2004+42-2007", dt.date(2007, 3, 6), "bj.56-2004"),
        ("bj.57-2009", dt.date(2009, 4, 7), "bj.56-2004+42-2007"),
        ("f3.78-2008", dt.date(2008, 8, 12), None),
        ("f3.78-2008+97-2008", dt.date(2008, 12, 16), "f3.78-2008"),
        ("f3.89-2025", dt.date(2025, 11, 4), "f3.78-2008+97-2008"),
        ("f3.89-2025+94-2025", dt.date(2025, 11, 18), "f3.89-2025"),
    ],
)
def test_a_version_begins_at_midnight_in_macau(version: str, first: dt.date, before: str | None) -> None:
    game = version_named(version).game
    midnight = noon(first) - 12 * HOUR
    at = version_at(game, midnight)
    assert at is not None
    assert at.id == version
    earlier = version_at(game, midnight - 1)
    assert (earlier.id if earlier else None) == before
    assert local_day(midnight - 1) == first - dt.timedelta(days=1)


def test_dates_stand_in_their_order() -> None:
    for version in VERSIONS:
        dated = [day for day in (version.signed, version.published, version.in_force) if day]
        assert dated == sorted(dated)
        assert version.certainty


def test_141_2000_is_one_version_with_two_texts() -> None:
    """69/2000 replaced art. 2(3) alone, about 5 January 2001."""
    made, since = (version_at("black_jack", noon(dt.date(2001, 1, day))) for day in (4, 5))
    assert made == since == version_named("bj.141-2000")
    assert since is version_named("bj.141-2000")
    assert made is not None
    assert made.regulation is DCE_141_2000_AS_MADE
    before, later = {"bj.56-2004": dt.date(2001, 1, 1)}, {"bj.141-2000": dt.date(2001, 2, 1)}
    assert version_at("black_jack", noon(dt.date(2001, 1, 5)), before) is version_named("bj.56-2004")
    assert version_at("black_jack", noon(dt.date(2001, 2, 1)), later) is version_named("bj.141-2000")
    assert version_at("black_jack", noon(dt.date(2001, 1, 31)), later) is None


def test_an_operator_may_know_better() -> None:
    later = {"bj.57-2009": dt.date(2009, 4, 14)}
    day = dt.date(2009, 4, 10)
    assert version_at("black_jack", noon(day)) is version_named("bj.57-2009")
    assert version_at("black_jack", noon(day), later) is version_named("bj.56-2004+42-2007")
    assert version_at("black_jack", noon(dt.date(2009, 4, 14)), later) is version_named("bj.57-2009")
    with pytest.raises(UnknownVersion, match=r"bj\.57-2009"):
        version_at("black_jack", noon(day), {"bj.57": day})


def test_house_rules_are_never_in_force_by_date() -> None:
    assert version_named("bj.house").in_force == ""
    assert version_named("bj.house").regulation is not None


def test_what_is_not_settled_has_its_reason() -> None:
    assert all((version.regulation is None) == bool(version.not_settled) for version in VERSIONS)


def test_every_version_is_of_a_registered_game() -> None:
    assert {version.game for version in VERSIONS} == set(games())
    assert all(name == game.name for name, game in games().items())
