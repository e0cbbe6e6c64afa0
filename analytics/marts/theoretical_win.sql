-- Theoretical win: stakes times the house's edge, over the rated wagers and no others; theoretical_stake_minor says how much
-- of the handle that is. No measure of what the table should have won: null where none of its wagers is rated.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    sum(expected_minor) AS theoretical_win_minor,
    coalesce(sum(stake_minor), 0) AS theoretical_stake_minor
FROM table_days
LEFT JOIN expectations USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
