-- Credits: chips returned to the cage, on slips that stand in the first books. Null where a slip has no amount.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, credits_minor
FROM first_books
