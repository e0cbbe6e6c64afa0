"""The short form of ``make soak``: two days with a real broker and a real Prefect server, from tables to verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.soak import soak, the_week


@pytest.mark.timeout(1200)  # a minute on a machine with two cores of its own
@pytest.mark.prove
@pytest.mark.kafka
@pytest.mark.prefect
def test_two_disturbed_days_come_to_what_undisturbed_ones_do(kafka_key: Path, tmp_path: Path) -> None:
    week = the_week(seed=20261122, short=True, tables=4)
    done = soak(week, tmp_path, print, kafka_key)
    assert [(each.what, each.wrong) for each in done.held if not each.holds] == []
