"""``pitaudit import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from flows.cli.options import SettingsFile, require_place_for_archive, settings_of
from flows.cli.terminal import CLEAN, FOUND, print_json, say, shares, warn
from schemas.plural import first_few, plural

_SHOWN: Final = 10


def import_log(
    file: Path,
    /,
    *,
    map_file: Annotated[Path, Parameter(name="--map")],
    folder: Annotated[Path, Parameter(name="--archive")],
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Bring another system's log of rounds into the archive, as a mapping file says what each column means.

    All of the log is imported or nothing, also where the import is killed: run it again. The same log twice changes
    nothing. Where the map asks for it, bad rows go to quarantine with their reason; they, numbers of rounds that the
    log leaves out, and a log that was imported before under other names, make the exit code 1.

    Example: `pitaudit import rounds.csv --map rounds.toml --archive archive`

    A map is TOML; producers/mapping/README.md has one of twenty lines. Its parts:

    - `[source]`: `format` is `csv` or `jsonl`; `row` is a `hand`, a `round` or a `card`; `delimiter`, `encoding`, `header`;
      `seats = [1, 2, 3]` where a round's seats stand in columns such as `cards = "p{seat}_cards"`; where a row is a card
      `bank`, the bank's word in the column `seat`; `on_bad_row = "quarantine"` leaves out rounds with a bad row, where
      the file is refused otherwise; for a row that does not tell its round, those of the rows beside it.
    - `[table]`: `id`, `gaming_day`, `currency`, `seats`; `named_rounds` where rounds have names, by which `explain`
      finds them: they then come by their times, or else as their rows stand; for a time column `time_format` (`iso`, `unix`,
      `unix_ms` or `%d/%m/%Y %H:%M`; a column `date`, the calendar's, is read as before the time, with a blank), the `zone` of
      times that tell none (`Asia/Macau` unless set), `day_begins` (`06:00` unless set; a column `day` must agree with the
      time by it, but for the first hour of the next day); `regulation` (`bj.house`, the ordinary odds of Black Jack,
      unless set; `bj.57-2009` is Macau's law of it, `f3.78-2008` or `f3.78-2008+97-2008` that of Fortune 3 Card Poker).
    - `[columns]`: needed are `cards`, `bank` (open card first), `stake`, `result`, and `round` where a row is no round;
      where the log has them `table`, `day` (the gaming day), `date`, `time`, `seat`, `hand`, `player`, `base`,
      `doubled`, `insurance`, `insurance_result`, `surrender`, `decisions`; in JSON `seats` and `hands` name the lists. In
      Fortune 3 Card Poker `stake` is the ante, `raise` is needed (0 or empty where the player folded), and there may be
      `pair_plus`, `pair_plus_result` and `raise_result`, and no facts of split, doubled or insured hands.
    - `[cards]`: `separator` (`""` for none); `hands_separator`, without which a cell holds one hand;
      `order = "suit_rank"`, `ranks`, `suits`, `hidden`; `names` of whole cards, as `{ 1 = "Ac", 2 = "2c" }`. `Th`, `10h`,
      `10♥`, `T`, `Ten of Hearts` and JSON arrays are read as they are, without the letters of suits that `suits` spells
      otherwise; suits may be missing.
    - `[stakes]`: `unit` (what 1 means); `base`, the stake before every double where no column tells it; `decimal_comma`
      (whether a comma, not a point, stands before decimals; where it is not said, `1,000` is a thousand and `1.000` is
      refused); `currency`, a text that may stand beside a number; `covers` a `hand`, a `seat`, or the seat's `first` bet,
      which is each split hand's too, before any double; `double` is `inside` the stake, unless set, or `beside` it.
    - `[result]`: `as` is `net`, `returned` or `words`, with
      `words = { blackjack = "3/2", win = 1, push = 0, lose = -1 }`; `covers` a `hand` or a `seat`; insurance is inside
      unless `insurance_result` is mapped, whose words are `insurance_words`; so are `raise` (`raise_words`)
      and `pair_plus` (`pair_plus_words`).
    - `[decisions]`: `words = { H = "hit", S = "stand", D = "double", P = "split", R = "surrender" }`, `separator`;
      beside those there are `insurance`, `no_insurance`, `even_money` and `five_card_half`.
    - `[rules]`: options such as `decks`, `natural_odds`, `insurance_odds`, `bank_soft17`, `hole_card`, `max_splits`,
      `resplit`, `split_aces_draw`, `double_totals`, `double_after_split`, `surrender`, `surrender_against_ace`;
      `bank_second_card` is `before_play` or `after_play` (unless set, as `deal_procedure` says, else `before_play`);
      `not_recorded` is any of `faces`, `decisions`, `times`, `suits`, `round_numbers` (`faces` never are recorded where
      `deal_procedure` or `p3_player_faces` deals hands face down; shuffles, cuts, burns, the order of the deal and chip
      counts never come from such a log). Fortune's are `shuffle`, `deal` and the limits
      `ante_min`, `ante_max`, `pair_plus_min`, `pair_plus_max`.

    Numbers decide, and not the order of rows: of rounds, of seats, and in the column `hand` of the hands of a seat, each
    seat's from 1 (or 0, or a). Where a row is a card, the cards of a hand come as their rows stand, a card that a split
    moved with the hand it went to; what else is told of a hand stands in any of its rows, with a card or without.
    Between two cards stands the separator and nothing else: other text may part two hands, so the row is refused with
    what to write into the map. No cell is taken for several hands or seats, except the amounts that `covers` calls the
    seat's; what a seat's rows tell twice must agree, and so must the bank's cards and the time in all rows of a round,
    except the times of cards. Where several bet on a seat, each `player` has rows of his own, with the same cards (one
    who does not follow a split: those of the first hand). Rounds whose numbers are left out are named, and every replay
    finds those inside a table-day (`ROUND_MISSING`); where a log does not number the rounds of a table-day one after the
    other, put `round_numbers` into `not_recorded`.

    Parameters
    ----------
    file
        The log, CSV or JSON lines.
    map_file
        The mapping file.
    folder
        The archive's folder, made where it is missing.
    json
        One JSON object on standard output: file, imported, already, rounds, hands, events, rows, quarantined,
        quarantine, not_recorded, unread (columns that the map names nowhere), absent (columns that the map names and no
        row has), open_end (the last line may be cut off), twice (table-days as which this very log was imported before),
        missing (numbers of rounds that the log leaves out: table_id, gaming_day, first_round, last_round), other_law
        (gaming_day and what was in_force, where that is not the law that the map names).
    """
    from producers.mapping import import_log as bring_in

    chosen = settings_of(settings)
    require_place_for_archive(folder)
    with shares("Importing", "rounds") as step:
        done = bring_in(file, map_file, folder, step, chosen.file_mode, chosen.replay.in_force)
    for fact in done.not_recorded:
        say(f"not recorded by this log, so not checked: {fact}")
    if done.unread:
        say(f"not read, as the map names them nowhere: {first_few(done.unread, _SHOWN)}")
    for column, fact in done.absent.items():
        warn(f"no row has {column!r}, which {map_file} maps to {fact}: is that its name?")
    for table_id, gaming_day in done.twice[:_SHOWN]:
        warn(
            f"{file} was imported before, as table {table_id} of {gaming_day}: what it holds counts twice in every sum"
        )
    for day, law in done.other_law[:_SHOWN]:
        warn(f"{day}: in force was {law}, and rounds of that day are judged by the regulation that {map_file} names")
    if done.open_end:
        warn(f"the last line of {file} has no end: hold its last cell against the source, it may be cut off")
    for (table_id, gaming_day), first, last in done.missing[:_SHOWN]:
        rounds = f"round {first} stands" if first == last else f"rounds {first} to {last} stand"
        warn(
            f"{table_id} {gaming_day}: {rounds} in no row of that day: left out, on another day by the time, or does the log "
            "not number rounds so?"
        )
    if len(done.missing) > _SHOWN:
        warn(f"and {len(done.missing) - _SHOWN} more gaps between the numbers of rounds; --json has all of them")
    if done.quarantined:
        warn(f"{done.quarantined} of {done.rows} rows are in quarantine: {done.quarantine}")
    if json:
        print_json(done.to_dict())
    else:
        made = ", ".join(map(plural, (done.rounds, done.hands, done.events), ("round", "hand", "event")))
        say(f"{made} from {plural(done.rows, 'row')}: {folder}")
    return FOUND if done.quarantined or done.missing or done.twice else CLEAN
