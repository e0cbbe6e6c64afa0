-- Overpaid: wagers paid more than was due, how many and by how much.
-- Unit: wagers, minor units (positive).  Grain: table-day.
SELECT table_id, gaming_day, overpaid_count, overpaid_minor
FROM wagered
