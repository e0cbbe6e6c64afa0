-- Opening: the table inventory counted when the table opened. Null where the table's first count is no opening.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, opening_minor
FROM first_books
