-- Unsettled: wagers that were due something and have no settlement on the log, and what they were due in all.
-- Unit: wagers, minor units (the player's net).  Grain: table-day.
SELECT
    table_id, gaming_day,
    count(placed_seq) AS unsettled_count,
    coalesce(sum(due_minor), 0) AS unsettled_due_minor
FROM table_days
LEFT JOIN (SELECT * FROM wagers WHERE status = 'unsettled') USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
