-- Luck: win due less theoretical win, both over the rated wagers only.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, sum(due_minor) - sum(expected_minor) AS luck_minor
FROM table_days
LEFT JOIN expectations USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
