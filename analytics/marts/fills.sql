-- Fills: chips brought from the cage, on slips that stand in the first books. Null where a slip has no amount.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, fills_minor
FROM first_books
