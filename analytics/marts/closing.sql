-- Closing: the table inventory counted when the table first closed. Later events do not change it.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, closed_seq, closing_minor
FROM first_books
