-- Purpose: the same wrong amount again and again between one dealer and one known player at one seat.
-- Innocent: a dealer who has one payment wrong in his head repeats it, but with every player and in the same situation.
-- Param: min_count int = 3 | repetitions within the time
-- Param: within_minutes number = 1440 | the time in which so many must fall; the row then has all of the day
WITH wrong AS (
    SELECT *, count(*) OVER in_time AS within
    FROM wagers
    WHERE delta_minor <> 0 AND player IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    WINDOW in_time AS (
        PARTITION BY table_id, gaming_day, seat, dealer, player, currency, delta_minor
        ORDER BY epoch_us(placed_at) / 6e7 RANGE BETWEEN greatest($within_minutes, 0) PRECEDING AND CURRENT ROW
    )
)
SELECT
    table_id, gaming_day, seat, dealer, player, currency, delta_minor,
    count(*) AS repetitions,
    max(within) AS most_within_time,
    sum(delta_minor) AS total_minor,
    count(DISTINCT stake_minor) AS stakes,
    min(round) AS first_round,
    max(round) AS last_round,
    (epoch_us(max(placed_at)) - epoch_us(min(placed_at))) / 6e7 AS minutes
FROM wrong
GROUP BY table_id, gaming_day, seat, dealer, player, currency, delta_minor
HAVING most_within_time >= $min_count
ORDER BY abs(total_minor) DESC, table_id, gaming_day, seat, dealer, player, currency, delta_minor
