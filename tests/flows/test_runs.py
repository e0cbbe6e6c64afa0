"""Runs do what changed and nothing else, and one bad table-day never keeps the others from being done."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pytest
from flows_archives import DAY, OVERPAID, RIGHT, closing, damage, write_table_day

from analytics.lake import is_current, table_file
from flows.pins import pins_of
from flows.runs import NothingToRun, plan, run_backfill, run_nightly
from replayer.elections import ReplaySettings
from replayer.sources.archive import table_days

NEXT = DAY + dt.timedelta(days=1)
