-- Underpaid: wagers paid less than was due, how many and by how much. Owed to players, and reported with equal rank.
-- Unit: wagers, minor units (positive).  Grain: table-day.
SELECT table_id, gaming_day, underpaid_count, underpaid_minor
FROM wagered
