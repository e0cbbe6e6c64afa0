-- Expected closing: the inventory that must be there by the log: opening + fills - credits - buy-ins + win booked.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    opening_minor + fills_minor - credits_minor - buyins_minor + win_booked_minor AS expected_closing_minor
FROM books
JOIN winnings USING (table_id, gaming_day)
