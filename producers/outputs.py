"""Writes outputs that a person asked for, such as a report, and keeps them from replacing evidence or lying among it."""

from __future__ import annotations

import datetime as dt
import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from producers.sinks.durable import write_durably
from replayer.sources.layout import FILE_MODE, gaming_days, journals

_EVIDENCE: Final = (".avro", ".arrow", ".parquet", ".duckdb")
"""The suffixes of files of an archive or a lake."""
_REPORTS: Final = "reports"
"""The folder of a lake for reports and other outputs."""


def write_output(path: Path, data: bytes, mode: int = FILE_MODE) -> None:
    """Write an output that a person asked for: a file, completely or not at all; or into an existing pipe or device. OSError,
    with the file's name, where it could not be written, or as :func:`require_output`."""
    if path.exists() and not path.is_file() and not path.is_dir():
        try:
            with path.open("wb", buffering=0) as opened:
                opened.write(data)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from error
        return
    require_output(path)
    file = path.resolve()
    if not file.parent.exists():  # a typing error, perhaps
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
    write_durably(file, data, mode)


def require_output(path: Path, archive: Path | None = None) -> None:
    """Require that an output replaces no evidence (else OSError): it is in no archive or lake, except among a lake's reports, and
    replaces no log, manifest, columns or verdicts. ``archive`` is one that will be created."""
    file, to_be_made = path.resolve(), archive and archive.resolve()
    for folder in file.parents:
        if is_lake(folder):
            if file.parent != folder and file.relative_to(folder).parts[0] == _REPORTS:
                return
            raise OSError(errno.EINVAL, f"lies in a lake, {folder}; name a file elsewhere for the output", str(path))
        if folder == to_be_made or is_archive(folder):
            raise OSError(
                errno.EINVAL, f"lies in an archive, {folder}; name a file elsewhere for the output", str(path)
            )
    if file.is_file() and (file.suffix in _EVIDENCE or file.with_suffix(".avro").exists()):
        raise OSError(errno.EEXIST, "is a file of an archive or a lake; name another one for the output", str(path))


def is_archive(folder: Path) -> bool:
    """Whether a folder has something that only archives have: journals, or a log in the folder of a gaming day."""
    days = (folder / day.isoformat() for day in _days_in(folder))
    return journals(folder).is_dir() or any(next(day.glob("*.avro"), None) for day in days)


def is_lake(folder: Path) -> bool:
    """Whether a folder has something that only lakes have: its database, or folders of gaming days with manifests or memories."""
    with suppress(OSError):  # a folder that cannot be read, which whoever reads it will say
        if (folder / "lake.duckdb").is_file():
            return True
    return any(_days_in(folder / name) for name in ("runs", "judged"))


def why_no_archive(folder: Path) -> str:
    """Why a folder is no place for an archive, empty where it is one: it is a lake, and no archive as well, as an earlier version
    made lakes in archives."""
    return (
        f"{folder} is a lake: name another folder for the archive" if is_lake(folder) and not is_archive(folder) else ""
    )


def _days_in(folder: Path) -> list[dt.date]:
    with suppress(OSError):  # an unreadable parent folder
        return gaming_days(folder)
    return []
