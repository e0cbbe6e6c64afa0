"""The spool alone: order, limits of a segment, kills and damage, whatever Kafka does."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from producers.claims import Fence
from producers.sinks import NotDurable, SequenceConflict, SinkBusy
from producers.spool import SpoolClaims, TableSpool, spool_id
from producers.spool_recovery import leftovers, repair_spool
from schemas.codec import encode
from tests.bits import flip, flipped_bit
from tests.full_disk import no_file_beyond
from tests.producers.dealing import card_dealt

FEW = 60  # bytes of a segment: a few events
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 5)),
        st.tuples(st.just("sync"), st.just(0)),
        st.tuples(st.just("send"), st.integers(1, 7)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_what_is_synced_is_sent_in_order_once_whatever_happens_between(
    steps: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    table = TableSpool(folder, "T1", FEW)
    synced = taken = 0
    sent: list[int] = []
    for step, count in [*steps, ("sync", 0), *[("send", 100)] * 30]:
        match step:
            case "add":
                for _ in range(count):
                    taken += 1
                    table.add(taken, b"%d" % taken)
            case "sync":
                table.sync()
                synced = taken
            case "send":
                entries = table.unsent(count)
                sent += [entry.seq for entry in entries]
                assert all(entry.message == b"%d" % entry.seq for entry in entries)
                if entries:
                    table.mark_sent(entries[-1].seq)
            case "restart":
                table.close()
                table = TableSpool(folder, "T1", FEW)
                assert table.last_seq == synced  # what was not synced was never acknowledged
                taken = synced
    assert sent == list(range(1, taken + 1))
    assert (table.waiting, table.size) == (0, 0)
    table.close()
    assert len([path for path in (folder / "T1").iterdir() if path.name.isdigit()]) <= 1  # it knows the last number


def test_where_no_spool_is_nothing_is_said_to_be_whole(tmp_path: Path) -> None:
    (tmp_path / "archive/.journal/lock").mkdir(parents=True)  # an archive's locks, not a table's
    for folder in (tmp_path, tmp_path / "none", tmp_path / "archive"):
        with pytest.raises(NotDurable, match="is no spool: it has no id; name the folder"):
            repair_spool(folder)


def test_no_number_is_used_again_although_all_was_sent_and_no_note_could_be_kept(tmp_path: Path) -> None:
    table = TableSpool(tmp_path, "T1", FEW)
    for seq in range(1, 31):
        table.add(seq, b"event")
        table.sync()
        table.unsent(1)
        table.mark_sent(seq)
    table.add(31, b"taken, never synced")
    table.unsent(1)
    table.close()
    (tmp_path / "T1" / "sent.json").unlink()
    again = TableSpool(tmp_path, "T1", FEW)
    assert again.last_seq == 30
    again.close()


def test_a_number_that_was_used_is_refused(tmp_path: Path) -> None:
    table = TableSpool(tmp_path, "T1")
    table.begin_at(100)
    with pytest.raises(SequenceConflict, match="ends with seq 100, 100 was used already"):
        table.add(100, b"event")
    table.add(101, b"event")
    table.close()


def test_a_disk_that_is_full_refuses_what_is_new_and_keeps_what_was_accepted(tmp_path: Path) -> None:
    table = TableSpool(tmp_path, "T1")
    table.add(1, b"one")
    table.sync()
    size = (tmp_path / "T1" / f"{1:020d}").stat().st_size
    table.add(2, b"two" * 100)
    waiting = "File too large; 1 event is not recorded yet, all that was acknowledged before is safe"
    full = f"{waiting}: make room, and the next flush writes what waits"
    with no_file_beyond(size + 50), pytest.raises(NotDurable, match=full):
        table.sync()
    assert [entry.seq for entry in table.unsent(9)] == [1]
    table.sync()
    assert [entry.seq for entry in table.unsent(9)] == [1, 2]
    table.close()


def test_one_process_a_table(tmp_path: Path) -> None:
    held = TableSpool(tmp_path, "T1")
    with pytest.raises(SinkBusy, match=r"table T1 of .* is being written by process"):
        TableSpool(tmp_path, "T1")
    held.close()
    TableSpool(tmp_path, "T1").close()


def test_a_damaged_note_of_what_was_sent_says_what_to_do(tmp_path: Path) -> None:
    table = TableSpool(tmp_path, "T1")
    table.add(1, b"one")
    table.sync()
    table.mark_sent(1)
    table.close()
    (tmp_path / "T1" / "sent.json").write_text("{")
    with pytest.raises(NotDurable, match=r"sent.json: .*; remove it"):
        TableSpool(tmp_path, "T1")


def test_a_claim_that_this_user_may_not_read_is_not_to_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor the table taken over by its own recorder; nor does the archiver forget which claim is the newest."""
    TableSpool(tmp_path, "T1").close()

    def refuse(file: Path, _: int) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(file))

    monkeypatch.setattr("producers.sinks.read_file", refuse)
    for opened in (lambda: TableSpool(tmp_path, "T1"), lambda: Fence(tmp_path, "events").admit(card_dealt(1), [], 0)):
        with pytest.raises(
            NotDurable, match=r"[^:]*: Permission denied; give this user the right to it, or run this as"
        ):
            opened()


def test_a_damaged_note_is_not_said_to_be_mended_by_a_repair_that_reads_segments_alone(tmp_path: Path) -> None:
    table = TableSpool(tmp_path, "T1")
    table.add(1, b"one")
    table.sync()
    table.begin_at(0)
    table.close()
    spool_id(tmp_path)
    [segment] = (tmp_path / "T1").glob("0*")
    (tmp_path / "T1" / "lock").unlink()  # which the table's next recorder makes anew
    (tmp_path / "T2").symlink_to(tmp_path / "gone")
    waiting, unmounted = leftovers(tmp_path)
    assert (waiting.events, waiting.bytes) == (1, segment.stat().st_size)
    assert unmounted.damage == f"{tmp_path / 'T2'}: No such file or directory"
    (tmp_path / "T2").unlink()
    flip(segment, -1)
    [waiting] = leftovers(tmp_path)
    assert waiting.damage.endswith(f"`pitaudit spool repair {tmp_path}` keeps what is whole")
    (tmp_path / "T1" / "sent.json").write_text("{")
    [waiting] = leftovers(tmp_path)
    assert waiting.damage.endswith("remove it, the topic is asked instead")


@pytest.mark.usefixtures("no_waiting_for_the_disk")
def test_no_flipped_bit_of_a_note_makes_an_event_pass_for_sent_or_a_claim_for_another(tmp_path: Path) -> None:
    """A digit of ``sent.json`` that changed kept events from the topic which the spool had."""
    table = TableSpool(tmp_path, "T1")
    for seq in range(1, 6):
        table.add(seq, b"event")
    table.sync()
    table.begin_at(3)
    table.keep_claim(SpoolClaims(2, ("session",)))
    table.close()
    for name in ("sent.json", "claim.json"):
        note = tmp_path / "T1" / name
        whole = note.read_bytes()
        for bit in range(8 * len(whole)):
            note.write_bytes(flipped_bit(whole, bit))
            try:
                table = TableSpool(tmp_path, "T1")
            except NotDurable as error:
                assert str(note) in str(error)
                assert "remove it" in str(error)
                continue
            assert (table.waiting, table.claim) == (2, SpoolClaims(2, ("session",))), f"{name}, bit {bit}"
            table.close()
            note.write_bytes(whole)
        note.write_bytes(whole)


def test_a_note_without_its_digest_says_what_to_do(tmp_path: Path) -> None:
    TableSpool(tmp_path, "T1").close()
    (tmp_path / "T1" / "sent.json").write_text('{"sent": 3}')
    with pytest.raises(
        NotDurable, match=r"sent\.json: it is not as this version wrote it, .*; remove it, the topic is asked"
    ):
        TableSpool(tmp_path, "T1")


def test_a_spool_that_cannot_be_made_names_its_path_once_and_no_number(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotDurable) as refused:
        spool_id(tmp_path / "file")
    said = os.strerror(errno.ENOTDIR)
    assert str(refused.value) == f"{tmp_path}/file/id: {said}; a spool needs a folder of its own that can be written"


def test_a_spool_keeps_its_name(tmp_path: Path) -> None:
    assert spool_id(tmp_path) == spool_id(tmp_path)
    assert spool_id(tmp_path / "other") != spool_id(tmp_path)


def test_nothing_is_to_be_repaired_at_a_table_without_a_segment(tmp_path: Path) -> None:
    TableSpool(tmp_path, "T1").close()
    spool_id(tmp_path)
    assert repair_spool(tmp_path) == []


def test_a_damaged_segment_is_set_aside_and_no_number_of_it_is_used_again(tmp_path: Path) -> None:
    table = TableSpool(tmp_path, "T1", FEW)
    for seq in range(1, 31):
        table.add(seq, b"event")
        table.sync()
    table.close()
    first, *_, last = sorted(path for path in (tmp_path / "T1").iterdir() if path.name.isdigit())
    for path in (first, last):
        flip(path, -1)
    spool_id(tmp_path)
    assert [each.damage != "" for each in leftovers(tmp_path)] == [True]
    with pytest.raises(
        NotDurable, match=r"a batch was altered\. Nothing .*: `pitaudit spool repair .*` sets the file aside"
    ):
        TableSpool(tmp_path, "T1", FEW)
    assert [each.aside.name for each in repair_spool(tmp_path)] == [
        f"{first.name}.damaged-1",
        f"{last.name}.damaged-30",
    ]
    assert repair_spool(tmp_path) == []
    table = TableSpool(tmp_path, "T1", FEW)
    assert table.last_seq == 30
    sent: list[int] = []
    while entries := table.unsent(100):
        sent += [entry.seq for entry in entries]
        table.mark_sent(entries[-1].seq)
    assert (sent, table.waiting) == (list(range(2, 30)), 0)
    table.add(31, b"event")
    table.sync()
    assert [entry.seq for entry in table.unsent(9)] == [31]
    table.close()


def test_a_segment_in_the_place_of_another_tables_is_refused_and_named(tmp_path: Path) -> None:
    """Its events would be sent under the other table's key, and what is recorded next would lie beside them."""
    spool_id(tmp_path)
    for table_id in ("T1", "T2"):
        table = TableSpool(tmp_path, table_id, FEW)
        for seq in (1, 2):  # a segment each
            table.add(seq, encode(card_dealt(seq, table_id=table_id)))
            table.sync()
        table.close()
    first, second = (tmp_path / table_id / f"{1:020d}" for table_id in ("T1", "T2"))
    first.write_bytes(second.read_bytes())
    with closing(TableSpool(tmp_path, "T1", FEW)) as table, pytest.raises(NotDurable, match="a segment of table T2"):
        table.unsent()
    found = {each.table_id: each.damage for each in leftovers(tmp_path)}
    assert found == {"T1": f"{first}: it is a segment of table T2; put it back into its place", "T2": ""}
    (tmp_path / "T1" / f"{2:020d}").write_bytes(second.read_bytes())
    with pytest.raises(NotDurable, match="a segment of table T2"):
        TableSpool(tmp_path, "T1", FEW)
