-- Purpose: a stake far above the player's own usual one, at least half of it laid at the last moment, while hardly anyone was there to see. Chips laid on a stake before the close and settled with it in one amount are in the lake as laid with its first ones.
-- Innocent: a player who doubles up after losses, or raises his stake because the table has become quiet; ask for results.
-- Param: times number = 10 | stake as a multiple of the player's median stake on that kind of wager at that table and day (doubles, splits, raises and insurance are left out); unknown players are identified by seat
-- Param: seconds number = 3 | laid so shortly before the close, or after it; where the log does not tell the close, after the first card
-- Param: max_seats int = 1 | seats with wagers in the round, at most
-- Param: min_wagers int = 5 | wagers of that kind by the player needed for a median
WITH late AS (
    SELECT table_id, gaming_day, placed_seq, sum(amount_minor) AS late_minor, max(seq) AS last_seq, max("at") AS last_at
    FROM late_wagers
    GROUP BY table_id, gaming_day, placed_seq
),
-- Wagers of one kind by one bettor on a hand are one stake, laid in parts.
stakes AS (
    SELECT
        w.table_id, w.gaming_day, w.round, w.seat, w.player, w.wager, w.currency, r.closed_at, r.seats,
        max(greatest(w.placed_seq, late.last_seq)) AS seq,
        max(greatest(w.placed_at, late.last_at)) AS last_at,
        arg_max(w.dealer, w.placed_seq) AS dealer,
        sum(w.stake_minor) AS stake_minor,
        sum(
            CASE
                WHEN epoch_us(r.closed_at) - epoch_us(w.placed_at) <= $seconds * 1e6 THEN w.stake_minor
                ELSE coalesce(late.late_minor, 0)
            END
        ) AS late_minor,
        sum(w.paid_minor) AS paid_minor
    FROM wagers AS w
    JOIN rounds AS r USING (table_id, gaming_day, round)
    LEFT JOIN late USING (table_id, gaming_day, placed_seq)
    WHERE w.wager NOT IN ('double', 'split', 'raise', 'insurance') AND w.stake_minor > 0
        AND ($first IS NULL OR w.gaming_day >= $first) AND ($last IS NULL OR w.gaming_day <= $last)
    GROUP BY w.table_id, w.gaming_day, w.round, w.seat, w.hand, w.position, w.player, w.wager, w.currency, r.closed_at, r.seats
),
compared AS (
    SELECT
        *,
        median(stake_minor::DECIMAL(38, 1)) OVER one_player AS median_minor,
        count(*) OVER one_player AS own_wagers
    FROM stakes
    WINDOW one_player AS (PARTITION BY table_id, gaming_day, currency, player, CASE WHEN player IS NULL THEN seat END, wager)
)
SELECT
    table_id, gaming_day, round, seat, player, dealer, wager, seq,
    currency, stake_minor, late_minor, median_minor::BIGINT AS median_minor, stake_minor / median_minor AS times_median,
    (epoch_us(closed_at) - epoch_us(last_at)) / 1e6 AS seconds_before_close, seats, paid_minor
FROM compared
WHERE own_wagers >= $min_wagers
    AND stake_minor >= $times * median_minor
    AND late_minor * 2 >= stake_minor
    AND seats <= $max_seats
ORDER BY times_median DESC, table_id, gaming_day, round, seq
