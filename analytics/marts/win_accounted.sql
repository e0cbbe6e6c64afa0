-- Win accounted: the win by the counted chips and box: closing + credits + drop - opening - fills.
-- Null where any of them was not counted.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, win_accounted_minor
FROM first_books
