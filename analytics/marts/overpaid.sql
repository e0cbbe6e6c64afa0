-- Overpaid: wagers paid more than was due, how many and by how much.
-- Unit: wagers, minor units (positive).  Grain: table-day.
SELECT
    table_id, gaming_day,
    count(delta_minor) AS overpaid_count,
    coalesce(sum(delta_minor), 0) AS overpaid_minor
FROM table_days
LEFT JOIN (SELECT * FROM wagers WHERE delta_minor > 0) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
