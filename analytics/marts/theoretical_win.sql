-- Theoretical win: stakes times the house's edge, over the wagers whose edge is known; theoretical_stake_minor says how
-- much of the handle that is. Null where no edge is known.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    sum(expected_minor) AS theoretical_win_minor,
    coalesce(sum(stake_minor), 0) AS theoretical_stake_minor
FROM table_days
LEFT JOIN expectations USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
