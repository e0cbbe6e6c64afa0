-- Win recorded: what the dealers collected less what they paid, by every settlement on the log.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, -coalesce(sum(paid_minor), 0) AS win_recorded_minor
FROM table_days
LEFT JOIN payments USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
