-- First books: those closed by the first closing of a table-day. Later events do not change them.
-- Unit: minor units.  Grain: table-day.
SELECT * EXCLUDE (stretch, opened_seq)
FROM books
WHERE stretch = 1
