-- Purpose: a stake far above the player's own usual one, placed at the last moment while hardly anyone was there to see.
-- Innocent: a player who doubles up after losses, or raises his stake because the table has become quiet; ask for results.
-- Param: times number = 10 | stake as a multiple of the player's median stake on that kind of wager at that table and day (doubles, splits, raises and insurance are left out); unknown players are identified by seat
-- Param: seconds number = 3 | placed so shortly before the close, or after it; rounds of which the log does not tell the close are left out
-- Param: max_seats int = 1 | seats with wagers in the round, at most
-- Param: min_wagers int = 5 | wagers of that kind by the player needed for a median
WITH placed AS (
    SELECT
        *,
        median(stake_minor::DECIMAL(38, 1)) OVER one_player AS median_minor,
        count(*) OVER one_player AS own_wagers
    FROM wagers
    WHERE wager NOT IN ('double', 'split', 'raise', 'insurance') AND stake_minor > 0
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    WINDOW one_player AS (PARTITION BY table_id, gaming_day, currency, player, CASE WHEN player IS NULL THEN seat END, wager)
)
SELECT
    p.table_id, p.gaming_day, p.round, p.seat, p.player, p.dealer, p.wager, p.placed_seq AS seq,
    p.currency, p.stake_minor, p.median_minor::BIGINT AS median_minor, p.stake_minor / p.median_minor AS times_median,
    (epoch_us(r.closed_at) - epoch_us(p.placed_at)) / 1e6 AS seconds_before_close, r.seats, p.paid_minor
FROM placed AS p
JOIN rounds AS r USING (table_id, gaming_day, round)
WHERE p.own_wagers >= $min_wagers
    AND p.stake_minor >= $times * p.median_minor
    AND epoch_us(r.closed_at) - epoch_us(p.placed_at) <= $seconds * 1e6
    AND r.seats <= $max_seats
ORDER BY times_median DESC, p.table_id, p.gaming_day, p.round, p.placed_seq
