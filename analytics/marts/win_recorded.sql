-- Win recorded: the amounts that dealers collected less those they paid, over all settlements in the table-day's currency.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, coalesce(sum(winnings.win_recorded_minor), 0) AS win_recorded_minor
FROM table_days
LEFT JOIN winnings USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
