-- Inventory variance: closing less expected closing. Negative where chips are missing.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, inventory_variance_minor
FROM first_books
