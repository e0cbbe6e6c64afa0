-- Drop: what the drop boxes held when counted, all boxes of the first books. Null, and not zero, where none was
-- counted. A count of a drop that had been counted is in no books.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, drop_minor
FROM first_books
