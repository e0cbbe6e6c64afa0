-- Expected closing: the inventory at closing by the log: opening + fills - credits - buy-ins + win booked.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, expected_closing_minor
FROM first_books
