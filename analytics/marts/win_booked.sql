-- Win booked: the part of the win recorded that was paid and collected before the table first closed: all of it, unless the
-- table was opened again. The chips counted at that closing are compared with it.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, win_booked_minor
FROM first_books
