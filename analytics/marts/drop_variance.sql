-- Drop variance: counted drop less buy-ins on the log. Negative where cash is missing from the box.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, drop_variance_minor
FROM first_books
