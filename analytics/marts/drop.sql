-- Drop: the counted content of all drop boxes of the first books. Null, not zero, where none was counted. A second count of a
-- counted drop is in no books.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, drop_minor
FROM first_books
