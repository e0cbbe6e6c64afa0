-- Unsettled: wagers with a due and without a settlement on the log, and the sum of their dues.
-- Unit: wagers, minor units (the player's net).  Grain: table-day.
SELECT table_id, gaming_day, unsettled_count, unsettled_due_minor
FROM wagered
