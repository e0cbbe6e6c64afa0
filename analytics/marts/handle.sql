-- Handle: the sum of the stakes of all wagers placed, void rounds included.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, handle_minor
FROM wagered
