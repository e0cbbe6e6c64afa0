-- Handle: the sum of the stakes of all wagers placed, void rounds included, in the currency of the table-day.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, handle_minor
FROM wagered
