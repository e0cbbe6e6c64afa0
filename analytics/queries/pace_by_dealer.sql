-- Question: How fast does each dealer play?
-- Purpose: seconds from the first to the last event of a round, and rounds in an hour of such seconds, by dealer, game and number of seats in play, beside all dealers at the same.
-- Innocent: a new dealer is slow, and so is a table of beginners; one who is slow with certain players only gives them time, or waits for a sign.
-- Param: min_rounds int = 1 | rounds that a row needs to be listed
WITH timed AS (
    SELECT dealer, game, seats, epoch_us(ended_at) - epoch_us(started_at) AS micros
    FROM rounds
    WHERE status = 'played' AND dealer IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
),
everyone AS (
    SELECT game, seats, median(micros) / 1e6 AS everyones_median_seconds
    FROM timed
    GROUP BY game, seats
)
SELECT
    dealer, game, seats,
    count(*) AS rounds,
    median(micros) / 1e6 AS median_seconds,
    everyones_median_seconds,
    max(micros) / 1e6 AS longest_seconds,
    3.6e9 * count(*) / nullif(sum(micros), 0) AS rounds_an_hour
FROM timed
JOIN everyone USING (game, seats)
GROUP BY dealer, game, seats, everyones_median_seconds
HAVING count(*) >= $min_rounds
-- A tenth slower over sixteen rounds comes before a third slower in one.
ORDER BY (median_seconds / nullif(everyones_median_seconds, 0) - 1) * sqrt(rounds) DESC, dealer, game, seats
