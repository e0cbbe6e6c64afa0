-- Inventory variance: closing less expected closing. Negative where chips are missing.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, closing_minor - expected_closing_minor AS inventory_variance_minor
FROM books
JOIN expected_closing USING (table_id, gaming_day)
