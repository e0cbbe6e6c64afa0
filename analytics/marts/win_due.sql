-- Win due: what the regulation says of the wagers that were both judged and settled. Wagers without a due amount and
-- wagers without a settlement are counted separately, in unjudged and unsettled.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, -coalesce(sum(due_minor), 0) AS win_due_minor
FROM table_days
LEFT JOIN (SELECT * FROM wagers WHERE paid_minor IS NOT NULL) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
