-- Luck deviation: the most that the standard deviation of luck can be. The wagers of a round hang on the same cards of
-- the bank, so they are taken as won and lost together, which no wagers can exceed; rounds are taken as independent.
-- Unit: minor units, to two decimals: the digits behind hang on the order of rows.  Grain: table-day.
WITH by_round AS (
    SELECT table_id, gaming_day, round, sum(stake_minor * sqrt(variance)) AS deviation
    FROM rated_wagers
    GROUP BY table_id, gaming_day, round
)
SELECT table_id, gaming_day, round(sqrt(sum(deviation ** 2)), 2) AS luck_deviation_minor
FROM table_days
LEFT JOIN by_round USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
