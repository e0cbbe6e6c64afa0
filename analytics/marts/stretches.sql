-- Stretches: the books of a table from each time that it was opened again to the next closing, without its first books.
-- Unit: minor units of its own currency.  Grain: stretch of a table-day, from the second one.
SELECT *
FROM books
WHERE stretch > 1
