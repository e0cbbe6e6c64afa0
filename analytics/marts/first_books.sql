-- First books: those that the first closing of a table-day closes. Nothing that comes later changes them.
-- Unit: minor units.  Grain: table-day.
SELECT * EXCLUDE (stretch, opened_seq)
FROM books
WHERE stretch = 1
