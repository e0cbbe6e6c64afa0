-- Underpaid: wagers paid less than was due, how many and by how much. Owed to players, and reported with equal rank.
-- Unit: wagers, minor units (positive).  Grain: table-day.
SELECT
    table_id, gaming_day,
    count(delta_minor) AS underpaid_count,
    -coalesce(sum(delta_minor), 0) AS underpaid_minor
FROM table_days
LEFT JOIN (SELECT * FROM wagers WHERE delta_minor < 0) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
