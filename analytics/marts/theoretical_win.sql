-- Theoretical win: stakes times the house edge, over the rated wagers only; theoretical_stake_minor is the sum of their stakes.
-- It is not what the table should have won in all. Null where none of its wagers is rated.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    sum(expected_minor) AS theoretical_win_minor,
    coalesce(sum(stake_minor), 0) AS theoretical_stake_minor
FROM table_days
LEFT JOIN expectations USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
