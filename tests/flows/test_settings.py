"""Settings: what may be chosen, where it may stand, and what is said when it is of no use."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

import replayer
import schemas
from flows.plan import pins_of, rules_digest
from flows.settings import Settings, SettingsRefused, load
from replayer.law.rulings import not_default

UTC = dt.UTC


def write(folder: Path, text: str) -> Path:
    path = folder / "pitaudit.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_are_those_of_macau(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load(environment={})
    assert (str(settings.time_zone), settings.gaming_day_begins) == ("Asia/Macau", dt.time(6))
    assert (settings.archive, settings.lake, settings.workers) == (None, None, 1)
    assert not_default(settings.replay.readings_for("T1")) == {}


def test_a_file_here_is_found_and_its_folders_lie_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 'archive = "log"\nlake = "/srv/lake"\nworkers = 3\n')
    settings = load(tmp_path / "pitaudit.toml", environment={})
    assert (settings.archive, settings.lake, settings.workers) == (tmp_path / "log", Path("/srv/lake"), 3)
    monkeypatch.chdir(tmp_path)
    assert load(environment={}).workers == 3


def test_variables_override_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'time_zone = "Europe/Malta"\ngaming_day_begins = "07:00"\nlake = "a"\n')
    said = {"PITAUDIT_SETTINGS": str(path), "PITAUDIT_TIME_ZONE": "Asia/Tokyo", "PITAUDIT_LAKE": "b"}
    settings = load(environment=said)
    assert (str(settings.time_zone), settings.gaming_day_begins, settings.lake) == ("Asia/Tokyo", dt.time(7), Path("b"))


def test_the_mode_of_files_is_the_owners_and_the_groups_unless_set(tmp_path: Path) -> None:
    assert load(write(tmp_path, ""), environment={}).file_mode == 0o640
    assert load(write(tmp_path, 'file_mode = "0644"\n'), environment={}).file_mode == 0o644
    assert load(write(tmp_path, ""), environment={"PITAUDIT_FILE_MODE": "0600"}).file_mode == 0o600
    for bad in ('"0755"', '"0440"', '"rw-r-----"', "640", '"07777"', '"-640"', '""'):
        with pytest.raises(SettingsRefused, match=r"file_mode .* as 0640"):
            load(write(tmp_path, f"file_mode = {bad}\n"), environment={})


def test_rulings_are_chosen_for_the_property_and_for_a_table(tmp_path: Path) -> None:
    text = '[rulings]\npreset = "zh"\n[rulings.property]\nrounding = "down"\n[rulings.table.T7]\nX-2 = "up"\n'
    replay = load(write(tmp_path, text), environment={}).replay
    assert replay.readings_for("T1")("X-2") == "down"
    assert replay.readings_for("T7")("X-2") == "up"
    assert replay.preset == "zh"
    registered = load(write(tmp_path, f"[[tables]]\nid = 'T7'\n{text}"), environment={}).replay
    assert registered.readings_for("T7")("X-2") == "up"


def test_an_option_of_a_command_overrides_a_setting_where_it_is_given() -> None:
    chosen = Settings(workers=3, lake=Path("lake")).given(workers=None, lake=Path("other"), catch_up_days=0)
    assert (chosen.workers, chosen.lake, chosen.catch_up_days) == (3, Path("other"), 0)


def test_calendar_overrides_the_first_day_of_a_version(tmp_path: Path) -> None:
    replay = load(write(tmp_path, '[calendar]\n"bj.57-2009" = 2009-04-14\n'), environment={}).replay
    assert replay.in_force == {"bj.57-2009": dt.date(2009, 4, 14)}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("archve = 'x'", "archve"),
        ("workers = 0", "workers"),
        ("workers = true", "workers"),
        ("workers = '2'", "workers is '2'; it is a number of processes"),
        ("wait_seconds = '60'", "wait_seconds is '60'; it is seconds"),
        ("look_back_days = '3'", "look_back_days is '3'; it is"),
        ("[kafka]\nquiet_seconds = '60'", "kafka.quiet_seconds is '60'; it is a number of seconds"),
        ("archive = 3", "archive"),
        ("archive = 'A '", "archive is 'A '; it is"),
        ("lake = '~/lake'", "lake is '~/lake'; it is a folder, written in full where it begins with ~"),
        ("time_zone = 'Asia/Nowhere'", "time_zone"),
        ("time_zone = 'Asia'", "time_zone is 'Asia'; it is a zone like Asia/Macau"),
        ("gaming_day_begins = '25:00'", "gaming_day_begins"),
        ("gaming_day_begins = '06:00+08:00'", "gaming_day_begins is '06:00+08:00'; it is a local time like 06:00"),
        ('archive = "a\\u0000b"', "archive is 'a\\x00b'; it is a folder"),
        ("kafka = 'localhost'", "kafka is 'localhost'; it is a table, [kafka]"),
        ("[kafka]\nsasl_password = 'x'", "kafka.sasl_password"),
        ("[rulings]\npreset = 'fr'", "rulings.preset"),
        ("[rulings.property]\nX-99 = 'down'", "rulings.property.X-99"),
        ("[rulings.table.T7]\nX-2 = 'sideways'", "rulings.table.T7.X-2"),
        ("[rulings.property]\nX-2 = 'down'\nrounding = 'up'", "rulings.property.rounding is 'up'; it is 'down' as X-2"),
        ("[[tables]]\nid = 'T-7'\n[rulings.table.T7]\nX-2 = 'down'", "rulings.table.T7 is no table of the register"),
        ("[calendar]\n'bj.1-1999' = 2009-04-14", "calendar.bj.1-1999"),
        ("[calendar]\n'bj.57-2009' = '14 April'", "calendar.bj.57-2009"),
        ("[calendar]\n'bj.house' = 2026-01-05", "calendar.bj.house is in force by no date"),
        ("[calendar]\n'bj.57-2009' = 1990-04-14", "calendar.bj.57-2009 is 1990-04-14; bj.57-2009, which follows"),
        (
            "[calendar]\n'bj.56-2004+42-2007' = 2010-03-06",
            "calendar.bj.56-2004+42-2007 is 2010-03-06; bj.57-2009, which",
        ),
        ("[rulings.table.'T 7']\nX-2 = 'down'", "rulings.table.T 7 is no table; it is a table's name: letters, digits"),
        (
            "[[tables]]\nid = 'T7'\nfrom = 2026-01-06\nuntil = 2026-01-06\nweekdays = ['mon']",
            "[[tables]] 1: weekdays are no days from its from to its until: the table would never play",
        ),
        ("archive = ", "TOML"),
    ],
)
def test_what_is_of_no_use_is_refused_by_file_and_key(tmp_path: Path, text: str, key: str) -> None:
    path = write(tmp_path, text + "\n")
    with pytest.raises(SettingsRefused) as refused:
        load(path, environment={})
    assert str(path) in str(refused.value)
    assert key in str(refused.value)


def test_a_secret_in_a_file_is_refused_and_not_repeated(tmp_path: Path) -> None:
    path = write(tmp_path, "[kafka]\nsasl_password = 'hunter2'\n")
    with pytest.raises(SettingsRefused, match="KAFKA_") as refused:
        load(path, environment={})
    assert "hunter2" not in str(refused.value)


def test_a_variable_of_no_use_is_refused_by_name() -> None:
    with pytest.raises(SettingsRefused, match="PITAUDIT_WORKERS is 'many'"):
        load(environment={"PITAUDIT_WORKERS": "many"})


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsRefused, match=r"none\.toml: no such settings file"):
        load(tmp_path / "none.toml", environment={})


@pytest.mark.parametrize(
    ("now", "day"),
    [
        (dt.datetime(2026, 1, 5, 21, 59, tzinfo=UTC), dt.date(2026, 1, 4)),  # 05:59 on 6 January in Macau
        (dt.datetime(2026, 1, 5, 22, 0, tzinfo=UTC), dt.date(2026, 1, 5)),  # 06:00: the day of the 5th is over
        (dt.datetime(2026, 1, 6, 15, 59, tzinfo=UTC), dt.date(2026, 1, 5)),  # 23:59
    ],
)
def test_the_last_gaming_day_is_the_one_that_ended_at_the_cut_off(now: dt.datetime, day: dt.date) -> None:
    assert Settings().last_gaming_day(now) == day


def test_a_gaming_day_ends_where_the_next_begins_and_the_last_of_the_calendar_on_itself() -> None:
    ends = [Settings().end_of(day) for day in (dt.date(2026, 1, 5), dt.date.max)]
    assert [end.astimezone(UTC) for end in ends] == [
        dt.datetime(2026, 1, 5, 22, tzinfo=UTC),
        dt.datetime(9999, 12, 30, 22, tzinfo=UTC),
    ]


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        (dt.timedelta(seconds=-1), 0.0),
        (dt.timedelta(0), 1800.0),
        (dt.timedelta(hours=23, minutes=59), 1800.0),
        (dt.timedelta(days=1), 0.0),
    ],
)
def test_a_night_waits_half_an_hour_for_tables_of_a_day_that_was_over_within_a_day_unless_set(
    after: dt.timedelta, seconds: float
) -> None:
    day = dt.date(2026, 1, 5)
    now = dt.datetime(2026, 1, 5, 22, tzinfo=UTC) + after
    assert Settings().wait_for_sealing(day, now) == seconds
    assert Settings(wait_for_sealing_seconds=5.0).wait_for_sealing(day, now) == 5.0


def test_every_choice_that_can_change_a_verdict_changes_the_pins(tmp_path: Path) -> None:
    texts = (
        "",
        "[rulings]\npreset = 'pt'",
        "[rulings.property]\nX-2 = 'down'",
        "[rulings.table.T7]\nX-2 = 'down'",
        "[calendar]\n'bj.57-2009' = 2009-04-14",
    )
    pins = [pins_of(load(write(tmp_path, text), environment={}).replay).to_dict()["rulings"] for text in texts]
    assert len({str(each) for each in pins}) == len(texts)


BLACK_JACK = "[[tables]]\nid = 'a'\ngame = 'black_jack'\n"
FORTUNE = "[[tables]]\nid = 'a'\ngame = 'fortune_3_card_poker'\n"
TWO_GAMES = "[[tables]] 2: game is fortune_3_card_poker; [[tables]] 1 has it play black_jack on the same days"


@pytest.mark.parametrize(
    "text",
    [
        f"{BLACK_JACK}until = 2026-01-31\n{FORTUNE}from = 2026-02-01\n",
        f"{BLACK_JACK}from = 2026-01-05\nuntil = 2026-01-05\n{FORTUNE}from = 2026-01-06\n",  # one day alone
        f"{BLACK_JACK}weekdays = ['fri']\n{FORTUNE}weekdays = ['sat']\n",
        # A Saturday and a Sunday.
        f"{BLACK_JACK}until = 2026-01-04\n{FORTUNE}from = 2026-01-03\nweekdays = ['fri']\n",
        BLACK_JACK + FORTUNE.replace("'a'", "'b'"),
        f"{BLACK_JACK}[[tables]]\nid = 'a'\n",
        f"[[tables]]\nid = 'a'\n{BLACK_JACK}",
        f"{BLACK_JACK}weekdays = ['fri']\n{BLACK_JACK}",
    ],
)
def test_a_table_may_play_another_game_on_other_days(tmp_path: Path, text: str) -> None:
    assert len(load(write(tmp_path, text), environment={}).expecting.register) == 2


def test_the_register_says_which_tables_play_when(tmp_path: Path) -> None:
    text = """
[[tables]]
id = "BJ-01"
game = "black_jack"
from = 2026-01-09
until = 2026-01-31
weekdays = ["fri", "Saturday"]

[[tables]]
id = "BJ-02"
"""
    one, other = load(write(tmp_path, text), environment={}).expecting.register
    days = [dt.date(2026, *day) for day in ((1, 2), (1, 9), (1, 10), (1, 11), (1, 31), (2, 6))]
    assert [one.should_play(day) for day in days] == [False, True, True, False, True, False]
    assert all(other.should_play(day) for day in days)
    assert (one.game, other.game) == ("black_jack", None)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PITAUDIT_LOOKBACK_DAYS", "PITAUDIT_LOOK_BACK_DAYS"),
        ("PITAUDIT_KAFKA_BOOTSTRAP_SERVER", "PITAUDIT_KAFKA_BOOTSTRAP_SERVERS"),
        ("PITAUDIT_PSEUDONYMS_KEY", "PITAUDIT_PSEUDONYM_KEY"),
        ("PITAUDIT_SETTING", "PITAUDIT_SETTINGS"),
    ],
)
def test_a_misspelt_variable_is_refused_as_a_misspelt_key_is(name: str, meant: str) -> None:
    with pytest.raises(SettingsRefused) as refused:
        load(environment={name: "9"})
    assert str(refused.value) == f"the variable {name} is no setting; did you mean {meant}?"


@pytest.mark.parametrize(
    "name",
    [
        "PITAUDIT_PORT",
        "PITAUDIT_SERVICE_HOST",
        "PITAUDIT_LAKE_PORT_80_TCP",
        "PITAUDIT_WEBHOOK",
        "PITAUDIT_REPORTS_DIR",
        "PITAUDIT_KAFKA_BOOTSTRAP_SERVICE_HOST",
    ],
)
def test_variables_that_others_name_after_the_program_are_left_alone(tmp_path: Path, name: str) -> None:
    """Kubernetes makes such ones for a service called pitaudit."""
    file = write(tmp_path, "workers = 2")
    assert load(file, environment={name: "9"}) == load(file, environment={})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tables.BJ-01]", "tables is no register"),
        ("tables = 3", "tables is no register"),
        ("tables = ['BJ-01']", "tables is no register"),
        ("[[tables]]\ngame = 'black_jack'", "[[tables]] 1: id is missing"),
        ("[[tables]]\nid = '../x'", "[[tables]] 1: id is '../x'; it is a table's name"),
        ("[[tables]]\nid = 'a'\n[[tables]]\nid = 'b'\ngame = 'poker'", "[[tables]] 2: game is 'poker'; it is one of"),
        ("[[tables]]\nid = 'a'\nweekdays = ['fry']", "weekdays is ['fry']; it is a list of mon, tue"),
        ("[[tables]]\nid = 'a'\nweekdays = ['money']", "weekdays is ['money']; it is a list of mon, tue"),
        (f"{BLACK_JACK}until = 2026-01-31\n{FORTUNE}", TWO_GAMES),
        (f"{BLACK_JACK}until = 2026-01-31\n{FORTUNE}from = 2026-01-31\n", TWO_GAMES),
        (f"{BLACK_JACK}from = 2026-01-31\n{FORTUNE}until = 2026-01-31\n", TWO_GAMES),
        (f"{BLACK_JACK}weekdays = ['fri', 'sat']\n{FORTUNE}weekdays = ['Saturday']\n", TWO_GAMES),
        ("[[tables]]\nid = 'a'\nfrom = '2026-01-01'", "from is '2026-01-01'; it is a date like"),
        ("[[tables]]\nid = 'a'\nfrom = 2026-01-02\nuntil = 2026-01-01", "until is 2026-01-01; that is before its from"),
        ("[[tables]]\nid = 'a'\nsince = 2026-01-02", "since is no setting; there are from, game, id"),
        ("look_back_days = -1", "look_back_days is -1"),
        ("catch_up_days = 1.5", "catch_up_days is 1.5"),
        ("wait_for_sealing_seconds = 'long'", "wait_for_sealing_seconds is 'long'; it is seconds"),
        ("wait_seconds = -1", "wait_seconds is -1; it is seconds"),
        ("wait_seconds = nan", "a number is not finite"),
    ],
)
def test_a_register_or_a_limit_that_means_nothing_is_refused_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(SettingsRefused) as refused:
        load(write(tmp_path, text), environment={})
    assert said in str(refused.value)


def test_how_a_night_waits_and_looks_back_can_be_set(tmp_path: Path) -> None:
    said = {"PITAUDIT_LOOK_BACK_DAYS": "3", "PITAUDIT_CATCH_UP_DAYS": "30", "PITAUDIT_WAIT_FOR_SEALING_SECONDS": "0"}
    settings = load(write(tmp_path, "look_back_days = 9\nwait_seconds = 1.5\n"), environment=said)
    assert (settings.expecting.look_back_days, settings.catch_up_days) == (3, 30)
    assert (settings.wait_for_sealing_seconds, settings.wait_seconds) == (0, 1.5)
    assert load(write(tmp_path, ""), environment={}).catch_up_days is None


def test_the_archivers_settings_are_read_and_variables_win(tmp_path: Path) -> None:
    text = '[kafka]\nbootstrap_servers = ["a:9092", "b:9092"]\ngroup = "g"\nquiet_seconds = 60\n'
    path = write(tmp_path, text)
    chosen = load(path, {"PITAUDIT_KAFKA_GROUP": "other"})
    assert (chosen.kafka_bootstrap_servers, chosen.kafka_group, chosen.kafka_quiet_seconds) == (
        "a:9092,b:9092",
        "other",
        60.0,
    )
    for wrong in ("quiet_seconds = -1", "quiet_seconds = true", "bootstrap_servers = 'a b'", "bootstrap_servers = 9"):
        with pytest.raises(SettingsRefused, match=wrong.partition(" ")[0]):
            load(write(tmp_path, f"[kafka]\n{wrong}\n"), {})


def test_a_password_among_the_brokers_is_refused_and_not_repeated(tmp_path: Path) -> None:
    path = write(tmp_path, "[kafka]\nbootstrap_servers = 'me:hunter2@broker:9093'\n")
    with pytest.raises(SettingsRefused, match=r"kafka\.bootstrap_servers is refused") as refused:
        load(path, {})
    assert "hunter2" not in str(refused.value)
    variable = "PITAUDIT_KAFKA_BOOTSTRAP_SERVERS"
    with pytest.raises(SettingsRefused, match=f"the variable {variable} is refused") as refused:
        load(write(tmp_path, ""), {variable: "me:hunter2@broker:9093"})
    assert "hunter2" not in str(refused.value)
    both = write(tmp_path, "[kafka]\nbootstrap_servers = 'me:hunter2@broker:9093'\n")
    with pytest.raises(SettingsRefused, match=r"kafka\.bootstrap_servers is refused"):
        load(both, {variable: "broker:9093"})


@pytest.mark.parametrize("scheme", ["https", "ftp"])
def test_a_password_in_the_address_of_the_reports_is_refused_and_not_repeated(scheme: str, tmp_path: Path) -> None:
    address = f"{scheme}://me:hunter2@reports.example/pit/"
    for text, variables in ((f"reports_url = '{address}'\n", {}), ("", {"PITAUDIT_REPORTS_URL": address})):
        with pytest.raises(SettingsRefused, match="is refused: it holds a user's name or password") as refused:
            load(write(tmp_path, text), variables)
        assert "hunter2" not in str(refused.value)
    assert load(write(tmp_path, "reports_url = 'https://reports.example/@pit'\n"), {}).reports_url


def test_the_digest_of_the_rules_hangs_on_every_file_that_they_are_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = (schemas, replayer)
    files = [file for room in rooms for file in Path(room.__path__[0]).rglob("*") if file.is_file()]
    kinds = sorted({file.suffix for file in files} - {".pyc", ".typed"})
    for room in rooms:
        (tmp_path / room.__name__ / "law").mkdir(parents=True)
        monkeypatch.setattr(room, "__path__", [str(tmp_path / room.__name__)])
    digests = [rules_digest.__wrapped__()]
    for room in rooms:
        for kind in kinds:
            file = tmp_path / room.__name__ / "law" / f"art10{kind}"
            for text in ("1", "2"):
                file.write_text(text)
                digests.append(rules_digest.__wrapped__())
            file.rename(file.with_stem("art11"))
            digests.append(rules_digest.__wrapped__())
    assert len(kinds) > 2 and len({*digests}) == len(digests)
