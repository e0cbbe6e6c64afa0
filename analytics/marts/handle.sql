-- Handle: the sum of the stakes of all wagers placed, void rounds included.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, coalesce(sum(stake_minor), 0) AS handle_minor
FROM table_days
LEFT JOIN wagers USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
