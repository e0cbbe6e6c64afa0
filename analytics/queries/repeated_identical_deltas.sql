-- Purpose: the same wrong amount again and again between one dealer and one player at one seat.
-- Innocent: a dealer who has one payment wrong in his head repeats it, but with every player and in the same situation.
-- Param: first date = none | first gaming day
-- Param: last date = none | last gaming day
-- Param: min_count int = 3 | repetitions
-- Param: within_minutes number = 1440 | from the first repetition to the last
SELECT
    table_id, gaming_day, seat, dealer, player, delta_minor,
    count(*) AS repetitions,
    sum(delta_minor)::BIGINT AS total_minor,
    count(DISTINCT stake_minor) AS stakes,
    min(round) AS first_round,
    max(round) AS last_round,
    (max(placed_at) - min(placed_at)) / 6e7 AS minutes
FROM wagers
WHERE delta_minor <> 0
    AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
GROUP BY table_id, gaming_day, seat, dealer, player, delta_minor
HAVING repetitions >= $min_count AND coalesce(minutes, 0) <= $within_minutes
ORDER BY abs(total_minor) DESC, table_id, gaming_day, seat
