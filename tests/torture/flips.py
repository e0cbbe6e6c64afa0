"""One bit flipped, or the end cut off, in any file of archive or lake, or another file in the place of a columnar copy.

Nothing may come to other verdicts without a word: a night either says which table-day it could not judge, or says and
leaves the same as undisturbed. A lake is as it was after the next night, and until then no reader sees other rows.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from random import Random

from flows.plan import NothingToRun
from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from replayer.sources.copies import make_copy
from replayer.sources.layout import Manifest
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import table_days
from schemas.event import Wager
from tests.torture.ground import DAY, Ground, rows_of


def disturbed(file: Path, rng: Random) -> str:
    """Flip a bit of the file, or cut it; says what was done."""
    data = bytearray(file.read_bytes())
    at = rng.randrange(len(data))
    if rng.random() < 0.2:
        file.write_bytes(data[:at])
        return f"{file.name} cut at byte {at}"
    data[at] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    return f"{file.name} flipped at byte {at}"


def archive_file(ground: Ground, rng: Random) -> str | None:
    """A sealed container or its manifest; sometimes no lake has seen it before."""
    files = sorted(path for path in (ground.archive / DAY.isoformat()).iterdir())
    file = rng.choice(files)
    what = disturbed(file, rng)
    if rng.random() < 0.5:
        (ground.lake).rename(ground.folder / "no-lake")
    night = ground.night()
    if file.name.split(".")[0] in night.undone and not night.clean:
        return None
    return None if ground.same(night) else f"{what}: the night says something else and not why"


def columnar_copy(ground: Ground, rng: Random) -> str | None:
    """The copy of a container: whatever becomes of it, the night says the same, for it rests on the container."""
    manifests = [manifest for ref in table_days(ground.archive) for manifest in read_manifests(ref)]
    for manifest in manifests:
        copy = make_copy(manifest.name.container(ground.archive).read_bytes(), manifest.sha256)
        place = manifest.name.columns(ground.archive)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(copy)
        _pin(ground, manifest, copy)
    one, other = rng.sample(manifests, 2)
    file = one.name.columns(ground.archive)
    if rng.random() < 0.7:
        what = disturbed(file, rng)
    else:
        what = f"{file.name} is that of {other.table_id}"
        file.write_bytes(other.name.columns(ground.archive).read_bytes())
    if (
        rng.random() < 0.3 and one.sha256.encode() not in file.read_bytes()
    ):  # of another container, and pinned all the same
        _pin(ground, one, file.read_bytes())
    ground.lake.rename(ground.folder / "no-lake")
    return None if ground.same(ground.night()) else f"{what}: the night says something else"


def _pin(ground: Ground, manifest: Manifest, copy: bytes) -> None:
    said = replace(manifest, columns_sha256=hashlib.sha256(copy).hexdigest())
    manifest.name.manifest(ground.archive).write_text(said.to_json())


def lake_file(ground: Ground, rng: Random) -> str | None:
    """A Parquet file, a run's manifest or a day's note."""
    files = sorted(
        path for path in ground.lake.rglob("*") if path.is_file() and path.stat().st_size and path.name != "lake.duckdb"
    )
    what = disturbed(rng.choice(files), rng)
    seen = rows_of(ground.lake)
    if seen is not None and seen != ground.rows:
        known = {row[:2] for row in ground.rows["table_days"]} - {row[:2] for row in seen["table_days"]}
        if not known:  # other rows, and no table-day taken out of sight
            return f"{what}: a reader sees other rows"
    night = ground.night()
    if not night.made_anew:
        return f"{what}: the next night says nothing of it"
    return None if ground.same(night) else f"{what}: the next night did not make it anew"


def journal(ground: Ground, rng: Random) -> str | None:
    """The journal of a table under way: what was acknowledged is there, or the recorder refuses to go on."""
    archive = ground.folder / "under-way"
    sink = ArchiveSink(archive)
    table = Recorder(sink, "BJ-99", clock=lambda: 1_243_800_000_000_000)
    for _ in range(rng.randrange(1, 6)):
        for _ in range(rng.randrange(1, 8)):
            table.record("WagerPlaced", round=1, wager=Wager("main", seat=1, stake_minor=rng.randrange(10**6)))
        table.flush()
    acknowledged = table.last_seq
    sink.close()
    (file,) = (archive / ".journal").rglob("*.journal")
    data = bytearray(file.read_bytes())
    at = rng.randrange(len(data))
    data[at] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    sink = ArchiveSink(archive)
    try:
        held = sink.last_seq("BJ-99")
    except NotDurable:
        return None
    finally:
        sink.close()
    return None if held == acknowledged else f"journal flipped at byte {at}: {acknowledged} acknowledged, {held} held"


def missing_file(ground: Ground, rng: Random) -> str | None:
    """A file that is taken away, of archive or lake."""
    roots = [ground.archive / DAY.isoformat(), ground.lake]
    file = rng.choice(
        sorted(
            path
            for root in roots
            for path in root.rglob("*")
            if path.is_file() and path.stat().st_size and path.name != "lake.duckdb"
        )
    )
    file.unlink()
    if rng.random() < 0.3:  # both halves of a table-day
        for half in file.parent.glob(f"{file.stem}.*"):
            half.unlink()
    try:
        night = ground.night()
    except NothingToRun:
        return None
    if ground.same(night) or (not night.clean and night.undone):
        return None
    return f"{file.relative_to(ground.folder)} taken away, and the night says nothing of it"
