-- Unsettled: wagers that were due something and have no settlement on the log, and what they were due in all.
-- Unit: wagers, minor units (the player's net).  Grain: table-day.
SELECT table_id, gaming_day, unsettled_count, unsettled_due_minor
FROM wagered
