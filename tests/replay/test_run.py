"""Many table-days: the sum depends neither on the order, nor on the workers, nor on how they are put together."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from producers.simulator import simulate
from replayer import run
from replayer.run import batches, replay_all
from replayer.sources.archive import table_days


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    simulate(archive=folder, tables=5, days=2, rounds=25, seed=11, faults=0.1)
    return folder


def test_the_digest_does_not_depend_on_order_or_workers(archive: Path) -> None:
    refs = table_days(archive)
    alone = replay_all(refs)
    shuffled = random.Random(5).sample(refs, len(refs))
    assert replay_all(shuffled).digest() == alone.digest()
    assert replay_all(refs, workers=2).digest() == alone.digest()
    assert len(alone.outcomes) == 10


def test_the_digest_does_not_depend_on_how_table_days_are_put_together(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = table_days(archive)
    together = replay_all(refs).digest()
    monkeypatch.setattr(run, "EVENTS_TOGETHER", 1)
    assert [len(batch) for batch in batches(refs)] == [1] * 10
    assert replay_all(refs).digest() == together


def test_a_damaged_table_day_is_told_and_leaves_the_others_done(archive: Path) -> None:
    refs = table_days(archive)
    container = archive / refs[0].gaming_day.isoformat() / f"{refs[0].table_id}.avro"
    whole = container.read_bytes()
    container.write_bytes(whole[:-100])
    try:
        summary = replay_all(refs)
    finally:
        container.write_bytes(whole)
    assert [outcome.table_id for outcome in summary.damaged] == [refs[0].table_id]
    assert str(container) in summary.damaged[0].damage
    assert sum(1 for outcome in summary.outcomes if outcome.digest) == 9
    assert summary.findings["CONTAINER_DAMAGED"] == 1


def test_events_missing_between_two_days_of_a_table_are_found(archive: Path) -> None:
    outcomes = replay_all(table_days(archive)).outcomes
    assert run.continuity(outcomes) == []
    later = max(o.gaming_day for o in outcomes)
    moved = [replace(o, first_seq=(o.first_seq or 0) + 3) if o.gaming_day == later else o for o in outcomes]
    assert {finding.code for finding in run.continuity(moved)} == {"SEQUENCE_GAP"}
