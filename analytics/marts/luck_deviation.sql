-- Luck deviation: the standard deviation of luck. It is exact: the hands of a round come from one deck, so the results of two
-- hands covary, and several stakes on one hand are won and lost together; the deck is shuffled for every round, so rounds are
-- independent.
-- Unit: minor units, to two decimals: further digits would depend on the order of rows.  Grain: table-day.
WITH hands AS (
    SELECT table_id, gaming_day, round, seat, wager, variance, covariance, sum(stake_minor)::DOUBLE AS stake
    FROM rated_wagers
    GROUP BY table_id, gaming_day, round, seat, wager, variance, covariance
),
by_round AS (
    SELECT
        table_id, gaming_day, round,
        (variance - covariance) * sum(stake ** 2) + covariance * sum(stake) ** 2 AS variance_of_round
    FROM hands
    GROUP BY table_id, gaming_day, round, wager, variance, covariance
)
SELECT table_id, gaming_day, round(sqrt(sum(variance_of_round)), 2) AS luck_deviation_minor
FROM table_days
LEFT JOIN by_round USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
